"""`rheo detect` beside DVR-Scan on the same clips, taking turns: seconds by the clock, of the processor, and events.

DVR-Scan needs an environment of its own: its OpenCV is another one than that of the other comparisons. Both programs run
with their defaults and write no video (`-so`). Its seconds are those of a command, so Python's start counts; a column
gives it alone. Called by `make compare`.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

CLIPS = ["vtest.avi", "traffic_camera.mp4", "car-detection.mp4", "bottle-detection.mp4", "overhead_road.avi",
         "issue53_brightness_change.avi", "camouflage.mkv", "rain.mkv", "cdnet_office/video.mkv"]


def timed(command):
    """Seconds by the clock and of the processor, and what the command printed."""
    before, start = os.times(), time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, os.times()
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command[0]}: status {done.returncode}\n{done.stderr}")
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, processor, done.stdout + done.stderr


def best(runs):
    """The shortest times of some runs, and what the last printed."""
    return min(run[0] for run in runs), min(run[1] for run in runs), runs[-1][2]


def take_turns(first, second, rounds):
    """The best of each of two commands that run one after the other."""
    runs = [(timed(first), timed(second)) for _ in range(rounds)]
    return best([run[0] for run in runs]), best([run[1] for run in runs])


def event_count(text):
    """The number of events that DVR-Scan tells of."""
    return len(re.findall(r"^\|\s+Event\s+\d+", text, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--dvr-scan", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    clips = [options.data / "security" / clip for clip in CLIPS]
    clips = [clip for clip in clips if clip.exists()]
    if not clips:
        print("triggers: the published clips are absent")
        return
    start = best([timed([options.dvr_scan, "--version"]) for _ in range(options.rounds)])[1]
    print(f"\n## Triggers, best of {options.rounds}; DVR-Scan's start alone takes {start:.2f} s of the processor\n")
    print("| clip | Rheo, s | DVR-Scan, s | speed | Rheo, processor s | DVR-Scan, processor s | ratio | events | DVR-Scan's |")
    print("|" + "---|" * 9, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        for clip in clips:
            # One that is not written anew is none.
            report.unlink(missing_ok=True)
            mine, theirs = take_turns(
                [options.rheo, "detect", clip, "--report", report, "--overwrite"],
                [options.dvr_scan, "-i", clip, "-so"], options.rounds)
            events = len(json.loads(report.read_text())["events"])
            print(f"| {clip.relative_to(options.data / 'security')} | {mine[0]:.2f} | {theirs[0]:.2f} | "
                  f"{theirs[0] / mine[0]:.2f} × | {mine[1]:.2f} | {theirs[1]:.2f} | {mine[1] / theirs[1]:.2f} | {events} | "
                  f"{event_count(theirs[2])} |", flush=True)


if __name__ == "__main__":
    main()
