"""Clips with the boxes and identities of all persons, and tracks as tables: frames and identities to boxes.

A box is left, top, width, height in pixels, the first pixel being 0; MOT Challenge texts count from 1, and so do their
frames (Leal-Taixé et al., 2015, arXiv:1504.01942). Pictures show that frame 1 of both published texts is the clip's first.
"""

import json
import pathlib
import shlex
import subprocess
import time
from dataclasses import dataclass, field
from resource import RUSAGE_CHILDREN, getrusage

import cv2
import numpy as np


@dataclass
class Clip:
    """A video and its truth: {frame: {identity: box}}, frames from 1."""

    name: str
    video: pathlib.Path
    truth: dict = field(default_factory=dict)
    # Parameters are chosen on one part, and the other tells whether they hold.
    parts: dict = field(default_factory=dict)

    @property
    def frame_count(self):
        return int(cv2.VideoCapture(str(self.video)).get(cv2.CAP_PROP_FRAME_COUNT))


def read_mot(path):
    """The boxes of a text in MOT Challenge format; those marked as not counting (confidence 0) left out."""
    table = {}
    for line in pathlib.Path(path).read_text().splitlines():
        number, identity, left, top, width, height, confidence = map(float, line.split(",")[:7])
        if confidence:
            table.setdefault(int(number), {})[int(identity)] = (left - 1, top - 1, width, height)
    return table


def published_clips(data):
    vtest = Clip("vtest", data / "security" / "vtest.avi", data / "tracking" / "vtest_gt.txt",
                 {"frames 1–397": (1, 397), "frames 398–795": (398, 795)})
    campus = Clip("tud_campus", data / "tracking" / "tud_campus.mp4", data / "tracking" / "tud_campus_gt.txt")
    return [vtest, campus]


# Parameters are chosen on the scenes of the first seeds, and those of the others tell whether they hold.
SEEDS = {"chosen on": (1, 2, 3, 4), "judged by": (301, 302, 303, 304)}
SCENES = ["crossing-walkers", "hidden-walkers", "meeting-walkers", "standing-walkers"]


def drawn_clips(rheo, folder):
    """Scenes of people that `rheo synthesize` draws, with what their seeds are for."""
    clips = []
    folder.mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        for part, seeds in SEEDS.items():
            for seed in seeds:
                name = f"{scene}-{seed}"
                video, truth = folder / f"{name}.mp4", folder / name
                if not (truth / "gt.txt").exists():
                    subprocess.run([rheo, "synthesize", str(video), "--scene", scene, "--seed", str(seed), "--truth",
                                    str(truth), "--quiet", "--overwrite"], check=True)
                clips.append((part, Clip(name, video, truth / "gt.txt")))
    return clips


def joined(tables):
    """One table of several: frames and identities of each come behind those of the ones before."""
    result, first, identity = {}, 0, 0
    for table in tables:
        boxes = {first + number: {identity + key: box for key, box in boxes.items()} for number, boxes in table.items()}
        result |= boxes
        first += JOINED_LENGTH
        identity += JOINED_LENGTH
    return result


# More than any of the tables has frames, or identities.
JOINED_LENGTH = 100_000


def load(clips):
    """The clips with their truth read."""
    return [Clip(clip.name, clip.video, read_mot(clip.truth), clip.parts) for clip in clips]


def within(table, first, last):
    return {number: boxes for number, boxes in table.items() if first <= number <= last}


def read_report(report):
    """The boxes of a report of `rheo track`, all that it holds, and the number of its box tracks."""
    table = {}
    boxes = [track for track in report["tracks"] if track["kind"] == "box"]
    for track in boxes:
        for place in track["positions"]:
            box = tuple(place[key] for key in ("x", "y", "width", "height"))
            table.setdefault(place["frame"] + 1, {})[track["id"]] = box
    return table


def run_rheo(rheo, video, options):
    """The report of `rheo track` and the processor seconds (user and system) that it took."""
    before = getrusage(RUSAGE_CHILDREN)
    command = [rheo, "track", str(video), "--quiet", *options]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    after = getrusage(RUSAGE_CHILDREN)
    return json.loads(text), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def frames(video):
    """All frames of a video, with their numbers from 1."""
    capture, number = cv2.VideoCapture(str(video)), 0
    while True:
        decoded, frame = capture.read()
        if not decoded:
            return
        number += 1
        yield number, frame


def overlap(box, other):
    """Intersection over union."""
    width = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    height = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    both = max(width, 0) * max(height, 0)
    return both / (box[2] * box[3] + other[2] * other[3] - both)


def options_of(text):
    """The words of --options."""
    return shlex.split(text)


class Stopwatch:
    """Processor seconds of this process, user and system."""

    def __init__(self):
        self.start = time.process_time()

    @property
    def seconds(self):
        return time.process_time() - self.start


def write_strip(path, video, truth, methods, numbers=(1, None), every=20, width=480):
    """Every `every`th of the frames with the boxes: the truth in white, one row of pictures for each method."""
    pictures = {name: [] for name in methods}
    first, last = numbers
    for number, frame in frames(video):
        if last is not None and number > last:
            break
        if number < first or (number - first) % every:
            continue
        for name, table in methods.items():
            picture = frame.copy()
            for box in truth.get(number, {}).values():
                draw(picture, box, (255, 255, 255))
            for identity, box in table.get(number, {}).items():
                color = cv2.applyColorMap(np.uint8([[identity * 67 % 256]]), cv2.COLORMAP_HSV)[0, 0].tolist()
                draw(picture, box, color, str(identity))
            cv2.putText(picture, f"{name} {number}", (6, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 255, 255), 2)
            height = round(width * picture.shape[0] / picture.shape[1])
            pictures[name].append(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA))
    # Six frames beside each other; the methods' rows alternate.
    count = len(next(iter(pictures.values())))
    rows = []
    for start in range(0, count, 6):
        for row in pictures.values():
            cells = row[start:start + 6]
            rows.append(np.hstack(cells + [np.zeros_like(cells[0])] * (6 - len(cells))))
    # An image codec has its limits in height.
    for part in range(0, len(rows), 12):
        cv2.imwrite(str(path.with_name(f"{path.stem}-{part // 12 + 1}.jpg")), np.vstack(rows[part:part + 12]))


def draw(picture, box, color, text=""):
    left, top, right, bottom = round(box[0]), round(box[1]), round(box[0] + box[2]), round(box[1] + box[3])
    cv2.rectangle(picture, (left, top), (right, bottom), color, 2 if text else 1)
    cv2.putText(picture, text, (left + 2, max(top - 4, 14)), cv2.FONT_HERSHEY_SIMPLEX, 0.6, color, 2)
