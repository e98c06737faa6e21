"""Tracks of given detections against the boxes and identities of all persons, beside a Kalman filter with overlap.

Detections are those of a published detector of people, and the truth with drawn errors. Measures as for
`compare_tracks.py`. Called by `make compare`.
"""

import argparse
import json
import pathlib
import tempfile

from compare_tracks import METRICS, scores
from detections import drawn_detections, histogram_detections, write_detections
from flow_pairs import is_absent
from sort_tracks import sort_tracks
from track_truth import (Stopwatch, drawn_clips, joined, load, options_of, published_clips, read_report, run_rheo)

import cv2

# The frames for which a second SORT keeps tracks that are hidden, about the two seconds of Rheo; its authors chose one.
PATIENCE = 30
SEEDS = {"chosen on": (1, 2), "judged by": (101, 102)}


def rheo_tracks(options, clip, table, folder):
    path = folder / "detections.txt"
    write_detections(path, table)
    report, seconds = run_rheo(options.rheo, clip.video,
                               ["--detections", str(path), *options_of(options.options)])
    return read_report(report), seconds


def sort_timed(table, *patience):
    watch = Stopwatch()
    return sort_tracks(table, *patience), watch.seconds


def size_of(video):
    capture = cv2.VideoCapture(str(video))
    return capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT)


def histogram_table(clip, folder):
    """The detector takes minutes: its boxes are kept."""
    path = folder / f"{clip.name}-histograms.json"
    if not path.exists():
        path.write_text(json.dumps(histogram_detections(clip.video)))
    return {int(number): [tuple(box) for box in boxes] for number, boxes in json.loads(path.read_text()).items()}


def entries(options, folder):
    """(part, clip, function that makes the detections) of all that may be measured."""
    def drawn(clip, seed):
        return lambda: drawn_detections(clip.truth, size_of(clip.video), seed)

    clips = list(load(published_clips(options.data)))
    for clip in clips:
        yield f"{clip.name}, detector", clip, lambda clip=clip: histogram_table(clip, folder)
    for part, seeds in SEEDS.items():
        for clip in clips:
            for seed in seeds:
                yield f"{clip.name} with errors, {part}", clip, drawn(clip, seed)
    scenes = drawn_clips(options.rheo, folder)
    for (part, _), clip in zip(scenes, load([clip for _, clip in scenes])):
        yield f"drawn with errors, {part}", clip, drawn(clip, int(clip.name.rsplit("-", 1)[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--options", default="", help="more options of `rheo track`, in one word")
    parser.add_argument("--only", default="", help="the rows whose names begin like this", metavar="NAME")
    parser.add_argument("--scenes", type=pathlib.Path, help="keep scenes and detections in this folder")
    options = parser.parse_args()
    if is_absent("tracks", [path for clip in published_clips(options.data) for path in (clip.video, clip.truth)]):
        return
    print("\n## Tracks of given detections, IoU 0.5\n")
    print("| detections | method | IDF1 | MOTA | precision | recall | switches | tracks / persons | ms a frame |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.scenes or pathlib.Path(temporary)
        for part, clip, detect in entries(options, folder):
            if not part.startswith(options.only):
                continue
            table = detect()
            for name, (found, seconds) in {"Rheo": rheo_tracks(options, clip, table, pathlib.Path(temporary)),
                                           "SORT": sort_timed(table),
                                           "SORT, 30 frames": sort_timed(table, PATIENCE)}.items():
                results.setdefault((part, name), []).append((clip.truth, found, seconds, clip.frame_count))
    for (part, name), rows in results.items():
        truths, tables, seconds, counts = zip(*rows)
        result = scores(joined(truths), joined(tables))
        shares = " | ".join(f"{result[key]:.3f}" for key in METRICS[:4])
        print(f"| {part} | {name} | {shares} | {result['num_switches']:.0f} | {result['tracks']} / {result['persons']} | "
              f"{1000 * sum(seconds) / sum(counts):.1f} |", flush=True)


if __name__ == "__main__":
    main()
