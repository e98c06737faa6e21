#!/usr/bin/env python3
"""The JSON that rheo writes and reads against docs/schemas.

Called by `make schemas-check`. Every schema meets real files, and refuses them when a required key is gone or a key that
it does not know is there. Zones that the schema refuses, rheo refuses, too.
"""

import argparse
import copy
import gzip
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ZONES = {
    "zones": [{"name": "door", "polygon": [[0.1, 0.2], [0.9, 0.2], [0.9, 0.9]], "threshold": 0.1, "directions": [[315, 45]]}],
    "tripLines": [{"name": "gate", "from": [0.5, 1], "to": [0.5, 0], "direction": "both"}],
}
GROUND = {"homography": [0.01, 0, 0, 0, 0.02, -1, 0, 0.001, 1]}


class Posts(http.server.BaseHTTPRequestHandler):
    bodies: list = []

    def do_POST(self):
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Documents:
    """Files of all kinds, written by a run of rheo each."""

    def __init__(self, rheo, folder):
        self.rheo, self.folder = rheo, folder

    def run(self, *arguments, status=0):
        result = subprocess.run([self.rheo, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        assert result.returncode == status, f"rheo {' '.join(map(str, arguments))}: {result.returncode}, {result.stderr}"
        return result.stdout

    def json(self, name):
        return json.loads((self.folder / name).read_text())

    def all(self):
        """(schema, document) of each."""
        self.run("synthesize", "a.mkv", "--scene", "walkers", "--size", "320x180", "--frames", "140", "--codec", "ffv1")
        (self.folder / "zones.json").write_text(json.dumps(ZONES))
        (self.folder / "ground.json").write_text(json.dumps(GROUND))
        (self.folder / "bad.mp4").write_bytes(b"no video")
        self.run("synthesize", "b.mkv", "--scene", "crossing-walkers", "--size", "160x120", "--frames", "100", "--truth", "truth")
        yield "scene-truth", self.json("truth/truth.json")
        yield "info", json.loads(self.run("info", ROOT / "Samples/clip.mp4", "--json"))
        yield "zones", ZONES
        yield "ground-plane", GROUND
        self.run("detect", "a.mkv", "--zones", "zones.json", "--report", "one.json", "--snapshots", "s", "--clips", "c")
        yield "detection", self.json("one.json")
        self.run("detect", "a.mkv", "bad.mp4", "--report", "all.json", "--report", "reports/", status=2)
        yield "detection", self.json("all.json")
        yield "detection", self.json("reports/a.json")
        yield "detection-summary", self.json("reports/summary.json")
        server = http.server.HTTPServer(("127.0.0.1", 0), Posts)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        lines = self.run("detect", "a.mkv", "--json-lines", "--frames-too", "--boxes", "--webhook", address)
        kinds = {}
        for document in [json.loads(line) for line in lines.splitlines()] + Posts.bodies:
            kinds.setdefault(document["type"], document)
        assert set(kinds) == {"frame", "start", "end"}, kinds.keys()
        yield from (("detection-line", document) for document in kinds.values())
        self.run("detect", "a.mkv", "--zones", "zones.json", "--statistics", "s.csv")
        yield "statistics-header", json.loads((self.folder / "s.csv").read_text().split("\n")[0].removeprefix("# rheo "))
        self.run("track", "a.mkv", "--auto", "--report", "tracks.json", "--ground-homography", "ground.json")
        yield "tracks", self.json("tracks.json")
        self.run("track", "a.mkv", "--points", "50,50;80,90", "--frames", "9", "--report", "points.json")
        yield "tracks", self.json("points.json")
        self.run("stabilize", "a.mkv", "steady.mkv", "--frames", "9", "--transforms", "t.json")
        yield "transforms", self.json("t.json")
        self.run("export", "a.mkv", "--output", "flow", "--frames", "4", "--direction", "both", "--confidence")
        yield "export-manifest", self.json("flow/manifest.json")
        self.run("export", "a.mkv", "--output", "f.npy", "--frames", "3", "--compensate", "homography")
        yield "export-manifest", self.json("f.manifest.json")
        self.run("annotate", "a.mkv", "part", "--shard", "1/1", "--frames", "20", "--crf", "30")
        yield "annotation-shard", self.json("part/manifest.json")
        self.run("detect", "a.mkv", "--zones", "zones.json", "--shard", "1/1", "--evidence", "evidence")
        lines = gzip.decompress((self.folder / "evidence").read_bytes()).decode().splitlines()
        yield "evidence-head", json.loads(lines[0].removeprefix("# rheo "))
        yield "evidence-end", json.loads(lines[-1].removeprefix("# end "))
        yield "info", json.loads(self.run("info", "flow/frame_000001.flo", "--json"))
        yield "evaluation", json.loads(self.run("evaluate", "flow/frame_000001.flo", "flow/frame_000002.flo", "--json"))


def spoilt(document):
    """Copies of a document with a key too many."""
    for change in ({"treshold": 1}, {"Version": 1}):
        yield {**document, **change}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True, type=pathlib.Path)
    options = parser.parse_args()
    schemas = {}
    for file in sorted((ROOT / "docs/schemas").glob("*.schema.json")):
        schema = json.loads(file.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[file.name.removesuffix(".schema.json")] = jsonschema.Draft202012Validator(schema)
    failures, met = [], set()
    with tempfile.TemporaryDirectory() as folder:
        documents = Documents(options.rheo.resolve(), pathlib.Path(folder))
        for name, document in documents.all():
            met.add(name)
            validator = schemas[name]
            faults = [f"{name}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]
            faults += [f"{name}: takes {set(other) - set(document)}" for other in spoilt(document)
                       if validator.is_valid(other)]
            for key in document:
                other = copy.deepcopy(document)
                del other[key]
                needed = key in validator.schema.get("required", [key] if "oneOf" in validator.schema else [])
                if needed and key not in ("crossings", "live") and validator.is_valid(other):
                    faults.append(f"{name}: does not miss {key}")
            print(f"{name}: " + ("; ".join(faults) or "valid, and refused when spoilt"))
            failures += faults
        # What the schema of zones refuses, rheo does not read.
        for key, value in [("treshold", 1), ("mode", "exlude"), ("threshold", 101), ("polygon", [[0, 0]]), ("name", "")]:
            zones = copy.deepcopy(ZONES)
            zones["zones"][0][key] = value
            assert not schemas["zones"].is_valid(zones), key
            (documents.folder / "zones.json").write_text(json.dumps(zones))
            documents.run("detect", "a.mkv", "--zones", "zones.json", "--frames", "2", status=1)
    if set(schemas) != met:
        failures.append(f"no document for {set(schemas) - met}")
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main()
