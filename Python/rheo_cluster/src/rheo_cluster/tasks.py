"""Runs of the ``rheo`` program as tasks of a Ray cluster."""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray

from .program import Program, ProgramFailure

# A task that failed this often is given up.
_ATTEMPTS = 3
# The number of tasks that wait for each processor of the cluster; all others are not submitted yet.
_TASKS_PER_PROCESSOR = 2

# The time in which an address answers.
_ANSWER_SECONDS = 10.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
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

    def run(self, program: Program) -> int:
        """Runs the program on this machine; returns the exit status."""
        if self.target is None:
            return program.run(self.arguments)[0]
        target = Path(self.target)
        temporary = self.temporary(target)
        try:
            status, _ = program.run(self.arguments)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        return status


@dataclass(frozen=True, eq=False)
class Group:
    """Tasks of a video.

    Attributes:
        tasks: Those that may run in any order.
        last: The one that follows when all of them are done; None: none does. Of a group with a failure it is left out.
    """

    tasks: tuple[Task, ...]
    last: Task | None = None


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


def _require_answer(address: str) -> None:
    """Raises ConnectionError unless something listens at the address: Ray itself would try for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if not separator or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(f"{address}: no Ray cluster answers there: {error}") from None


def _run(program: Program, task: Task) -> int:
    return task.run(program)


def run_groups(
    groups: Sequence[Group], program: Program, address: str, report: Report, progress: Progress | None
) -> list[Group]:
    """Runs tasks on a cluster, each at most three times. A bounded number of them is submitted at a time.

    Args:
        groups: The tasks, in the order in which they are submitted; those that are last in a group come next.
        program: The program, on each machine.
        address: The address of a Ray cluster, or ``local`` for one on this machine, which ends with the work. A
            cluster that this process is connected to is used before any other.
        report: Takes failures and damaged videos.
        progress: Called with the number of tasks that are over and that of all.

    Returns:
        The groups without a failure.

    Raises:
        KeyboardInterrupt: After all work on the cluster was stopped.
        ConnectionError: Nothing answers at the address.
    """
    is_own = not ray.is_initialized()
    if is_own:
        _require_answer(address)
        ray.init(
            address=address, log_to_driver=False, include_dashboard=False if address == "local" else None)
    try:
        return _run_all(groups, program, report, progress)
    finally:
        if is_own:
            ray.shutdown()


def _run_all(
    groups: Sequence[Group], program: Program, report: Report, progress: Progress | None
) -> list[Group]:
    remote = ray.remote(_run).options(num_cpus=1, max_retries=_ATTEMPTS - 1, retry_exceptions=[ProgramFailure, OSError])
    processors: float = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
    limit = max(1, int(processors)) * _TASKS_PER_PROCESSOR
    group_of = {task: group for group in groups for task in group.tasks}
    open_tasks = {group: len(group.tasks) for group in groups}
    has_failed = dict.fromkeys(groups, False)
    rest = deque(group_of)
    waiting: dict[Any, Task] = {}
    over, total = 0, sum(len(group.tasks) + (group.last is not None) for group in groups)
    try:
        while rest or waiting:
            while rest and len(waiting) < limit:
                task = rest.popleft()
                waiting[remote.remote(program, task)] = task
            for reference in ray.wait(list(waiting), num_returns=1)[0]:
                task = waiting.pop(reference)
                group = group_of[task]
                has_failed[group] |= not _note(reference, task, report)
                over += 1
                open_tasks[group] -= 1
                if open_tasks[group] == 0 and group.last is not None:
                    if has_failed[group]:
                        over += 1
                    else:
                        group_of[group.last] = group
                        rest.appendleft(group.last)
                if progress:
                    progress(over, total)
        return [group for group in groups if not has_failed[group]]
    except KeyboardInterrupt:
        for reference in waiting:
            ray.cancel(reference, force=True)
        raise


def _note(reference: Any, task: Task, report: Report) -> bool:
    """Notes how a task that is over has ended; returns whether it was done."""
    try:
        if ray.get(reference) == 2 and task.video not in report.damaged:
            report.damaged.append(task.video)
        return True
    except (ray.exceptions.RayError, ProgramFailure) as error:
        cause = getattr(error, "cause", None) or error
        reason = str(cause).strip().splitlines()[-1]
        report.failures.append(f"{task.name} failed {_ATTEMPTS} times: {reason}")
        return False
