"""Annotated videos, drawn shard by shard on a Ray cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from .shards import ShardedJob

# FFmpeg's names of the containers, by endings.
_CONTAINERS = {".mp4": "mp4", ".mkv": "matroska", ".webm": "webm", ".mov": "mov", ".ts": "mpegts", ".avi": "avi"}


@dataclass(kw_only=True)
class Annotation(ShardedJob):
    """Videos with their flow drawn over them, each that of ``rheo annotate --shards N``, whatever the number of shards.

    Attributes:
        ending: The ending of the results' names, which tells their container.

    Raises:
        ValueError: There is no container for the ending.
    """

    ending: str = ".mp4"

    _command: ClassVar[str] = "annotate"
    _output_option: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.ending not in _CONTAINERS:
            raise ValueError(f"{self.ending}: the endings are {', '.join(_CONTAINERS)}")

    def _ending(self) -> str:
        return self.ending

    def _shard_ending(self) -> str:
        return ""

    def _options(self) -> tuple[str, ...]:
        return ("--format", _CONTAINERS[self.ending], *self.options)

    def _is_complete(self, target: Path) -> bool:
        return target.exists()
