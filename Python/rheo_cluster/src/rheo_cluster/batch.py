"""A command of ``rheo`` on many videos, each of them a task on a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .annotation import Annotation
from .detection import Detection
from .job import Job
from .tasks import Group, Progress, Report, Task, run_groups

Command = Literal["detect", "annotate"]

# Of each command, what comes before the name of its output, and the ending of that name.
_COMMANDS: dict[Command, tuple[tuple[str, ...], str]] = {"detect": (("--report",), ".json"), "annotate": ((), ".mp4")}


@dataclass(kw_only=True)
class Batch(Job):
    """A command on many videos. The results are those of the program on one machine, since no video is cut.

    Attributes:
        command: ``detect``, which writes a report of the events of each video, or ``annotate``.
        ending: The ending of the results' names, which tells their format; ``.json`` or ``.mp4`` unless set.

    Raises:
        ValueError: There is no such command.
    """

    command: Command
    ending: str | None = None

    def __post_init__(self) -> None:
        if self.command not in _COMMANDS:
            raise ValueError(f"{self.command}: the commands are {', '.join(_COMMANDS)}")

    def _ending(self) -> str:
        return self.ending or _COMMANDS[self.command][1]

    def _is_complete(self, target: Path) -> bool:
        return target.exists()

    def _run(self, work: Sequence[tuple[str, Path]], report: Report, progress: Progress | None) -> None:
        before, _ = _COMMANDS[self.command]
        groups = {}
        for video, target in work:
            arguments = (
                self.command, video, *before, str(Task.temporary(target)), "--overwrite", "--quiet", "--threads", "1",
                *self.options,
            )
            groups[Group((Task(name=video, video=video, arguments=arguments, target=str(target)),))] = target
        done = run_groups(list(groups), self.program, self.address, report, progress)
        report.outputs += [groups[group] for group in done]


def detect(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Finds the events of videos: ``Batch(inputs, output, command="detect", **options).run()``.

    With ``shard_duration`` each video is cut: ``Detection(inputs, output, **options).run()``.
    """
    if "shard_duration" in options:
        return Detection(inputs, output, **options).run()
    return Batch(inputs, output, command="detect", **options).run()


def annotate(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Draws the flow of videos: ``Batch(inputs, output, command="annotate", **options).run()``.

    With ``shard_duration`` each video is cut: ``Annotation(inputs, output, **options).run()``.
    """
    if "shard_duration" in options:
        return Annotation(inputs, output, **options).run()
    return Batch(inputs, output, command="annotate", **options).run()
