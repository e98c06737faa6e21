"""The end-point error near the borders of motion, where things end that move differently, beside OpenCV's.

Pairs with dense truth alone: a border is where two neighbours' true vectors differ. Called by `make compare`.
"""

import argparse
import pathlib
import tempfile

import cv2
import numpy as np

from flow_methods import geometric_mean, level, rheo_flow
from flow_pairs import is_absent, large, middlebury, others

# Both in pixels. A surface that is seen at a slant changes by less from one pixel to the next.
LEAST_STEP = 1
DISTANCE = 10
ACCURACIES = ["medium", "very-high"]


def near_borders(truth):
    """Which pixels are within `DISTANCE` of a step of the true flow; a step to the unknown is none."""
    near = np.zeros(truth.shape[:2], bool)
    for axis in (0, 1):
        step = np.hypot(*np.moveaxis(np.diff(truth, axis=axis), -1, 0)) > LEAST_STEP  # NaN: false
        before, after = (np.moveaxis(near, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        before |= np.moveaxis(step, axis, 0)
        after |= np.moveaxis(step, axis, 0)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * DISTANCE + 1, 2 * DISTANCE + 1))
    return cv2.dilate(near.astype(np.uint8), disc) > 0


def error(flow, truth, where):
    return float(np.nanmean(np.hypot(*np.moveaxis(flow - truth, -1, 0))[where]))


def errors(rheo, pair, engines, output):
    """Rheo's and OpenCV's error of each engine in turn."""
    truth, grey = pair.truth(), pair.luma()
    where = near_borders(truth)
    return [(error(rheo_flow(rheo, engine, pair, output), truth, where), error(engine.method(*grey), truth, where))
            for engine in engines]


def print_errors(rheo, sets, engines):
    """The table of all pairs; rows of pairs of errors by the sets' names."""
    names = [name for engine in engines for name in (engine.name, engine.opencv)]
    print("| pair | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 1), flush=True)
    table = {name: [] for name in sets}
    with tempfile.TemporaryDirectory() as folder:
        for name, pair in ((name, pair) for name, pairs in sets.items() for pair in pairs):
            table[name].append(errors(rheo, pair, engines, f"{folder}/flow.flo"))
            cells = " | ".join(f"{mine:.2f} | {theirs:.2f}" for mine, theirs in table[name][-1])
            print(f"| {pair.name} | {cells} |", flush=True)
    return table


def print_ratios(table, engines):
    table = {"all": sum(table.values(), []), **table}
    print("\n| EPE to EPE, geometric mean | " + " | ".join(table) + " |\n|" + "---|" * (len(table) + 1))
    for place, engine in enumerate(engines):
        ratios = [geometric_mean([mine / theirs for mine, theirs in (row[place] for row in rows)])
                  for rows in table.values()]
        cells = " | ".join(f"{ratio:.3f}" for ratio in ratios)
        print(f"| {engine.name} / {engine.opencv} | {cells} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    options = parser.parse_args()
    sets = {"fast motion": large(options.data), "Middlebury": middlebury(options.data), "others": others(options.data)}
    sets = {name: [pair for pair in pairs if pair.has_dense_truth] for name, pairs in sets.items()}
    if is_absent("borders of motion", [path for pairs in sets.values() for pair in pairs for path in pair.files]):
        return
    cv2.setNumThreads(1)
    print(f"\n## Within {DISTANCE} px of borders of motion, EPE in pixels\n")
    engines = [level(accuracy) for accuracy in ACCURACIES]
    print_ratios(print_errors(options.rheo, sets, engines), engines)


if __name__ == "__main__":
    main()
