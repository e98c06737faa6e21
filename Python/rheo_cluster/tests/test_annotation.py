"""A video that is drawn in shards is the one that a single machine draws in shards."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rheo_cluster import Annotation, Program, annotate
from rheo_cluster.__main__ import main

RHEO = os.environ.get("RHEO", "rheo")
OPTIONS = ["--accuracy", "low", "--style", "arrows"]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("video") / "in.mkv"
    subprocess.run(
        [RHEO, "synthesize", str(path), "--scene", "pan", "--size", "160x120", "--frames", "600", "-q"], check=True)
    return path


@pytest.fixture(scope="module")
def straight(video: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    output = tmp_path_factory.mktemp("straight") / "in.mp4"
    subprocess.run([RHEO, "annotate", str(video), str(output), "--shards", "1", "-q", *OPTIONS], check=True)
    return output.read_bytes()


@pytest.mark.parametrize("kind", ["folder", "url"])
def test_the_video_is_that_of_one_machine(video: Path, straight: bytes, tmp_path: Path, kind: str) -> None:
    work = tmp_path / "work"
    job = Annotation(
        [str(video)], str(tmp_path / "out"), OPTIONS, shard_duration=7, program=Program(RHEO),
        working_directory=str(work) if kind == "folder" else work.as_uri())
    report = job.run()
    assert report.failures == [] and report.outputs == [tmp_path / "out" / "in.mp4"]
    assert report.outputs[0].read_bytes() == straight
    assert not work.exists() or not any(path.is_file() for path in work.rglob("*"))
    assert job.run().kept == report.outputs


def test_shards_that_are_there_are_kept(video: Path, straight: bytes, tmp_path: Path) -> None:
    # The last one is never empty.
    count = Program(RHEO).shard_count(str(video), 7)
    shard = tmp_path / "out" / ".shards" / "in.mp4.shards" / str(count)
    subprocess.run(
        [RHEO, "annotate", str(video), str(shard), "--shard", f"{count}/{count}", "--format", "mp4", "-q", *OPTIONS],
        check=True)
    group = next(shard.glob("*.nut"))
    before = group.stat().st_mtime_ns
    seen: list[int] = []
    report = Annotation(
        [str(video)], str(tmp_path / "out"), OPTIONS, shard_duration=7, program=Program(RHEO),
    ).run(lambda over, total: seen.append(group.stat().st_mtime_ns) if group.exists() else None)
    assert report.failures == [] and report.outputs[0].read_bytes() == straight
    assert set(seen) == {before}


def test_wrong_words_are_told(video: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=".gif: the endings are"):
        annotate([str(video)], str(tmp_path), ending=".gif", shard_duration=5)
    arguments = ["annotate", str(video), "--output", str(tmp_path), "--rheo", RHEO, "--shard-duration", "7"]
    assert main([*arguments, "--", "--style", "contours"]) == 1
