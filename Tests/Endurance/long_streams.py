#!/usr/bin/env python3
"""Feeds a long stream to every command that may run for long, and watches memory and open files.

The stream is a looped clip of 160 pixels in width, read through a pipe. Memory must not grow over the second half of
the run by more than 2 %; open files must not grow. Prints a line a command; exit status 1 when one of them fails.

Of memory what has no file behind it is watched: outputs that are mapped come and go.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

GROWTH_LIMIT = 0.02
# In KiB: of a small program's memory, the allocator's own coming and going is more than the share above.
GROWTH_ALLOWANCE = 3072
# The red disk of the clip.
BOX = "18,11,35,35"


def commands(folder):
    null = "null:"
    return {
        "annotate": ["annotate", "-", null, "--accuracy", "low"],
        "annotate-mkv": ["annotate", "-", f"{folder}/a.mkv", "--accuracy", "low", "-y"],
        "detect": ["detect", "-", "--json-lines", "--frames-too"],
        "detect-clips": ["detect", "-", "--json-lines", "--clips", f"{folder}/clips", "-y"],
        "export-stack": ["export", "-", "--output", f"{folder}/f.npy", "--accuracy", "low", "-y"],
        "export": ["export", "-", "--output", f"{folder}/fields", "--accuracy", "low", "-y"],
        "track": ["track", "-", "--points", "40,40;90,60", "--accuracy", "low"],
        "track-textured": ["track", "-", "--textured-points", "60", "--accuracy", "low"],
        "track-auto": ["track", "-", "--auto", "--accuracy", "low"],
        "track-boxes": ["track", "-", "--boxes", BOX, "--patience", "3600"],
        "track-boxes-accurate": [
            "track", "-", "--boxes", BOX, "--patience", "3600", "--tracking-level", "accurate", "--accuracy", "low"],
        "stabilize": ["stabilize", "-", f"{folder}/s.mkv", "-y"],
        "stack": ["stack", "-", "--output", f"{folder}/stack.png", "-y"],
    }


def looped_clip(clip, frames):
    """A transport stream, as cameras send, whose packets are copies of one pass."""
    return subprocess.Popen(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-stream_loop", "-1", "-i", clip, "-an", "-c", "copy",
         "-frames:v", str(frames), "-f", "mpegts", "-"], stdout=subprocess.PIPE)


def small_clip(clip, folder):
    path = f"{folder}/small.ts"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", clip, "-vf", "scale=160:-2", "-an", "-c:v", "mpeg2video", "-g", "12",
         "-bf", "0", "-q:v", "4", path], check=True)
    return path


def resident(pid):
    """Resident memory in KiB that no file stands behind: mapped outputs and libraries come and go as the system likes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    return 0


def watch(rheo, arguments, source, folder, interval):
    """Samples of (time, KiB, open files), how many of them came before the stream ended, the status and the last line of
    messages."""
    messages = open(f"{folder}/messages", "w+b")
    program = subprocess.Popen(
        [rheo] + arguments, cwd=folder, stdin=source.stdout, stdout=subprocess.DEVNULL, stderr=messages)
    source.stdout.close()
    samples, streaming = [], 0
    while program.poll() is None:
        try:
            samples.append((time.monotonic(), resident(program.pid), len(os.listdir(f"/proc/{program.pid}/fd"))))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            break
        # What comes after the stream is work of another kind: an index, a report.
        if source.poll() is None:
            streaming = len(samples)
        time.sleep(interval)
    status = program.wait()
    messages.seek(0)
    lines = messages.read().decode(errors="replace").strip().splitlines()
    return samples, streaming, status, lines[-1:]


def slope(samples):
    """KiB a second, by least squares."""
    mean_time = sum(s[0] for s in samples) / len(samples)
    mean_size = sum(s[1] for s in samples) / len(samples)
    below = sum((s[0] - mean_time) ** 2 for s in samples)
    return sum((s[0] - mean_time) * (s[1] - mean_size) for s in samples) / below if below else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--clip", required=True)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--commands", help="only these, with commas")
    parser.add_argument("--interval", type=float, default=0.25, help="seconds between samples")
    options = parser.parse_args()
    rheo, failures = os.path.abspath(options.rheo), 0
    with tempfile.TemporaryDirectory() as root:
        clip = small_clip(os.path.abspath(options.clip), root)
        for name in options.commands.split(",") if options.commands else commands(root):
            folder = pathlib.Path(root) / name
            folder.mkdir()
            begin = time.monotonic()
            source = looped_clip(clip, options.frames)
            samples, streaming, status, message = watch(rheo, commands(folder)[name], source, folder, options.interval)
            source.wait()
            seconds = time.monotonic() - begin
            half = samples[streaming // 2:streaming] or samples
            end = max((sample[1] for sample in samples[streaming:]), default=0)
            frames_a_second = options.frames / seconds
            growth = slope(half) * (half[-1][0] - half[0][0])
            files = (half[0][2], max(s[2] for s in half))
            is_flat = growth <= max(GROWTH_LIMIT * half[0][1], GROWTH_ALLOWANCE) and files[1] <= files[0] + 2
            # Damage (2) is what a stream that begins anew may have.
            is_good = is_flat and status in (0, 2)
            failures += not is_good
            print(f"{name}: {options.frames} frames in {seconds:.0f} s ({frames_a_second:.0f} a second): "
                  f"{half[0][1]} -> {half[-1][1]} KiB in the second half (trend {growth:+.0f} KiB), "
                  f"at most {end} after it, "
                  f"{files[0]} to {files[1]} open files, status {status}{'' if is_good else ' FAILED'} {message}", flush=True)
            subprocess.run(["rm", "-rf", str(folder)], check=False)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
