#!/usr/bin/env python3
"""Draws zones and a trip line on the page of `rheo zones`, in headless Chromium, with the mouse and with keys.

Compares the file that is saved with what was drawn and lets `rheo detect` use it. Leaves screenshots in demo/zones.
Usage: check.py --rheo RHEO --browser CHROMIUM
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from devtools import Browser

CONTROL, SHIFT = 2, 8
DOOR = [(0.2, 0.3), (0.8, 0.3), (0.8, 0.9), (0.2, 0.9)]
GATE = [(0.5, 0.95), (0.5, 0.1)]
TREE = [(0.02, 0.05), (0.15, 0.05), (0.1, 0.25)]
# An axis of the image has fewer than a thousand places for a mouse on this page.
TOLERANCE = 0.003


def make_video(path):
    """A box passes from the left to the right over a still ground."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
         # Not `gradients`, which gives another image in every run.
         "color=gray:s=640x360:r=25:d=0.04,format=yuv444p,geq=lum='128+50*sin(X/23+Y/31)+40*cos(X/41-Y/17)':cb=128:cr=128,"
         "noise=c0s=30:all_seed=7,loop=150:1",
         "-f", "lavfi", "-i", "testsrc2=s=80x80:r=25:d=6,select=1,loop=150:1", "-filter_complex",
         "[0:v][1:v]overlay=x='8*n-80':y=180:shortest=1", "-t", "4", "-r", "25", "-c:v", "libx264", "-pix_fmt", "yuv420p",
         str(path)], check=True)


def near(found, expected, what):
    pairs = zip(sum(map(list, found), []), sum(map(list, expected), []))
    assert len(found) == len(expected) and all(abs(a - b) < TOLERANCE for a, b in pairs), f"{what}: {found}, not {expected}"


class ZonesPage:
    """The page, as a user works with it."""

    def __init__(self, browser, address):
        self.browser = browser
        browser.open(address, "document.readyState == 'complete' && byId('image').complete && byId('input').textContent")
        self.box = browser.evaluate("(() => { const b = drawing.getBoundingClientRect();"
                                    "return [b.x, b.y, b.width, b.height]; })()")

    def place(self, point):
        x, y, width, height = self.box
        return [x + point[0] * width, y + point[1] * height]

    def tool(self, name):
        self.browser.press(f'[data-tool="{name}"]')

    def click(self, points, last=1):
        for index, point in enumerate(points):
            self.browser.click(self.place(point), last if index == len(points) - 1 else 1)

    def drag(self, start, end):
        self.browser.drag(self.place(start), self.place(end))

    def zones(self):
        return json.loads(self.browser.evaluate("fileText()"))

    def status(self):
        return self.browser.evaluate("byId('status').textContent")

    def save(self):
        self.browser.press("#save")
        self.browser.wait(lambda: self.status() != "Not saved yet.", "the file")
        return self.status()


def draw(page):
    """Draws everything; the expected contents of the file."""
    browser = page.browser
    page.tool("include")
    page.click(DOOR + DOOR[:1])
    near(page.zones()["zones"][0]["polygon"], DOOR, "the polygon")
    page.drag(DOOR[1], (0.9, 0.2))
    door = [DOOR[0], (0.9, 0.2), *DOOR[2:]]
    near(page.zones()["zones"][0]["polygon"], door, "the polygon with a corner dragged")
    middle = [(a + b) / 2 for a, b in zip(door[2], door[3])]
    page.drag(middle, (0.5, 0.97))
    door.insert(3, (0.5, 0.97))
    near(page.zones()["zones"][0]["polygon"], door, "the polygon with a new corner")
    page.drag((0.5, 0.6), (0.48, 0.6))
    door = [(x - 0.02, y) for x, y in door]
    near(page.zones()["zones"][0]["polygon"], door, "the polygon after it was moved")
    browser.press("#zones input")
    browser.key("a", CONTROL)
    browser.evaluate("document.activeElement.select()")
    browser.type("door <b>")
    browser.key("Escape")

    page.tool("line")
    page.click(GATE)
    browser.press("#lines select")
    browser.evaluate("(() => { const s = document.querySelector('#lines select'); s.value = 'left-to-right';"
                     "s.dispatchEvent(new Event('change', { bubbles: true })); })()")

    page.tool("exclude")
    page.click(TREE, last=2)
    near(page.zones()["zones"][1]["polygon"], TREE, "the polygon that a double click closes")
    assert len(page.zones()["zones"]) == 2
    return door


def check_keys(page):
    """Undoes, does again, and draws a zone without the mouse."""
    browser = page.browser
    before = page.zones()
    browser.press("#stage")
    page.click([(0.08, 0.1)])
    browser.key("Delete")
    assert len(page.zones()["zones"]) == 1, "Delete leaves the zone"
    browser.key("z", CONTROL)
    assert page.zones() == before, "undoing does not bring it back"
    browser.key("z", CONTROL | SHIFT)
    assert len(page.zones()["zones"]) == 1, "nothing is done again"
    browser.key("z", CONTROL)
    page.tool("exclude")
    assert browser.evaluate("document.activeElement.id") == "stage", "the keys do not go to the image"
    browser.key("p")
    corners = [(0.3, 0.1), (0.4, 0.1), (0.4, 0.2)]
    at = [0.5, 0.5]
    for corner in corners + corners[:1]:
        for axis, keys in enumerate([("ArrowLeft", "ArrowRight"), ("ArrowUp", "ArrowDown")]):
            steps = round((corner[axis] - at[axis]) * 100)
            for _ in range(abs(steps)):
                browser.key(keys[steps > 0])
        at = list(corner)
        browser.key("Enter")
    near(page.zones()["zones"][2]["polygon"], corners, "the polygon drawn by keys")
    assert page.zones()["zones"][2]["mode"] == "privacy"
    browser.evaluate("drawing.querySelector('[data-corner=\"0\"]').focus()")
    browser.key("ArrowUp", SHIFT)
    near(page.zones()["zones"][2]["polygon"], [(0.3, 0.099), *corners[1:]], "the corner moved by keys")
    browser.key("Escape")


def check_refusal(page, file):
    """Two zones of one name are refused, and the file stays as it is."""
    before = file.read_text()
    name = page.zones()["zones"][1]["name"]
    page.browser.press("#zones li:nth-child(3) input")
    page.browser.evaluate("document.activeElement.select()")
    page.browser.type(name)
    assert name in page.save(), page.status()
    assert file.read_text() == before
    page.browser.key("Escape")
    page.browser.evaluate("undo()")


def detect(rheo, video, file, folder):
    subprocess.run([rheo, "detect", str(video), "--zones", str(file), "--report", str(folder / "events.json"), "--quiet"],
                   check=True)
    return json.loads((folder / "events.json").read_text())


def run(rheo, program, folder, shots):
    video, file = folder / "<yard>.mp4", folder / "zones.json"
    make_video(video)
    server = subprocess.Popen(
        [rheo, "zones", str(video), "--output", str(file), "--at", "2"], stdout=subprocess.PIPE, text=True)
    browser = Browser(program, folder / "profile", (1280, 860))
    try:
        page = ZonesPage(browser, server.stdout.readline().strip())
        browser.screenshot(shots / "empty.png")
        door = draw(page)
        check_keys(page)
        assert page.save() == f"Saved as {file}.", page.status()
        check_refusal(page, file)
        page.click([(0.3, 0.7)])
        for scheme in ["light", "dark"]:
            browser.screenshot(shots / f"{scheme}.png", scheme)
        browser.screenshot(shots / "phone.png", size=(420, 900))
        browser.press("#close")
        browser.wait(lambda: not browser.evaluate("byId('done').hidden"), "the end")
        browser.screenshot(shots / "done.png")
        assert server.wait(10) == 0, f"rheo zones ended with status {server.returncode}"
        # The browser names the refusal, which was asked for, as well.
        complaints = [text for text in browser.complaints if "status of 400" not in text]
        assert not complaints and len(browser.complaints) == 1, browser.complaints
    finally:
        browser.close()
        server.terminate()

    saved = json.loads(file.read_text())
    assert [(zone["name"], zone["mode"]) for zone in saved["zones"]] == [
        ("door <b>", "include"), ("exclude 1", "exclude"), ("privacy 1", "privacy")], saved
    near(saved["zones"][0]["polygon"], door, "the saved polygon")
    line, = saved["tripLines"]
    near([line["from"], line["to"]], GATE, "the saved trip line")
    assert line["direction"] == "left-to-right", line
    report = detect(rheo, video, file, folder)
    text = json.dumps(report)
    zones = {name for event in report["events"] for name in event["zones"]}
    assert zones == {"door <b>", "line 1"}, text[:2000]
    crossings, = report["crossings"]
    assert (crossings["left-to-right"], crossings["right-to-left"]) == (1, 0), crossings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--browser", required=True)
    arguments = parser.parse_args()
    shots = Path(__file__).resolve().parents[2] / "demo" / "zones"
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        run(str(Path(arguments.rheo).resolve()), arguments.browser, Path(folder), shots)
    print("zones, a trip line and their file are as drawn; screenshots: demo/zones")


if __name__ == "__main__":
    main()
