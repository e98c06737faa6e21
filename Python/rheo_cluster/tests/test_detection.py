"""A video that is measured in shards has the events that a single machine finds in shards."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray

from rheo_cluster import Detection, Program, datasets, detect

RHEO = os.environ.get("RHEO", "rheo")
OPTIONS = ["--group-duration", "10", "--threshold", "0.2", "--min-duration", "0.5"]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("video") / "in.mkv"
    subprocess.run(
        [RHEO, "synthesize", str(path), "--scene", "walkers", "--size", "160x120", "--frames", "360", "--rate", "10",
         "-q"], check=True)
    return path


@pytest.fixture(scope="module")
def straight(video: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    report = tmp_path_factory.mktemp("straight") / "in.json"
    subprocess.run([RHEO, "detect", str(video), "--shards", "1", "--report", str(report), "-q", *OPTIONS], check=True)
    assert json.loads(report.read_text())["events"]
    return report.read_bytes()


@pytest.mark.parametrize("kind", ["folder", "url"])
def test_the_report_is_that_of_one_machine(video: Path, straight: bytes, tmp_path: Path, kind: str) -> None:
    work = tmp_path / "work"
    job = Detection(
        [str(video)], str(tmp_path / "out"), OPTIONS, shard_duration=9, program=Program(RHEO),
        working_directory=str(work) if kind == "folder" else work.as_uri())
    report = job.run()
    assert report.failures == [] and report.outputs == [tmp_path / "out" / "in.json"]
    assert report.outputs[0].read_bytes() == straight
    assert not work.exists() or not any(path.is_file() for path in work.rglob("*"))
    assert job.run().kept == report.outputs


def test_shards_that_are_there_are_kept(video: Path, straight: bytes, tmp_path: Path) -> None:
    # The last one is never empty.
    count = Program(RHEO).shard_count(str(video), 9)
    shard = tmp_path / "out" / ".shards" / "in.json.shards" / str(count)
    shard.parent.mkdir(parents=True)
    subprocess.run(
        [RHEO, "detect", str(video), "--shard", f"{count}/{count}", "--evidence", str(shard), "-q", *OPTIONS],
        check=True)
    before = shard.stat().st_mtime_ns
    seen: list[int] = []
    report = Detection(
        [str(video)], str(tmp_path / "out"), OPTIONS, shard_duration=9, program=Program(RHEO),
    ).run(lambda over, total: seen.append(shard.stat().st_mtime_ns) if shard.exists() else None)
    assert report.failures == [] and report.outputs[0].read_bytes() == straight
    assert set(seen) == {before}


def test_the_events_are_a_dataset(video: Path, straight: bytes, tmp_path: Path) -> None:
    report = detect([str(video)], str(tmp_path), options=OPTIONS, shard_duration=9, program=Program(RHEO))
    rows = datasets.events(report.outputs).take_all()
    assert [row["start_frame"] for row in rows] == [event["start"]["frame"] for event in json.loads(straight)["events"]]
