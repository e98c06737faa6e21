"""The flow of videos as files, computed shard by shard on a Ray cluster."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray

from .program import Program, ProgramFailure

# A shard that failed this often is given up.
_ATTEMPTS = 3
# The number of shards that wait for each processor of the cluster; all others are not submitted yet.
_SHARDS_PER_PROCESSOR = 2


@dataclass(frozen=True)
class Shard:
    """The ``number``-th of ``count`` parts of a video."""

    video: str
    number: int
    count: int
    output: str

    def __str__(self) -> str:
        return f"shard {self.number}/{self.count} of {self.video}"


@dataclass
class ExportReport:
    """The result of an export.

    Attributes:
        outputs: The folder or array of each video that is complete.
        failures: A line for each shard or video that failed, with the program's last words.
        damaged: The videos of which not all could be decoded.
        kept: The outputs that were there already, and were left as they are.
    """

    outputs: list[Path] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)


def _run_shard(program: Program, shard: Shard, options: Sequence[str]) -> int:
    """Exports a shard on this machine. One that is there is checked, one that is not complete goes on."""
    status, _ = program.run(
        ["export", shard.video, "--shard", f"{shard.number}/{shard.count}", "--output", shard.output, "--resume",
         "--quiet", "--threads", "1", *options]
    )
    return status


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

    def run(self, progress: Callable[[int, int], None] | None = None) -> ExportReport:
        """Exports all shards, then joins those of each video. What an earlier run has done is checked and kept.

        Args:
            progress: Called with the number of shards that are over and that of all.

        Returns:
            What became of each video. A failure of one does not end the others.

        Raises:
            ValueError: Two inputs have one name.
            KeyboardInterrupt: After all work on the cluster was stopped.
        """
        report = ExportReport()
        Path(self.output).mkdir(parents=True, exist_ok=True)
        shards = self._shards(report)
        if not shards:
            return report
        is_own = not ray.is_initialized()
        if is_own:
            ray.init(
                address=self.address, log_to_driver=False,
                include_dashboard=False if self.address == "local" else None,
            )
        try:
            failed = self._run_shards([shard for group in shards for shard in group], report, progress)
        finally:
            if is_own:
                ray.shutdown()
        for group in shards:
            if not failed.intersection(group):
                self._merge(group, report)
        return report

    def _target(self, video: str) -> Path:
        return Path(self.output) / (Path(video).stem + (".npy" if self.stack else ""))

    def _shards(self, report: ExportReport) -> list[list[Shard]]:
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

    def _run_shards(
        self, shards: Sequence[Shard], report: ExportReport, progress: Callable[[int, int], None] | None
    ) -> set[Shard]:
        """Returns the shards that failed. A bounded number of tasks is submitted at a time."""
        task = ray.remote(_run_shard).options(
            num_cpus=1, max_retries=_ATTEMPTS - 1, retry_exceptions=[ProgramFailure])
        processors: float = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
        limit = max(1, int(processors)) * _SHARDS_PER_PROCESSOR
        waiting: dict[Any, Shard] = {}
        rest: Iterator[Shard] = iter(shards)
        failed: set[Shard] = set()
        over = 0
        try:
            while True:
                while len(waiting) < limit and (shard := next(rest, None)) is not None:
                    waiting[task.remote(self.program, shard, list(self.options))] = shard
                if not waiting:
                    return failed
                for reference in ray.wait(list(waiting), num_returns=1)[0]:
                    shard = waiting.pop(reference)
                    try:
                        status = ray.get(reference)
                        if status == 2 and shard.video not in report.damaged:
                            report.damaged.append(shard.video)
                    except (ray.exceptions.RayError, ProgramFailure) as error:
                        cause = getattr(error, "cause", None) or error
                        reason = str(cause).strip().splitlines()[-1]
                        report.failures.append(f"{shard} failed {_ATTEMPTS} times: {reason}")
                        failed.add(shard)
                    over += 1
                    if progress:
                        progress(over, len(shards))
        except KeyboardInterrupt:
            for reference in waiting:
                ray.cancel(reference, force=True)
            raise

    def _merge(self, shards: Sequence[Shard], report: ExportReport) -> None:
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


def export(inputs: Sequence[str], output: str, **options: Any) -> ExportReport:
    """Exports the flow of videos: ``Export(inputs, output, **options).run()``."""
    return Export(inputs, output, **options).run()
