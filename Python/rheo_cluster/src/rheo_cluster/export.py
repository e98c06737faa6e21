"""The flow of videos as files, computed shard by shard on a Ray cluster."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .job import Job
from .program import ProgramFailure
from .tasks import Group, Progress, Report, Task, run_groups

if TYPE_CHECKING:
    from .storage import Storage


@dataclass(kw_only=True)
class Export(Job):
    """An export of the flow of videos. What an earlier run has done is checked and kept.

    Attributes:
        stack: Whether each video becomes one array, ``NAME.npy``, and not a folder.
        shard_duration: The length of a shard in seconds.
        working_directory: A folder that all machines see, for the shards, or the URL of one in a storage that fsspec
            knows, such as ``s3://bucket/shards``; ``.shards`` in ``output`` unless set.
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
            self._remove_shards(target)

    def _group(self, video: str, target: Path) -> Group:
        """Returns the tasks that export the shards of a video, and the one that joins them.

        A shard that is there is checked, one that is not complete goes on; in a storage it begins anew.
        """
        count = self.program.shard_count(video, self.shard_duration)
        numbers = range(1, count + 1)
        # What a merge that was killed has left is replaced.
        merge = ("merge", "--overwrite", "--quiet", "--threads", "1")
        name = f"merge of {video}"
        storage = self._storage(target)
        if storage:
            from .storage import StoredMerge, StoredShard

            stored = tuple(
                StoredShard(
                    name=f"shard {number}/{count} of {video}", video=video, output=f"shard{self._ending()}",
                    arguments=self._arguments(video, f"{number}/{count}"), storage=storage.folder(str(number)))
                for number in numbers)
            return Group(
                stored, StoredMerge(name=name, video=video, arguments=merge, shards=stored, result=str(target)))
        folder = self._folder(target)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [str(folder / f"{number}{self._ending()}") for number in numbers]
        tasks = tuple(
            Task(
                name=f"shard {number}/{count} of {video}", video=video,
                arguments=(*self._arguments(video, f"{number}/{count}"), "--output", path, "--resume"))
            for number, path in zip(numbers, paths))
        return Group(
            tasks, Task(name=name, video=video, arguments=(*merge, *paths, "--output", str(target))))

    def _arguments(self, video: str, part: str) -> tuple[str, ...]:
        return ("export", video, "--shard", part, "--quiet", "--threads", "1", *self.options)

    def _remove_shards(self, target: Path) -> None:
        storage = self._storage(target)
        if storage:
            return storage.remove()
        folder = self._folder(target)
        shutil.rmtree(folder)
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()

    def _storage(self, target: Path) -> Storage | None:
        """Returns where the shards of a video are kept, unless in a folder."""
        if self.working_directory is None or "://" not in self.working_directory:
            return None
        try:
            from .storage import Storage
        except ImportError:
            raise ImportError(f"{self.working_directory}: needs rheo-cluster[storage]") from None
        return Storage(self.working_directory).folder(self._folder_name(target))

    def _folder(self, target: Path) -> Path:
        """Returns the folder of the shards of a video."""
        work = Path(self.working_directory) if self.working_directory else Path(self.output) / ".shards"
        return (work / self._folder_name(target)).absolute()

    @staticmethod
    def _folder_name(target: Path) -> str:
        # A folder of the video's own name may be somebody's, and this one is removed in the end.
        return f"{target.name}.shards"


def export(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Exports the flow of videos: ``Export(inputs, output, **options).run()``."""
    return Export(inputs, output, **options).run()
