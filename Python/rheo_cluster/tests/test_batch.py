"""Commands on whole videos, and results as datasets."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
import ray

from rheo_cluster import Batch, Program, datasets

RHEO = os.environ.get("RHEO", "rheo")


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("videos")
    paths = [str(folder / f"{name}.mkv") for name in ("one", "two")]
    for path, scene in zip(paths, ("walkers", "pan")):
        subprocess.run([RHEO, "synthesize", path, "--scene", scene, "--frames", "60", "-q"], check=True)
    return paths


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    yield
    ray.shutdown()


def test_reports_are_those_of_one_machine(videos: list[str], tmp_path: Path) -> None:
    job = Batch(videos, str(tmp_path / "out"), command="detect", program=Program(RHEO))
    report = job.run()
    assert report.failures == [] and report.outputs == [tmp_path / "out" / name for name in ("one.json", "two.json")]
    for video, path in zip(videos, report.outputs):
        straight = tmp_path / path.name
        subprocess.run([RHEO, "detect", video, "--report", str(straight), "-q"], check=True)
        assert json.loads(path.read_text())["events"] == json.loads(straight.read_text())["events"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["one.json", "two.json"]
    again = job.run()
    assert again.kept == report.outputs and again.outputs == []
    rows = datasets.events(report.outputs).take_all()
    assert len(rows) == sum(len(json.loads(path.read_text())["events"]) for path in report.outputs) > 0
    assert rows[0]["report"] == str(report.outputs[0]) and rows[0]["start"] < rows[0]["end"]


def test_videos_are_annotated(videos: list[str], tmp_path: Path) -> None:
    report = Batch(
        videos, str(tmp_path), ["--accuracy", "low"], command="annotate", ending=".mkv", program=Program(RHEO)).run()
    assert report.failures == [] and sorted(path.name for path in tmp_path.iterdir()) == ["one.mkv", "two.mkv"]
    wrong = Batch(
        videos[:1], str(tmp_path / "out"), ["--no-such-option"], command="annotate", program=Program(RHEO)).run()
    assert len(wrong.failures) == 1 and "Unknown option" in wrong.failures[0] and wrong.outputs == []


def test_a_video_that_fails_is_named_and_the_others_are_done(videos: list[str], tmp_path: Path) -> None:
    report = Batch(["/no/video.mp4", videos[1]], str(tmp_path), command="detect", program=Program(RHEO)).run()
    assert report.outputs == [tmp_path / "two.json"] and len(report.failures) == 1
    assert "/no/video.mp4 failed 3 times" in report.failures[0]
    assert [path.name for path in tmp_path.iterdir()] == ["two.json"]
    with pytest.raises(ValueError, match="two inputs would become"):
        Batch([videos[0], videos[0]], str(tmp_path), command="detect", program=Program(RHEO)).run()
    with pytest.raises(ValueError, match="flow: the commands are detect, annotate"):
        Batch(videos, str(tmp_path), command="flow")  # type: ignore[arg-type]


def test_flow_is_read_where_it_is_needed(videos: list[str], tmp_path: Path) -> None:
    output = tmp_path / "flow"
    subprocess.run(
        [RHEO, "export", videos[1], "--output", str(output), "--format", "npy", "--accuracy", "low", "--frames", "5",
         "-q"], check=True)
    rows = sorted(datasets.flow([output]).take_all(), key=lambda row: row["frame"])
    assert [row["frame"] for row in rows] == [0, 1, 2, 3]
    assert all(numpy.array_equal(row["flow"], numpy.load(row["path"])) for row in rows)
    assert rows[0]["flow"].ndim == 3 and rows[0]["flow"].shape[2] == 2


def test_tables_of_motion_become_parquet(videos: list[str], tmp_path: Path) -> None:
    tables = []
    for video in videos:
        tables.append(str(tmp_path / Path(video).with_suffix(".csv").name))
        subprocess.run([RHEO, "export", video, "--summary", tables[-1], "--accuracy", "low", "-q"], check=True)
    datasets.summary(tables).write_parquet(str(tmp_path / "motion"))
    rows = ray.data.read_parquet(str(tmp_path / "motion")).take_all()
    for table in tables:
        with open(table, newline="") as file:
            expected = list(csv.DictReader(file))
        found = sorted((row for row in rows if row["path"] == table), key=lambda row: row["frame"])
        assert [row["meanU"] for row in found] == [float(row["meanU"]) for row in expected]
        assert len(found) > 50


def test_the_command_detects(videos: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rheo_cluster", "detect", *videos, "--output", str(tmp_path), "--rheo", RHEO,
               "--ending", ".csv", "--", "--min-duration", "0.2"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "one.csv").read_text().count("\n") > 1


def test_an_address_at_which_nothing_listens_is_one_line(videos: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rheo_cluster", "detect", videos[0], "--output", str(tmp_path), "--rheo", RHEO,
               "--address", "127.0.0.1:1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
    assert "127.0.0.1:1: no Ray cluster answers there" in result.stderr
