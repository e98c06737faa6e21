"""Results as datasets of Ray, which needs ``rheo-cluster[data]``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy
import ray.data


def events(reports: Iterable[Path | str]) -> ray.data.Dataset:
    """Returns the events of reports, a row for each.

    Args:
        reports: Reports that ``rheo detect`` wrote as JSON.

    Returns:
        Rows of ``report`` (its path), ``number``, ``start_frame``, ``start`` and ``end_frame``, ``end`` (seconds),
        ``peak_frame``, ``peak`` (seconds), ``score`` (percent of the image) and ``zones``, in the order of the reports
        and of time. Without any event the dataset is empty.

    Raises:
        OSError: A report cannot be read.
        ValueError: A file is no report.
    """
    return ray.data.from_items([row for report in reports for row in _rows(Path(report))])


def summary(tables: Iterable[Path | str]) -> ray.data.Dataset:
    """Returns the lines of tables of motion, a row for each; they are read where they are worked on.

    Args:
        tables: Tables that ``rheo export --summary`` or ``rheo run --summary`` wrote, under paths that all machines
            see.

    Returns:
        Rows of the columns that docs/export.md lists, and ``path``, the table's. ``write_parquet`` writes them.

    Raises:
        OSError: A table cannot be read.
    """
    return ray.data.read_csv([str(Path(table).absolute()) for table in tables], include_paths=True)


def flow(outputs: Iterable[Path | str]) -> ray.data.Dataset:
    """Returns the fields of exported flow, a row for each; they are read where they are worked on.

    Args:
        outputs: Folders that ``rheo export --format npy`` wrote, under paths that all machines see.

    Returns:
        Rows of ``video`` (the input's name), ``frame`` (the first of the pair), ``seconds`` (its time), ``path`` and
        ``flow``: (height, width, 2), in pixels, as float32 or float16.

    Raises:
        OSError: A manifest cannot be read.
        ValueError: A folder has no forward flow as ``.npy``.
    """
    return ray.data.from_items([row for output in outputs for row in _pairs(Path(output))]).map(_load)


def _rows(report: Path) -> Iterator[dict[str, Any]]:
    try:
        found = json.loads(report.read_text())["events"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{report}: is no report of events") from None
    for event in found:
        start, end, peak = event["start"], event["end"], event["peak"]
        yield {
            "report": str(report), "number": event["number"], "start_frame": start["frame"], "start": start["seconds"],
            "end_frame": end["frame"], "end": end["seconds"], "peak_frame": peak["frame"], "peak": peak["seconds"],
            "score": peak["score"], "zones": list(event["zones"]),
        }


def _pairs(output: Path) -> Iterator[dict[str, Any]]:
    manifest = json.loads((output / "manifest.json").read_text())
    if manifest["output"]["format"] != "npy" or manifest["flow"]["direction"] == "backward":
        raise ValueError(f"{output}: has no forward flow as .npy")
    for pair in manifest["pairs"]:
        name = next(file["name"] for file in pair["files"] if file["holds"] == "forward flow")
        yield {
            "video": manifest["input"]["name"], "frame": pair["previous"]["frame"],
            "seconds": pair["previous"]["seconds"], "path": str((output / name).absolute()),
        }


def _load(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "flow": numpy.load(row["path"])}
