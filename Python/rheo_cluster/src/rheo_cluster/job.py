"""What all work on videos has in common: names of results, what is kept, and how it ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .program import Program
from .tasks import Progress, Report


@dataclass
class Job(ABC):
    """Work on videos.

    Attributes:
        inputs: Files that all machines see under these paths.
        output: The folder for the results, one for each video, by its name. All machines see it.
        options: More options of the command, such as ``["--accuracy", "high"]``.
        address: The address of a Ray cluster, or ``local`` for one on this machine, which ends with the work.
        program: The program, on each machine.
    """

    inputs: Sequence[str]
    output: str
    options: Sequence[str] = ()
    address: str = "local"
    program: Program = field(default_factory=Program)

    def run(self, progress: Progress | None = None) -> Report:
        """Does the work on all videos whose results are not there yet.

        Args:
            progress: Called with the number of tasks that are over and that of all.

        Returns:
            What became of each video. A failure of one does not end the others.

        Raises:
            ValueError: Two inputs have one name.
            KeyboardInterrupt: After all work on the cluster was stopped.
        """
        targets = [Path(self.output, Path(video).stem + self._ending()).absolute() for video in self.inputs]
        for target in targets:
            if targets.count(target) > 1:
                raise ValueError(f"two inputs would become {target}")
        Path(self.output).mkdir(parents=True, exist_ok=True)
        report, work = Report(), []
        for video, target in zip(self.inputs, targets):
            if self._is_complete(target):
                report.kept.append(target)
            else:
                work.append((str(Path(video).absolute()), target))
        if work:
            self._run(work, report, progress)
        return report

    @abstractmethod
    def _ending(self) -> str:
        """Returns what follows a video's name in that of its result."""

    @abstractmethod
    def _is_complete(self, target: Path) -> bool:
        """Returns whether a result is there already."""

    @abstractmethod
    def _run(self, work: Sequence[tuple[str, Path]], report: Report, progress: Progress | None) -> None:
        """Does the work on videos, each with the path of its result, and reports it."""
