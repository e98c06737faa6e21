"""Headless Chromium, driven as a user would: with a mouse and keys, through its DevTools protocol."""

import base64
import itertools
import json
import subprocess
import time
import urllib.request
from pathlib import Path

import websocket


class Browser:
    """One page of a browser. `complaints` are the errors that it has shown on its console."""

    def __init__(self, program, profile, size):
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.complaints = []
        self.numbers = itertools.count(1)
        port = self.wait(lambda: self.port(Path(profile) / "DevToolsActivePort"), "the browser")
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list"))
        page = next(page for page in pages if page["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], suppress_origin=True, timeout=30)
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")

    @staticmethod
    def port(file):
        text = file.read_text() if file.exists() else ""
        return text.split("\n")[0] if "\n" in text else None

    @staticmethod
    def wait(condition, what, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise TimeoutError(f"waited in vain for {what}")

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(message["params"]["exceptionDetails"]["exception"].get("description", "exception"))
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.complaints.append(message["params"]["entry"]["text"])
        if message.get("method") == "Page.javascriptDialogOpening":
            self.complaints.append("a dialog")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, address, is_ready):
        self.call("Page.navigate", url=address)
        self.wait(lambda: self.evaluate(is_ready), is_ready)

    def mouse(self, kind, place, **fields):
        self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **fields)

    def click(self, place, count=1):
        self.mouse("mouseMoved", place)
        for number in range(1, count + 1):
            self.mouse("mousePressed", place, button="left", buttons=1, clickCount=number)
            self.mouse("mouseReleased", place, button="left", clickCount=number)

    def drag(self, start, end, steps=8):
        self.mouse("mouseMoved", start)
        self.mouse("mousePressed", start, button="left", buttons=1, clickCount=1)
        for step in range(1, steps + 1):
            place = [a + (b - a) * step / steps for a, b in zip(start, end)]
            self.mouse("mouseMoved", place, button="left", buttons=1)
        self.mouse("mouseReleased", end, button="left", clickCount=1)

    def middle(self, selector):
        """The middle of an element on the screen."""
        return self.evaluate(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()")

    def press(self, selector):
        self.click(self.middle(selector))

    def key(self, key, modifiers=0):
        fields = {"key": key, "modifiers": modifiers}
        if key == "Enter":
            fields["text"] = "\r"
        elif len(key) == 1 and not modifiers & 2:
            fields["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **fields)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, file, scheme="light", size=None):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        if size:
            self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
            time.sleep(0.3)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(file).write_bytes(base64.b64decode(data))
        if size:
            self.call("Emulation.clearDeviceMetricsOverride")

    def close(self):
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
