#!/usr/bin/env python3
"""The model of an export on a cluster: what a shard costs, what many machines gain, and what saturates first.

`measure` runs exports on this machine with the Python of `make cluster`, fits the model's numbers to them, runs the
same export on one, two and three nodes beside the model, and writes the numbers. `curve` reads them and simulates days
of cameras on 1 to 1,000 processors.

A shard takes `start` and `second` for each second of video, processor seconds both, and moves `bytes` for each second
of video to storage that all share. The driver takes `task` for each shard, one after the other. Then a processor for each
video merges: `merge` for each byte, and two more passes of the bytes through the storage.
"""

import argparse
import heapq
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

OPTIONS = ["--accuracy", "low", "--format", "npy", "--half"]
RATE = 25


def simulate(shards, shard_seconds, cores, numbers, storage):
    """Returns how many seconds a number of equal shards take before they are merged.

    All that run share the storage, in bytes a second, and slow down alike when they ask for more than it gives: so each
    ends at a point of a common time that passes more slowly then, and a heap of these points is enough.
    """
    work = numbers["start"] + shard_seconds * numbers["second"]
    demand = numbers["bytes"] * shard_seconds / work
    running, now, common, submitted = [], 0.0, 0.0, 0.0
    for _ in range(shards):
        # The driver submits one after the other.
        submitted = max(submitted, now if len(running) >= cores else 0) + numbers["task"]
        while running and (len(running) >= cores or now < submitted):
            pace = min(1, storage / (len(running) * demand))
            step = running[0] - common
            if len(running) < cores and now + step / pace > submitted:
                common += (submitted - now) * pace
                now = submitted
                break
            now += step / pace
            common = heapq.heappop(running)
        now = max(now, submitted)
        heapq.heappush(running, common + work)
    while running:
        pace = min(1, storage / (len(running) * demand))
        now += (running[0] - common) / pace
        common = heapq.heappop(running)
    return now


def merging(videos, seconds, cores, numbers, storage):
    """Returns how many seconds the merges of videos of `seconds` each take: a processor for each, in rounds."""
    size = seconds * numbers["bytes"]
    rounds = -(-videos // cores)
    return max(rounds * size * numbers["merge"], 2 * videos * size / storage)


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def on_nodes(count, video, folder, rheo, shard_seconds):
    """Exports on a cluster of nodes of one processor each; returns seconds, without the start of the cluster."""
    import ray
    from ray.cluster_utils import Cluster

    from rheo_cluster import Export, Program

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(count - 1):
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        nothing = ray.remote(lambda: None)
        ray.get([nothing.remote() for _ in range(4 * count)])
        begin = time.monotonic()
        ray.get([nothing.remote() for _ in range(400)])
        task = (time.monotonic() - begin) / 400
        begin = time.monotonic()
        report = Export([str(video)], str(folder), OPTIONS, program=Program(rheo), shard_duration=shard_seconds).run()
        seconds = time.monotonic() - begin
        assert report.failures == [], report.failures
        return seconds, task
    finally:
        ray.shutdown()
        cluster.shutdown()


def measure(rheo, path):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        video, length = folder / "in.mkv", 64
        subprocess.run(
            [rheo, "synthesize", str(video), "--scene", "pan", "--frames", str(length * RATE + 1), "--size", "320x240",
             "-q"], check=True)
        costs = {}
        for count in (2, 32):
            parts = [str(folder / f"{count}-{part}") for part in range(1, count + 1)]
            costs[count] = sum(
                processor_seconds([rheo, "export", str(video), "--shard", f"{part}/{count}", "--output", output, "-q",
                                   "--threads", "1", *OPTIONS]) for part, output in enumerate(parts, 1))
            if count == 2:
                merge = processor_seconds([rheo, "merge", *parts, "--output", str(folder / "whole"), "-q"])
        size = size_of(folder / "whole")
        start = max((costs[32] - costs[2]) / 30, 0)
        numbers = {"start": start, "second": (costs[2] - 2 * start) / length, "bytes": size / length,
                   "merge": merge / size}
        shard_seconds, measured = 4, {}
        for count in (1, 2, 3):
            measured[count], numbers["task"] = on_nodes(count, video, folder / f"on{count}", rheo, shard_seconds)
        data = os.urandom(2**28)
        begin = time.monotonic()
        (folder / "copy").write_bytes(data)
        numbers["storage"] = 2**28 / (time.monotonic() - begin)
        numbers["nodes"] = [
            {"nodes": count, "measured": seconds,
             "model": simulate(length // shard_seconds, shard_seconds, min(count, os.cpu_count()), numbers,
                               numbers["storage"]) + merging(1, length, 1, numbers, numbers["storage"])}
            for count, seconds in measured.items()]
    path.write_text(json.dumps(numbers, indent=2) + "\n")
    print(path.read_text())


def curve(path, cameras, storage):
    numbers = json.loads(path.read_text())
    day, shard_seconds = 86400, 60
    shards = cameras * day // shard_seconds
    print(f"A day of {cameras} cameras, {shards} shards of {shard_seconds} s, storage of {storage / 1e9:g} GB/s:")
    print("| processors | shards, h | merging, h | share of the processors that works | bytes/s |")
    print("|---|---|---|---|---|")
    work = shards * (numbers["start"] + shard_seconds * numbers["second"])
    for cores in (1, 3, 10, 30, 100, 300, 1000):
        seconds = simulate(shards, shard_seconds, cores, numbers, storage)
        merged = merging(cameras, day, cores, numbers, storage)
        rate = numbers["bytes"] * cameras * day / seconds
        print(f"| {cores} | {seconds / 3600:.1f} | {merged / 3600:.1f} | {work / (seconds * cores):.2f} |"
              f" {rate / 1e6:.0f} MB |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "curve"])
    parser.add_argument("--numbers", type=pathlib.Path, default=pathlib.Path(__file__).with_name("numbers.json"))
    parser.add_argument("--rheo", default="rheo")
    parser.add_argument("--cameras", type=int, default=100)
    parser.add_argument("--storage", type=float, default=5e9, help="bytes a second that all share; default: 5e9")
    options = parser.parse_args()
    if options.what == "measure":
        measure(os.path.abspath(options.rheo), options.numbers)
    else:
        curve(options.numbers, options.cameras, options.storage)


if __name__ == "__main__":
    main()
