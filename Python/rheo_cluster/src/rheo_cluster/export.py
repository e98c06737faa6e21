"""The flow of videos as files, computed shard by shard on a Ray cluster."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from .shards import ShardedJob
from .tasks import Report


@dataclass(kw_only=True)
class Export(ShardedJob):
    """An export of the flow of videos. What an earlier run has done is checked and kept.

    Attributes:
        stack: Whether each video becomes one array, ``NAME.npy``, and not a folder.
    """

    stack: bool = False

    _command: ClassVar[str] = "export"
    _output_option: ClassVar[tuple[str, ...]] = ("--output",)

    def _ending(self) -> str:
        return ".npy" if self.stack else ""

    def _is_complete(self, target: Path) -> bool:
        manifest = target.with_suffix(".manifest.json") if self.stack else target / "manifest.json"
        try:
            return bool(json.loads(manifest.read_text())["complete"])
        except (OSError, ValueError, KeyError):
            return False

    def _shard_ending(self) -> str:
        return self._ending()


def export(inputs: Sequence[str], output: str, **options: Any) -> Report:
    """Exports the flow of videos: ``Export(inputs, output, **options).run()``."""
    return Export(inputs, output, **options).run()
