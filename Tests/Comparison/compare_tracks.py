"""Tracks of whatever moves against the boxes and identities of all persons, beside blobs joined by overlap.

Measures of Bernardin & Stiefelhagen (2008, doi:10.1155/2008/246309) and Ristani et al. (2016,
doi:10.1007/978-3-319-48881-3_2), computed by motmetrics; a box counts as found at an overlap (IoU) of 0.5. Times are those
of the processor. Called by `make compare`.
"""

import argparse
import pathlib
import tempfile

import motmetrics
import numpy as np

from blob_tracks import blob_tracks
from flow_pairs import is_absent
from track_truth import (SCENES, Stopwatch, drawn_clips, joined, load, options_of, overlap, published_clips, read_report,
                         run_rheo, within, write_strip)

MINIMUM_OVERLAP = 0.5
METRICS = ["idf1", "mota", "precision", "recall", "num_switches", "num_fragmentations"]


def accumulated(truth, table):
    accumulator = motmetrics.MOTAccumulator()
    for number in sorted(truth.keys() | table.keys()):
        persons, tracks = truth.get(number, {}), table.get(number, {})
        common = np.array([[overlap(box, other) for other in tracks.values()] for box in persons.values()])
        distances = np.where(common >= MINIMUM_OVERLAP, 1 - common, np.nan)
        accumulator.update(list(persons), list(tracks), distances, frameid=number)
    return accumulator


def identities(table):
    return {identity for boxes in table.values() for identity in boxes}


def scores(truth, table):
    """The measures, and how many tracks there are for how many persons."""
    result = motmetrics.metrics.create().compute(accumulated(truth, table), metrics=METRICS).iloc[0]
    return {**result, "tracks": len(identities(table)), "persons": len(identities(truth))}


def row(part, name, result, milliseconds):
    shares = " | ".join(f"{result[key]:.3f}" for key in METRICS[:4])
    return (f"| {part} | {name} | {shares} | {result['num_switches']:.0f} | {result['num_fragmentations']:.0f} | "
            f"{result['tracks']} / {result['persons']} | {milliseconds} |")


def methods(options):
    """Functions from a video to its tracks and processor seconds, by name."""
    def rheo(video):
        report, seconds = run_rheo(options.rheo, video, ["--auto", *options_of(options.options)])
        return read_report(report), seconds

    def blobs(video):
        watch = Stopwatch()
        return blob_tracks(video), watch.seconds

    return {"rheo": rheo} if options.rheo_alone else {"rheo": rheo, "MOG2 + overlap": blobs}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--only", help="the one clip to look at, or `drawn`: all that are drawn", metavar="NAME")
    parser.add_argument("--options", default="", help="more options of `rheo track`, in one word")
    parser.add_argument("--rheo-alone", action="store_true", help="leave the other method out")
    parser.add_argument("--strips", type=pathlib.Path, help="write every 20th frame with its boxes into this folder")
    parser.add_argument("--scenes", type=pathlib.Path, help="draw the scenes into this folder, or take them from it")
    options = parser.parse_args()
    clips = [clip for clip in published_clips(options.data) if options.only in (None, clip.name)]
    if is_absent("tracks", [path for clip in clips for path in (clip.video, clip.truth)]):
        clips = []
    print("\n## Tracks of whatever moves, IoU 0.5\n")
    print("| clip | method | IDF1 | MOTA | precision | recall | switches | fragments | tracks / persons | ms a frame |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for clip in load(clips):
        found = {}
        for name, method in methods(options).items():
            found[name], seconds = method(clip.video)
            milliseconds = f"{1000 * seconds / clip.frame_count:.1f}"
            print(row(clip.name, name, scores(clip.truth, found[name]), milliseconds))
            for part, (first, last) in clip.parts.items():
                result = scores(within(clip.truth, first, last), within(found[name], first, last))
                print(row(f"{clip.name}, {part}", name, result, ""), flush=True)
        write_strips(options, clip, found)
    with tempfile.TemporaryDirectory() as folder:
        compare_drawn(options, options.scenes or pathlib.Path(folder))


def write_strips(options, clip, found):
    if options.strips:
        options.strips.mkdir(parents=True, exist_ok=True)
        write_strip(options.strips / f"{clip.name}.jpg", clip.video, clip.truth, found)


def compare_drawn(options, folder):
    """The scenes of `rheo synthesize`, one by one with --only, and together for the seeds of each purpose."""
    if options.only not in (None, "drawn") and not options.only.startswith(tuple(SCENES)):
        return
    chosen = [(part, clip) for part, clip in drawn_clips(options.rheo, folder)
              if options.only in (None, "drawn") or clip.name.startswith(options.only)]
    results = {}
    for (part, _), clip in zip(chosen, load([clip for _, clip in chosen])):
        found = {}
        for name, method in methods(options).items():
            found[name], seconds = method(clip.video)
            results.setdefault((part, name), []).append((clip.truth, found[name], seconds, clip.frame_count))
            if options.only:
                print(row(clip.name, name, scores(clip.truth, found[name]), ""), flush=True)
        write_strips(options, clip, found)
    for (part, name), entries in results.items():
        truths, tables, seconds, counts = zip(*entries)
        result = scores(joined(truths), joined(tables))
        print(row(f"drawn, {part}", name, result, f"{1000 * sum(seconds) / sum(counts):.1f}"), flush=True)


if __name__ == "__main__":
    main()
