#!/usr/bin/env python3
"""Work on a Ray cluster of three nodes on this machine, with the Python of `make cluster`.

`kills` exports, annotates or searches (`--command`) again and again, and each time kills one of the programs, workers or
nodes at a random moment: the files must be those of one run each time. `shards` exports a video in many shards and watches the memory of the
driver, which must not grow with their number: over the second half by less than 2 %.
"""

import argparse
import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import ray
from ray.cluster_utils import Cluster

from rheo_cluster import Annotation, Detection, Export, Program

GROWTH_LIMIT = 0.02
OPTIONS = ["--accuracy", "low"]
# Of each command: the job, the drawn video and its number of frames, the length of a shard in seconds, options of the
# command, and the arguments of the straight run with the ending of its output.
COMMANDS = {
    "export": (Export, "pan", 400, 0.5, OPTIONS, ["--output"], ""),
    "annotate": (Annotation, "pan", 2000, 10, OPTIONS, ["--shards", "1"], ".mp4"),
    "detect": (Detection, "walkers", 2000, 10, ["--group-duration", "10"], ["--shards", "1", "--report"], ".json"),
}


def digest(output):
    sums = hashlib.sha256()
    for path in [output] if output.is_file() else sorted(path for path in output.rglob("*") if path.is_file()):
        sums.update(f"{path.relative_to(output)}\n".encode())
        sums.update(path.read_bytes())
    return sums.hexdigest()


def processes(part):
    """The processes whose command line has `part`."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and part in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


class Nodes:
    """A cluster of three nodes of one processor each, as long as the block runs."""

    def __enter__(self):
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.others = [self.cluster.add_node(num_cpus=1) for _ in range(2)]
        self.cluster.wait_for_nodes()
        ray.init(address=self.cluster.address, log_to_driver=False)
        return self

    def __exit__(self, *_):
        ray.shutdown()
        self.cluster.shutdown()


def kill_one(kind, nodes, rheo, command):
    """Kills a program, a worker or a node; returns whether there was one."""
    if kind == "node":
        nodes.cluster.remove_node(nodes.others[0], allow_graceful=False)
        return True
    part = f"{rheo}\0{command}".encode() if kind == "program" else b"ray::_run"
    found = processes(part)
    if found:
        os.kill(random.choice(found), signal.SIGKILL)
    return bool(found)


def kills(rheo, runs, folder, command):
    make, scene, frames, duration, options, straight, ending = COMMANDS[command]
    video, whole = folder / "in.mkv", folder / f"straight{ending}"
    subprocess.run([rheo, "synthesize", str(video), "--scene", scene, "--frames", str(frames), "-q"], check=True)
    subprocess.run([rheo, command, str(video), *straight, str(whole), "-q", *options], check=True)
    expected = digest(whole)
    equal = 0
    for run in range(runs):
        random.seed(run)
        kind, delay, output = ("program", "worker", "node")[run % 3], random.uniform(0.2, 5), folder / f"out{run}"
        with Nodes() as nodes:
            killed = []
            started, over = threading.Event(), threading.Event()

            def strike():
                started.wait()
                time.sleep(delay)
                while not over.is_set() and not killed:
                    if kill_one(kind, nodes, rheo, command):
                        killed.append(kind)
                    time.sleep(0.01)

            striker = threading.Thread(target=strike)
            striker.start()
            job = make([str(video)], str(output), options, program=Program(rheo), shard_duration=duration)
            report = job.run(lambda _, __: started.set())
            over.set()
            started.set()
            striker.join()
        is_equal = report.failures == [] and digest(output / f"in{ending}") == expected
        equal += is_equal
        print(f"{run + 1}: {kind} killed after {delay:.1f} s: {bool(killed)}; equal bytes: {is_equal}", flush=True)
        for failure in report.failures:
            print(f"  {failure}")
    print(f"{equal} of {runs} equal")
    return equal == runs


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def shards(rheo, count, folder):
    video = folder / "in.mkv"
    subprocess.run(
        [rheo, "synthesize", str(video), "--scene", "pan", "--frames", str(count + 1), "--size", "64x48", "-q"],
        check=True)
    memory = []
    with Nodes():
        job = Export([str(video)], str(folder / "out"), OPTIONS, program=Program(rheo), shard_duration=1 / 25)
        begin = time.monotonic()
        report = job.run(lambda over, _: memory.append(resident()) if over % 50 == 0 else None)
        seconds = time.monotonic() - begin
    print(f"{len(memory) * 50} shards and more in {seconds:.0f} s; resident memory of the driver, MiB, after each 200:")
    print(" ".join(f"{value:.1f}" for value in memory[3::4]))
    half = memory[len(memory) // 2 :]
    growth = half[-1] / half[0] - 1
    print(f"growth over the second half: {100 * growth:.1f} %")
    return report.failures == [] and growth < GROWTH_LIMIT


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["kills", "shards"])
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--count", type=int, help="runs (default: 20) or shards (default: 2000)")
    parser.add_argument("--command", choices=COMMANDS, default="export", help="of kills (default: export)")
    options = parser.parse_args()
    rheo = os.path.abspath(options.rheo)
    with tempfile.TemporaryDirectory() as folder:
        if options.what == "kills":
            good = kills(rheo, options.count or 20, pathlib.Path(folder), options.command)
        else:
            good = shards(rheo, options.count or 2000, pathlib.Path(folder))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
