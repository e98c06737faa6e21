"""Scenes of things that move by themselves without being of interest: water, insects, a spider."""

import math

import cv2
import numpy as np

from .paint import SHIFT, blend, fractal, paint_colour, rectangle, speckle, subpixel, veil
from .stage import Stage


# Water


def water(rng, walkers=False):
    """A pool with ripples and glints, most times with a fountain whose jets waver."""
    stage = Stage(rng, time=rng.choice(("sun", "overcast", "dusk", "lamps")))
    canvas, height, width = stage.canvas, stage.truth.height, stage.truth.width
    ry = rng.uniform(0.06, 0.12) * height
    rx = rng.uniform(0.2, 0.6) * width
    x, y = rng.uniform(0.25, 0.75) * width, canvas.top + 0.02 * height + ry
    rim = np.linspace(0, 2 * np.pi, 60)
    for grow, colour in ((1.1, (150, 155, 160)), (1.04, (95, 98, 100))):
        canvas.fill(np.stack([x + grow * rx * np.cos(rim), y + grow * ry * np.sin(rim)], 1), colour)
    canvas.top = y + 1.15 * ry
    if walkers:
        stage.walkers()
    left, top = max(int(x - rx), 0), int(y - ry)
    gy, gx = np.mgrid[top:int(y + ry), left:min(int(x + rx), width)].astype(np.float32)
    inside = (np.hypot((gx - x) / rx, (gy - y) / ry) < 1).astype(np.float32)
    depth = 60 / (gy - canvas.horizon)
    maps = [((gx - x) * depth * 0.7 + 300, depth * 260 + 100), ((gx - x) * depth * 0.5 + 200, depth * 190 + 40)]
    waves = [fractal(rng, 512, 1024, rng.uniform(10, 30), 4) for _ in maps]
    flow, gusts = rng.uniform(-40, 40, (2, 2)), stage.gusts()
    deep, bright = paint_colour(rng, 40, 90, 0.5), np.float32([225, 222, 215])
    sparkle = rng.uniform(0.3, 1) if stage.time == "sun" else 0.15

    def pool(frame, i):
        time = i / stage.truth.rate
        ripple = sum(cv2.remap(wave, mx + np.float32(fx * time), my + np.float32(fy * time), cv2.INTER_LINEAR,
                               borderMode=cv2.BORDER_REFLECT)
                     for wave, (mx, my), (fx, fy) in zip(waves, maps, flow))
        light = np.clip(0.4 + 0.12 * (0.5 + 0.5 * gusts[i]) * ripple, 0, 1) + sparkle * (ripple > 2.4)
        colour = deep + np.minimum(light, 1.1)[..., None] * (bright - deep)
        sprite = stage.light.grade(np.dstack([colour * inside[..., None], 255 * inside]).astype(np.float32), left, top)
        seen = stage.visible(left, top, *inside.shape, canvas.top)
        blend(frame, cv2.GaussianBlur(sprite, (0, 0), stage.blur), left, top, seen)

    stage.under.append(pool)
    plays = int(rng.uniform(120, 400)) if not walkers or rng.random() < 0.6 else 0
    fountain(stage, x, y, plays, gusts)
    return stage.film()


def fountain(stage, x, y, count, gusts):
    """A fountain of as many jets, if any, that leans in the wind."""
    rng, height, width = stage.rng, stage.truth.height, stage.truth.width
    jet = rng.uniform(0.12, 0.3) * height
    spread, phases, strong = rng.normal(0, 1, (count, 2))[:, 0], rng.uniform(0, 1, count), rng.uniform(0.75, 1.0, count)
    level = np.clip(1 + 0.15 * stage.course(0.8), 0.4, 1.4)
    glow = cv2.transform(np.float32([[[240, 240, 238]]]), stage.light.matrix)[0, 0]

    def effect(frame, i):
        age = (phases + i / stage.truth.rate * 0.9) % 1
        rise = jet * level[i] * strong * 4 * age * (1 - age)
        side = spread * age * jet * 0.22 + 0.05 * jet * gusts[i] * age**2
        fall = jet * strong * 4 * (1 - 2 * age) * 0.9 * 0.03
        head = np.stack([x + side, y - rise], 1)
        tail = head + np.stack([spread * 0.006 * jet, fall], 1)
        mask = np.zeros((height, width), np.uint8)
        lines = subpixel(np.stack([head, tail], 1))
        cv2.polylines(mask, lines, False, 150, max(1, height // 240), cv2.LINE_AA, SHIFT)
        crest = (int(x), int(y - 0.6 * jet * level[i]))
        cv2.line(mask, (int(x), int(y)), crest, 110, max(1, height // 150), cv2.LINE_AA)
        speckle(frame, cv2.GaussianBlur(mask, (0, 0), stage.blur), glow)

    if count:
        stage.under.append(effect)


# Insects and a spider


def insects_near_lens(rng):
    """Insects fly past close to the lens, each for a moment, fast and blurred."""
    stage = Stage(rng, time=rng.choice(("infrared", "infrared", "lamps", "sun", "overcast")))
    truth, night = stage.truth, stage.time in ("infrared", "lamps")
    rows, columns = truth.height // 4, truth.width // 4
    flights = []
    for _ in range(rng.integers(8, 26)):
        way = rng.uniform(-0.2, 1.2, (3, 2))
        way[0, rng.integers(2)], way[2, rng.integers(2)] = rng.choice((-0.15, 1.15), 2)
        flights.append((rng.uniform(0, stage.seconds), rng.uniform(0.15, 0.8), way * (columns, rows),
                        rng.uniform(0.01, 0.05) * columns, rng.uniform(0.35, 0.95)))
    colour, shutter = (235 if night else rng.uniform(20, 70)), rng.uniform(0.01, 0.035)

    def effect(frame, i):
        mask = np.zeros((rows, columns), np.float32)
        for start, duration, (a, b, c), size, opacity in flights:
            for step in range(5):
                share = (i / truth.rate - start + step * shutter / 5) / duration
                if 0 <= share <= 1:
                    x, y = (1 - share) ** 2 * a + 2 * share * (1 - share) * b + share**2 * c
                    wings = size * (1 + 0.5 * math.sin(60 * share * duration + step))
                    one = np.zeros_like(mask)
                    shape = ((float(x), float(y)), (float(2 * wings), float(size)), 90 * share)
                    cv2.ellipse(one, shape, opacity / 3, -1)
                    mask += one
        if mask.any():
            veil(frame, np.minimum(cv2.GaussianBlur(mask, (0, 0), 0.012 * columns + 0.5), 0.95), colour)

    stage.over.append(effect)
    return stage.film()


def moths_at_lamp(rng):
    """Moths circle a lamp at night, bright in the infrared light."""
    stage = Stage(rng, time=rng.choice(("infrared", "infrared", "lamps")))
    truth, canvas = stage.truth, stage.canvas
    x, y = rng.uniform(0.2, 0.8) * truth.width, rng.uniform(0.12, 0.35) * truth.height
    canvas.fill(rectangle(x - 2, y, x + 2, canvas.top), (90, 90, 90))
    gy, gx = np.mgrid[0:truth.height:2, 0:truth.width:2]
    far = np.hypot(gx - x, gy - y) / truth.height
    glow = (np.exp(-(far / 0.02) ** 2) + 0.5 * np.exp(-far / 0.08)).clip(0, 1)
    moths = []
    for _ in range(rng.integers(3, 10)):
        reach = rng.uniform(0.05, 0.3) * truth.height
        turn = np.cumsum(2 * np.pi * (rng.uniform(0.4, 1.4) + 0.3 * stage.course(0.5))) / truth.rate
        away = reach * (1 + 0.5 * stage.course(0.8))
        xs = x + away * np.cos(turn) + 0.3 * reach * stage.course(0.15)
        ys = y + 0.8 * away * np.sin(1.3 * turn) + 0.3 * reach * stage.course(0.15)
        moths.append((xs, ys, rng.uniform(1, 3.5), rng.uniform(0, 6)))

    def effect(frame, i):
        mask = np.zeros((truth.height, truth.width), np.uint8)
        for xs, ys, size, start in moths:
            before = max(i - 1, 0)
            head = np.float64([xs[i], ys[i]])
            tail = head + 0.35 * (np.float64([xs[before], ys[before]]) - head)
            bright = max(140 + 100 * math.sin(25 * i / truth.rate + start), 50)
            thickness = max(1, round(size * truth.height / 400))
            cv2.polylines(mask, subpixel([[tail, head]]), False, bright, thickness, cv2.LINE_AA, SHIFT)
        speckle(frame, cv2.GaussianBlur(mask, (0, 0), 0.8), (245, 248, 250))

    stage.under.append(lambda frame, i: veil(frame, glow, (225, 240, 250)))
    stage.over.append(effect)
    return stage.film()


def spider(rng):
    """A spider on the lens, large and blurred, hangs, sways and crawls."""
    stage = Stage(rng)
    truth, night = stage.truth, stage.time in ("infrared", "lamps")
    rows, columns = truth.height // 2, truth.width // 2
    size = rng.uniform(0.05, 0.13) * columns
    times = np.cumsum(rng.uniform(0.6, 3, 40))
    spots = np.cumsum(rng.normal(0, 0.09, (40, 2)) * (rng.random((40, 1)) < 0.55), 0)
    spots = rng.uniform(0.3, 0.7, 2) + np.clip(spots, -0.35, 0.35)
    hang = rng.uniform(0.005, 0.03) * np.sin(2 * np.pi * rng.uniform(0.3, 0.8) * stage.when) * stage.gusts()
    xs = columns * (np.interp(stage.when, times, spots[:, 0]) + hang)
    ys = rows * np.interp(stage.when, times, spots[:, 1])
    walked = np.cumsum(np.hypot(np.gradient(xs), np.gradient(ys))) / size
    twitch = np.maximum(stage.course(0.3), 0)
    turn = rng.uniform(0, 360) + 25 * stage.course(2)
    colour = rng.uniform(180, 240) if night else rng.uniform(10, 40)
    opacity, blur = rng.uniform(0.6, 0.95), rng.uniform(0.05, 0.16)
    thread = rng.random() < 0.5

    def effect(frame, i):
        mask = np.zeros((rows, columns), np.float32)
        x, y = float(xs[i]), float(ys[i])
        if thread:
            cv2.line(mask, (int(x), 0), (int(x), int(y)), 0.35, 1)
        for leg in range(8):
            side, pair = (1 if leg % 2 else -1), leg // 2
            step = 12 * math.sin(5 * walked[i] + 2.1 * leg) + 6 * twitch[i] * math.sin(i + leg)
            angle = np.radians(turn[i] + side * (35 + 37 * pair) + step)
            knee = np.float64([x, y]) + size * np.float64([math.cos(angle), math.sin(angle)])
            tip = knee + 0.8 * size * np.float64([math.cos(angle + 0.6 * side), math.sin(angle + 0.6 * side)])
            thickness = max(1, round(0.1 * size))
            cv2.polylines(mask, [subpixel([(x, y), knee, tip])], False, 0.8, thickness, cv2.LINE_8, SHIFT)
        heading = np.radians(turn[i])
        back = (x - 0.5 * size * math.cos(heading), y - 0.5 * size * math.sin(heading))
        cv2.ellipse(mask, (back, (1.1 * size, 0.85 * size), float(turn[i])), 1, -1)
        cv2.ellipse(mask, ((x, y), (0.7 * size, 0.6 * size), float(turn[i])), 1, -1)
        veil(frame, opacity * cv2.GaussianBlur(mask, (0, 0), blur * size + 0.5), colour)

    stage.over.append(effect)
    return stage.film()
