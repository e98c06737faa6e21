"""Scenes of the third set of visits with a course of their own: bags, parking, a cat, a street, from above."""

import copy
import math

import numpy as np

from .figures import Car, Cyclist, Person
from .paint import paint_colour, rectangle, surface
from .places import Canvas
from .scenes_visited import across
from .stage import Actor
from .third_figures import Bag, Carrier, Cat, PersonFromAbove
from .third_stage import QUIET, Prop, Scene


def call(stage, stay, low=0.18, start=None):
    """Stops of somebody who comes from a side after the quiet start, stays at a spot for `stay` seconds and leaves."""
    rng, width = stage.rng, stage.truth.width
    y = stage.foot(low)
    body = stage.canvas.body(y)
    spot = rng.uniform(0.25, 0.75) * width
    edge = rng.choice((-0.45 * body, width + 0.45 * body))
    end = edge if rng.random() < 0.5 else width - edge
    come, go = (float(np.clip(abs(spot - far) / (rng.uniform(0.6, 1.1) * body), 1.5, 6)) for far in (edge, end))
    start = start or rng.uniform(QUIET, max(QUIET + 0.5, stage.seconds - come - go - stay - 7))
    arrives = start + come
    return [(start, edge, y), (arrives, spot, y), (arrives + stay, spot, y), (arrives + stay + go, end, y)]


def clear(stage, y):
    """Keeps the things that stand nearer than y from hiding what happens on the ground at y."""
    base = stage.canvas.base
    base[base > y] = y


# Bags


def bag(rng, removed=False):
    """Somebody comes, puts a bag down and leaves without it; or comes and takes away what stood there."""
    stage = Scene(rng, inside=rng.random() < 0.4, seconds=(28, 38))
    stay = rng.uniform(2.5, 5)
    stops = call(stage, stay, 0.22)
    (arrives, spot, y), (leaves, _, _) = stops[1:3]
    clear(stage, y)
    body = stage.canvas.body(y)
    load = Bag(rng, stage.ground_luma())
    swap = (arrives + leaves) / 2
    carrier = Actor(stage, Carrier(rng, stage.ground_luma(), load), stops)
    bend = np.clip(1 - np.abs(stage.when - swap) / (0.4 * stay), 0, 1)
    carrier.sit = 0.55 * bend * bend * (3 - 2 * bend)
    carrier.side[:] = np.maximum(carrier.side, 0.8)
    single = copy.copy(carrier)
    single.figure = copy.copy(carrier.figure)
    single.figure.load = None
    laden = stage.when >= swap if removed else stage.when < swap
    carrier.here, single.here = carrier.here & laden, carrier.here & ~laden
    coming = 1 if stops[0][1] < spot else -1
    aside = spot + 0.2 * body * coming
    thing = Prop(stage, load, [(-1, aside, y + 0.01 * body), (stage.seconds + 1, aside, y + 0.01 * body)])
    thing.here = ~laden
    stage.actors += [carrier, single, thing]
    return stage.film()


# Vehicles


def parking(rng):
    """A car drives in and parks to the end; somebody gets out and walks away."""
    stage = Scene(rng, road=True, seconds=(28, 40), time=rng.choice(("sun", "overcast", "overcast", "dusk", "lamps")))
    width, y = stage.truth.width, stage.canvas.road
    body = stage.canvas.body(y)
    reach, facing = 1.5 * body, rng.choice((-1, 1))
    edge, spot = (-reach if facing > 0 else width + reach), rng.uniform(0.3, 0.7) * width
    start, duration = rng.uniform(QUIET, 9), rng.uniform(3, 6)
    shares = np.linspace(0, 1, 30)
    stops = [(start + duration * share, spot + (edge - spot) * (1 - share) ** 1.8, y) for share in shares]
    kind = rng.choice(("saloon", "hatch", "van"))
    car = Actor(stage, Car(rng, kind, stage.ground_luma()), [*stops, (stage.seconds + 1, spot, y)])
    stage.actors.append(car)
    leaves = start + duration + rng.uniform(2, 5)
    door, foot = spot + facing * 0.15 * body, y + 0.07 * body
    end = -0.5 * body if rng.random() < 0.5 else width + 0.5 * body
    pace = rng.uniform(0.6, 1.1) * body
    away = leaves + 2 + float(np.clip(abs(end - door) / pace, 2, stage.seconds - leaves - 4))
    down = min(foot + rng.uniform(0, 0.4) * body, 0.97 * stage.truth.height)
    driver = Actor(stage, Person(rng, stage.ground_luma()),
                   [(leaves, door, foot), (leaves + 2, door, foot), (away, end, down)])
    driver.sit = np.clip(1 - (stage.when - leaves) / 1.2, 0, 1)
    stage.actors.append(driver)
    return stage.film()


def street(rng):
    """Four to six cars, people and cyclists pass one after the other with pauses of four to eight seconds."""
    stage = Scene(rng, road=True, seconds=(45, 45))
    moment, number = rng.uniform(QUIET, 7), 0
    walk_y = stage.canvas.road + 0.25 * stage.canvas.body(stage.canvas.road)
    while moment < stage.seconds - 6 and number < 6:
        kind = rng.choice(("car", "car", "person", "cyclist"))
        ground, way = stage.ground_luma(), rng.choice((-1, 1))
        if kind == "car":
            figure, y, reach, duration = Car(rng, ground=ground), stage.canvas.road, 1.5, rng.uniform(1.5, 3.5)
        elif kind == "cyclist":
            figure, y, reach, duration = Cyclist(rng, ground), stage.canvas.road, 0.7, rng.uniform(2, 4)
        else:
            figure, y, reach = Person(rng, ground), min(walk_y, 0.97 * stage.truth.height), 0.45
            duration = float(np.clip(stage.truth.width / stage.canvas.body(y) / rng.uniform(0.8, 1.4), 3, 6.5))
        stage.actors.append(Actor(stage, figure, across(stage, y, reach, way, moment, duration)))
        moment += duration + rng.uniform(4, 8 if number > 1 else 5.5)
        number += 1
    return stage.film()


# A cat


def cat(rng):
    """A cat trots in, stops, looks around and trots on."""
    stage = Scene(rng, inside=rng.random() < 0.15, seconds=(26, 36))
    y = stage.foot(0.24)
    body, width = stage.canvas.body(y), stage.truth.width
    clear(stage, y)
    way, spot = rng.choice((-1, 1)), rng.uniform(0.3, 0.7) * width
    first, last = (-0.3 * body, width + 0.3 * body)[::way]
    pace, stay = rng.uniform(0.5, 1.1) * body, rng.uniform(3, 6)
    start = rng.uniform(QUIET, 8)
    arrives = start + abs(spot - first) / pace
    leaves = arrives + stay
    quick = pace * rng.uniform(0.8, 1.6)
    stops = [(start, first, y), (arrives, spot, y), (leaves, spot, y), (leaves + abs(last - spot) / quick, last, y)]
    stage.actors.append(Actor(stage, Cat(rng, stage.ground_luma()), stops))
    return stage.film()


# From above


def corridor(rng, width, height):
    """A corridor or a hall from straight above: the floor, walls at both sides, a mat, some furniture."""
    canvas = Canvas(width, height, -1e6, 0.0, 0)
    unit = rng.uniform(0.26, 0.46) * width  # a body height on the floor
    canvas.scale = unit / 1e6
    kind = rng.choice(("tiles", "carpet", "parquet", "paving"))
    canvas.image[:] = surface(rng, kind, 2 * height, 2 * width, 2 * unit)
    y, x = np.mgrid[-1:1:2 * height * 1j, -1:1:2 * width * 1j]
    canvas.image *= (1.12 - 0.3 * np.hypot(x, y) ** 2)[..., None].astype(np.float32)
    canvas.sky[:] = 0
    tone = paint_colour(rng, 120, 220, 0.2)
    for side in (0, 1):
        wide = rng.uniform(0.05, 0.16) * width
        edge, inner, step = (0, wide, 0.35 * wide) if side == 0 else (width, width - wide, -0.35 * wide)
        canvas.fill([(edge, 0), (inner - step, 0), (inner - step, height), (edge, height)], tone)
        foot = [(inner - step, 0), (inner, 0.1 * height), (inner, 0.9 * height), (inner - step, height)]
        canvas.fill(foot, tone * 0.7)
    if rng.random() < 0.6:
        left, top = rng.uniform(0.3, 0.5) * width, rng.uniform(0.1, 0.6) * height
        mat = surface(rng, "carpet", int(0.5 * unit), int(0.8 * unit), unit) * 0.7
        canvas.lay(mat, rectangle(left, top, left + 0.4 * unit, top + 0.25 * unit))
    for _ in range(rng.integers(0, 3)):
        at_left = rng.random() < 0.5
        left, top = (0.13 if at_left else 0.75) * width, rng.uniform(0, 0.8) * height
        canvas.fill(rectangle(left, top, left + 0.12 * width, top + rng.uniform(0.2, 0.4) * unit),
                    paint_colour(rng, 40, 180, 0.5))
    return canvas


def overhead(rng):
    """From straight above, somebody enters a corridor, at times stops in it, and leaves."""
    stage = Scene(rng, place=corridor, time="room", seconds=(24, 34))
    width, height = stage.truth.width, stage.truth.height
    unit = stage.canvas.body(0)
    for number in range(1 if rng.random() < 0.6 else 2):
        down = rng.choice((-1, 1))
        x = rng.uniform(0.32, 0.68) * width
        end = x + rng.uniform(-0.12, 0.12) * width
        first, last = (-0.1 * unit, height + 0.5 * unit)[::down]
        start = rng.uniform(QUIET, 8) if number == 0 else rng.uniform(15, stage.seconds - 8)
        duration = abs(last - first) / (rng.uniform(0.35, 0.8) * unit)
        stops = [(start, x, first), (start + duration, end, last)]
        if rng.random() < 0.35 and number == 0:
            middle, rest = ((x + end) / 2, (first + last) / 2), rng.uniform(2, 4)
            stops = [stops[0], (start + duration / 2, *middle), (start + duration / 2 + rest, *middle),
                     (start + duration + rest, end, last)]
        heading = math.atan2(-(last - first), end - x)
        person = Actor(stage, PersonFromAbove(rng, stage.ground_luma(), heading), stops)
        person.facing[:] = 1
        stage.actors.append(person)
    return stage.film()
