"""Shards in a storage that is reached through fsspec, such as ``s3://bucket/shards``; needs ``rheo-cluster[storage]``.

Each machine works in a temporary folder of its own and copies: what a storage holds cannot be written in place.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]

from .program import Program
from .tasks import Task

# The name of what is written last of a shard: it says that the others are all there.
_RECORD = "shard.json"


@dataclass(frozen=True)
class Storage:
    """A folder in a storage.

    Attributes:
        url: Its address, with the protocol.

    Raises:
        ValueError: There is no such protocol.
        ImportError: What the protocol needs is not installed.
    """

    url: str

    def __post_init__(self) -> None:
        fsspec.get_filesystem_class(fsspec.core.split_protocol(self.url)[0])

    def folder(self, name: str) -> Storage:
        """Returns a folder in this one, which need not be there."""
        return Storage(f"{self.url.rstrip('/')}/{name}")

    def _opened(self) -> tuple[Any, str]:
        system, path = fsspec.core.url_to_fs(self.url)
        # What other machines have done since is to be seen.
        system.invalidate_cache()
        return system, path

    def files(self) -> dict[str, int]:
        """Returns the sizes of the files that it holds, by their names."""
        system, path = self._opened()
        if not system.exists(path):
            return {}
        found = system.find(path, detail=True).items()
        return {os.path.relpath(name, path): entry["size"] for name, entry in found}

    def record(self) -> Any:
        """Returns what was put with its files; None: not all of them are there.

        Raises:
            OSError: The storage cannot be reached.
        """
        system, path = self._opened()
        try:
            return json.loads(system.cat_file(f"{path}/{_RECORD}"))
        except (FileNotFoundError, ValueError):
            return None

    def put(self, folder: Path, record: Any) -> None:
        """Copies the files of a folder into it, and what is said of them last."""
        system, path = self._opened()
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            target = f"{path}/{file.relative_to(folder)}"
            system.makedirs(os.path.dirname(target), exist_ok=True)
            system.put_file(str(file), target)
        system.pipe_file(f"{path}/{_RECORD}", json.dumps(record).encode())

    def get(self, folder: Path) -> None:
        """Copies its files into a folder."""
        system, path = self._opened()
        for name in self.files():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(f"{path}/{name}", str(target))

    def remove(self) -> None:
        """Removes it with all that it holds."""
        system, path = self._opened()
        if system.exists(path):
            system.rm(path, recursive=True)


def _sizes(folder: Path) -> dict[str, int]:
    return {str(file.relative_to(folder)): file.stat().st_size for file in folder.rglob("*") if file.is_file()}


@dataclass(frozen=True, kw_only=True)
class StoredShard(Task):
    """A shard that is written here and kept there. One that is there, of the same work, is kept.

    Attributes:
        output: The name of the output in ``storage``.
        output_option: What comes before that name in the arguments.
        storage: The folder for this shard alone.
    """

    output: str
    output_option: tuple[str, ...]
    storage: Storage

    def run(self, program: Program) -> int:
        """Runs the program; returns the exit status."""
        state = os.stat(self.video)
        work = {"arguments": list(self.arguments), "size": state.st_size, "changed": state.st_mtime_ns}
        record = self.storage.record()
        if isinstance(record, dict) and record.get("work") == work:
            files = self.storage.files()
            files.pop(_RECORD, None)
            if files == record.get("files"):
                return int(record["status"])
        with tempfile.TemporaryDirectory() as name:
            status, _ = program.run((*self.arguments, *self.output_option, str(Path(name, self.output))))
            self.storage.remove()
            self.storage.put(Path(name), {"work": work, "files": _sizes(Path(name)), "status": status})
        return status


@dataclass(frozen=True, kw_only=True)
class StoredMerge(Task):
    """The joining of shards that are kept in a storage.

    Attributes:
        shards: The shards in order.
        result: The output, under a path that all machines see.
    """

    shards: tuple[StoredShard, ...]
    result: str

    def run(self, program: Program) -> int:
        """Runs the program; returns the exit status."""
        with tempfile.TemporaryDirectory() as name:
            paths = []
            for number, shard in enumerate(self.shards):
                folder = Path(name, str(number))
                shard.storage.get(folder)
                paths.append(str(folder / shard.output))
            return program.run((*self.arguments, *paths, "--output", self.result))[0]
