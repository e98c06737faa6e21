"""Tracks of `rheo track` in the formats of other tools, read by those tools, against the report with everything.

Prints one line for each format; ends with status 1 when one differs.
"""

import argparse
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import motmetrics
import numpy as np
from pycocotools.coco import COCO

# Three digits behind the point are written.
TOLERANCE = 0.0011
ENDINGS = {"json": "json", "mot": "txt", "coco": "json", "cvat": "xml"}


def boxes_of_report(path):
    """The boxes of the report: (frame from 0, track, x, y, width, height)."""
    tracks = json.loads(path.read_text())["tracks"]
    return sorted((place["frame"], track["id"], *(place[key] for key in ("x", "y", "width", "height")))
                  for track in tracks if track["kind"] == "box" for place in track["positions"])


def boxes_of_mot(path):
    """motmetrics takes the 1 off the pixels by itself, and leaves the frames."""
    table = motmetrics.io.loadtxt(path, fmt="mot15-2D", min_confidence=-1).reset_index()
    return sorted((row.FrameId - 1, row.Id, row.X, row.Y, row.Width, row.Height) for row in table.itertuples())


def boxes_of_coco(path):
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(str(path))
    frame = lambda annotation: coco.imgs[annotation["image_id"]]["frame_index"]
    return sorted((frame(annotation), annotation["track_id"], *annotation["bbox"]) for annotation in coco.anns.values())


def boxes_of_cvat(path):
    boxes = []
    for track in xml.etree.ElementTree.parse(path).getroot().iter("track"):
        for box in track.iter("box"):
            left, top, right, bottom = (float(box.get(key)) for key in ("xtl", "ytl", "xbr", "ybr"))
            if box.get("outside") == "0":
                boxes.append((int(box.get("frame")), int(track.get("id")), left, top, right - left, bottom - top))
    return sorted(boxes)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    options = parser.parse_args()
    readers = {"mot": boxes_of_mot, "coco": boxes_of_coco, "cvat": boxes_of_cvat}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        video = folder / "walkers.mp4"
        subprocess.run([options.rheo, "synthesize", video, "--scene", "walkers", "--frames", "80", "--quiet"], check=True)
        for form, ending in ENDINGS.items():
            subprocess.run([options.rheo, "track", video, "--auto", "--boxes", "20,20,40,40", "--quiet", "--report-format",
                            form, "--report", folder / f"{form}.{ending}"], check=True)
        expected = np.array(boxes_of_report(folder / "json.json"))
        differs = not len(expected)
        for form, read in readers.items():
            found = np.array(read(folder / f"{form}.{ENDINGS[form]}"))
            agrees = found.shape == expected.shape and np.abs(found - expected).max(initial=0) < TOLERANCE
            print(f"{form}: {len(found)} of {len(expected)} boxes, {'equal' if agrees else 'DIFFERENT'}", flush=True)
            differs = differs or not agrees
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main()
