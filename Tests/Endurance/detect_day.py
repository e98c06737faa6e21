#!/usr/bin/env python3
"""Feeds `rheo detect` a looped clip through a pipe, at full speed, and watches its memory and its clock.

200,000 frames at 25 frames a second are 2.2 hours of a camera, 2,160,000 are a day. Each pass of the clip ends with seconds in
which nothing moves, so that events begin and end all the time. Prints a line per sample and a verdict; exit status 1 when the
resident memory grows by more than 5 % after the first tenth, when the time of the last frame is not that of its number, or
when there are fewer events than passes.
"""
import argparse
import json
import subprocess
import sys
import time

# How long nothing moves at the end of each pass of the clip: longer than the gap that events are merged over.
STILL_SECONDS = 4
# The length of Samples/clip.mp4.
PASS_SECONDS = 4
GROWTH_LIMIT = 0.05
# In seconds.
DRIFT_LIMIT = 0.001


def resident(pid: int) -> int:
    """Resident memory in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def looped_clip(clip: str, frames: int, rate: int, width: int) -> subprocess.Popen:
    """A process that writes a transport stream, as cameras do, on its standard output.

    (FFmpeg's reader of nut, which would take raw pictures with time stamps, keeps some 200 bytes of each for ever.)
    """
    still = f"tpad=stop_mode=clone:stop_duration={STILL_SECONDS}"
    return subprocess.Popen(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", clip,
         "-vf", f"scale={width}:-2,fps={rate},{still},loop=loop=-1:size=32767,setpts=N/({rate}*TB)", "-r", str(rate),
         "-an", "-frames:v", str(frames), "-c:v", "mpeg2video", "-q:v", "3", "-bf", "0", "-f", "mpegts", "-"],
        stdout=subprocess.PIPE)


def watch(
    rheo: str, source: subprocess.Popen, report: str, interval: float
) -> tuple[list[tuple[int, int, float]], int]:
    """Frames done, resident KiB and seconds since the first frame, from time to time until the end; and events."""
    program = subprocess.Popen(
        [rheo, "detect", "-", "--report", report, "--overwrite", "--json-lines", "--frames-too"],
        stdin=source.stdout, stdout=subprocess.PIPE, text=True)
    source.stdout.close()
    samples, frames, events, first, due = [], 0, 0, None, time.monotonic()
    for line in program.stdout:
        if '"state"' not in line:
            events += 1
            continue
        frames += 1
        if first is None:
            first = json.loads(line)["seconds"]
        if time.monotonic() >= due:
            due = time.monotonic() + interval
            samples.append((frames, resident(program.pid), json.loads(line)["seconds"] - first))
            print(f"{frames:9d} frames {samples[-1][1]:8d} KiB {samples[-1][2]:10.2f} s", flush=True)
        last = line
    if program.wait() != 0:
        sys.exit(f"rheo ended with status {program.returncode}")
    samples.append((frames, samples[-1][1], json.loads(last)["seconds"] - first))
    return samples, events


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--clip", required=True)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--rate", type=int, default=25)
    parser.add_argument("--width", type=int, default=160)
    parser.add_argument("--report", default="/dev/null")
    parser.add_argument("--interval", type=float, default=5, help="seconds between samples")
    options = parser.parse_args()

    begin = time.monotonic()
    source = looped_clip(options.clip, options.frames, options.rate, options.width)
    samples, events = watch(options.rheo, source, options.report, options.interval)
    source.wait()
    elapsed = time.monotonic() - begin

    frames, _, seconds = samples[-1]
    settled = [size for done, size, _ in samples if done > options.frames / 10] or [samples[-1][1]]
    growth = max(settled) / settled[0] - 1
    drift = seconds - (frames - 1) / options.rate
    print(f"{frames} frames in {elapsed:.0f} s ({frames / elapsed:.0f} a second), {events} events: memory {settled[0]} -> {settled[-1]} KiB, "
          f"at most {100 * growth:+.1f} %; the last frame is off by {1000 * drift:.3f} ms")
    passes = options.frames // (options.rate * (PASS_SECONDS + STILL_SECONDS))
    is_flat = growth <= GROWTH_LIMIT and abs(drift) < DRIFT_LIMIT
    return 0 if frames == options.frames and is_flat and events >= passes else 1


if __name__ == "__main__":
    sys.exit(main())
