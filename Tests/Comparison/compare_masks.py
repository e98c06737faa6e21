"""How well "moves faster than t" agrees with true masks of what moves, beside OpenCV's methods.

A person walks into an office and stays. Only frames whose mask changes count: in the others what the mask shows stands.
The same frames, rules and thresholds as `Benchmarks masks`. Called by `make compare`.
"""

import argparse
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

import cv2
import numpy as np

from flow_methods import LEVELS, farneback, rheo_flow
from flow_pairs import FlowPair, halves, is_absent

# The video's first frame is this one of the sequence that the masks are numbered by.
FIRST_NUMBER = 541
EVERY = 3
# A frame counts if so many pixels move and this share of them changes to the next frame.
LEAST_AREA = 200
LEAST_CHANGE = 0.05
# Pixels per frame.
THRESHOLDS = np.concatenate([0.05 * np.arange(1, 21), 0.25 * np.arange(5, 17)])
# Values of the masks; shadows (50) do not move.
MOVING, OUTSIDE, UNKNOWN = 255, 85, 170


@dataclass
class Sample:
    """Two frames as files, and what moves in the first."""

    pair: FlowPair
    mask: np.ndarray


def write_frames(video, folder):
    """The frames' luma as the video holds it, as pictures: both programs see the same; their number."""
    subprocess.run(["ffmpeg", "-v", "error", "-i", str(video), "-pix_fmt", "gray", "-fps_mode", "passthrough",
                    "-start_number", "0", f"{folder}/%d.png"], check=True)
    return len(list(folder.glob("*.png")))


def changes(mask, following):
    moving, area = mask == MOVING, (mask == MOVING).sum()
    return area >= LEAST_AREA and (moving != (following == MOVING)).sum() >= LEAST_CHANGE * area


def samples(office, folder):
    mask = lambda index: cv2.imread(str(office / "groundtruth" / f"gt{FIRST_NUMBER + index:06d}.png"), 0)
    frame = lambda index: folder / f"{index}.png"
    count = write_frames(office / "video.mkv", folder)
    return [Sample(FlowPair(str(index), frame(index), frame(index + 1), None), mask(index))
            for index in range(0, count - 1, EVERY) if changes(mask(index), mask(index + 1))]


def overlaps(flow, mask):
    """Intersection and union for each threshold."""
    counted = (mask != OUTSIDE) & (mask != UNKNOWN)
    exceeded = np.searchsorted(THRESHOLDS, np.hypot(flow[..., 0], flow[..., 1])[counted])
    moving = (mask == MOVING)[counted]
    # How many pixels are faster than each threshold.
    faster = lambda counts: np.bincount(counts, minlength=len(THRESHOLDS) + 1)[::-1].cumsum()[::-1][1:]
    both = faster(exceeded[moving])
    return np.array([both, faster(exceeded) + moving.sum() - both])


def best(counts):
    """The largest intersection over union, all frames together, and its threshold."""
    both, either = np.sum(counts, 0)
    index = np.argmax(both / either)
    return both[index] / either[index], THRESHOLDS[index]


def methods(rheo, output):
    """Functions from a pair to its flow, by name."""
    opencv = lambda method: lambda pair: method(*pair.luma())
    own = lambda engine: lambda pair: rheo_flow(rheo, engine, pair, output)
    return {**{engine.name: own(engine) for engine in LEVELS}, "Farneback": opencv(farneback),
            **{engine.opencv: opencv(engine.method) for engine in LEVELS}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    options = parser.parse_args()
    office = options.data / "security" / "cdnet_office"
    if is_absent("masks", [office / "video.mkv", office / "groundtruth"]):
        return
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        found = samples(office, pathlib.Path(folder))
        print(f"\n## Overlap with masks of what moves, best threshold, {len(found)} frames of cdnet_office\n")
        print("| method | IoU | beyond | chosen on | judged by |\n|---|---|---|---|---|", flush=True)
        for name, method in methods(options.rheo, f"{folder}/flow.flo").items():
            counts = halves(overlaps(method(sample.pair), sample.mask) for sample in found)
            (overlap, threshold), *rest = map(best, counts.values())
            print(f"| {name} | {overlap:.3f} | {threshold:.2f} px | " + " | ".join(f"{o:.3f}" for o, _ in rest) + " |",
                  flush=True)


if __name__ == "__main__":
    main()
