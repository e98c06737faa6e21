#!/usr/bin/env python3
"""Begins drawn scenes at several points, and tells how often `rheo detect` finds an event within seven seconds.

What is restless alone is begun at six points, and an event is false: in the first seconds nothing is known of what
sways. Scenes with a visit are begun at three points within it, and end with it. Columns: of how many beginnings an
event came, and the mean share of the time that events cover.

With `--clip`, published clips are begun every few seconds instead: how late the first event of six seconds begins.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess

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
CLIP_LENGTH = 6


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


def delay(job):
    """Returns the time from a beginning of a clip to its first event, in seconds; None where there is none."""
    rheo, clip, begin, folder = job
    # The report lies beside the video.
    link = folder / f"{clip.stem}-{begin:.2f}{clip.suffix}"
    link.unlink(missing_ok=True)
    link.symlink_to(clip.resolve())
    events = detect(rheo, link, ["--start", f"{begin:.2f}", "--duration", str(CLIP_LENGTH)])[0]["events"]
    return events[0]["start"]["seconds"] - begin if events else None


def compare_clips(options):
    print("| clip | beginnings | within 0.5 s | 1 to 3.2 s | none |\n|---|---|---|---|---|")
    for clip in options.clip:
        probe = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", clip]
        duration = float(subprocess.run(probe, check=True, capture_output=True, text=True).stdout)
        begins = np.arange(0, duration - CLIP_LENGTH, options.step)
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            delays = list(pool.map(delay, [(options.rheo, clip, begin, options.folder) for begin in begins]))
        late = [seconds for seconds in delays if seconds is not None]
        counts = [len(delays), sum(seconds < 0.5 for seconds in late), sum(1 <= seconds < 3.2 for seconds in late),
                  len(delays) - len(late)]
        print(f"| {clip.parent.name}/{clip.name} | " + " | ".join(map(str, counts)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_paths(parser)
    parser.add_argument("--half", choices=["tune", "check"], default="check")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--scene", action="append", choices=EMPTY + VISITED, help="several may be given")
    parser.add_argument("--variant", type=variant_name, action="append", metavar="NAME", help=VARIANTS_HELP)
    parser.add_argument("--clip", action="append", type=pathlib.Path, help="a published clip; several may be given")
    parser.add_argument("--step", type=float, default=1.9, help="seconds from one beginning of it to the next")
    options = parser.parse_args()
    if options.clip:
        options.folder.mkdir(parents=True, exist_ok=True)
        compare_clips(options)
        return
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
