"""Compares Rheo's flow engines with OpenCV's on the same pictures, in one run.

For each pair of pictures and each engine the two programs take turns; the minimum of several rounds counts. Times are
those of the engines alone, on decoded luma, inside each process. Called by `make compare`.
"""

import argparse
import pathlib
import subprocess
import tempfile

import cv2
import numpy as np

from flow_methods import ENGINES, take_turns
from flow_pairs import is_absent, middlebury, others

# The columns behind the table's means.
OTHERS = {"alley_1": "alley_1", "kitti_000010": "KITTI 10", "chairs_00004": "Chairs 4"}


def errors(flow, truth):
    known = ~np.isnan(truth[..., 0])
    a, t = flow[known].astype(np.float64), truth[known].astype(np.float64)
    epe = np.hypot(*(a - t).T)
    dot = (a * t).sum(-1) + 1
    cosine = dot / np.sqrt(((a**2).sum(-1) + 1) * ((t**2).sum(-1) + 1))
    return epe.mean(), np.degrees(np.arccos(np.clip(cosine, -1, 1))).mean(), (epe > 1).mean() * 100


def available(rheo, arguments):
    probe = subprocess.run([rheo, "flow", "a.png", "b.png", "--repeat", "1", *arguments.split()], capture_output=True)
    return probe.returncode != 64


def measure(rheo, engine, pairs, threads, output):
    """Rows of EPE, AAE, outliers, time and distance of the two fields: Rheo's, and OpenCV's without the last."""
    mine, theirs = [], []
    for pair in pairs:
        truth, result = pair.truth(), take_turns(rheo, engine, pair, threads, 2 if engine.rounds > 1 else 1, output)
        distance = np.hypot(*np.moveaxis(result.flow - result.opencv_flow, -1, 0)).mean()
        mine.append((*errors(result.flow, truth), result.milliseconds, distance))
        theirs.append((*errors(result.opencv_flow, truth), result.opencv_milliseconds))
    return np.array(mine), np.array(theirs)


def row(rheo, engine, data, threads, output):
    m, o = (rows.mean(0) for rows in measure(rheo, engine, middlebury(data), threads, output))
    elsewhere = [pair for pair in others(data) if pair.name in OTHERS]
    epe = {pair.name: f"{ours[0]:.2f} ({opencv[0]:.2f})"
           for pair, ours, opencv in zip(elsewhere, *measure(rheo, engine, elsewhere, threads, output))}
    return (f"| `{engine.name}` | {m[0]:.3f} | {m[1]:.1f}° | {m[2]:.1f} % | {m[3]:.2f} | {engine.opencv} | {o[0]:.3f} "
            f"| {o[1]:.1f}° | {o[2]:.1f} % | {o[3]:.2f} | {m[3] / o[3]:.3f} | {m[4]:.4f} | "
            + " | ".join(epe[name] for name in OTHERS) + " |")


def compare(rheo, data, threads, chosen):
    cv2.setNumThreads(threads)
    print(f"\n## {threads} thread{'s' if threads > 1 else ''}; means over the Middlebury pairs, then EPE elsewhere\n")
    print("| Rheo | EPE | AAE | > 1 px | ms | OpenCV | EPE | AAE | > 1 px | ms | ratio | field distance | "
          + " | ".join(OTHERS.values()) + " |")
    print("|" + "---|" * (12 + len(OTHERS)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        output = str(pathlib.Path(folder) / "flow.flo")
        for engine in ENGINES:
            if chosen and not any(c in engine.name for c in chosen) or not available(rheo, engine.arguments):
                continue
            print(row(rheo, engine, data, threads, output), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--threads", type=int, nargs="*", default=[1])
    parser.add_argument("engines", nargs="*", help="only rows whose name contains one of these")
    options = parser.parse_args()
    if is_absent("flow", [path for pair in middlebury(options.data) + others(options.data) for path in pair.files]):
        return
    print(f"OpenCV {cv2.__version__}. In brackets: OpenCV's EPE on the same pair.")
    for threads in options.threads:
        compare(options.rheo, options.data, threads, options.engines)


if __name__ == "__main__":
    main()
