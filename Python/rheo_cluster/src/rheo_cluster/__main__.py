"""``python -m rheo_cluster export|detect|annotate INPUT… --output DIR [-- OPTIONS OF THE COMMAND]``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .annotation import Annotation
from .batch import Batch
from .detection import Detection
from .export import Export
from .job import Job
from .program import Program


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rheo_cluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser(
        "export", help="write the flow of every pair of frames as files",
        epilog="What follows after -- goes to rheo export, such as -- --format npy --half.",
    )
    export.add_argument("--stack", action="store_true", help="make one .npy file of each video, not a folder")
    export.add_argument("--shard-duration", type=float, default=60.0, metavar="SECONDS", help="default: 60")
    detect = commands.add_parser(
        "detect", help="write a report of the events of each video",
        epilog="What follows after -- goes to rheo detect, such as -- --zones zones.json.",
    )
    detect.add_argument("--ending", default=".json", help="of the reports: .json (the default), .csv, .html")
    annotate = commands.add_parser(
        "annotate", help="draw the flow of each video",
        epilog="What follows after -- goes to rheo annotate, such as -- --style arrows.",
    )
    annotate.add_argument("--ending", default=".mp4", help="of the videos: .mp4 (the default), .mkv, .webm")
    annotate.add_argument("--shard-duration", type=float, metavar="SECONDS",
                          help="cut each video, as rheo annotate --shards does; default: videos are not cut")
    detect.add_argument("--shard-duration", type=float, metavar="SECONDS",
                        help="cut each video, as rheo detect --shards does; default: videos are not cut")
    for command in (export, detect, annotate):
        command.add_argument("--working-directory", metavar="DIR",
                             help="for shards, a folder or a URL for fsspec; default: .shards in the output")
    for command in (export, detect, annotate):
        command.add_argument("inputs", nargs="+", metavar="INPUT", help="videos, under paths that all machines see")
        command.add_argument("--output", required=True, metavar="DIR", help="the folder for the results")
        command.add_argument("--address", default="local", help="a Ray cluster; local, the default, starts one here")
        command.add_argument("--rheo", default="rheo", metavar="PATH", help="the program, on each machine")
    return parser


def _show(over: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{over} of {total} tasks" + ("\n" if over == total else ""))
        sys.stderr.flush()


def main(arguments: list[str]) -> int:
    """Does the work; returns the exit status, with the meanings of rheo's own."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    given = _parser().parse_args(arguments[:end])
    common: dict[str, Any] = {
        "inputs": given.inputs, "output": given.output, "options": arguments[end + 1 :], "address": given.address,
        "program": Program(given.rheo),
    }
    job: Job
    if given.command == "export":
        job = Export(
            **common, stack=given.stack, shard_duration=given.shard_duration,
            working_directory=given.working_directory)
    elif given.shard_duration is not None:
        kind = Annotation if given.command == "annotate" else Detection
        job = kind(
            **common, ending=given.ending, shard_duration=given.shard_duration,
            working_directory=given.working_directory)
    else:
        job = Batch(**common, command=given.command, ending=given.ending)
    try:
        report = job.run(_show)
    except KeyboardInterrupt:
        print("rheo_cluster: interrupted; running it again goes on", file=sys.stderr)
        return 130
    except (ValueError, ImportError, OSError) as error:
        print(f"rheo_cluster: {error}", file=sys.stderr)
        return 1
    for path in report.kept:
        print(f"rheo_cluster: {path}: is there already, and was kept", file=sys.stderr)
    for failure in report.failures:
        print(f"rheo_cluster: {failure}", file=sys.stderr)
    for video in report.damaged:
        print(f"rheo_cluster: {video}: is damaged; all that could be decoded is in the output", file=sys.stderr)
    if report.failures:
        return 1
    return 2 if report.damaged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
