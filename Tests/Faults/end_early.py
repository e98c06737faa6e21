#!/usr/bin/env python3
"""Ends short runs of the program early: by signals, at random moments, by full disks, read-only folders, closed pipes.

After each run an output is the old one or a complete new one, no process hangs, and none crashes. After SIGKILL the next run
of the same command makes the right output and removes what the dead one left. Full disks and read-only folders need the
right to mount; where that is missing they are skipped, with a line.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Signals that finish what is there, and those that end any program at once.
FINISHING = ["SIGINT", "SIGTERM", "SIGHUP"]
ENDING = ["SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGABRT"]
IGNORED = ["SIGPIPE", "SIGXFSZ", "SIGCHLD", "SIGWINCH", "SIGCONT", "SIGURG"]
PATIENCE = 60


class Scenario:
    """A command whose old outputs come from the same command with other options."""

    def __init__(self, name, arguments, old, outputs):
        self.name, self.arguments, self.old, self.outputs = name, arguments, old, outputs


def scenarios(clip):
    yield Scenario("annotate", ["annotate", clip, "out.mp4", "--frames", "8", "-y"], ["--style", "arrows"], ["out.mp4"])
    yield Scenario("export", ["export", clip, "--output", "fields", "--frames", "8", "-y"], ["--accuracy", "low"], ["fields"])
    yield Scenario(
        "stack", ["export", clip, "--output", "fields.npy", "--frames", "8", "-y"], ["--accuracy", "low"],
        ["fields.npy", "fields.npy.manifest.json", "fields.manifest.json"])
    yield Scenario(
        "detect",
        ["detect", clip, "--report", "r.json", "--report", "r.html", "--statistics", "s.csv", "--clips", "clips",
         "--clip-mode", "encode", "-y"],
        ["--threshold", "0.2"], ["r.json", "r.html", "s.csv", "clips"])


def contents(folder, outputs):
    """The bytes of each output; of a folder, of all its files together but the journal of the work on it."""
    found = {}
    for output in outputs:
        path = folder / output
        if path.is_dir():
            files = {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*"))
                     if p.is_file() and p.name != ".journal"}
            if output == "clips":
                found.update({f"clips/{name}": data for name, data in files.items() if "partial" not in name})
            else:
                found[output] = files
        elif path.exists():
            found[output] = path.read_bytes()
    for name, data in found.items():
        if isinstance(data, bytes) and name.endswith((".json", ".html")):
            # The time that the work took stands in reports.
            found[name] = re.sub(rb'"(seconds|fps|framesPerSecond)": [^,\n}]+', b"", data)
    return found


def leftovers(folder):
    return [str(p.relative_to(folder)) for p in folder.rglob("*") if ".partial" in p.name or p.name.endswith(".new")]


class Attack:
    def __init__(self, options):
        self.rheo = os.path.abspath(options.rheo)
        self.clip = os.path.abspath(options.clip)
        self.options = options
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="rheo-end-"))
        self.folder = self.root / "work"
        self.runs = self.faults = 0
        self.rng = random.Random(options.seed)

    def fault(self, scenario, text, messages=""):
        self.faults += 1
        print(f"{scenario}: {text}\n    {messages.strip().splitlines()[-1:]}", flush=True)

    def start(self, arguments, **more):
        return subprocess.Popen(
            [self.rheo] + arguments, cwd=more.pop("cwd", self.folder), stdout=more.pop("stdout", subprocess.DEVNULL),
            stderr=more.pop("stderr", subprocess.PIPE), stdin=subprocess.DEVNULL, **more)

    def finish(self, process):
        try:
            _, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "hang", ""
        return process.returncode, (errors or b"").decode(errors="replace")

    def run(self, arguments, **more):
        return self.finish(self.start(arguments, **more))

    def prepare(self, scenario):
        """The folder with old outputs, their bytes, those of the new ones, and how long the new ones take."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        status, messages = self.run(scenario.arguments + scenario.old)
        assert status == 0, messages
        old = contents(self.folder, scenario.outputs)
        start = self.root / "start"
        shutil.rmtree(start, ignore_errors=True)
        shutil.copytree(self.folder, start)
        begin = time.monotonic()
        status, messages = self.run(scenario.arguments)
        seconds = time.monotonic() - begin
        assert status == 0, messages
        new = contents(self.folder, scenario.outputs)
        assert old != new, "the old outputs are not to be told from the new ones"
        return start, old, new, seconds

    def restore(self, start):
        shutil.rmtree(self.folder)
        shutil.copytree(start, self.folder)

    def judge(self, scenario, old, new, status, what, messages="", folder=None):
        """A fault unless each output is the old or the new one."""
        now = contents(folder or self.folder, scenario.outputs)
        wrong = [name for name in set(now) | set(old)
                 if now.get(name) != old.get(name) and now.get(name) != new.get(name)]
        # A clip of the old run that the new one has not is neither kept nor missed.
        if wrong:
            self.fault(scenario.name, f"{what}: status {status}, neither old nor new: {wrong}", messages)

    def kills(self, scenario):
        start, old, new, seconds = self.prepare(scenario)
        unfinished = removed = 0
        for _ in range(self.options.kills):
            self.restore(start)
            process = self.start(scenario.arguments)
            moment = self.rng.uniform(0, 1.1 * seconds)
            time.sleep(moment)
            process.kill()
            status, _ = self.finish(process)
            self.runs += 1
            self.judge(scenario, old, new, status, f"SIGKILL after {moment:.3f} s")
            left = leftovers(self.folder)
            unfinished += status == -signal.SIGKILL
            removed += bool(left)
            status, messages = self.run(scenario.arguments)
            now = contents(self.folder, scenario.outputs)
            if status != 0 or now != new:
                self.fault(scenario.name, f"run after SIGKILL after {moment:.3f} s: status {status}, other outputs: "
                           f"{[k for k in set(now) | set(new) if now.get(k) != new.get(k)]}", messages)
            if leftovers(self.folder):
                self.fault(scenario.name, f"run after SIGKILL after {moment:.3f} s leaves {leftovers(self.folder)}")
        print(f"{scenario.name}: {self.options.kills} moments, {unfinished} runs ended, {removed} of them left files",
              flush=True)

    def signals(self, scenario):
        start, old, new, seconds = self.prepare(scenario)
        for name in FINISHING + ENDING + IGNORED:
            for share in (0.15, 0.4, 0.6, 0.8):
                self.restore(start)
                process = self.start(scenario.arguments)
                time.sleep(share * seconds)
                process.send_signal(getattr(signal, name))
                status, messages = self.finish(process)
                self.runs += 1
                what = f"{name} after {share * seconds:.3f} s"
                # Before the program looks after them, signals end it as they end any other.
                early = status == -getattr(signal, name)
                if name in FINISHING and not early:
                    if status not in (0, 130):
                        self.fault(scenario.name, f"{what}: status {status}", messages)
                    if status == 130:
                        self.valid(scenario, what)
                    elif status == 0:
                        self.judge(scenario, old, new, status, what, messages)
                else:
                    if name in IGNORED and not early and status != 0 or name in ENDING and not early and status != 0:
                        self.fault(scenario.name, f"{what}: status {status}", messages)
                    self.judge(scenario, old, new, status, what, messages)
                if not early and leftovers(self.folder) and status == 0:
                    self.fault(scenario.name, f"{what}: left {leftovers(self.folder)}")

    def valid(self, scenario, what):
        """What a finishing signal leaves can be read."""
        for path in [p for p in self.folder.rglob("*.mp4")]:
            check = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "null", "-"], capture_output=True)
            if check.returncode or check.stderr:
                self.fault(scenario.name, f"{what}: {path.name} cannot be read", check.stderr.decode(errors="replace"))

    def mounted(self, options):
        place = self.root / "disk"
        place.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "rheo-test", place], capture_output=True, check=False)
        return place if done.returncode == 0 else None

    def disks(self, scenario):
        start, old, new, _ = self.prepare(scenario)
        used = sum(p.stat().st_size for p in start.rglob("*") if p.is_file()) // 1024
        sizes = [used + extra for extra in (8, 24, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)]
        for size in sizes:
            place = self.mounted(f"size={size + 64}k")
            if place is None:
                print("SKIPPED: full disks and read-only folders: no right to mount")
                return
            try:
                shutil.copytree(start, place, dirs_exist_ok=True)
                for fails in ("full", "read-only"):
                    if fails == "read-only":
                        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
                        before = contents(place, scenario.outputs)
                    status, messages = self.run(scenario.arguments, cwd=place)
                    self.runs += 1
                    what = f"{fails}, {size} KiB"
                    if status == "hang" or status < 0 or status >= 128:
                        self.fault(scenario.name, f"{what}: ended with {status}", messages)
                    if fails == "read-only":
                        if status == 0 or contents(place, scenario.outputs) != before:
                            self.fault(scenario.name, f"{what}: status {status}, or outputs changed", messages)
                        continue
                    now = contents(place, scenario.outputs)
                    if status == 0 and now != new:
                        self.fault(scenario.name, f"{what}: claims success with other outputs", messages)
                    self.judge(scenario, old, new, status, what, messages, place)
                    # What an export leaves is there to be resumed.
                    if scenario.name not in ("export", "stack") and leftovers(place):
                        self.fault(scenario.name, f"{what}: left {leftovers(place)}", messages)
            finally:
                subprocess.run(["umount", "-l", place], check=False)

    def pipes(self):
        """Readers that leave at once, after some bytes, and places that take nothing."""
        self.folder.mkdir(exist_ok=True)
        commands = [
            (["annotate", self.clip, "-", "--format", "matroska", "--frames", "8"], True),
            (["annotate", self.clip, "md5:", "--frames", "8"], True),
            (["detect", self.clip, "--report", "-", "--frames", "60"], True),
            (["detect", self.clip, "--json-lines", "--frames-too", "--frames", "60"], True),
            (["info", self.clip, "--json"], True),
            (["track", self.clip, "--frames", "6", "--points", "100,100"], True),
            (["register", self.clip, self.clip], True),
            (["selftest"], True),
            (["--help"], False),
        ]
        for arguments, is_strict in commands:
            for kind in ("closed", "reader gone", "reader leaves", "/dev/full", "errors closed", "errors to /dev/full"):
                more = {}
                if kind == "closed":
                    more = {"preexec_fn": lambda: os.close(1)}
                elif kind in ("reader gone", "reader leaves"):
                    read, write = os.pipe()
                    more = {"stdout": write}
                    if kind == "reader gone":
                        os.close(read)
                elif kind == "/dev/full":
                    more = {"stdout": open("/dev/full", "wb")}
                elif kind == "errors closed":
                    more = {"preexec_fn": lambda: os.close(2), "stderr": None}
                elif kind == "errors to /dev/full":
                    more = {"stderr": open("/dev/full", "wb")}
                process = self.start(arguments, **more)
                if kind in ("reader gone", "reader leaves"):
                    os.close(write)
                if kind == "reader leaves":
                    os.read(read, 16)
                    os.close(read)
                status, messages = self.finish(process)
                self.runs += 1
                what = f"{' '.join(arguments[:1])}, {kind}"
                # Commands without an output to complete end as any filter does when nobody reads.
                if status == -signal.SIGPIPE and kind.startswith("reader"):
                    continue
                if status == "hang" or status < 0 or status >= 128:
                    self.fault(what, f"ended with {status}", messages)
                if is_strict and kind in ("closed", "reader gone", "/dev/full") and status == 0:
                    self.fault(what, "claims success", messages)
                if kind.startswith("errors") and status != 0:
                    self.fault(what, f"status {status} for want of a place for messages")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--clip", required=True)
    parser.add_argument("--kills", type=int, default=200, help="random moments of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="pipes,signals,disks,kills")
    parser.add_argument("--scenarios")
    options = parser.parse_args()
    attack = Attack(options)
    wanted = options.only.split(",")
    try:
        if "pipes" in wanted:
            attack.pipes()
            print(f"pipes: {attack.runs} runs", flush=True)
        for part in ("signals", "disks", "kills"):
            if part not in wanted:
                continue
            for scenario in scenarios(attack.clip):
                if options.scenarios and scenario.name not in options.scenarios.split(","):
                    continue
                begin = attack.runs
                getattr(attack, part)(scenario)
                print(f"{part}, {scenario.name}: {attack.runs - begin} runs", flush=True)
    finally:
        shutil.rmtree(attack.root, ignore_errors=True)
    print(f"{attack.runs} runs, {attack.faults} faults")
    return 1 if attack.faults else 0


if __name__ == "__main__":
    sys.exit(main())
