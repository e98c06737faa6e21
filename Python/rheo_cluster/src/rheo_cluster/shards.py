"""Videos that are cut into shards, each of them a task on a Ray cluster."""

from __future__ import annotations

import shutil
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from .job import Job
from .program import ProgramFailure
from .tasks import Group, Progress, Report, Task, run_groups

if TYPE_CHECKING:
    from .storage import Storage


@dataclass(kw_only=True)
class ShardedJob(Job):
    """Work on videos that are cut into shards. What an earlier run has done is checked and kept.

    Attributes:
        shard_duration: The length of a shard in seconds.
        working_directory: A folder that all machines see, for the shards, or the URL of one in a storage that fsspec
            knows, such as ``s3://bucket/shards``; ``.shards`` in ``output`` unless set.
    """

    shard_duration: float = 60.0
    working_directory: str | None = None

    # The command, and what comes before the name of its output.
    _command: ClassVar[str]
    _output_option: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _shard_ending(self) -> str:
        """Returns the ending of a shard's name."""

    def _options(self) -> tuple[str, ...]:
        """Returns the options of the command for each shard."""
        return tuple(self.options)

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
        """Returns the tasks that make the shards of a video, and the one that joins them.

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
                    name=f"shard {number}/{count} of {video}", video=video, output=f"shard{self._shard_ending()}",
                    output_option=self._output_option,
                    arguments=self._arguments(video, f"{number}/{count}"), storage=storage.folder(str(number)))
                for number in numbers)
            return Group(
                stored, StoredMerge(name=name, video=video, arguments=merge, shards=stored, result=str(target)))
        folder = self._folder(target)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [str(folder / f"{number}{self._shard_ending()}") for number in numbers]
        tasks = tuple(
            Task(
                name=f"shard {number}/{count} of {video}", video=video,
                arguments=(*self._arguments(video, f"{number}/{count}"), "--resume", *self._output_option, path))
            for number, path in zip(numbers, paths))
        return Group(
            tasks, Task(name=name, video=video, arguments=(*merge, *paths, "--output", str(target))))

    def _arguments(self, video: str, part: str) -> tuple[str, ...]:
        return (self._command, video, "--shard", part, "--quiet", "--threads", "1", *self._options())

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
