"""Compares Rheo's flow engines with OpenCV's on the same pictures, in one run.

For each pair of pictures and each engine the two programs take turns; the minimum of several rounds counts. Times are
those of the engines alone, on decoded luma, inside each process. Called by `make compare`.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import cv2
import numpy as np

MIDDLEBURY = ["Dimetrodon", "Grove2", "Grove3", "Hydrangea", "RubberWhale", "Urban2", "Urban3", "Venus"]


def farneback(a, b):
    return cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0)


def pyr_lk(a, b):
    h, w = a.shape
    points = np.stack(np.meshgrid(np.arange(w), np.arange(h)), -1).astype(np.float32).reshape(-1, 1, 2)
    moved, _, _ = cv2.calcOpticalFlowPyrLK(a, b, points, None, winSize=(21, 21), maxLevel=3)
    return (moved - points).reshape(h, w, 2)


def dis(preset):
    engine = cv2.DISOpticalFlow_create(preset)
    return lambda a, b: engine.calc(a, b, None)


def contrib(make):
    engine = make()
    return lambda a, b: engine.calc(a, b, np.zeros(a.shape + (2,), np.float32))


# name of the row, arguments of `rheo flow`, OpenCV's method and how it is called, rounds
ENGINES = [
    ("farneback", "--algorithm farneback", "Farneback", farneback, 5),
    ("lucas-kanade medium", "--algorithm lucas-kanade --accuracy medium", "PyrLK 21×21", pyr_lk, 1),
    ("lucas-kanade high", "--algorithm lucas-kanade --accuracy high", "PyrLK 21×21", pyr_lk, 1),
    ("dis low", "--algorithm dis --accuracy low", "DIS ultrafast", dis(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST), 15),
    ("dis medium", "--algorithm dis --accuracy medium", "DIS medium", dis(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM), 7),
    ("dis high", "--algorithm dis --accuracy high", "SparseToDense",
     contrib(cv2.optflow.createOptFlow_SparseToDense), 3),
    ("dis very-high", "--algorithm dis --accuracy very-high", "DeepFlow",
     contrib(cv2.optflow.createOptFlow_DeepFlow), 2),
]


def read_flo(path):
    data = np.fromfile(path, np.float32)
    width, height = data[1:3].view(np.int32)
    flow = data[3:].reshape(height, width, 2).copy()
    flow[np.abs(flow).max(-1) > 1e9] = np.nan
    return flow


def read_kitti(path):
    raw = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)[..., ::-1].astype(np.float32)
    flow = (raw[..., :2] - 32768) / 64
    flow[raw[..., 2] == 0] = np.nan
    return flow


def pairs(data):
    flow = data / "flow"
    for name in MIDDLEBURY:
        folder = flow / "middlebury" / name
        yield name, folder / "frame10.png", folder / "frame11.png", read_flo(folder / "flow10.flo")
    sintel = flow / "sintel" / "alley_1"
    yield "alley_1", sintel / "frame_0002.png", sintel / "frame_0003.png", read_flo(sintel / "flow_0002.flo")
    kitti = flow / "kitti"
    yield ("KITTI 10", kitti / "kitti_000010_10.png", kitti / "kitti_000010_11.png",
           read_kitti(kitti / "kitti_occ_000010_10.png"))
    chairs = flow / "chairs"
    yield "Chairs 4", chairs / "00004_img1.png", chairs / "00004_img2.png", read_flo(chairs / "00004_flow.flo")


def luma(path):
    """The same grey levels as Rheo's: OpenCV's own reader rounds half of them down by one."""
    r, g, b = (c.astype(np.float32) for c in cv2.split(cv2.imread(str(path))[..., ::-1]))
    return np.floor(0.299 * r + 0.587 * g + 0.114 * b + np.float32(0.5)).astype(np.uint8)


def errors(flow, truth):
    known = ~np.isnan(truth[..., 0])
    a, t = flow[known].astype(np.float64), truth[known].astype(np.float64)
    epe = np.hypot(*(a - t).T)
    dot = (a * t).sum(-1) + 1
    cosine = dot / np.sqrt(((a**2).sum(-1) + 1) * ((t**2).sum(-1) + 1))
    return epe.mean(), np.degrees(np.arccos(np.clip(cosine, -1, 1))).mean(), (epe > 1).mean() * 100


def run_rheo(rheo, arguments, a, b, repeat, threads, output):
    command = [rheo, "flow", str(a), str(b), "--output", output, "--overwrite", "--repeat", str(repeat),
               "--threads", str(threads), *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["minimum"]


def time_opencv(method, a, b, repeat):
    best, flow = float("inf"), None
    for _ in range(repeat):
        start = time.perf_counter()
        flow = method(a, b)
        best = min(best, (time.perf_counter() - start) * 1000)
    return best, flow


def available(rheo, arguments):
    probe = subprocess.run([rheo, "flow", "a.png", "b.png", "--repeat", "1", *arguments.split()], capture_output=True)
    return probe.returncode != 64


def compare(rheo, data, threads, chosen):
    cv2.setNumThreads(threads)
    print(f"\n## {threads} thread{'s' if threads > 1 else ''}; means over the Middlebury pairs, then EPE elsewhere\n")
    print("| Rheo | EPE | AAE | > 1 px | ms | OpenCV | EPE | AAE | > 1 px | ms | ratio | field distance "
          "| alley_1 | KITTI 10 | Chairs 4 |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    all_pairs = list(pairs(data))
    with tempfile.TemporaryDirectory() as folder:
        output = str(pathlib.Path(folder) / "flow.flo")
        for name, arguments, theirs, method, rounds in ENGINES:
            if chosen and not any(c in name for c in chosen) or not available(rheo, arguments):
                continue
            mine, other, others_epe = [], [], []
            for pair, a, b, truth in all_pairs:
                grey = luma(a), luma(b)
                times = [float("inf"), float("inf")]
                for _ in range(2 if rounds > 1 else 1):
                    t, flow = time_opencv(method, *grey, rounds)
                    times[1] = min(times[1], t)
                    times[0] = min(times[0], run_rheo(rheo, arguments, a, b, max(rounds, 3), threads, output))
                field = read_flo(output)
                if pair in MIDDLEBURY:
                    distance = np.hypot(*np.moveaxis(field - flow, -1, 0)).mean()
                    mine.append((*errors(field, truth), times[0], distance))
                    other.append((*errors(flow, truth), times[1]))
                else:
                    others_epe.append(f"{errors(field, truth)[0]:.2f} ({errors(flow, truth)[0]:.2f})")
            m, o = np.mean(mine, 0), np.mean(other, 0)
            print(f"| `{name}` | {m[0]:.3f} | {m[1]:.1f}° | {m[2]:.1f} % | {m[3]:.2f} | {theirs} | {o[0]:.3f} "
                  f"| {o[1]:.1f}° | {o[2]:.1f} % | {o[3]:.2f} | {m[3] / o[3]:.3f} | {m[4]:.4f} | "
                  + " | ".join(others_epe) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--threads", type=int, nargs="*", default=[1])
    parser.add_argument("engines", nargs="*", help="only rows whose name contains one of these")
    options = parser.parse_args()
    print(f"OpenCV {cv2.__version__}. In brackets: OpenCV's EPE on the same pair.")
    for threads in options.threads:
        compare(options.rheo, options.data, threads, options.engines)


if __name__ == "__main__":
    main()
