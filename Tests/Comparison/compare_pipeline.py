"""`rheo annotate` beside the same job done with OpenCV in Python, taking turns. Called by `make compare`."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

ROWS = [
    ("farneback", "--algorithm farneback", "farneback"),
    ("dis low", "--algorithm dis --accuracy low", "dis-ultrafast"),
    ("dis medium", "--algorithm dis --accuracy medium", "dis-medium"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--video", required=True, type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=795, help="frames in the video")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    script = str(pathlib.Path(__file__).with_name("opencv_pipeline.py"))
    print(f"\n## Whole pipeline, {options.video.name}, frames per second, best of {options.rounds}\n")
    print("| engine | Rheo | OpenCV | ratio |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, method in ROWS:
            command = [options.rheo, "annotate", str(options.video), f"{folder}/rheo.mp4", "--overwrite", "--quiet",
                       "--crf", "23", "--threads", "2", *arguments.split()]
            mine, theirs = 0.0, 0.0
            for _ in range(options.rounds):
                start = time.perf_counter()
                if subprocess.run(command, capture_output=True).returncode != 0:
                    break
                mine = max(mine, options.frames / (time.perf_counter() - start))
                done = subprocess.run([sys.executable, script, str(options.video), f"{folder}/opencv.mp4", method],
                                      capture_output=True, text=True, check=True)
                theirs = max(theirs, float(done.stdout))
            if theirs:
                print(f"| {name} | {mine:.1f} | {theirs:.1f} | {mine / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
