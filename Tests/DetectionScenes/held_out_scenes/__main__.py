"""Draws scenes and writes them as videos with their truth."""

import argparse
import functools
import json
import subprocess
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np

from . import SCENES, third


def scenes_of(half):
    """The scenes of a half, "held-out" or "third", and what their seeds are joined with."""
    return (third.SCENES, "third ") if half == "third" else (SCENES, "")


def quality_of(name, half, rng, truth):
    """The options of the encoder for a scene's quality."""
    if half == "third":
        return third.ENCODERS[name](rng, truth) if name in third.ENCODERS else ["-crf", str(rng.integers(20, 29))]
    return ["-crf", str(rng.integers(20, 28))]


def write_video(name, seed, folder, half="held-out"):
    """Draws a scene and writes NAME-SEED.mp4 and NAME-SEED.json to the folder."""
    scenes, prefix = scenes_of(half)
    rng = np.random.default_rng([seed, zlib.crc32(f"{prefix}{name}".encode())])
    truth, pictures = scenes[name](rng)
    target = Path(folder) / f"{name}-{seed}"
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s",
               f"{truth.width}x{truth.height}", "-r", str(truth.rate), "-i", "-", "-c:v", "libx264", "-preset",
               "veryfast", *quality_of(name, half, rng, truth), "-pix_fmt", "yuv420p", "-threads", "1",
               f"{target}.mp4"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
        for picture in pictures():
            encoder.stdin.write(picture.tobytes())
        encoder.stdin.close()
        if encoder.wait():
            raise RuntimeError(f"ffmpeg failed on {target}.mp4 with status {encoder.returncode}")
    Path(f"{target}.json").write_text(json.dumps(asdict(truth)) + "\n")
    return f"{target}.mp4"


def start_worker():
    cv2.setNumThreads(1)


def main():
    parser = argparse.ArgumentParser(prog="python -m held_out_scenes", description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="repeats the videos exactly")
    parser.add_argument("--folder", type=Path, required=True, help="where to write NAME-SEED.mp4 and NAME-SEED.json")
    parser.add_argument("--half", choices=["held-out", "third"], default="held-out", help="whose scenes (held-out)")
    parser.add_argument("--scene", nargs="+", metavar="NAME", help="scenes to draw; default: all")
    parser.add_argument("--jobs", type=int, default=2, help="videos drawn at a time (default 2)")
    options = parser.parse_args()
    scenes, _ = scenes_of(options.half)
    names = options.scene or list(scenes)
    if unknown := [name for name in names if name not in scenes]:
        parser.error(f"no scene of {options.half}: {', '.join(unknown)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.jobs, initializer=start_worker) as pool:
        draw = functools.partial(write_video, seed=options.seed, folder=options.folder, half=options.half)
        for video in pool.map(draw, names):
            print(video, flush=True)


if __name__ == "__main__":
    main()
