#!/usr/bin/env python3
"""Runs `rheo detect` with its defaults over drawn scenes and tells what it finds, scene by scene.

The scenes come in two halves with other seeds and other grounds: rules are chosen on `tune`, and `check` tells whether
they hold. Those of `held-out` and of `third` are other scenes, drawn by other hands. `--variant` changes the drawn
videos, to see whether the rules hold for other cameras. Columns: false events (those that meet no visit), the share of
the frames without a visit that they flag, visits found, events per visit, the share of a visit that is covered, the
delay of its start in seconds, the share of the boxes that touch the truth. The line below counts the videos without any
visit that have an event all the same.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import resource
import subprocess
import zlib

import numpy as np

from held_out_scenes.__main__ import scenes_of, write_video
from scenes import HEIGHT, SCENES, WIDTH, Still, Stretch, fractal, load_stretch

# Where nothing moves in the published clips: file, first and last frame.
GROUNDS = {
    "tune": [None, ("security/overhead_road.avi", 5, 35), None, ("security/cdnet_office/video.mkv", 0, 38)],
    "check": [("security/bottle-detection.mp4", 230, 310), None, ("security/car-detection.mp4", 4, 40), None],
}
FIRST_SEED = {"tune": 1, "check": 101, "held-out": 1, "third": 1}

# Changes of the drawn videos: filters of ffmpeg, x264's quality, and the factors on their size and their frame rate.
VARIANTS = {
    "small": ("scale=iw/3:-2:flags=area", 21, 1 / 3, 1),
    "large": ("scale=iw*8/3:-2:flags=lanczos", 23, 8 / 3, 1),
    "blurred": ("gblur=sigma=1.6", 23, 1, 1),
    "noisy": ("noise=alls=14:allf=t", 18, 1, 1),
    "coarse": ("null", 36, 1, 1),
    "pale": ("eq=contrast=0.5", 21, 1, 1),
    "grey": ("hue=s=0", 21, 1, 1),
    "doubled": ("fps=source_fps*2", 21, 1, 2),
    "halved": ("fps=source_fps/2", 21, 1, 1 / 2),
    "fifth": ("fps=source_fps/5", 21, 1, 1 / 5),
    "tenth": ("fps=source_fps/10", 21, 1, 1 / 10),
}
VARIANTS_HELP = f"change the drawn videos: {', '.join(VARIANTS)}, or fps and a frame rate"


def variant_name(name):
    """Returns the name of a variant as it was given: one of those above, or fps and a frame rate."""
    if name not in VARIANTS and not re.fullmatch("fps[1-9][0-9]*", name):
        raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(VARIANTS)}, fps10, fps15 and so on")
    return name


def filtering(name, truth):
    """Returns the filter of a variant, its quality, and the factors of its size and rate."""
    if name in VARIANTS:
        return VARIANTS[name]
    rate = int(name.removeprefix("fps"))
    return f"fps={rate}", 21, 1, rate / truth["rate"]


def ground(half, seed, rng, data):
    """The empty scene behind things: a drawn one, or a stretch of a published clip."""
    grounds = GROUNDS[half]
    place = grounds[seed % len(grounds)]
    if place is None:
        return Still(rng, fractal(rng, WIDTH, HEIGHT), rng.uniform(0.5, 3))
    path, first, last = place
    return Stretch(load_stretch(data / path, first, last))


def visits_in(boxes, rate):
    """The visits as [first, last] frame: the runs of frames with boxes, gaps of up to a second among them; at less
    than one frame a second, what is seen in frames that follow each other is one visit."""
    runs = []
    for number in sorted(boxes):
        if runs and number - runs[-1][1] <= max(rate, 1):
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


def make_held_out(name, half, seed, folder):
    """Draws a scene of another hand, once; returns its video and its truth."""
    video, notes = folder / f"{name}-{seed}.mp4", folder / f"{name}-{seed}.json"
    if not notes.exists():
        write_video(name, seed, folder, half)
    truth = json.loads(notes.read_text())
    return video, {**truth, "settle": 0, "visits": visits_in([int(number) for number in truth["boxes"]], truth["rate"])}


def make(name, half, seed, data, folder):
    """Draws a scene, once; returns its video and its truth."""
    video, notes = folder / f"{name}-{seed}.mp4", folder / f"{name}-{seed}.json"
    if not notes.exists():
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        truth, pictures = SCENES[name](rng, ground(half, seed, rng, data))
        command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}",
                   "-r", str(truth.rate), "-i", "-", "-c:v", "libx264", "-preset", "veryfast", "-crf", "21",
                   "-pix_fmt", "yuv420p", "-threads", "1", str(video)]
        with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
            for picture in pictures():
                encoder.stdin.write(picture.tobytes())
            encoder.stdin.close()
            if encoder.wait():
                raise RuntimeError(f"ffmpeg ended with {encoder.returncode}")
        notes.write_text(json.dumps({
            "rate": truth.rate, "frames": truth.frames, "settle": truth.settle,
            "visits": visits_in(truth.boxes, truth.rate),
            "boxes": {str(number): boxes for number, boxes in truth.boxes.items()}}))
    return video, json.loads(notes.read_text())


def changed(name, video, truth):
    """Makes a variant of a drawn video, once; returns it and its truth."""
    filters, quality, size, rate = filtering(name, truth)
    folder = video.parent / name
    folder.mkdir(exist_ok=True)
    result = folder / video.name
    if not result.exists():
        part = result.with_suffix(".part.mp4")
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", video, "-vf", filters, "-c:v", "libx264",
                        "-preset", "veryfast", "-crf", str(quality), "-pix_fmt", "yuv420p", "-threads", "1", part],
                       check=True)
        part.rename(result)
    copies = range(max(round(rate), 1))
    boxes, parts = ({str(round(int(number) * rate) + copy): [[side * size for side in box] for box in those]
                     for number, those in truth.get(kind, {}).items() for copy in copies} for kind in ("boxes", "parts"))
    visits = [[round(first * rate), round(last * rate) + copies[-1]] for first, last in truth["visits"]]
    return result, {"rate": truth["rate"] * rate, "frames": round(truth["frames"] * rate),
                    "settle": round(truth["settle"] * rate), "visits": visits, "boxes": boxes, "parts": parts}


def touches(box, other, reach=6):
    return (box[0] < other[0] + other[2] + reach and other[0] < box[0] + box[2] + reach
            and box[1] < other[1] + other[3] + reach and other[1] < box[1] + box[3] + reach)


def overlap(box, other):
    w = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    h = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    both = max(w, 0) * max(h, 0)
    return both / (box[2] * box[3] + other[2] * other[3] - both)


def detect(rheo, video, options=()):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = video.with_suffix(".report.json")
    report.unlink(missing_ok=True)
    subprocess.run([rheo, "detect", str(video), "--report", str(report), "--threads", "1", *options], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(report.read_text()), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def score(report, truth):
    rate, visits = truth["rate"], truth["visits"]
    slack = max(2 * rate, 3)
    events = [(event["start"]["frame"], event["end"]["frame"], event) for event in report["events"]]
    present = np.zeros(truth["frames"] + 1, bool)
    near = present.copy()
    for first, last in visits:
        present[first : last + 1] = True
        near[max(int(first - 0.5 * rate), 0) : int(last + slack) + 1] = True
    near[: truth["settle"]] |= not visits or visits[0][0] > truth["settle"]
    flagged = np.zeros_like(present)
    false = 0
    for first, last, _ in events:
        flagged[first : last + 1] = True
        if not near[first : last + 1].any() or (~near[first : last + 1]).mean() > 0.75:
            false += 1
    result = {"false": false, "flagged": float((flagged & ~near).sum() / max((~near).sum(), 1)), "visits": len(visits),
              "found": 0, "pieces": 0, "covered": [], "delay": [], "boxes": 0, "touch": 0, "iou": []}
    for first, last in visits:
        those = [event for event in events if event[0] <= last and event[1] >= first]
        covered = flagged[first : last + 1].mean()
        if those and covered > 0.1:
            result["found"] += 1
            result["pieces"] += len(those)
            result["delay"].append((those[0][0] - first) / rate)
            result["covered"].append(float(covered))
    truths = {int(number): list(boxes) for number, boxes in truth["boxes"].items()}
    # Who is half out of the picture moves all the same.
    for number, boxes in truth.get("parts", {}).items():
        truths.setdefault(int(number), []).extend(boxes)
    for _, _, event in events:
        for entry in event.get("boxes", []):
            if entry["frame"] < truth["settle"] and not present[entry["frame"]]:
                continue
            box = [entry[key] for key in ("x", "y", "width", "height")]
            others = truths.get(entry["frame"], [])
            result["boxes"] += 1
            if any(touches(box, other) for other in others):
                result["touch"] += 1
                result["iou"].append(max(overlap(box, other) for other in others))
    return result


def run(job):
    name, half, seed, options = job
    if half in GROUNDS:
        video, truth = make(name, half, seed, options.data, options.folder / half)
    else:
        video, truth = make_held_out(name, half, seed, options.folder / half)
    if options.draw_only:
        return name, seed, None
    if options.variant:
        video, truth = changed(options.variant, video, truth)
    report, seconds = detect(options.rheo, video, options.option)
    return name, seed, {**score(report, truth), "seconds": seconds, "length": truth["frames"] / truth["rate"]}


def mean(values):
    return f"{np.mean(values):.2f}" if len(values) else "–"


def add_paths(parser):
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/detection-scenes"))
    parser.add_argument("--jobs", type=int, default=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_paths(parser)
    parser.add_argument(
        "--half", choices=FIRST_SEED, action="append", help="several may be given (default: tune and check)")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--scene", action="append", help="the beginning of a scene's name; several may be given")
    parser.add_argument("--variant", type=variant_name, metavar="NAME", help=VARIANTS_HELP)
    parser.add_argument("--option", action="append", default=[], help="handed to rheo detect")
    parser.add_argument("--each", action="store_true", help="a line for each seed too")
    parser.add_argument("--draw-only", action="store_true")
    options = parser.parse_args()
    for half in options.half or ["tune", "check"]:
        (options.folder / half).mkdir(parents=True, exist_ok=True)
        scenes = SCENES if half in GROUNDS else scenes_of(half)[0]
        names = [name for name in scenes if not options.scene or any(name.startswith(part) for part in options.scene)]
        jobs = [(name, half, FIRST_SEED[half] + place, options) for name in names for place in range(options.seeds)]
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            results = list(pool.map(run, jobs))
        if options.draw_only:
            continue
        print(f"\n## {half}, {options.seeds} seeds\n")
        print("| scene | false events | flagged | found | pieces | covered | delay s | boxes touch | IoU | CPU s/min |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        for name in names:
            those = [(seed, result) for other, seed, result in results if other == name]
            rows = ([(f"  {seed}", [result]) for seed, result in those] if options.each else []) + [
                (name, [result for _, result in those])]
            for title, group in rows:
                total = lambda key: sum(result[key] for result in group)
                joined = lambda key: [value for result in group for value in result[key]]
                touch = f"{total('touch') / total('boxes'):.2f}" if total("boxes") else "–"
                print(f"| {title} | {total('false')} | {np.mean([r['flagged'] for r in group]):.3f} | "
                      f"{total('found')}/{total('visits')} | {total('pieces')} | {mean(joined('covered'))} | "
                      f"{mean(joined('delay'))} | {touch} | {mean(joined('iou'))} | "
                      f"{60 * total('seconds') / total('length'):.1f} |", flush=True)
        empty = [result for _, _, result in results if not result["visits"]]
        visited = [result for _, _, result in results if result["visits"]]
        fired = sum(result["flagged"] > 0 for result in empty)
        found, visits = (sum(result[key] for result in visited) for key in ("found", "visits"))
        print(f"\n{fired} of {len(empty)} videos without a visit have an event, {found} of {visits} visits are found.")


if __name__ == "__main__":
    main()
