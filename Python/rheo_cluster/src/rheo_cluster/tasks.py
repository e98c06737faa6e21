"""Runs of the ``rheo`` program as tasks of a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray

from .program import Program, ProgramFailure

# A task that failed this often is given up.
_ATTEMPTS = 3
# The number of tasks that wait for each processor of the cluster; all others are not submitted yet.
_TASKS_PER_PROCESSOR = 2

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Task:
    """A run of the program.

    Attributes:
        name: What failures are told of.
        video: The input.
        arguments: The command and its options.
        target: A file that the program writes as ``temporary``, and that has its name when it is complete.
    """

    name: str
    video: str
    arguments: tuple[str, ...]
    target: str | None = None

    @staticmethod
    def temporary(target: Path) -> Path:
        """Returns under which name ``target`` is written; its ending, which tells the format, is the same."""
        return target.with_name(f".{target.name}")


@dataclass
class Report:
    """The result of work on videos.

    Attributes:
        outputs: The folder or file of each video that is complete.
        failures: A line for each task or video that failed, with the program's last words.
        damaged: The videos of which not all could be decoded.
        kept: The outputs that were there already, and were left as they are.
    """

    outputs: list[Path] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)


def _run(program: Program, task: Task) -> int:
    """Runs a task on this machine; returns the exit status."""
    if task.target is None:
        return program.run(task.arguments)[0]
    target = Path(task.target)
    temporary = Task.temporary(target)
    try:
        status, _ = program.run(task.arguments)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return status


def run_tasks(
    tasks: Sequence[Task], program: Program, address: str, report: Report, progress: Progress | None
) -> set[Task]:
    """Runs tasks on a cluster, each at most three times. A bounded number of them is submitted at a time.

    Args:
        tasks: The tasks, in the order in which they are submitted.
        program: The program, on each machine.
        address: The address of a Ray cluster, or ``local`` for one on this machine, which ends with the work. A
            cluster that this process is connected to is used before any other.
        report: Takes failures and damaged videos.
        progress: Called with the number of tasks that are over and that of all.

    Returns:
        The tasks that failed.

    Raises:
        KeyboardInterrupt: After all work on the cluster was stopped.
    """
    is_own = not ray.is_initialized()
    if is_own:
        ray.init(
            address=address, log_to_driver=False, include_dashboard=False if address == "local" else None)
    try:
        return _run_all(tasks, program, report, progress)
    finally:
        if is_own:
            ray.shutdown()


def _run_all(tasks: Sequence[Task], program: Program, report: Report, progress: Progress | None) -> set[Task]:
    remote = ray.remote(_run).options(num_cpus=1, max_retries=_ATTEMPTS - 1, retry_exceptions=[ProgramFailure])
    processors: float = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
    limit = max(1, int(processors)) * _TASKS_PER_PROCESSOR
    waiting: dict[Any, Task] = {}
    rest: Iterator[Task] = iter(tasks)
    failed: set[Task] = set()
    over = 0
    try:
        while True:
            while len(waiting) < limit and (task := next(rest, None)) is not None:
                waiting[remote.remote(program, task)] = task
            if not waiting:
                return failed
            for reference in ray.wait(list(waiting), num_returns=1)[0]:
                task = waiting.pop(reference)
                try:
                    status = ray.get(reference)
                    if status == 2 and task.video not in report.damaged:
                        report.damaged.append(task.video)
                except (ray.exceptions.RayError, ProgramFailure) as error:
                    cause = getattr(error, "cause", None) or error
                    reason = str(cause).strip().splitlines()[-1]
                    report.failures.append(f"{task.name} failed {_ATTEMPTS} times: {reason}")
                    failed.add(task)
                over += 1
                if progress:
                    progress(over, len(tasks))
    except KeyboardInterrupt:
        for reference in waiting:
            ray.cancel(reference, force=True)
        raise
