"""A command of ``rheo`` on many videos, each of them a task on a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .program import Program
from .tasks import Progress, Report, Task, run_tasks

# The commands, each with what comes before the name of its output, and the ending of that name.
_COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {"detect": (("--report",), ".json"), "annotate": ((), ".mp4")}


@dataclass
class Batch:
    """A command on many videos. The results are those of the program on one machine, since no video is cut.

    Attributes:
        command: ``detect``, which writes a report of the events of each video, or ``annotate``.
        inputs: Files that all machines see under these paths.
        output: The folder for the results, one file for each video, by its name. All machines see it.
        options: More options of the command, such as ``["--zones", "zones.json"]``.
        ending: The ending of the results' names, which tells their format; ``.json`` or ``.mp4`` unless set.
        address: The address of a Ray cluster, or ``local`` for one on this machine, which ends with the work.
        program: The program, on each machine.
    """

    command: str
    inputs: Sequence[str]
    output: str
    options: Sequence[str] = ()
    ending: str | None = None
    address: str = "local"
    program: Program = field(default_factory=Program)

    def run(self, progress: Progress | None = None) -> Report:
        """Runs the command on all videos whose results are not there yet.

        Args:
            progress: Called with the number of videos that are over and that of all.

        Returns:
            What became of each video. A failure of one does not end the others.

        Raises:
            ValueError: There is no such command, or two inputs have one name.
            KeyboardInterrupt: After all work on the cluster was stopped.
        """
        if self.command not in _COMMANDS:
            raise ValueError(f"{self.command}: the commands are {', '.join(_COMMANDS)}")
        before, ending = _COMMANDS[self.command]
        targets = [Path(self.output, Path(video).stem + (self.ending or ending)).absolute() for video in self.inputs]
        for target in targets:
            if targets.count(target) > 1:
                raise ValueError(f"two inputs would become {target}")
        report = Report()
        Path(self.output).mkdir(parents=True, exist_ok=True)
        tasks = []
        for video, target in zip(self.inputs, targets):
            if target.exists():
                report.kept.append(target)
                continue
            arguments = (
                self.command, str(Path(video).absolute()), *before, str(Task.temporary(target)), "--overwrite",
                "--quiet", "--threads", "1", *self.options,
            )
            tasks.append(Task(video, video, arguments, str(target)))
        if tasks:
            failed = run_tasks(tasks, self.program, self.address, report, progress)
            report.outputs += [Path(task.target) for task in tasks if task not in failed and task.target is not None]
        return report


def detect(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Finds the events of videos: ``Batch("detect", inputs, output, **options).run()``."""
    return Batch("detect", inputs, output, **options).run()


def annotate(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Draws the flow of videos: ``Batch("annotate", inputs, output, **options).run()``."""
    return Batch("annotate", inputs, output, **options).run()
