"""A cluster of three nodes on this machine writes the bytes of one run, also when a node is lost in the middle."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

from rheo_cluster import Export, Program

RHEO = os.environ.get("RHEO", "rheo")
OPTIONS = ["--accuracy", "low"]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="session")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("video") / "in.mkv"
    subprocess.run([RHEO, "synthesize", str(path), "--scene", "pan", "--frames", "200", "-q"], check=True)
    return path


@pytest.fixture(scope="session")
def straight(video: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    output = tmp_path_factory.mktemp("straight") / "in"
    subprocess.run([RHEO, "export", str(video), "-q", "--output", str(output), *OPTIONS], check=True)
    return contents(output)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.extra_nodes = nodes
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def job(video: Path, output: Path, **changes: object) -> Export:
    values = {"options": OPTIONS, "shard_duration": 0.5, "program": Program(RHEO), **changes}
    return Export([str(video)], str(output), **values)  # type: ignore[arg-type]


def test_three_nodes_write_the_bytes_of_one_run(
    cluster: Cluster, video: Path, straight: dict[str, bytes], tmp_path: Path
) -> None:
    steps: list[tuple[int, int]] = []
    report = job(video, tmp_path).run(lambda over, total: steps.append((over, total)))
    assert report.failures == [] and report.outputs == [tmp_path / "in"]
    assert contents(tmp_path) == {f"in/{name}": data for name, data in straight.items()}
    assert len(steps) >= 10 and steps[-1] == (len(steps), len(steps))
    again = job(video, tmp_path).run()
    assert again.kept == [tmp_path / "in"] and again.outputs == []


def test_a_lost_node_changes_nothing(
    cluster: Cluster, video: Path, straight: dict[str, bytes], tmp_path: Path
) -> None:
    lost = threading.Event()

    def lose(over: int, total: int) -> None:
        if over == 2 and not lost.is_set():
            lost.set()
            cluster.remove_node(cluster.extra_nodes[0], allow_graceful=False)

    report = job(video, tmp_path).run(lose)
    assert lost.is_set() and report.failures == []
    assert contents(tmp_path / "in") == straight


def test_shards_may_lie_in_a_storage(
    cluster: Cluster, video: Path, straight: dict[str, bytes], tmp_path: Path
) -> None:
    output, kept = tmp_path / "out", tmp_path / "kept"
    url = f"file://{kept}"
    stopped = job(video, output, working_directory=url)

    def stop(over: int, total: int) -> None:
        if over == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped.run(stop)
    records = sorted(kept.rglob("shard.json"))
    assert len(records) >= 3
    times = {path: path.stat().st_mtime_ns for path in records}
    # What has lost a file is not complete.
    lost = next(path for path in records[0].parent.rglob("*.flo*"))
    lost.unlink()
    seen: dict[Path, int] = {}

    def watch(over: int, total: int) -> None:
        if over == total - 1:
            seen.update({path: path.stat().st_mtime_ns for path in kept.rglob("shard.json")})

    report = job(video, output, working_directory=url).run(watch)
    assert report.failures == [] and report.outputs == [output / "in"]
    assert contents(output / "in") == straight
    assert [path for path in records if seen[path] != times[path]] == [records[0]]
    assert not any(kept.rglob("*.json"))


def test_a_storage_that_is_not_there_is_named(video: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nowhere"):
        job(video, tmp_path / "out", working_directory="nowhere://x").run()


def test_a_storage_that_fails_is_named_and_what_is_not_ours_stays(
    cluster: Cluster, video: Path, tmp_path: Path
) -> None:
    report = job(video, tmp_path / "out", working_directory="file:///dev/null/kept").run()
    assert report.outputs == [] and len(report.failures) > 1
    assert all("failed 3 times" in failure and "/dev/null" in failure for failure in report.failures)
    # Somebody's folder has the video's name.
    for kept, url in ((tmp_path / "a", str(tmp_path / "a")), (tmp_path / "b", f"file://{tmp_path}/b")):
        (kept / "in" / "1").mkdir(parents=True)
        (kept / "in" / "1" / "mine").write_text("mine")
        assert job(video, kept / "out", working_directory=url).run().failures == []
        assert (kept / "in" / "1" / "mine").read_text() == "mine" and not (kept / "in.shards").exists()


def test_a_shard_that_fails_is_named_and_the_others_are_kept(cluster: Cluster, video: Path, tmp_path: Path) -> None:
    folder = tmp_path / ".shards" / "in.shards"
    folder.mkdir(parents=True)
    # A file in the way of the third shard.
    (folder / "3").write_text("in the way")
    report = job(video, tmp_path).run()
    assert len(report.failures) == 1 and report.outputs == []
    assert "shard 3/" in report.failures[0] and "failed 3 times" in report.failures[0]
    assert (folder / "1" / "manifest.json").exists()
    (folder / "3").unlink()
    before = (folder / "1" / "manifest.json").stat().st_mtime_ns
    seen: list[int] = []

    def watch(over: int, total: int) -> None:
        seen.append((folder / "1" / "manifest.json").stat().st_mtime_ns)

    report = job(video, tmp_path).run(watch)
    assert report.failures == [] and set(seen) == {before}
    assert not (tmp_path / ".shards").exists()


def test_the_command_tells_what_is_wrong(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rheo_cluster", "export", *arguments, "--output", str(tmp_path / "out")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    missing = run(str(tmp_path / "nowhere.mp4"), "--rheo", RHEO)
    assert missing.returncode == 1 and "nowhere.mp4" in missing.stderr and "Traceback" not in missing.stderr
    program = run(str(tmp_path / "nowhere.mp4"), "--rheo", "/no/rheo")
    assert program.returncode == 1 and "/no/rheo: No such file" in program.stderr


def test_a_killed_parent_takes_the_program_along(video: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from rheo_cluster import Program;"
        "Program(sys.argv[1]).run(['export', sys.argv[2], '--output', sys.argv[3], '--accuracy', 'very-high'])"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, RHEO, str(video), str(tmp_path / "flow")])
    journal = tmp_path / "flow" / ".journal"
    deadline = time.monotonic() + 60
    while not journal.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    time.sleep(0.5)
    size = journal.stat().st_size
    time.sleep(1)
    assert journal.stat().st_size == size
