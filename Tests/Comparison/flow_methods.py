"""Rheo's flow engines and OpenCV's methods beside them: how each is called and timed."""

import json
import math
import subprocess
import time
from dataclasses import dataclass
from typing import Callable

import cv2
import numpy as np

from flow_pairs import read_flo


def farneback(a, b):
    return cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0)


def pyr_lk(a, b):
    h, w = a.shape
    points = np.stack(np.meshgrid(np.arange(w), np.arange(h)), -1).astype(np.float32).reshape(-1, 1, 2)
    moved, _, _ = cv2.calcOpticalFlowPyrLK(a, b, points, None, winSize=(21, 21), maxLevel=3)
    return (moved - points).reshape(h, w, 2)


def dis(preset):
    engine = cv2.DISOpticalFlow_create(preset)
    return lambda a, b: engine.calc(a, b, None)


def contrib(make):
    engine = make()
    return lambda a, b: engine.calc(a, b, np.zeros(a.shape + (2,), np.float32))


@dataclass(frozen=True)
class Engine:
    """An engine of Rheo at one accuracy, and OpenCV's method of that class."""

    name: str
    arguments: str  # of `rheo flow`
    opencv: str
    method: Callable
    rounds: int  # calls in a row, of which the shortest counts


ENGINES = [
    Engine("farneback", "--algorithm farneback", "Farneback", farneback, 5),
    Engine("lucas-kanade medium", "--algorithm lucas-kanade --accuracy medium", "PyrLK 21×21", pyr_lk, 1),
    Engine("lucas-kanade high", "--algorithm lucas-kanade --accuracy high", "PyrLK 21×21", pyr_lk, 1),
    Engine("dis low", "--algorithm dis --accuracy low", "DIS ultrafast",
           dis(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST), 15),
    Engine("dis medium", "--algorithm dis --accuracy medium", "DIS medium", dis(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM), 7),
    Engine("dis high", "--algorithm dis --accuracy high", "SparseToDense",
           contrib(cv2.optflow.createOptFlow_SparseToDense), 3),
    Engine("dis very-high", "--algorithm dis --accuracy very-high", "DeepFlow",
           contrib(cv2.optflow.createOptFlow_DeepFlow), 2),
]
# The four levels of accuracy of Rheo's default engine.
LEVELS = [engine for engine in ENGINES if engine.name.startswith("dis ")]


def level(accuracy):
    return next(engine for engine in LEVELS if engine.name == f"dis {accuracy}")


def run_rheo(rheo, arguments, a, b, repeat, threads, output):
    """Writes the field; the shortest time in milliseconds."""
    command = [rheo, "flow", str(a), str(b), "--output", output, "--overwrite", "--repeat", str(repeat),
               "--threads", str(threads), *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["minimum"]


def time_opencv(method, a, b, repeat):
    """The shortest time in milliseconds, and the field."""
    best, flow = math.inf, None
    for _ in range(repeat):
        start = time.perf_counter()
        flow = method(a, b)
        best = min(best, (time.perf_counter() - start) * 1000)
    return best, flow


@dataclass
class Result:
    """What an engine and its counterpart made of a pair: shortest times in milliseconds, and fields."""

    milliseconds: float
    opencv_milliseconds: float
    flow: np.ndarray
    opencv_flow: np.ndarray


def take_turns(rheo, engine, pair, threads, turns, output):
    """Times both programs on one pair, one after the other, `turns` times."""
    grey, times, flow = pair.luma(), [math.inf, math.inf], None
    for _ in range(turns):
        elapsed, flow = time_opencv(engine.method, *grey, engine.rounds)
        times[1] = min(times[1], elapsed)
        repeat = max(engine.rounds, 3)
        times[0] = min(times[0], run_rheo(rheo, engine.arguments, pair.previous, pair.current, repeat, threads, output))
    return Result(*times, read_flo(output), flow)


def rheo_flow(rheo, engine, pair, output):
    """The field alone, untimed."""
    run_rheo(rheo, engine.arguments, pair.previous, pair.current, 1, 1, output)
    return read_flo(output)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))
