#!/usr/bin/env python3
"""Begins drawn scenes at several points, and tells how often `rheo detect` finds an event within seven seconds.

What is restless alone is begun at six points, and an event is false: in the first seconds nothing is known of what
sways. Scenes with a visit are begun at three points within it, and end with it. Columns: of how many beginnings an
event came, and the mean share of the time that events cover.
"""

import argparse
import concurrent.futures

import numpy as np

from measure import FIRST_SEED, VARIANTS_HELP, add_paths, changed, detect, make, variant_name

EMPTY = ["rain-light", "rain-medium", "rain-heavy", "snow-light", "snow-medium", "snow-heavy", "flag", "water",
         "banner", "television", "foliage", "foliage-near", "cold-tree", "bands", "headlights"]
VISITED = ["flag-walker", "water-walker", "banner-walker", "television-walker", "foliage-walker",
           "rain-medium-walker", "rain-heavy-walker", "snow-medium-walker", "visitor", "equal-luma", "far",
           "low-contrast", "fast-10fps", "dark-noise-10fps"]
BEGINNINGS = [1.1 * number for number in range(6)]
SHARES = [0.02, 0.15, 0.3]
LENGTH = 7


def run(job):
    name, half, seed, variant, options = job
    video, truth = make(name, half, seed, options.data, options.folder / half)
    if variant:
        video, truth = changed(variant, video, truth)
    spans = [(begin, LENGTH) for begin in BEGINNINGS]
    if name in VISITED:
        first, last = (number / truth["rate"] for number in truth["visits"][0])
        begins = [first + share * (last - first) for share in SHARES]
        spans = [(begin, min(LENGTH, max(last - begin, 0.5))) for begin in begins]
    results = []
    for begin, length in spans:
        events = detect(options.rheo, video, ["--start", f"{begin:.2f}", "--duration", f"{length:.2f}"])[0]["events"]
        covered = sum(event["end"]["seconds"] - event["start"]["seconds"] for event in events)
        results.append((bool(events), covered / length))
    return name, results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_paths(parser)
    parser.add_argument("--half", choices=["tune", "check"], default="check")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--scene", action="append", choices=EMPTY + VISITED, help="several may be given")
    parser.add_argument("--variant", type=variant_name, action="append", metavar="NAME", help=VARIANTS_HELP)
    options = parser.parse_args()
    (options.folder / options.half).mkdir(parents=True, exist_ok=True)
    variants = [None, *(options.variant or [])]
    names = [name for name in EMPTY + VISITED if not options.scene or name in options.scene]
    # Videos are drawn before they are changed: two jobs do not draw the same one.
    seeds = [FIRST_SEED[options.half] + place for place in range(options.seeds)]
    found = {}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for variant in variants:
            for name, results in pool.map(run, [
                    (name, options.half, seed, variant, options) for name in names for seed in seeds]):
                found.setdefault((name, variant), []).extend(results)
    print("| scene | " + " | ".join(variant or "as drawn" for variant in variants) + " |")
    print("|---|" + "---|" * len(variants))
    for title, group in [(name, [name]) for name in names] + [("all empty", EMPTY), ("all visited", VISITED)]:
        cells = []
        for variant in variants:
            those = [result for name in group for result in found.get((name, variant), [])]
            share = f", {np.mean([covered for _, covered in those]):.2f}" if those else ""
            cells.append(f"{sum(has for has, _ in those)} of {len(those)}{share}")
        print(f"| {title} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
