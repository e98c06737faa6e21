#!/usr/bin/env python3
"""Runs every command of `rheo` in README.md, the pages of docs and the help, as it stands.

Called by `make documents-check`. Commands run in a folder with Samples and with small inputs by the names that the pages
use, one page after the other. What needs a camera, a server, a screen or the published data is listed as left out.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ["README.md", "docs/cli.md", "docs/detect.md", "docs/export.md"]
# What cannot run here, and why.
LEFT_OUT = {
    "rtsp://": "needs a camera",
    "/dev/video": "needs a camera",
    "camera.toml": "needs a camera",
    "ffplay": "needs a screen",
    "example.org": "needs a server",
    "rheo zones": "waits for a browser; make zones-check",
    "make ": "a target of its own",
}
ZONES = {"zones": [{"name": "door", "polygon": [[0.1, 0.2], [0.9, 0.2], [0.9, 0.9]]}]}


def commands(text):
    """The commands of a page's blocks for the shell; a backslash goes on in the next line."""
    for block in re.findall(r"```sh\n(.*?)```", text, re.S):
        yield from (line for line in block.replace("\\\n", " ").splitlines() if line.strip())


class Workshop:
    """A folder with the inputs that pages name."""

    def __init__(self, rheo, folder):
        self.folder = folder
        programs = folder / ".programs"
        programs.mkdir()
        # Pages write the same files again and again.
        wrapper = programs / "rheo"
        wrapper.write_text(f"""#!/bin/sh
case " $* " in
  *" --resume "* | *" --dump-config "* | " help "* ) exec '{rheo}' "$@" ;;
esac
exec '{rheo}' "$@" -y
""")
        wrapper.chmod(0o755)
        self.programs = programs
        (folder / "Samples").symlink_to(ROOT / "Samples")
        (folder / "zones.json").write_text(json.dumps(ZONES))
        for name, size in [("garden", "320x180"), ("night", "1280x720"), ("camera", "320x180"), ("door", "320x180")]:
            frames = "8" if size == "1280x720" else "160"
            self.run(f"rheo synthesize {name}.mp4 --scene walkers --size {size} --frames {frames} -q")
        for name in ["monday", "recordings"]:
            (folder / name).mkdir()
            for video in ["camera", "door"]:
                shutil.copy(folder / f"{video}.mp4", folder / name)
        self.run("rheo synthesize day.mkv --scene walkers --size 160x120 --frames 40 -q")
        for number in (1, 2):
            self.run(f"rheo export day.mkv --shard {number}/2 --output parts/{number} -q")
        self.run("rheo synthesize scene.mkv --scene objects-pan --frames 3 --codec ffv1 --truth truth -q")
        self.run("ffmpeg -v error -i scene.mkv frame%d.png")
        for name in ["one", "frame10", "reference"]:
            shutil.copy(folder / "frame1.png", folder / f"{name}.png")
        for name in ["two", "frame11", "floating"]:
            shutil.copy(folder / "frame2.png", folder / f"{name}.png")
        for name in ["truth.flo", "flow10.flo", "flow.flo"]:
            shutil.copy(folder / "truth/flow/000000.flo", folder / name)
        shutil.copy(folder / "truth/occlusion/000000.png", folder / "occlusions.png")
        self.run("ffmpeg -v error -i Samples/clip.mp4 -vf select='not(mod(n\\,20))' -vsync 0 view%d.jpg")

    def run(self, command):
        result = self.result(command)
        assert result.returncode == 0, f"{command}: {result.stderr}"

    def result(self, command):
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command], cwd=self.folder, capture_output=True, text=True,
            env={"PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder)}, timeout=600)


def examples(rheo):
    """The example in the help of each command."""
    help_text = subprocess.run([rheo, "--help"], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"\n  ([a-z]+) {2,}", help_text[help_text.index("SUBCOMMANDS:"):]):
        text = subprocess.run([rheo, "help", name], check=True, capture_output=True, text=True).stdout
        found = re.search(r"\nExample: (rheo .*?)\n\n", text, re.S)
        assert found, f"the help of {name} has no example"
        yield found[1].replace("\n", " ")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True, type=pathlib.Path)
    options = parser.parse_args()
    rheo = options.rheo.resolve()
    pages = {page: list(commands((ROOT / page).read_text())) for page in PAGES}
    pages["help"] = list(examples(rheo))
    failures = count = 0
    for page, lines in pages.items():
        with tempfile.TemporaryDirectory() as folder:
            workshop = Workshop(rheo, pathlib.Path(folder))
            for command in lines:
                reason = next((why for part, why in LEFT_OUT.items() if part in command), None)
                if reason:
                    print(f"LEFT OUT ({reason}): {page}: {command}")
                    continue
                if "jq " in command:
                    command = f"cd clip-flow && {command}"
                result = workshop.result(command)
                count += 1
                if result.returncode != 0:
                    failures += 1
                    print(f"FAILED ({result.returncode}): {page}: {command}\n  {result.stderr.strip()}")
    print(f"{count} commands run, {failures} failed")
    sys.exit(1 if failures or count < 30 else 0)


if __name__ == "__main__":
    main()
