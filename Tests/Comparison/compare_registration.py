"""Compares `rheo register` with OpenCV's ECC and with corners + KLT + RANSAC, in one run.

Real pictures are warped by known maps (from a frame larger than what is shown, so that nothing is missing at the
borders), noise is added and brightness and contrast are changed; the error is the mean distance of the four corners from
where they belong. Called by `make compare`.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import cv2
import numpy as np

MOTION = {"translation": cv2.MOTION_TRANSLATION, "euclidean": cv2.MOTION_EUCLIDEAN, "affine": cv2.MOTION_AFFINE,
          "homography": cv2.MOTION_HOMOGRAPHY}


def video_frame(path, number):
    capture = cv2.VideoCapture(str(path))
    capture.set(cv2.CAP_PROP_POS_FRAMES, number)
    ok, frame = capture.read()
    assert ok, path
    return cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)


def sources(data):
    """Grey pictures of all kinds."""
    security = data / "security"
    yield "vtest", video_frame(security / "vtest.avi", 100)
    yield "traffic", video_frame(security / "traffic_camera.mp4", 60)
    yield "road", video_frame(security / "overhead_road.avi", 50)
    yield "bottles", video_frame(security / "bottle-detection.mp4", 200)
    yield "foliage", video_frame(security / "issue53_brightness_change.avi", 5)
    for name in ["Grove2", "Urban2", "Dimetrodon"]:
        yield name, cv2.imread(str(data / "flow" / "middlebury" / name / "frame10.png"), 0)
    yield "alley", cv2.imread(str(data / "flow" / "sintel" / "alley_1" / "frame_0002.png"), 0)
    yield "graf", cv2.imread(str(data / "homography" / "graf1.png"), 0)
    yield "boat", cv2.imread(str(data / "homography" / "boatA.png"), 0)


def corners(size):
    w, h = size
    return np.array([[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]], float)


def apply(matrix, points):
    p = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return p[:, :2] / p[:, 2:]


def corner_error(matrix, truth, size):
    if matrix is None or not np.isfinite(matrix).all():
        return float("inf")
    return float(np.hypot(*(apply(matrix, corners(size)) - apply(truth, corners(size))).T).mean())


def random_map(kind, size, amount, rng):
    """A map of floating to reference pixels that moves the corners by up to `amount` of the width."""
    w, h = size
    if kind == "translation":
        angle, length = rng.uniform(0, 2 * np.pi), rng.uniform(0, amount) * w
        return np.array([[1, 0, length * np.cos(angle)], [0, 1, length * np.sin(angle) * h / w], [0, 0, 1.0]])
    if kind == "homography":
        moved = corners(size) + rng.uniform(-amount, amount, (4, 2)) * w / np.sqrt(2)
        return cv2.getPerspectiveTransform(corners(size).astype(np.float32), moved.astype(np.float32)).astype(float)
    angle = rng.uniform(-1, 1) * amount * 1.5
    c, s = np.cos(angle), np.sin(angle)
    linear = np.array([[c, -s], [s, c]])
    if kind == "affine":
        linear = linear @ (np.eye(2) + rng.uniform(-1, 1, (2, 2)) * amount)
    center = np.array([(w - 1) / 2, (h - 1) / 2])
    shift = rng.uniform(-1, 1, 2) * amount * w / 2 + center - linear @ center
    return np.array([[*linear[0], shift[0]], [*linear[1], shift[1]], [0, 0, 1.0]])


def lanczos(fraction, radius=4):
    x = fraction[..., None] - np.arange(1 - radius, radius + 1)
    weights = np.sinc(x) * np.sinc(x / radius)
    return weights / weights.sum(-1, keepdims=True)


def warp(picture, matrix, size, radius=4):
    """What `picture` shows at matrix·p for each pixel p: OpenCV's own warps round positions to 1/32 pixel."""
    w, h = size
    points = apply(matrix, np.stack(np.meshgrid(np.arange(w), np.arange(h)), -1).reshape(-1, 2)).reshape(h, w, 2)
    whole = np.floor(points).astype(int)
    across, down = (lanczos(points[..., k] - whole[..., k], radius) for k in range(2))
    # Mirrored about the border's pixels.
    margin = 4096
    columns, rows = (np.pad(np.arange(n), margin, mode="reflect") for n in picture.shape[::-1])
    result = np.zeros((h, w))
    for j in range(2 * radius):
        y = rows[np.clip(whole[..., 1] + j + 1 - radius + margin, 0, len(rows) - 1)]
        line = np.zeros((h, w))
        for i in range(2 * radius):
            x = columns[np.clip(whole[..., 0] + i + 1 - radius + margin, 0, len(columns) - 1)]
            line += picture[y, x] * across[..., i]
        result += line * down[..., j]
    return result


def make_pair(picture, kind, amount, rng, noise=5.0, foreground=0.0, gain=(0.8, 1.2), reach=None):
    """A reference cut from the middle of `picture`, and a floating one: floating(p) = picture at map(p)."""
    height, width = picture.shape
    inner = 0.6 if reach is None else reach
    w, h = int(width * inner) // 2 * 2, int(height * inner) // 2 * 2
    left, top = (width - w) // 2, (height - h) // 2
    truth = random_map(kind, (w, h), amount, rng)
    place = np.array([[1, 0, left], [0, 1, top], [0, 0, 1.0]])
    source = picture.astype(np.float32)
    floating = warp(source, place @ truth, (w, h))
    reference = source[top:top + h, left:left + w]
    if foreground:
        # A block that covers this share moves by some pixels more.
        bw, bh = int(w * np.sqrt(foreground)), int(h * np.sqrt(foreground))
        x, y = rng.integers(0, w - bw), rng.integers(0, h - bh)
        extra = np.eye(3)
        extra[:2, 2] = rng.uniform(3, 10, 2) * rng.choice([-1, 1], 2)
        moved = warp(source, place @ extra @ truth, (w, h))
        floating[y:y + bh, x:x + bw] = moved[y:y + bh, x:x + bw]
    floating = (floating - 128) * rng.uniform(*gain) + 128 + rng.uniform(-10, 10)
    finish = lambda p: np.clip(np.rint(p + rng.normal(0, noise, p.shape)), 0, 255).astype(np.uint8)
    return finish(reference), finish(floating), truth, (w, h)


def ecc(reference, floating, kind):
    # ECC's map goes from the template to the input: with the floating picture as the template it is ours.
    warp = np.eye(3 if kind == "homography" else 2, 3, dtype=np.float32)
    try:
        _, warp = cv2.findTransformECC(floating, reference, warp, MOTION[kind],
                                       (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 50, 1e-6), None, 5)
    except cv2.error:
        return None
    return warp.astype(float) if kind == "homography" else np.vstack([warp, [0, 0, 1]]).astype(float)


def klt(reference, floating, kind):
    points = cv2.goodFeaturesToTrack(floating, 1000, 0.01, 8)
    if points is None:
        return None
    moved, status, _ = cv2.calcOpticalFlowPyrLK(floating, reference, points, None, winSize=(21, 21), maxLevel=3)
    good = status.ravel() == 1
    a, b = points[good].reshape(-1, 2), moved[good].reshape(-1, 2)
    if len(a) < 4:
        return None
    if kind == "homography":
        return cv2.findHomography(a, b, cv2.RANSAC, 1.0)[0]
    if kind == "translation":
        shift = np.median(b - a, 0)
        near = np.hypot(*(b - a - shift).T) < 1
        shift = (b - a)[near].mean(0) if near.any() else shift
        return np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1.0]])
    estimate = cv2.estimateAffine2D if kind == "affine" else cv2.estimateAffinePartial2D
    matrix = estimate(a, b, method=cv2.RANSAC, ransacReprojThreshold=1.0)[0]
    return None if matrix is None else np.vstack([matrix, [0, 0, 1]])


def rheo(program, folder, reference, floating, kind, repeat, threads):
    paths = [f"{folder}/reference.png", f"{folder}/floating.png"]
    for path, picture in zip(paths, [reference, floating]):
        cv2.imwrite(path, picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    command = [program, "register", *paths, "--model", kind, "--method", "direct", "--threads", str(threads),
               "--repeat", str(repeat)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return np.array(report["warpTransform"]).reshape(3, 3), report["minimum"], report


def timed(method, repeat, *arguments):
    best, result = float("inf"), None
    for _ in range(repeat):
        start = time.perf_counter()
        result = method(*arguments)
        best = min(best, (time.perf_counter() - start) * 1000)
    return best, result


# name, family, how far the corners move (of the width), options of make_pair
CASES = [
    ("translation ≤ 2 %", "translation", 0.02, {}),
    ("translation ≤ 30 %", "translation", 0.30, {}),
    ("euclidean", "euclidean", 0.04, {}),
    ("affine", "affine", 0.04, {}),
    ("homography ≤ 2 %", "homography", 0.02, {}),
    ("homography ≤ 8 %", "homography", 0.08, {}),
    ("homography ≤ 2 %, no noise", "homography", 0.02, {"noise": 0.0, "gain": (1, 1)}),
    ("homography ≤ 2 %, 30 % foreground", "homography", 0.02, {"foreground": 0.3}),
    ("translation ≤ 2 %, 30 % foreground", "translation", 0.02, {"foreground": 0.3}),
]


def summary(errors):
    finite = [min(e, 100) for e in errors]
    return f"{np.mean(finite):.3f} | {np.median(finite):.3f} | {max(finite):.2f}"


def accuracy(options, folder):
    print("\n## Corner error in pixels (an error counts 100 at most), ms on one thread\n")
    print("| case | Rheo mean | median | worst | ms | ECC mean | median | worst | ms | KLT mean | median | worst | ms |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    pictures = list(sources(options.data))
    for number, (name, kind, amount, settings) in enumerate(CASES):
        if options.cases and not any(c in name for c in options.cases):
            continue
        errors, times = ([], [], []), ([], [], [])
        for index, (source, picture) in enumerate(pictures):
            for trial in range(options.trials):
                rng = np.random.default_rng([number, index, trial])
                reference, floating, truth, size = make_pair(picture, kind, amount, rng, **settings)
                matrix, ms, report = rheo(options.rheo, folder, reference, floating, kind, 3, 1)
                results = [(ms, matrix)]
                if options.alone:
                    results += [(0, None), (0, None)]
                else:
                    results += [timed(ecc, 1, reference, floating, kind), timed(klt, 3, reference, floating, kind)]
                for k, (ms, matrix) in enumerate(results):
                    errors[k].append(corner_error(matrix, truth, size))
                    times[k].append(ms)
                if options.verbose:
                    print(source, trial, size, *(f"{e[-1]:.3f}" for e in errors), report["model"], report["inliers"],
                          report["residual"], report["confidence"], report["reason"])
        print(f"| {name} | " + " | ".join(f"{summary(e)} | {np.mean(t):.1f}" for e, t in zip(errors, times)) + " |",
              flush=True)


def full_hd(options, folder):
    print("\n## 1920×1080, consecutive frames (a street, scaled up; a known homography), ms and corner error\n")
    print("| family | Rheo ms | error | KLT ms | error | ratio |\n|---|---|---|---|---|---|", flush=True)
    picture = cv2.imread(str(options.data / "flow" / "sintel" / "alley_1" / "frame_0002.png"), 0)
    picture = cv2.resize(picture, (2304, 1296), interpolation=cv2.INTER_CUBIC)
    for kind in MOTION:
        rng = np.random.default_rng(7)
        reference, floating, truth, size = make_pair(picture, kind, 0.01, rng, noise=2.0, reach=1920 / 2304 + 1e-9)
        best = [float("inf")] * 2
        for _ in range(3):
            matrix, ms, _ = rheo(options.rheo, folder, reference, floating, kind, 10, 1)
            best[0] = min(best[0], ms)
            ms, other = timed(klt, 5, reference, floating, kind)
            best[1] = min(best[1], ms)
        print(f"| {kind}, {size[0]}×{size[1]} | {best[0]:.1f} | {corner_error(matrix, truth, size):.3f} | {best[1]:.1f} "
              f"| {corner_error(other, truth, size):.3f} | {best[0] / best[1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--trials", type=int, default=2, help="maps for each picture")
    parser.add_argument("--alone", action="store_true", help="without OpenCV's methods")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("cases", nargs="*", help="only cases whose name contains one of these")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print(f"OpenCV {cv2.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        accuracy(options, folder)
        if not options.cases:
            full_hd(options, folder)


if __name__ == "__main__":
    main()
