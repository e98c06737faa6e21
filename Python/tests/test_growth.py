"""Memory and time of many calls."""

from __future__ import annotations

import os
import subprocess
import sys

GROWTH = """
import gc, numpy as np, rheo

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))

image = np.random.default_rng(0).integers(0, 256, (24, 32), np.uint8)
sequence = rheo.Sequence(accuracy="low")
detector = rheo.MotionDetector()

def calls(count, first):
    for number in range(first, first + count):
        rheo.flow(image, image, accuracy="low", threads=1)
        sequence.append(image)
        detector.append(image, number / 25)
        try:
            rheo.flow(image, image, "none")
        except ValueError:
            pass

calls(1000, 0)
gc.collect()
before = resident()
calls(10000, 1000)
gc.collect()
print(resident() - before)
"""


def test_ten_thousand_calls_do_not_grow():
    grown = int(subprocess.run([sys.executable, "-c", GROWTH], check=True, capture_output=True, text=True).stdout)
    # In KiB; a single lost field of this size would make 60,000.
    assert grown < 1024


def test_import_is_fast():
    # Of the work that follows NumPy's own import; processor time, for others may use the machine.
    code = "import numpy, time; start = time.process_time(); import rheo; print(time.process_time() - start)"
    run = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(run, check=True, capture_output=True, text=True, env=os.environ).stdout) for _ in range(5)
    ]
    assert min(times) < 0.1
