"""Times of Rheo's levels as ratios to OpenCV's, one thread, on small and on wide pictures.

On each pair the two programs take turns and the shortest time counts, so that what else the machine does hits both.
Times are those of the engines alone, on decoded luma, inside each process. Called by `make compare`.
"""

import argparse
import pathlib
import tempfile

import cv2
import numpy as np

from flow_methods import LEVELS, take_turns
from flow_pairs import is_absent, large, middlebury

# A short time is the likelier to fall as a whole into one that other programs disturb.
TURNS = {"dis low": 8, "dis medium": 6, "dis high": 3, "dis very-high": 3}
# 1242×375.
WIDE = "kitti_000151"


def times(rheo, engine, pairs, output):
    """Mean milliseconds of Rheo and of OpenCV."""
    results = [take_turns(rheo, engine, pair, 1, TURNS[engine.name], output) for pair in pairs]
    return np.mean([(result.milliseconds, result.opencv_milliseconds) for result in results], 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    options = parser.parse_args()
    sets = {"Middlebury": middlebury(options.data),
            "1242×375": [pair for pair in large(options.data) if pair.name == WIDE]}
    if is_absent("times", [path for pairs in sets.values() for pair in pairs for path in pair.files]):
        return
    cv2.setNumThreads(1)
    print("\n## Times in turns, 1 thread, ms per pair\n")
    print("| Rheo / OpenCV | " + " | ".join(f"{name} | ratio" for name in sets) + " |")
    print("|" + "---|" * (2 * len(sets) + 1), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for engine in LEVELS:
            both = [times(options.rheo, engine, pairs, f"{folder}/flow.flo") for pairs in sets.values()]
            cells = " | ".join(f"{mine:.2f} / {theirs:.2f} | {mine / theirs:.3f}" for mine, theirs in both)
            print(f"| {engine.name} / {engine.opencv} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
