"""Tracks of whatever moves on seven versions of each clip of people: single clips jump by 0.1 from one to the next.

The versions are half and double size, half the frame rate, darker with noise, mirrored, without colour, coded coarsely.
Constants are chosen by their means, which then judge nothing. Called by `make compare`.
"""

import argparse
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

import cv2

from compare_tracks import METRICS, scores
from flow_pairs import is_absent
from track_truth import load, published_clips, read_report, run_rheo


@dataclass
class Version:
    """How a clip is changed, and its truth with it."""

    filters: str
    scale: float = 1
    every: int = 1
    is_mirrored: bool = False
    crf: int = 14

    def truth(self, table, width):
        def moved(box):
            left = width - (box[0] + box[2]) if self.is_mirrored else box[0]
            return tuple(self.scale * value for value in (left, *box[1:]))

        return {(number - 1) // self.every + 1: {identity: moved(box) for identity, box in boxes.items()}
                for number, boxes in table.items() if (number - 1) % self.every == 0}


VERSIONS = {
    "half size": Version("scale=iw/2:ih/2", scale=0.5),
    "double size": Version("scale=iw*2:ih*2", scale=2),
    "half the rate": Version("select=not(mod(n\\,2))", every=2),
    "dark, noisy": Version("lutyuv=y=16+(val-16)*0.45,noise=alls=8:allf=t:all_seed=7"),
    "mirrored": Version("hflip", is_mirrored=True),
    "without colour": Version("hue=s=0"),
    "coarsely coded": Version("null", crf=34),
}


def coded(clip, name, version, folder):
    """The video of a version, coded unless it is there."""
    path = folder / f"{clip.name}-{name.replace(' ', '-').replace(',', '')}.mp4"
    if not path.exists():
        rate = cv2.VideoCapture(str(clip.video)).get(cv2.CAP_PROP_FPS) / version.every
        filters = f"{version.filters},setpts=N/{rate}/TB"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(clip.video), "-vf", filters, "-r", str(rate),
                        "-an", "-c:v", "libx264", "-crf", str(version.crf), "-pix_fmt", "yuv420p", str(path)], check=True)
    return path


def row(clip, name, result):
    return f"| {clip} | {name} | " + " | ".join(f"{result[key]:.3f}" for key in METRICS[:4]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--versions", type=pathlib.Path, help="code the versions into this folder, or take them from it")
    options = parser.parse_args()
    clips = published_clips(options.data)
    if is_absent("versions of tracks", [path for clip in clips for path in (clip.video, clip.truth)]):
        return
    print("\n## Tracks of whatever moves on versions of the clips, IoU 0.5\n")
    print("| clip | version | IDF1 | MOTA | precision | recall |")
    print("|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.versions or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for clip in load(clips):
            width = cv2.VideoCapture(str(clip.video)).get(cv2.CAP_PROP_FRAME_WIDTH)
            results = []
            for name, version in VERSIONS.items():
                report, _ = run_rheo(options.rheo, coded(clip, name, version, folder), ["--auto"])
                results.append(scores(version.truth(clip.truth, width), read_report(report)))
                print(row(clip.name, name, results[-1]), flush=True)
            means = {key: sum(result[key] for result in results) / len(results) for key in METRICS[:4]}
            print(row(clip.name, "mean of all", means), flush=True)


if __name__ == "__main__":
    main()
