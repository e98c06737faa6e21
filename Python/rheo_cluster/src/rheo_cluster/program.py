"""The ``rheo`` program as a child process that ends with its parent."""

from __future__ import annotations

import ctypes
import json
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

# The number of the option PR_SET_PDEATHSIG of prctl(2).
_SET_PARENT_DEATH_SIGNAL = 1
# Exit statuses of rheo, docs/cli.md: done, and done although the input was damaged.
_DONE = (0, 2)

_libc = ctypes.CDLL(None)


class ProgramFailure(Exception):
    """A run of ``rheo`` that failed. The text is its error message, or its last line on standard error."""


def _end_with_parent() -> None:
    # A worker that is killed takes the program along, which holds the lock on its output.
    _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


@dataclass(frozen=True)
class Program:
    """The ``rheo`` program.

    Attributes:
        path: Its path, or its name among those of ``PATH``, on each machine.
    """

    path: str = "rheo"

    def run(self, arguments: Sequence[str]) -> tuple[int, str]:
        """Runs the program to its end.

        Args:
            arguments: The command and its options.

        Returns:
            The exit status, 0 or 2 (the input was damaged), and what it wrote to standard output.

        Raises:
            ProgramFailure: The status is another one, or there is no such program.
        """
        try:
            result = subprocess.run(
                [self.path, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                preexec_fn=_end_with_parent, check=False,
            )
        except OSError as error:
            raise ProgramFailure(f"{self.path}: {error.strerror}") from None
        if result.returncode not in _DONE:
            lines = result.stderr.strip().splitlines()
            # A wrong option is followed by how it is used.
            lines = [line for line in lines if line.startswith("Error: ")] or lines
            raise ProgramFailure(lines[-1] if lines else f"{self.path}: ended with status {result.returncode}")
        return result.returncode, result.stdout

    def shard_count(self, video: str, shard_duration: float) -> int:
        """Returns into how many shards of at most ``shard_duration`` seconds a video is cut."""
        _, text = self.run(["plan", video, "--shard-duration", str(shard_duration), "--json"])
        return len(json.loads(text)["videos"][0]["shards"])
