#!/usr/bin/env python3
"""Stabilisation by rheo and by ffmpeg's vidstabdetect and vidstabtransform (libvidstab) on the same clips.

Synthetic clips: frames of a fixed camera, seen through a shake of known path. Real clips: as they are. For each output:

- motion: how far the picture's corners move from frame to frame, root mean square in pixels (OpenCV: corners, pyramidal
  Lucas-Kanade, RANSAC similarity), and what is left of the input's;
- jitter: the same for the change of that motion, which a pan leaves at zero;
- above 3 Hz: the part of the middle's path that is quicker than that, root mean square in pixels;
- drift: the mean motion over a second, in pixels a frame, in the quietest quarter of the clip;
- PSNR: mean over the pairs of neighbouring frames, on the middle 70 % of width and height (luma), of the input's frames
  moved as the output's are: one bicubic renderer, without zoom, for all (how each output frame lies on its input frame is
  found as above);
- own PSNR: the same of the output's own frames, with its own zoom and softness;
- zoom: how much larger the output shows things; distortion: by how much one direction is stretched against the other;
- detail: mean difference of horizontal neighbours there. Blurred pictures have less of it, and a higher PSNR: libvidstab
  interpolates bilinearly unless told otherwise.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import cv2
import numpy as np

ENCODING = ["-c:v", "libx264", "-crf", "12", "-preset", "veryfast"]


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stderr


def frames_of(path, filters=()):
    """Luma of all frames."""
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "json",
         str(path)], capture_output=True, text=True, check=True)
    stream = json.loads(probe.stdout)["streams"][0]
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", str(path), "-vf", ",".join([*filters, "format=gray"]), "-fps_mode",
         "passthrough", "-f", "rawvideo", "-"], capture_output=True, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, stream["height"], stream["width"])


def write_clip(path, frames, rate):
    height, width = frames[0].shape
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{width}x{height}", "-r",
         str(rate), "-i", "-", "-pix_fmt", "yuv420p", *ENCODING, str(path)],
        input=b"".join(frame.tobytes() for frame in frames), check=True)


def shake(count, rate, seed):
    """The path of a hand-held camera: waves of 1 to 5 Hz and steps from frame to frame."""
    random = np.random.default_rng(seed)
    time = np.arange(count) / rate
    for _ in range(3):
        waves = sum(
            weight * np.sin(2 * np.pi * (hertz * time + random.random()))
            for hertz, weight in [(1.1, 0.5), (1.9, 0.4), (3.1, 0.3), (5.3, 0.2)])
        yield waves + 0.3 * random.standard_normal(count)


def shaken(frames, rate, extent, degrees, size, pan):
    """What a shaking camera of `size` sees of `frames`."""
    x, y, angle = shake(len(frames), rate, seed=7)
    width, height = size
    result = []
    for t, frame in enumerate(frames):
        left = (frame.shape[1] - 1) / 2 + extent * x[t] + pan * (t - len(frames) / 2)
        top = (frame.shape[0] - 1) / 2 + extent * y[t]
        c, s = np.cos(np.radians(degrees) * angle[t]), np.sin(np.radians(degrees) * angle[t])
        # From the pixels of what is seen to those of the frame.
        seen = np.array([
            [c, -s, left - c * (width - 1) / 2 + s * (height - 1) / 2],
            [s, c, top - s * (width - 1) / 2 - c * (height - 1) / 2]])
        result.append(cv2.warpAffine(
            frame, seen, size, flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REFLECT))
    return result


def motion_between(previous, current, mask):
    """Displacements of the four corners; not a number where the frames have nothing in common."""
    height, width = previous.shape
    corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], np.float64)
    unknown = np.full((4, 2), np.nan)
    points = cv2.goodFeaturesToTrack(previous, 600, 0.005, 7, mask=mask)
    if points is None:
        return unknown
    moved, status, _ = cv2.calcOpticalFlowPyrLK(previous, current, points, None, winSize=(21, 21), maxLevel=4)
    good = status.ravel() == 1
    if good.sum() < 20:
        return unknown
    found, inliers = cv2.estimateAffinePartial2D(points[good], moved[good], ransacReprojThreshold=1.0)
    if found is None or inliers.mean() < 0.4:
        return unknown
    return corners @ found[:, :2].T + found[:, 2] - corners


def motions(frames):
    height, width = frames[0].shape
    # The middle: what a border mode fills in must not count.
    mask = np.zeros((height, width), np.uint8)
    mask[height // 10:-height // 10, width // 10:-width // 10] = 255
    return np.array([motion_between(a, b, mask) for a, b in zip(frames, frames[1:])])


def rms(values):
    return float(np.sqrt(np.nanmean((values ** 2).sum(-1))))


def psnr(frames):
    """Mean over neighbouring frames, on the middle."""
    height, width = frames[0].shape
    top, left = round(0.15 * height), round(0.15 * width)
    values = []
    for a, b in zip(frames, frames[1:]):
        difference = a[top:-top, left:-left].astype(np.float64) - b[top:-top, left:-left]
        values.append(10 * np.log10(255 ** 2 / max((difference ** 2).mean(), 1e-2)))
    return float(np.mean(values))


def detail(frames):
    """Mean difference of neighbours in a row, on the middle."""
    height, width = frames[0].shape
    top, left = round(0.15 * height), round(0.15 * width)
    return float(np.mean([np.abs(np.diff(f[top:-top, left:-left].astype(np.float64))).mean() for f in frames[::5]]))


def rate_of(path):
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=avg_frame_rate", "-of",
         "csv=p=0", str(path)], capture_output=True, text=True, check=True)
    numerator, denominator = probe.stdout.strip().split("\n")[0].strip(",").split("/")
    return float(numerator) / float(denominator)


def path_figures(moved, rate):
    """The quick part of the middle's path, and the drift where it is quietest."""
    steps = np.nan_to_num(moved.mean(axis=1))
    place = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    # The path's ends are joined by a line, so that they make no quick part.
    place -= np.linspace(0, 1, len(place))[:, None] * place[-1]
    spectrum = np.fft.rfft(place, axis=0)
    spectrum[np.fft.rfftfreq(len(place), 1 / rate) <= 3] = 0
    quick = np.fft.irfft(spectrum, len(place), axis=0)
    window = min(max(round(rate), 1), len(steps))
    means = [np.linalg.norm(steps[t:t + window].mean(axis=0)) for t in range(len(steps) - window + 1)]
    return float(np.sqrt((quick ** 2).sum(-1).mean())), float(np.percentile(means, 25))


def rendered_alike(source, frames):
    """The source's frames, moved as those of an output are, without its zoom; the zoom; the distortion."""
    height, width = source[0].shape
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    mask = np.zeros((height, width), np.uint8)
    mask[height // 10:-height // 10, width // 10:-width // 10] = 255
    maps, stretches = [], []
    for original, frame in zip(source, frames):
        points = cv2.goodFeaturesToTrack(frame, 600, 0.005, 7, mask=mask)
        found = bent = None
        if points is not None:
            moved, status, _ = cv2.calcOpticalFlowPyrLK(frame, original, points, None, winSize=(31, 31), maxLevel=5)
            good = status.ravel() == 1
            if good.sum() >= 20:
                found, _ = cv2.estimateAffinePartial2D(points[good], moved[good], ransacReprojThreshold=1.0)
                bent, _ = cv2.estimateAffine2D(points[good], moved[good], ransacReprojThreshold=1.0)
        maps.append(found if found is not None else (maps[-1] if maps else np.eye(2, 3)))
        if bent is not None:
            values = np.linalg.svd(bent[:, :2], compute_uv=False)
            stretches.append(values[0] / values[1] - 1)
    zoom = 1 / np.median([np.sqrt(np.linalg.det(found[:, :2])) for found in maps])
    rendered = []
    for original, found in zip(source, maps):
        linear = found[:, :2] * zoom
        shift = found @ np.append(middle, 1) - linear @ middle
        rendered.append(cv2.warpAffine(
            original, np.column_stack([linear, shift]), (width, height), flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT))
    return rendered, float(zoom), float(np.median(stretches)) if stretches else 0.0


def vidstab(clip, output, folder, options):
    transforms = folder / "vidstab.trf"
    run("ffmpeg", "-v", "error", "-y", "-i", clip, "-vf", f"vidstabdetect=result={transforms}", "-f", "null", "-")
    run("ffmpeg", "-v", "error", "-y", "-i", clip, "-vf", f"vidstabtransform=input={transforms}{options}", *ENCODING,
        "-an", "-fps_mode", "passthrough", output)


def clips(data, folder, count):
    """Names and files."""
    sources = [
        ("vtest shaken", "security/vtest.avi", (640, 480), 6.0, 0.6, 0.0),
        ("traffic shaken", "security/traffic_camera.mp4", (1120, 630), 10.0, 0.5, 0.0),
        ("road shaken", "security/overhead_road.avi", (544, 306), 5.0, 0.0, 0.0),
        ("bunny shaken", "video/bigbuckbunny.mp4", (1120, 630), 9.0, 0.5, 0.0),
        ("sample shaken", "video/sample.mp4", (944, 630), 9.0, 0.5, 0.0),
        ("vtest shaken, panned", "security/vtest.avi", (480, 400), 5.0, 0.4, 1.5),
    ]
    for name, source, size, extent, degrees, pan in sources:
        if not (data / source).exists():
            print(f"SKIPPED: {name}: no {data / source}")
            continue
        path = folder / f"{name.replace(',', '').replace(' ', '-')}.mkv"
        frames = frames_of(data / source, [f"trim=end_frame={count}"])
        write_clip(path, shaken(frames, 25, extent, degrees, size, pan), 25)
        yield name, path
    for name in ["bikes.mp4", "carphone_pristine.mp4", "testvideo.mp4"]:
        if (data / "video" / name).exists():
            yield name, data / "video" / name


def compare(name, clip, folder, rheo, variants):
    stem = name.replace(",", "").replace(" ", "-")
    outputs = [("input", clip)]
    for label, options in [
            ("vid.stab", ""), ("vid.stab bicubic", ":interpol=bicubic")]:
        output = folder / f"{stem}.{label.replace(' ', '-')}.mkv"
        vidstab(clip, output, folder, options)
        outputs.append((label, output))
    for options in ["", "--tripod", "--model homography", *variants]:
        output = folder / f"{stem}.rheo{options.replace(' ', '')}.mkv"
        log = run(rheo, "stabilize", clip, output, "-y", "--crf", 12, "--no-audio", *options.split())
        zoom = log.split("zoom ")[-1].split(";")[0].split(",")[0]
        outputs.append((f"rheo {options} (zoom {zoom})", output))
    first, source, rate = None, frames_of(clip), rate_of(clip)
    for label, path in outputs:
        frames = frames_of(path)
        moved = motions(frames)
        motion, jitter = rms(moved), rms(np.diff(moved, axis=0))
        first = first or (motion, jitter)
        rendered, zoom, distortion = rendered_alike(source, frames) if path != clip else (source, 1.0, 0.0)
        quick, drift = path_figures(moved, rate)
        print(
            f"{name:22} {label:40} {motion:8.3f} {motion / first[0]:6.1%} {jitter:8.3f} {jitter / first[1]:6.1%} "
            f"{quick:9.3f} {drift:7.3f} {psnr(rendered):7.2f} {psnr(frames):8.2f} {detail(frames):7.2f} {zoom:6.3f} "
            f"{distortion:10.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=150, help="frames of the synthetic clips")
    parser.add_argument("--only", help="clips whose name holds this")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the videos in this folder")
    parser.add_argument("--variant", action="append", default=[], help="another set of options for rheo")
    arguments = parser.parse_args()
    filters = subprocess.run(["ffmpeg", "-v", "error", "-filters"], capture_output=True, text=True, check=True).stdout
    if "vidstabtransform" not in filters:
        print("SKIPPED: this ffmpeg was built without libvidstab")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(
            f"{'clip':22} {'output':40} {'motion':>8} {'left':>6} {'jitter':>8} {'left':>6} {'above 3Hz':>9} {'drift':>7} "
            f"{'PSNR':>7} {'own PSNR':>8} {'detail':>7} {'zoom':>6} {'distortion':>10}")
        for name, clip in clips(arguments.data, folder, arguments.frames):
            if not arguments.only or arguments.only in name:
                compare(name, clip, folder, arguments.rheo, arguments.variant)


if __name__ == "__main__":
    main()
