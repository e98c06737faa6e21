"""Pictures to look at: for each named pair frames, truth, OpenCV's and Rheo's flow and both errors side by side.

Any pair of flow_pairs.py, and `traffic_camera`, which has no truth: a frame, Rheo's overlay and both flows. Colours show
direction and length, up to the longest true vectors; errors are brightest at half of that. The folder lies outside of
the repository: the pictures are not ours.

Example: flow_panels.py --rheo .build/release/rheo --data ../shared/data /tmp/panels ambush_4 traffic_camera
"""

import argparse
import pathlib
import subprocess
import tempfile

import cv2
import numpy as np

from flow_methods import LEVELS, level, rheo_flow
from flow_pairs import FlowPair, is_absent, large, middlebury, others

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TRAFFIC = "traffic_camera"
# The share of a field's vectors that is shown in full colour at most.
PERCENTILE = 99
# Columns and rows.
GREATEST_SIZE = (2400, 1800)
UNKNOWN_COLOR = 60


def wheel(flow, length):
    """Direction as hue, length as saturation, white at rest; unknown vectors are dark."""
    u, v = np.moveaxis(np.nan_to_num(flow), -1, 0)
    hue = np.degrees(np.arctan2(v, u)) % 360 / 2  # OpenCV's hues are 0…180
    saturation = np.clip(np.hypot(u, v) / length, 0, 1) * 255
    picture = cv2.cvtColor(np.stack([hue, saturation, np.full_like(u, 255)], -1).astype(np.uint8), cv2.COLOR_HSV2BGR)
    picture[np.isnan(flow).any(-1)] = UNKNOWN_COLOR
    return picture


def error_map(flow, truth, length):
    error = np.hypot(*np.moveaxis(flow - truth, -1, 0))
    shade = np.clip(np.nan_to_num(error) / (length / 2), 0, 1) * 255
    picture = cv2.applyColorMap(shade.astype(np.uint8), cv2.COLORMAP_INFERNO)
    picture[np.isnan(error)] = UNKNOWN_COLOR
    return picture, float(np.nanmean(error))


def greatest_length(flow):
    return max(float(np.nanpercentile(np.hypot(flow[..., 0], flow[..., 1]), PERCENTILE)), 1e-3)


def titled(picture, title):
    """White on a dark bar: an outline by a thicker font would not fit, whose letters are wider in OpenCV 5."""
    picture = picture.copy()
    cv2.rectangle(picture, (0, 0), (12 * len(title), 28), (0, 0, 0), cv2.FILLED)
    cv2.putText(picture, title, (6, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.65, (255, 255, 255), 1, cv2.LINE_AA)
    return picture


def grid(rows):
    """Rows of titles and pictures of one size as one picture, not larger than a screen or so."""
    height, width = rows[0][0][1].shape[:2]
    scale = min(1, GREATEST_SIZE[0] / (width * len(rows[0])), GREATEST_SIZE[1] / (height * len(rows)))
    shrunk = lambda picture: cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.vstack([np.hstack([titled(shrunk(picture), title) for title, picture in row]) for row in rows])


def frames(pair):
    return [(title, cv2.imread(str(path))) for title, path in (("frame 1", pair.previous), ("frame 2", pair.current))]


def flows(rheo, engine, pair, folder):
    """OpenCV's and Rheo's field by name."""
    return {engine.opencv: engine.method(*pair.luma()),
            f"Rheo {engine.name}": rheo_flow(rheo, engine, pair, f"{folder}/flow.flo")}


def pair_panel(rheo, engine, pair, folder):
    """A row each for the frames, the truth, and the methods with their errors."""
    truth = pair.truth()
    length = greatest_length(truth)
    true_colors = wheel(truth, length)
    rows = [frames(pair), [("truth", true_colors), ("", np.zeros_like(true_colors))]]
    for name, flow in flows(rheo, engine, pair, folder).items():
        picture, error = error_map(flow, truth, length)
        rows.append([(name, wheel(flow, length)), (f"error {error:.2f} px", picture)])
    return grid(rows)


def traffic_pair(video, number, folder):
    """Two frames of the video as pictures."""
    capture, files = cv2.VideoCapture(str(video)), []
    for index in range(number + 2):
        found, frame = capture.read()
        if not found:
            raise SystemExit(f"{video} has no frame {index}")
        if index >= number:
            files.append(pathlib.Path(folder) / f"{index}.png")
            cv2.imwrite(str(files[-1]), frame)
    return FlowPair(TRAFFIC, *files, None)


def overlay(rheo, engine, video, number, folder):
    """What `rheo annotate` draws over the frame."""
    output = f"{folder}/overlay.mkv"
    subprocess.run([rheo, "annotate", str(video), output, "--start", f"{number}f", "--frames", "2", "--codec", "ffv1",
                    "--overwrite", "--quiet", "--style", "overlay", *engine.arguments.split()], check=True)
    return cv2.VideoCapture(output).read()[1]


def traffic_panel(rheo, engine, video, number, folder):
    pair = traffic_pair(video, number, folder)
    found = flows(rheo, engine, pair, folder)
    length = max(map(greatest_length, found.values()))
    below = [(name, wheel(flow, length)) for name, flow in found.items()]
    return grid([[frames(pair)[0], ("Rheo's overlay", overlay(rheo, engine, video, number, folder))], below])


def write(options, name, pairs, folder):
    engine, video = level(options.accuracy), options.data / "security" / f"{TRAFFIC}.mp4"
    if is_absent(name, [video] if name == TRAFFIC else pairs[name].files):
        return
    panel = (traffic_panel(options.rheo, engine, video, options.frame, folder) if name == TRAFFIC
             else pair_panel(options.rheo, engine, pairs[name], folder))
    path = options.output / f"{name}-{options.accuracy}.png"
    cv2.imwrite(str(path), panel)
    print(path, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--accuracy", default="medium", choices=[engine.name.split()[-1] for engine in LEVELS])
    parser.add_argument("--frame", type=int, default=60, help="the frame of the traffic camera (default: 60)")
    parser.add_argument("output", type=pathlib.Path, help="a folder outside of the repository")
    parser.add_argument("names", nargs="+", help=f"names of pairs, all, or {TRAFFIC}")
    options = parser.parse_args()
    pairs = {pair.name: pair for find in (middlebury, others, large) for pair in find(options.data)}
    names = [*pairs, TRAFFIC] if options.names == ["all"] else options.names
    unknown = [name for name in names if name not in pairs and name != TRAFFIC]
    if unknown:
        parser.error(f"no pair {unknown[0]}: there are {', '.join([*pairs, TRAFFIC])}")
    if REPOSITORY in [options.output.resolve(), *options.output.resolve().parents]:
        parser.error(f"{options.output} is inside of the repository")
    options.output.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            write(options, name, pairs, folder)


if __name__ == "__main__":
    main()
