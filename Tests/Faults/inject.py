#!/usr/bin/env python3
"""Lets the n-th call of the system fail, for every n, in short runs of the program.

Each run has to end by itself and without a crash. With status 0 or 2 its outputs are those of an undisturbed run; with
another one each file is as it was before, absent where there was none, or complete. Nothing is left under a temporary
name, unless it could not be deleted. Needs strace.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ERRORS = {
    "write": "ENOSPC",
    "fsync": "EIO",
    "rename": "EIO",
    "lseek": "EIO",
    "openat": "EMFILE",
    "clone3": "EAGAIN",
    "ftruncate": "EIO",
    "fchmod": "EPERM",
    "renameat2": "EIO",
    "syncfs": "EIO",
    "mkdir": "ENOSPC",
    "unlink": "EIO",
    "pwrite64": "ENOSPC",
    "pread64": "EIO",
    "flock": "ENOLCK",
}
# An export can be resumed: its unfinished files, in the folder or beside the array, are left for that.
RESUMABLE = re.compile(r"\.?fields\b.*(\.partial|\.journal)$")
# Outputs of many files are synchronized once, at their end.
SYNCHRONIZED = ("export", "images")
# What these calls are about does not belong to the program: the loader, the C library and the dispatch library, which
# end a program that has no descriptors left for their own needs.
NOT_OURS = re.compile(r"anon_inode|/proc/|/sys/|/etc/|/usr/|/lib|/dev/|\.so|locale|/opt/")


class Scenario:
    def __init__(self, name, arguments, outputs):
        self.name, self.arguments, self.outputs = name, arguments, outputs


def scenarios(clip):
    yield Scenario("annotate", ["annotate", clip, "out.mkv", "--frames", "4", "--overwrite"], ["out.mkv"])
    yield Scenario("annotate-mp4", ["annotate", clip, "out.mp4", "--frames", "4", "--overwrite"], ["out.mp4"])
    yield Scenario("flow", ["convert", "in.flo", "out.npy", "--overwrite"], ["out.npy"])
    yield Scenario("export", ["export", clip, "--output", "fields", "--frames", "3", "--overwrite"], ["fields"])
    yield Scenario("stack", ["export", clip, "--output", "fields.npy", "--frames", "3", "--overwrite"], ["fields.npy"])
    yield Scenario(
        "detect",
        ["detect", clip, "--frames", "40", "--report", "r.json", "--statistics", "s.csv", "--clips", "clips",
         "--overwrite"],
        ["r.json", "s.csv", "clips"])
    yield Scenario(
        "track", ["track", clip, "out.mkv", "--auto", "--frames", "4", "--report", "t.json", "--overwrite"],
        ["out.mkv", "t.json"])
    for kind, name in (("json", "t.json"), ("csv", "t.csv"), ("mot", "t.txt"), ("coco", "t.json"), ("cvat", "t.xml")):
        yield Scenario(
            f"track-{kind}",
            ["track", clip, "--boxes", "100,100,80,60", "--frames", "3", "--report", name, "--report-format", kind,
             "--overwrite"],
            [name])
    yield Scenario(
        "run",
        ["run", clip, "--annotate", "out.mkv", "--export", "fields.npy", "--summary", "s.csv", "--detect", "r.json",
         "--frames", "4", "--overwrite"],
        ["out.mkv", "fields.npy", "s.csv", "r.json"])
    yield Scenario("images", ["annotate", clip, "image_%03d.png", "--frames", "3", "--overwrite"],
                   [f"image_00{number}.png" for number in (1, 2, 3)])
    yield Scenario("summary", ["export", clip, "--summary", "s.csv", "--frames", "4", "--overwrite"], ["s.csv"])
    yield Scenario(
        "stabilize",
        ["stabilize", clip, "out.mkv", "--transforms", "new.json", "--frames", "5", "--overwrite"],
        ["out.mkv", "new.json"])
    yield Scenario("burst", ["stack", clip, "--output", "out.png", "--frames", "3", "--overwrite"], ["out.png"])
    yield Scenario("stitch", ["stitch", "pan.mkv", "--output", "out.png", "--overwrite"], ["out.png"])
    yield Scenario("render", ["render", "in.flo", "--output", "out.png", "--overwrite"], ["out.png"])


def contents(folder, outputs):
    found = {}
    for output in outputs:
        path = folder / output
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            # The time that the work took stands in reports.
            data = file.read_bytes() if file.exists() else None
            if data and file.suffix == ".json":
                data = re.sub(rb'"(seconds|fps|framesPerSecond|generated)": [^,\n}]+', b"", data)
            found[str(file.relative_to(folder))] = data
    return found


def run(command, folder, call=None, error=None, number=None):
    log = folder.parent / "strace.log"
    prefix = []
    if call:
        prefix = ["strace", "-f", "-qq", "-y", "-o", str(log), "-e", f"trace={call}", "-e",
                  f"inject={call}:error={error}:when={number}"]
    try:
        done = subprocess.run(prefix + command, cwd=folder, capture_output=True, timeout=60)
        status, messages = done.returncode, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        status, messages = "hang", ""
    line = ""
    if call and log.exists():
        line = next((text for text in log.read_text(errors="replace").splitlines() if "INJECTED" in text), "")
    return status, messages, line


def faults_of(scenario, call, status, before, after, reference, left):
    """Tells what is wrong after a run, file by file."""
    faults = []
    if status == "hang" or status < 0 or status >= 128:
        return [f"ended with {status}"]
    if call == "syncfs" and status in (0, 2):
        faults.append("claims success with files that may not be on the disk")
    for name in sorted(before.keys() | after.keys() | reference.keys()):
        found = after.get(name)
        if found == reference.get(name):
            continue
        if status in (0, 2):
            faults.append(f"claims success with another {name}")
        elif RESUMABLE.match(name):
            continue
        elif found != before.get(name):
            faults.append(f"changed {name}" if before.get(name) is not None else f"left a half {name}")
    left = [name for name in left if not RESUMABLE.match(name)]
    # What cannot be deleted stays.
    if left and call != "unlink":
        faults.append(f"left {left}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--clip", required=True)
    parser.add_argument("--calls", default=",".join(ERRORS))
    parser.add_argument("--scenarios")
    parser.add_argument("--first", type=int, default=1, help="the smallest n")
    parser.add_argument("--limit", type=int, default=400, help="the largest n")
    options = parser.parse_args()
    rheo, clip = os.path.abspath(options.rheo), os.path.abspath(options.clip)
    runs = faults = 0
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root) / "work"
        for scenario in scenarios(clip):
            if options.scenarios and scenario.name not in options.scenarios.split(","):
                continue
            for old in ("fresh", "kept"):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                seed = [rheo, "export", clip, "--output", "seed", "--frames", "2", "--quiet"]
                subprocess.run(seed, cwd=folder, check=True)
                shutil.move(folder / "seed" / "frame_000001.flo", folder / "in.flo")
                shutil.rmtree(folder / "seed")
                seed = ["synthesize", "pan.mkv", "--scene", "pan", "--size", "160x120", "--frames", "6", "--quiet"]
                subprocess.run([rheo] + seed, cwd=folder, check=True)
                status, messages, _ = run([rheo] + scenario.arguments, folder)
                assert status in (0, 2), messages
                reference = contents(folder, scenario.outputs)
                start = pathlib.Path(root) / "start"
                shutil.rmtree(start, ignore_errors=True)
                shutil.copytree(folder, start)
                if old == "fresh":
                    for output in scenario.outputs + ["clips", "fields.manifest.json"]:
                        path = start / output
                        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
                for call in options.calls.split(","):
                    for number in range(options.first, options.limit + 1):
                        shutil.rmtree(folder)
                        shutil.copytree(start, folder)
                        before = contents(folder, scenario.outputs)
                        status, messages, line = run([rheo] + scenario.arguments, folder, call, ERRORS[call], number)
                        if not line and status in (0, 2):
                            if call == "syncfs" and number == 1 and scenario.name in SYNCHRONIZED:
                                faults += 1
                                print(f"{scenario.name} ({old}): never calls syncfs", flush=True)
                            break
                        if NOT_OURS.search(line.split("(", 1)[-1]):
                            continue
                        runs += 1
                        after = contents(folder, scenario.outputs)
                        left = [str(p.relative_to(folder)) for p in folder.rglob("*") if ".partial" in p.name]
                        faulty = faults_of(scenario, call, status, before, after, reference, left)
                        if faulty:
                            faults += 1
                            print(f"{scenario.name} ({old}), {call} {number}: {'; '.join(faulty)}\n    {line}\n"
                                  f"    {messages.strip().splitlines()[-1:]}", flush=True)
    print(f"{runs} runs, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
