"""Boxes followed from a person's first true one, beside OpenCV's CSRT and KCF.

The persons are the first that are in view for 60 frames or more. The mean overlap (IoU) goes over all frames of the truth
after the first; where a method has lost the person, or was never sure, it is 0. Times are those of the processor and hold
the decoding. Parameters are chosen on every other person, and the others tell whether they hold. Called by `make compare`.
"""

import argparse
import pathlib
from dataclasses import dataclass

import cv2
import numpy as np

from flow_pairs import is_absent
from track_truth import (Stopwatch, drawn_clips, frames, load, options_of, overlap, published_clips, read_report,
                         run_rheo, write_strip)

MINIMUM_LENGTH = 60


def patient_kcf():
    """With its defaults KCF gives these persons up after a few frames."""
    parameters = cv2.TrackerKCF_Params()
    parameters.detect_thresh = 0.1
    return cv2.TrackerKCF_create(parameters)


OPENCV = {"CSRT": cv2.TrackerCSRT_create, "KCF": cv2.TrackerKCF_create, "KCF from 0.1": patient_kcf}


@dataclass
class Person:
    """The true boxes of one person by frame."""

    clip: object
    identity: int
    boxes: dict

    @property
    def first(self):
        return min(self.boxes)

    @property
    def last(self):
        return max(self.boxes)


def persons(clips):
    """Those in view for long, in the order in which they come."""
    result = []
    for clip in clips:
        boxes = {}
        for number in sorted(clip.truth):
            for identity, box in clip.truth[number].items():
                boxes.setdefault(identity, {})[number] = box
        result += [Person(clip, identity, found) for identity, found in boxes.items() if len(found) >= MINIMUM_LENGTH]
    return result


def whole(person):
    """The person from where nearly all of the usual box is in view, as drawn ones come in from the side."""
    usual = np.median([box[2] * box[3] for box in person.boxes.values()])
    first = min(number for number, box in person.boxes.items() if box[2] * box[3] >= 0.8 * usual)
    return Person(person.clip, person.identity, {number: box for number, box in person.boxes.items() if number >= first})


def clipped(box, size):
    """The part of a box that the image of this width and height shows."""
    left, top = max(box[0], 0), max(box[1], 0)
    return left, top, min(box[0] + box[2], size[0]) - left, min(box[1] + box[3], size[1]) - top


def follow_opencv(create, person):
    """The boxes by frame, and the processor seconds of decoding and following."""
    table, tracker = {}, None
    capture = cv2.VideoCapture(str(person.clip.video))
    for _ in range(person.first - 1):
        capture.grab()
    watch = Stopwatch()
    for number in range(person.first, person.last + 1):
        frame = capture.read()[1]
        if tracker is None:
            tracker = create()
            size = frame.shape[1], frame.shape[0]
            tracker.init(frame, tuple(round(side) for side in clipped(person.boxes[number], size)))
        else:
            found, box = tracker.update(frame)
            if found:
                table[number] = box
    return table, watch.seconds


def follow_rheo(rheo, options, person):
    size = next(frames(person.clip.video))[1].shape[1::-1]
    box = ",".join(f"{side:.3f}" for side in clipped(person.boxes[person.first], size))
    start = [f"--boxes={box}", "--start", f"{person.first - 1}f", "--frames"]
    # The start of the program and the way to the first frame are no part of the following.
    idle = run_rheo(rheo, person.clip.video, [*start, "1", *options])[1]
    report, seconds = run_rheo(rheo, person.clip.video, [*start, str(person.last - person.first + 1), *options])
    table = {number: boxes[1] for number, boxes in read_report(report).items()}
    # Frames are numbered from the first used one on, or from the clip's: the first position tells.
    shift = person.first - min(table)
    return {number + shift: box for number, box in table.items()}, seconds - idle


def overlaps(person, table):
    numbers = [number for number in sorted(person.boxes) if number != person.first]
    return np.array([overlap(person.boxes[number], table[number]) if number in table else 0 for number in numbers])


def mean(results):
    return np.concatenate(results).mean() if results else np.nan


def row(name, results, seconds, frame_count):
    everything = np.concatenate(results)
    return (f"| {name} | {everything.mean():.3f} | {(everything >= 0.5).mean():.3f} | {mean(results[::2]):.3f} | "
            f"{mean(results[1::2]):.3f} | {1000 * seconds / frame_count:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--only", help="the one clip, or clip-identity, to look at", metavar="NAME")
    parser.add_argument("--persons", type=int, default=30, help="how many (default: 30)", metavar="N")
    parser.add_argument("--drawn", type=pathlib.Path, metavar="FOLDER",
                        help="follow persons of the drawn scenes to judge by, which are drawn into FOLDER")
    parser.add_argument("--options", default="", help="more options of `rheo track`, in one word")
    parser.add_argument("--rheo-alone", action="store_true", help="leave the other methods out")
    parser.add_argument("--details", action="store_true", help="print each person's mean overlaps")
    parser.add_argument("--strips", type=pathlib.Path, help="write every 20th frame with its boxes into this folder")
    options = parser.parse_args()
    clips = published_clips(options.data)
    if options.drawn:
        clips = [clip for part, clip in drawn_clips(options.rheo, options.drawn) if part == "judged by"]
    if is_absent("boxes", [path for clip in clips for path in (clip.video, clip.truth)]):
        return
    cv2.setNumThreads(1)
    followed = persons(load(clips))[:options.persons]
    if options.drawn:
        followed = [whole(person) for person in followed]
    if options.only:
        followed = [person for person in followed
                    if options.only in (person.clip.name, f"{person.clip.name}-{person.identity}")]
    methods = {"rheo": lambda person: follow_rheo(options.rheo, options_of(options.options), person)}
    if not options.rheo_alone:
        methods |= {name: lambda person, create=create: follow_opencv(create, person) for name, create in OPENCV.items()}
    results, seconds, frame_count = {name: [] for name in methods}, dict.fromkeys(methods, 0), 0
    for person in followed:
        tables = {}
        frame_count += person.last - person.first
        for name, method in methods.items():
            tables[name], spent = method(person)
            seconds[name] += spent
            results[name].append(overlaps(person, tables[name]))
        if options.details:
            print(f"{person.clip.name}-{person.identity}: frames {person.first}–{person.last}, "
                  + ", ".join(f"{name} {results[name][-1].mean():.3f}" for name in methods), flush=True)
        if options.strips:
            options.strips.mkdir(parents=True, exist_ok=True)
            path = options.strips / f"{person.clip.name}-{person.identity}.jpg"
            named = {name: {number: {person.identity: box} for number, box in table.items()}
                     for name, table in tables.items()}
            truth = {number: {person.identity: box} for number, box in person.boxes.items()}
            write_strip(path, person.clip.video, truth, named, numbers=(person.first, person.last))
    print(f"\n## Boxes followed, {len(followed)} persons, {frame_count} frames\n")
    print("| method | mean IoU | IoU ≥ 0.5 | chosen on | judged by | ms a frame and box |\n|---|---|---|---|---|---|")
    for name in methods:
        print(row(name, results[name], seconds[name], frame_count), flush=True)


if __name__ == "__main__":
    main()
