#!/usr/bin/env python3
"""Lets the wall clock jump by hours and days while the program runs: forward, back, to and fro, every 0.1 seconds.

Files give the same outputs as with a steady clock, progress and live streams keep the true time, what is silent or
hangs is given up in time, and nothing waits for a clock that has gone back. The clock is that of the program alone:
jumping_clock.c, which needs Linux and a C compiler.
"""

import argparse
import http.server
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HOUR, DAY = 3600, 86400
PAUSE = 0.1
# A run with a steady clock may take so many seconds, and one whose clock jumps twice as many as that and some more: the
# machine may be busy. What waits for the clock waits for an hour at least.
STEADY_LIMIT = 120
ALLOWANCE = 10
# A stream that broke off is a damaged one.
BROKEN = (0, 2)
PATTERNS = {
    "forward": lambda: itertools.chain([HOUR], itertools.count(DAY, DAY)),
    "back": lambda: itertools.chain([-HOUR], itertools.count(-DAY, -DAY)),
    "to and fro": lambda: itertools.cycle([HOUR, 0, -HOUR, DAY, -DAY]),
}


class Clock:
    """The jumping clock of one run."""

    def __init__(self, library, folder, pattern):
        self.file = folder / "offset"
        self.file.write_bytes(bytes(8))
        self.environment = dict(os.environ, LD_PRELOAD=str(library), CLOCK_OFFSET_FILE=str(self.file))
        self.offsets = PATTERNS[pattern]() if pattern else []
        self.is_over = threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.jump)
        self.thread.start()
        return self

    def jump(self):
        with open(self.file, "r+b", buffering=0) as file:
            for offset in self.offsets:
                if self.is_over.wait(PAUSE):
                    return
                file.seek(0)
                file.write(struct.pack("q", offset))

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


class Stream(http.server.BaseHTTPRequestHandler):
    """Sends the clip in its own pace, for as long as the server's list says; then breaks off, or falls silent.

    Takes posts, and is silent about them, or answers that it has no time.
    """

    def do_GET(self):
        seconds, then = self.server.acts.pop(0) if self.server.acts else (60, "break")
        self.send_response(200)
        self.send_header("Content-Type", "video/mp2t")
        self.end_headers()
        source = paced(self.server.clip, seconds, "pipe:1", stdout=subprocess.PIPE)
        try:
            while data := source.stdout.read1(65536):
                self.wfile.write(data)
                self.wfile.flush()
            if then == "silence":
                self.server.is_over.wait()
        except OSError:
            pass
        finally:
            source.kill()
            source.communicate()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/silent":
            self.server.is_over.wait()
            return
        self.send_response(503)
        self.end_headers()

    def log_message(self, *_):
        pass


def paced(clip, seconds, target, **more):
    return subprocess.Popen(
        ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", clip, "-t", str(seconds), "-c",
         "copy", "-f", "mpegts", target], **more)


class Server:
    def __init__(self, clip, acts=()):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stream)
        self.http.daemon_threads = True
        self.http.clip, self.http.acts, self.http.is_over = clip, list(acts), threading.Event()
        self.address = f"http://127.0.0.1:{self.http.server_port}"

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.is_over.set()
        self.http.shutdown()


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class Attack:
    def __init__(self, options, root):
        self.rheo, self.root = os.path.abspath(options.rheo), root
        self.library = root / "jumping_clock.so"
        source = pathlib.Path(__file__).with_name("jumping_clock.c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, source, "-ldl", "-lpthread"], check=True)
        # Small, so that a live analysis keeps up on a busy machine.
        self.clip = str(root / "small.ts")
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", options.clip, "-vf", "scale=160:-2", "-an", "-c:v",
             "mpeg2video", "-g", "12", "-bf", "0", "-q:v", "4", self.clip], check=True)
        self.runs = self.faults = 0
        # The seconds that a run took with a steady clock.
        self.steady = {}

    def fault(self, text):
        self.faults += 1
        print(f"FAULT: {text}", flush=True)

    def run(self, name, arguments, pattern, good=(0,)):
        """Runs the program in a folder of its own; returns that, the status, the outputs, and the seconds it took."""
        limit = 2 * self.steady[name] + ALLOWANCE if pattern else STEADY_LIMIT
        folder = self.root / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with Clock(self.library, self.root, pattern) as clock:
            begin = time.monotonic()
            process = subprocess.Popen(
                [self.rheo] + arguments, cwd=folder, env=clock.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                output, errors = process.communicate(timeout=limit)
                status = process.returncode
            except subprocess.TimeoutExpired:
                status = "hang"
                process.kill()
                output, errors = process.communicate()
            seconds = time.monotonic() - begin
        if not pattern:
            self.steady[name] = seconds
        self.runs += 1
        texts = output.decode(errors="replace"), errors.decode(errors="replace")
        if status not in good:
            self.fault(f"{name}, {pattern}: status {status} after {seconds:.1f} s: {texts[1].splitlines()[-1:]}")
        self.check_progress(name, pattern, texts[1], seconds)
        return folder, status, texts, seconds

    def check_progress(self, name, pattern, errors, seconds):
        lines = [json.loads(line) for line in errors.splitlines() if line.startswith('{"frames"')]
        elapsed = [line["elapsed"] for line in lines]
        if elapsed != sorted(elapsed) or elapsed and not 0 <= elapsed[0] <= elapsed[-1] <= seconds:
            self.fault(f"{name}, {pattern}: elapsed time goes from {elapsed[0]} to {elapsed[-1]} in {seconds:.1f} s")
        for line in lines:
            share, left = line.get("share") or 0, line.get("left") or 0
            if line["fps"] < 0 or left < 0 or left * share > 1.1 * line["elapsed"] + 1:
                self.fault(f"{name}, {pattern}: progress is {line}")

    def files(self):
        """Each command on a file writes what it writes with a steady clock."""
        commands = {
            "annotate": ["annotate", self.clip, "out.mp4"],
            "export": ["export", self.clip, "--output", "fields", "--frames", "40"],
            "export to a stack": ["export", self.clip, "--output", "fields.npy", "--frames", "40"],
            "track": ["track", self.clip, "out.mkv", "--auto", "--report", "t.json"],
            "stabilize": ["stabilize", self.clip, "out.mkv", "--transforms", "t.json"],
            "detect": [
                "detect", self.clip, "--report", "r.json", "--report", "r.html", "--report", "r.csv", "--statistics",
                "s.csv", "--clips", "clips", "--snapshots", "clips", "--joined", "joined.mp4", "--on-end", "sleep 0.5"],
        }
        for name, arguments in commands.items():
            arguments = arguments + ["--progress", "json"]
            folder = self.run(name, arguments, None)[0]
            expected = contents(folder)
            for pattern in PATTERNS:
                folder, status = self.run(name, arguments, pattern)[:2]
                found = contents(folder)
                if status == 0 and found != expected:
                    different = [key for key in set(found) | set(expected) if found.get(key) != expected.get(key)]
                    self.fault(f"{name}, {pattern}: other outputs: {different}")

    def live(self):
        """A stream that breaks off is read on, and its time is the true one."""
        for pattern in (None, *PATTERNS):
            with Server(self.clip, [(3, "break")]) as server:
                name = "a stream that breaks off"
                folder, status, texts, seconds = self.run(
                    name,
                    ["detect", server.address + "/", "--duration", "8", "--reconnect", "20", "--report", "r.json",
                     "--json-lines", "--frames-too", "--progress", "json", "--clips", "clips"], pattern, BROKEN)
            if status != 2:
                continue
            frames = [json.loads(line) for line in texts[0].splitlines()]
            times = [line["seconds"] for line in frames if line.get("type") == "frame"]
            report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
            gaps = [b - a for a, b in zip(times, times[1:])]
            # A break that is taken for an hour ends the eight seconds that were asked for.
            if not gaps or min(gaps) <= 0 or not 6 < times[-1] - times[0] < min(8, seconds):
                self.fault(f"{name}, {pattern}: times {times[:1]} to {times[-1:]}, steps {gaps and max(gaps)}, run in {seconds:.3f} s")
            if report["live"]["reconnections"] != 1:
                self.fault(f"{name}, {pattern}: {report['live']}")

    def silent(self):
        """Streams that fall silent are given up after the patience that was asked for."""
        for kind, pattern in itertools.product(("http", "udp"), (None, *PATTERNS)):
            if kind == "udp" and pattern == "back":
                # FFmpeg itself waits there for a time of the wall clock, and asks nobody before it has come.
                continue
            with Server(self.clip, [(2, "silence")]) as server:
                address, sender = server.address + "/", None
                if kind == "udp":
                    address = f"udp://127.0.0.1:{free_port()}"
                    sender = paced(self.clip, 4, address + "?pkt_size=1316")
                self.run(f"a silent stream ({kind})", ["detect", address, "--reconnect", "never", "--patience", "2"],
                         pattern, BROKEN)
                if sender:
                    sender.kill()
                    sender.wait()

    def reactions(self):
        """Programs and servers that do not come to an end, and servers that have no time, are given up."""
        for pattern in (None, *PATTERNS):
            with Server(self.clip) as server:
                for name, reaction in {
                    "a command that hangs": ["--on-end", "sleep 60"],
                    "a server that is silent": ["--webhook", server.address + "/silent"],
                    "a server that is busy": ["--webhook", server.address + "/busy"],
                }.items():
                    texts = self.run(name, ["detect", self.clip, "--reaction-limit", "4"] + reaction, pattern)[2]
                    if "server" in name and not re.search("gives no answer|answers with status 503", texts[1]):
                        self.fault(f"{name}, {pattern}: never says that it gave up: {texts[1].splitlines()}")


def contents(folder):
    """The bytes of all files, but for the time that the work took."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        data = path.read_bytes()
        if path.suffix in (".json", ".html"):
            data = re.sub(rb'"(seconds|fps|framesPerSecond)": [^,\n}]+', b"", data)
        found[str(path.relative_to(folder))] = data
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--clip", required=True)
    parser.add_argument("--only", default="files,live,silent,reactions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        attack = Attack(options, pathlib.Path(root))
        for part in options.only.split(","):
            begin = attack.runs
            getattr(attack, part)()
            print(f"{part}: {attack.runs - begin} runs", flush=True)
    print(f"{attack.runs} runs, {attack.faults} faults")
    return 1 if attack.faults else 0


if __name__ == "__main__":
    sys.exit(main())
