"""What a second thread is worth: each engine and level on a 1920×1080 pair, one and two threads taking turns.

Called by `make compare`.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import cv2

# The shortest of many turns counts: on a machine that others share single runs differ by a fifth and more, and two threads
# need both cores undisturbed at a time.
ROUNDS = 10
REPETITIONS = {"low": 8, "medium": 6, "high": 3, "very-high": 1}


def milliseconds(rheo, pair, algorithm, accuracy, threads):
    command = [rheo, "flow", *pair, "--algorithm", algorithm, "--accuracy", accuracy, "--threads", str(threads),
               "--repeat", str(REPETITIONS[accuracy])]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["minimum"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    options = parser.parse_args()
    print("\n## Two threads, 1920×1080, ms per pair\n")
    print("| engine and level | 1 thread | 2 threads | ratio |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        pair = []
        for name in ["frame_0002.png", "frame_0003.png"]:
            picture = cv2.imread(str(options.data / "flow" / "sintel" / "alley_1" / name))
            pair.append(f"{folder}/{name}")
            cv2.imwrite(pair[-1], cv2.resize(picture, (1920, 1080), interpolation=cv2.INTER_CUBIC))
        for algorithm in ["farneback", "lucas-kanade", "dis"]:
            for accuracy in ["low", "medium", "high", "very-high"]:
                times = {1: [], 2: []}
                for _ in range(ROUNDS):
                    for threads in times:
                        times[threads].append(milliseconds(options.rheo, pair, algorithm, accuracy, threads))
                one, two = min(times[1]), min(times[2])
                print(f"| {algorithm} {accuracy} | {one:.1f} | {two:.1f} | {one / two:.2f} |", flush=True)


if __name__ == "__main__":
    main()
