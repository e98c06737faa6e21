"""Reports of events, whose frames are measured shard by shard on a Ray cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from .shards import ShardedJob


@dataclass(kw_only=True)
class Detection(ShardedJob):
    """The events of videos, each report that of ``rheo detect --shards N``, whatever the number of shards.

    A shard has whole groups of frames, of ten minutes unless ``--group-duration`` is among the options; of a video that
    is no longer than a group the report is that of ``rheo detect``.

    Attributes:
        ending: The ending of the reports' names, which tells their format: ``.json``, ``.csv`` or ``.html``.
    """

    ending: str = ".json"

    _command: ClassVar[str] = "detect"
    _output_option: ClassVar[tuple[str, ...]] = ("--evidence",)

    def _ending(self) -> str:
        return self.ending

    def _shard_ending(self) -> str:
        return ""

    def _is_complete(self, target: Path) -> bool:
        return target.exists()
