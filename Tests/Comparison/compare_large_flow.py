"""Fast motion: the end-point errors of Rheo's levels beside those of OpenCV's methods, pair by pair.

Parameters were chosen on the pairs at even places of the list, in the order of their names; those at odd places judge
them. Pixels that the data marks as invalid do not count. Called by `make compare`.
"""

import argparse
import pathlib
import tempfile

import cv2
import numpy as np

from flow_methods import LEVELS, geometric_mean, rheo_flow
from flow_pairs import halves, is_absent, large

# Each level beside the method of its class, `high` also beside the most exact one.
RATIOS = [(engine.name, engine.opencv) for engine in LEVELS]
RATIOS.insert(3, ("dis high", "DeepFlow"))


def mean_error(flow, truth):
    return float(np.nanmean(np.hypot(*np.moveaxis(flow - truth, -1, 0))))


def errors(rheo, pair, output):
    """End-point errors by the names of engines and methods."""
    truth, grey, found = pair.truth(), pair.luma(), {}
    for engine in LEVELS:
        found[engine.name] = mean_error(rheo_flow(rheo, engine, pair, output), truth)
        found[engine.opencv] = mean_error(engine.method(*grey), truth)
    return found


def print_errors(rheo, pairs):
    """The table of all pairs; its figures by the pairs' names."""
    names = [name for engine in LEVELS for name in (engine.name, engine.opencv)]
    print("| pair | half | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 2), flush=True)
    chosen_on, table = halves(pairs)["chosen on"], {}
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs:
            table[pair.name] = errors(rheo, pair, f"{folder}/flow.flo")
            half = "chosen on" if pair in chosen_on else "judged by"
            print(f"| {pair.name} | {half} | " + " | ".join(f"{table[pair.name][name]:.2f}" for name in names) + " |",
                  flush=True)
    return table


def print_ratios(table):
    parts = halves(table)
    print("\n| EPE to EPE, geometric mean | " + " | ".join(f"{part} | worst" for part in parts) + " |")
    print("|" + "---|" * (2 * len(parts) + 1))
    for mine, theirs in RATIOS:
        cells = []
        for names in parts.values():
            ratios = {name: table[name][mine] / table[name][theirs] for name in names}
            worst = max(ratios, key=ratios.get)
            cells.append(f"{geometric_mean(ratios.values()):.3f} | {ratios[worst]:.2f} ({worst})")
        print(f"| {mine} / {theirs} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    options = parser.parse_args()
    pairs = large(options.data)
    if is_absent("fast motion", [path for pair in pairs for path in pair.files]):
        return
    cv2.setNumThreads(1)
    print("\n## Fast motion, EPE in pixels\n")
    print_ratios(print_errors(options.rheo, pairs))


if __name__ == "__main__":
    main()
