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
from .tasks import Group, Progress, Report, Task, run_groups


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
        groups = {}
        for video, target in work:
            try:
                groups[self._group(video, target)] = target
            except ProgramFailure as failure:
                report.failures.append(str(failure))
        if not groups:
            return
        for group in run_groups(list(groups), self.program, self.address, report, progress):
            target = groups[group]
            report.outputs.append(target)
            folder = self._folder(target)
            shutil.rmtree(folder)
            if not any(folder.parent.iterdir()):
                folder.parent.rmdir()

    def _group(self, video: str, target: Path) -> Group:
        """Returns the tasks that export the shards of a video, and the one that joins them.

        A shard that is there is checked, one that is not complete goes on.
        """
        count = self.program.shard_count(video, self.shard_duration)
        folder = self._folder(target)
        folder.mkdir(parents=True, exist_ok=True)
        tasks, paths = [], []
        for number in range(1, count + 1):
            part, path = f"{number}/{count}", str(folder / f"{number}{self._ending()}")
            arguments = (
                "export", video, "--shard", part, "--output", path, "--resume", "--quiet", "--threads", "1",
                *self.options,
            )
            tasks.append(Task(f"shard {part} of {video}", video, arguments))
            paths.append(path)
        # What a merge that was killed has left is replaced.
        merge = ("merge", *paths, "--output", str(target), "--overwrite", "--quiet", "--threads", "1")
        return Group(tuple(tasks), Task(f"merge of {video}", video, merge))

    def _folder(self, target: Path) -> Path:
        """Returns the folder of the shards of a video."""
        work = Path(self.working_directory) if self.working_directory else Path(self.output) / ".shards"
        return (work / target.name).absolute()


def export(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Exports the flow of videos: ``Export(inputs, output, **options).run()``."""
    return Export(inputs, output, **options).run()
