"""The figures of `rheo evaluate` against the same figures computed with numpy, from files read here.

Prints one line for each comparison; ends with status 1 when a figure differs.
"""

import argparse
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

# Figures are means and order statistics of 64-bit errors of the same 32-bit vectors: only the order of sums differs.
TOLERANCE = 1e-6


def read_flo(path):
    data = path.read_bytes()
    width, height = struct.unpack("<ii", data[4:12])
    flow = np.frombuffer(data, "<f4", 2 * width * height, 12).reshape(height, width, 2).astype(np.float64)
    return np.where((np.abs(flow) > 1e9).any(axis=2, keepdims=True), np.nan, flow)


def write_flo(path, flow):
    height, width, _ = flow.shape
    stored = np.where(np.isnan(flow), 1e10, flow).astype("<f4")
    path.write_bytes(b"PIEH" + struct.pack("<ii", width, height) + stored.tobytes())


def png_rows(path):
    """The samples of a PNG without interlacing, height x width x channels (PNG specification, clause 9)."""
    data = path.read_bytes()
    position, packed, header = 8, b"", None
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        position += 12 + length
    width, height, depth, color, _, _, interlaced = header
    assert depth in (8, 16) and color in (0, 2) and not interlaced, f"{path}: {header}"
    step = depth // 8 * {0: 1, 2: 3}[color]
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + step * width)
    rows = np.zeros((height + 1, width + 1, step), np.int64)
    for y in range(height):
        kind, line = raw[y, 0], raw[y, 1:].reshape(width, step).astype(np.int64)
        above, row = rows[y], rows[y + 1]
        if kind == 0:
            row[1:] = line
        elif kind == 1:
            row[1:] = np.cumsum(line, axis=0) & 255
        elif kind == 2:
            row[1:] = (line + above[1:]) & 255
        else:
            for x in range(width):
                left, up, corner = row[x], above[x + 1], above[x]
                if kind == 3:
                    guess = (left + up) // 2
                else:
                    estimate = left + up - corner
                    a, b, c = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
                    guess = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
                row[x + 1] = (line[x] + guess) & 255
    samples = rows[1:, 1:].astype(np.uint8).reshape(height, -1)
    return samples.view(">u2" if depth == 16 else np.uint8).reshape(height, width, -1).astype(np.float64)


def read_kitti(path):
    stored = png_rows(path)
    return np.where(stored[..., 2:] == 0, np.nan, (stored[..., :2] - 32768) / 64)


def read_flow(path):
    return read_kitti(path) if path.suffix == ".png" else read_flo(path)


def write_mask(path, mask):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    height, width = mask.shape
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = np.where(mask, 255, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b""))


def figures(estimate, truth, mask):
    counts = mask & ~np.isnan(truth).any(axis=2)
    estimate, truth = estimate[counts], truth[counts]
    known = ~np.isnan(estimate).any(axis=1)
    missing = int((~known).sum())
    length = np.hypot(truth[:, 0], truth[:, 1])
    error = np.hypot(*(estimate[known] - truth[known]).T)

    def spatial(flow):
        return np.column_stack([flow, np.ones(len(flow))])

    a, b = spatial(estimate[known]), spatial(truth[known])
    cosine = (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    sine = np.linalg.norm(np.cross(a, b), axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    angle = np.degrees(np.arctan2(sine, cosine))
    # The form of the literature, which loses half of the digits at small angles.
    assert np.allclose(angle, np.degrees(np.arccos(np.clip(cosine, -1, 1))), atol=1e-5)

    def beyond(errors, threshold):
        return ((errors > threshold).sum() + missing) / len(truth)

    def percentile(errors, share):
        return np.percentile(errors, share, method="inverted_cdf")

    outliers = (error > 3) & (error > 0.05 * length[known])
    result = {"pixels": len(truth), "coverage": known.mean(), "epe": error.mean(), "epeSD": error.std(),
              "aae": angle.mean(), "aaeSD": angle.std(), "flAll": (outliers.sum() + missing) / len(truth),
              "flEst": outliers.mean()}
    result |= {f"r{t:g}": beyond(error, t) for t in (0.5, 1, 2, 3, 5)}
    result |= {f"p{p}": percentile(error, p) for p in (50, 75, 90, 95, 99)}
    result |= {f"aaeR{t:g}": beyond(angle, t) for t in (2.5, 5, 10)}
    result |= {f"aaeP{p}": percentile(angle, p) for p in (50, 75, 95)}
    speed = length[known]
    for name, chosen in [("s0-10", speed < 10), ("s10-40", (speed >= 10) & (speed <= 40)), ("s40+", speed > 40)]:
        result[name] = error[chosen].mean() if chosen.any() else None
    return {key: None if value is None else float(value) for key, value in result.items()}


def disagreements(mine, theirs):
    for key in sorted(set(mine) | set(theirs)):
        a, b = mine.get(key), theirs.get(key)
        if a is None or b is None:
            if a is not b or (key in mine) != (key in theirs):
                yield f"{key}: {a} instead of {b}"
        elif not math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{key}: {a} instead of {b}"


def drawn_pair(rheo, folder):
    """Two frames that rheo draws, with their true flow, for those who have none of the published pairs."""
    scene = folder / "scene.mkv"
    subprocess.run([rheo, "synthesize", scene, "--scene", "objects-pan", "--frames", "2", "--codec", "ffv1", "--truth",
                    folder / "truth", "-q"], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-i", scene, folder / "frame%d.png"], check=True)
    return folder / "frame1.png", folder / "frame2.png", folder / "truth/flow/000000.flo"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path, help="the folder of published pairs, if there is one")
    options = parser.parse_args()
    flow = options.data / "flow"
    pairs = [(folder / "frame10.png", folder / "frame11.png", folder / "flow10.flo")
             for folder in sorted((flow / "middlebury").glob("*")) if (folder / "flow10.flo").exists()]
    for truth in sorted(flow.glob("kitti/kitti_*.png")):
        if truth.name.startswith(("kitti_occ", "kitti_noc")):
            pictures = sorted(flow.glob("kitti/kitti_0*.png"))
            pairs.append((*pictures[:2], truth))
    sintel = sorted((flow / "sintel/alley_1").glob("frame_*.png"))
    if len(sintel) >= 2:
        pairs.append((*sintel[:2], flow / "sintel/alley_1/flow_0002.flo"))
    if not pairs:
        print(f"SKIPPED: published pairs: none under {flow}")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pairs.append(drawn_pair(options.rheo, folder))
        for previous, current, truth_file in pairs:
            estimate_file, mask_file = folder / "estimate.flo", folder / "mask.png"
            subprocess.run([options.rheo, "flow", previous, current, "--output", estimate_file, "--accuracy", "low",
                            "-y"], check=True)
            estimate, truth = read_flo(estimate_file), read_flow(truth_file)
            # Holes in the estimate, and a mask of no special shape.
            y, x = np.mgrid[:estimate.shape[0], :estimate.shape[1]]
            estimate[(x * 7 + y * 13) % 29 == 0] = np.nan
            mask = (x + 2 * y) % 90 < 40
            write_flo(estimate_file, estimate)
            write_mask(mask_file, mask)
            printed = subprocess.run([options.rheo, "evaluate", estimate_file, truth_file, "--mask", mask_file,
                                      "--json"], check=True, capture_output=True, text=True).stdout
            measured = json.loads(printed)
            for name, chosen in [("all", mask | True), ("masked", mask), ("unmasked", ~mask)]:
                expected = figures(estimate, truth, chosen)
                wrong = list(disagreements(measured.get(name, {}), expected))
                failures += len(wrong)
                print(f"{truth_file.parent.name}/{truth_file.name} {name}: {len(expected)} figures, epe "
                      f"{expected['epe']:.4f}: " + ("; ".join(wrong) or "equal"))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
