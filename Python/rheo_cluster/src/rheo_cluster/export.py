"""The flow of videos as files, computed shard by shard on a Ray cluster."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .job import Job
from .program import ProgramFailure
from .tasks import Progress, Report, Task, run_tasks


@dataclass(kw_only=True)
class Export(Job):
    """An export of the flow of videos. What an earlier run has done is checked and kept.

    Attributes:
        stack: Whether each video becomes one array, ``NAME.npy``, and not a folder.
        shard_duration: The length of a shard in seconds.
        working_directory: A folder that all machines see, for the shards; ``.shards`` in ``output`` unless set.
    """

    stack: bool = False
    shard_duration: float = 60.0
    working_directory: str | None = None

    def _ending(self) -> str:
        return ".npy" if self.stack else ""

    def _is_complete(self, target: Path) -> bool:
        manifest = target.with_suffix(".manifest.json") if self.stack else target / "manifest.json"
        try:
            return bool(json.loads(manifest.read_text())["complete"])
        except (OSError, ValueError, KeyError):
            return False

    def _run(self, work: Sequence[tuple[str, Path]], report: Report, progress: Progress | None) -> None:
        shards = {}
        for video, target in work:
            try:
                shards[target] = self._shards(video, target)
            except ProgramFailure as failure:
                report.failures.append(str(failure))
        if not shards:
            return
        tasks = [task for tasks in shards.values() for task in tasks.values()]
        failed = run_tasks(tasks, self.program, self.address, report, progress)
        for target, tasks_of_video in shards.items():
            if not failed.intersection(tasks_of_video.values()):
                self._merge(list(tasks_of_video), target, report)

    def _shards(self, video: str, target: Path) -> dict[Path, Task]:
        """Returns the tasks that export the shards of a video, by the shards' paths.

        A shard that is there is checked, one that is not complete goes on.
        """
        count = self.program.shard_count(video, self.shard_duration)
        work = Path(self.working_directory) if self.working_directory else Path(self.output) / ".shards"
        folder = (work / target.name).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        tasks = {}
        for part in range(1, count + 1):
            path = folder / f"{part}{target.suffix if self.stack else ''}"
            arguments = (
                "export", video, "--shard", f"{part}/{count}", "--output", str(path), "--resume", "--quiet",
                "--threads", "1", *self.options,
            )
            tasks[path] = Task(f"shard {part}/{count} of {video}", video, arguments)
        return tasks

    def _merge(self, shards: Sequence[Path], target: Path, report: Report) -> None:
        try:
            self.program.run(["merge", *map(str, shards), "--output", str(target), "--quiet"])
        except ProgramFailure as failure:
            report.failures.append(str(failure))
            return
        report.outputs.append(target)
        folder = shards[0].parent
        shutil.rmtree(folder)
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()


def export(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Exports the flow of videos: ``Export(inputs, output, **options).run()``."""
    return Export(inputs, output, **options).run()
