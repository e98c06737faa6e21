"""The flow of videos as files, computed shard by shard on a Ray cluster."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .program import Program, ProgramFailure
from .tasks import Progress, Report, Task, run_tasks


@dataclass(frozen=True)
class Shard:
    """The ``number``-th of ``count`` parts of a video."""

    video: str
    number: int
    count: int
    output: str

    def task(self, options: Sequence[str]) -> Task:
        """Returns the task that exports it. One that is there is checked, one that is not complete goes on."""
        part = f"{self.number}/{self.count}"
        arguments = (
            "export", self.video, "--shard", part, "--output", self.output, "--resume", "--quiet", "--threads", "1",
            *options,
        )
        return Task(f"shard {part} of {self.video}", self.video, arguments)


@dataclass
class Export:
    """An export of the flow of videos.

    Attributes:
        inputs: Files that all machines see under these paths.
        output: The folder for the results: a folder, or an array ``NAME.npy``, for each video.
        options: More options of ``rheo export``, such as ``["--format", "npy", "--half"]``.
        stack: Whether each video becomes one array.
        shard_duration: The length of a shard in seconds.
        address: The address of a Ray cluster, or ``local`` for one on this machine, which ends with the work.
        working_directory: A folder that all machines see, for the shards; ``.shards`` in ``output`` unless set.
        program: The program, on each machine.
    """

    inputs: Sequence[str]
    output: str
    options: Sequence[str] = ()
    stack: bool = False
    shard_duration: float = 60.0
    address: str = "local"
    working_directory: str | None = None
    program: Program = field(default_factory=Program)

    def run(self, progress: Progress | None = None) -> Report:
        """Exports all shards, then joins those of each video. What an earlier run has done is checked and kept.

        Args:
            progress: Called with the number of shards that are over and that of all.

        Returns:
            What became of each video. A failure of one does not end the others.

        Raises:
            ValueError: Two inputs have one name.
            KeyboardInterrupt: After all work on the cluster was stopped.
        """
        report = Report()
        Path(self.output).mkdir(parents=True, exist_ok=True)
        groups = [(group, [shard.task(self.options) for shard in group]) for group in self._shards(report)]
        if not groups:
            return report
        everything = [task for _, tasks in groups for task in tasks]
        failed = run_tasks(everything, self.program, self.address, report, progress)
        for group, tasks in groups:
            if not failed.intersection(tasks):
                self._merge(group, report)
        return report

    def _target(self, video: str) -> Path:
        return Path(self.output) / (Path(video).stem + (".npy" if self.stack else ""))

    def _shards(self, report: Report) -> list[list[Shard]]:
        targets = [self._target(video) for video in self.inputs]
        for target in targets:
            if targets.count(target) > 1:
                raise ValueError(f"two inputs would become {target}")
        work = Path(self.working_directory) if self.working_directory else Path(self.output) / ".shards"
        groups = []
        for video, target in zip(self.inputs, targets):
            if _is_complete(target):
                report.kept.append(target)
                continue
            try:
                count = self.program.shard_count(video, self.shard_duration)
            except ProgramFailure as failure:
                report.failures.append(str(failure))
                continue
            folder = (work / target.name).absolute()
            folder.mkdir(parents=True, exist_ok=True)
            groups.append([
                Shard(str(Path(video).absolute()), number, count, str(folder / f"{number}{target.suffix}"))
                for number in range(1, count + 1)
            ])
        return groups

    def _merge(self, shards: Sequence[Shard], report: Report) -> None:
        target = self._target(shards[0].video)
        parts = [shard.output for shard in shards]
        try:
            self.program.run(["merge", *parts, "--output", str(target), "--quiet"])
        except ProgramFailure as failure:
            report.failures.append(str(failure))
            return
        report.outputs.append(target)
        folder = Path(parts[0]).parent
        shutil.rmtree(folder)
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()


def _is_complete(target: Path) -> bool:
    manifest = target.with_suffix(".manifest.json") if target.suffix == ".npy" else target / "manifest.json"
    try:
        return bool(json.loads(manifest.read_text())["complete"])
    except (OSError, ValueError, KeyError):
        return False


def export(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Exports the flow of videos: ``Export(inputs, output, **options).run()``."""
    return Export(inputs, output, **options).run()
