"""What a second thread is worth: each engine and level on a 1920×1080 pair, one and two threads taking turns.

Beside it what the machine's second core is worth at that time: two programs with one thread each at once, which share
nothing, against one alone. Called by `make compare`.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import cv2

# The shortest of many turns counts: on a machine that others share single runs differ by a fifth and more, and two threads
# need both cores undisturbed at a time.
ROUNDS = 6
# The first repetition also fills the memory of the engine, page by page; more than one, so that it is not the shortest.
REPETITIONS = {"low": 8, "medium": 6, "high": 4, "very-high": 3}


def milliseconds(rheo, pair, algorithm, accuracy, threads, programs=1):
    """The mean of the programs' shortest times."""
    command = [rheo, "flow", *pair, "--algorithm", algorithm, "--accuracy", accuracy, "--threads", str(threads),
               "--repeat", str(REPETITIONS[accuracy])]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(programs)]
    times = [json.loads(program.communicate()[0])["minimum"] for program in running]
    return sum(times) / len(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--levels", nargs="+", choices=REPETITIONS, default=list(REPETITIONS))
    options = parser.parse_args()
    print("\n## Two threads, 1920×1080, ms per pair\n")
    print("| engine and level | 1 thread | 2 threads | ratio | two programs |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        pair = []
        for name in ["frame_0002.png", "frame_0003.png"]:
            picture = cv2.imread(str(options.data / "flow" / "sintel" / "alley_1" / name))
            pair.append(f"{folder}/{name}")
            cv2.imwrite(pair[-1], cv2.resize(picture, (1920, 1080), interpolation=cv2.INTER_CUBIC))
        for algorithm in ["farneback", "lucas-kanade", "dis"]:
            for accuracy in options.levels:
                times = {(1, 1): [], (2, 1): [], (1, 2): []}
                for _ in range(ROUNDS):
                    for threads, programs in times:
                        times[threads, programs].append(
                            milliseconds(options.rheo, pair, algorithm, accuracy, threads, programs))
                one, two, side_by_side = (min(values) for values in times.values())
                print(f"| {algorithm} {accuracy} | {one:.1f} | {two:.1f} | {one / two:.2f} | {2 * one / side_by_side:.2f} |",
                      flush=True)


if __name__ == "__main__":
    main()
