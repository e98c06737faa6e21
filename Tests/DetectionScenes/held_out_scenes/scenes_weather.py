"""Scenes of weather: rain, snow, clouds and their shadows."""

import math

import cv2
import numpy as np

from .figures import Person
from .paint import SHIFT, fractal, shade, speckle, subpixel
from .stage import Stage


def fall(stage, layers, glow, wind_speed):
    """Drops or flakes in layers of (count, fall in heights per second, thickness in pixels, shutter, opacity, wobble).

    The count is for a picture of 640 by 480, wobble is in heights; each layer is nearer than the one before it.
    """
    rng, truth = stage.rng, stage.truth
    width, height = truth.width, truth.height
    wind = wind_speed * height * stage.gusts() * np.sign(rng.normal())
    drift = np.cumsum(wind) / truth.rate
    drops = []
    for count, speed, thickness, shutter, opacity, wobble in layers:
        count = max(3, int(count * width * height / 307_200))
        places = rng.uniform(0, 1, (count, 2)) * (width, 2 * height)
        speeds = speed * height * rng.uniform(0.75, 1.25, count)
        paces, starts = rng.uniform(0.5, 2, count), rng.uniform(0, 6.3, count)
        drops.append((places, speeds, paces, starts, thickness, shutter, opacity, wobble * height))

    def effect(frame, i):
        time = i / truth.rate
        sharp, blurred = masks = np.zeros((2, height, width), np.uint8)
        for places, speeds, pace, start, thickness, shutter, opacity, wobble in drops:
            share = speeds.mean() / (height * layers[-1][1])
            lap, y = np.divmod(places[:, 1] + speeds * time, 1.3 * height)
            turn = pace * time * 2 + start
            x = (places[:, 0] + share * drift[i] + wobble * np.sin(turn) + 0.618 * width * lap) % (1.1 * width)
            tail = np.stack([share * wind[i] + 2 * pace * wobble * np.cos(turn), speeds], 1) * shutter
            head = np.stack([x - 0.05 * width, y - 0.15 * height], 1)
            lines = subpixel(np.stack([head - tail, head], 1))
            mask = blurred if thickness > 2 else sharp
            for part, strength in ((lines[::2], 1.0), (lines[1::2], 0.55)):
                cv2.polylines(mask, part, False, 255 * opacity * strength, max(1, round(thickness)), cv2.LINE_AA, SHIFT)
        if blurred.any():
            blurred[:] = cv2.GaussianBlur(blurred, (0, 0), max(1, height / 300))
        speckle(frame, masks.max(0), glow)

    stage.over.append(effect)


def rain(rng, amount, walkers=False, umbrella=False):
    """Rain falls in gusts, as streaks of several depths, splashing on the ground; in heavy rain the distance fades."""
    stage = Stage(rng, time=rng.choice(("overcast", "overcast", "dusk", "infrared")))
    if walkers:
        person = Person(rng, stage.ground_luma(), umbrella=True) if umbrella else None
        stage.walkers(person, 1 if umbrella else None)
    night = stage.time == "infrared"
    glow = np.float32([1, 0.99, 0.97]) * rng.uniform(170, 215)
    size, near = stage.truth.height / 400, 0.55 if night else 0.42
    amount = amount * rng.uniform(0.75, 1.3)
    splash(stage, amount, glow, 90 if night else 140)
    layers = [(500 * amount, 1.2, 1, 0.02, 0.35 * near, 0), (220 * amount, 2.0, 1.2 * size, 0.022, 0.7 * near, 0),
              (70 * amount, 3.2, 1.6 * size, 0.025, near, 0), (8 * amount, 5, 3.2 * size, 0.03, 0.7 * near, 0)]
    fall(stage, layers, glow, rng.uniform(0.1, 0.8))
    return stage.film()


def splash(stage, amount, glow, haze):
    """The rings of drops on the ground, and in heavy rain a haze of the given brightness."""
    ground, height, width = int(stage.canvas.top), stage.truth.height, stage.truth.width
    thickening = 0.18 * np.clip(amount - 0.4, 0, 1) * np.clip(1 + 0.25 * stage.course(2), 0, 2)
    seed = int(stage.rng.integers(2**31))

    def effect(frame, i):
        frame += np.float32(thickening[i]) * (np.float32(haze) - frame)
        dots = np.random.default_rng((seed, i))
        mask = np.zeros((height, width), np.uint8)
        for x, y in dots.uniform((0, ground), (width, height), (int(60 * amount), 2)):
            wide = max(1, int(2 * (y - stage.canvas.horizon) / height * (height / 400) + 0.5))
            cv2.ellipse(mask, (int(x), int(y)), (wide, max(1, wide // 2)), 0, 0, 360, float(dots.uniform(20, 80)), 1)
        speckle(frame, mask, glow)

    stage.over.append(effect)


def snow(rng, amount, walkers=False):
    """Snow drifts in gusts, from fine far flakes to large blurred ones near the lens, over ground turned white."""
    stage = Stage(rng, time=rng.choice(("overcast", "overcast", "dusk", "infrared")))
    canvas = stage.canvas
    below = canvas.image[int(2 * canvas.top):]
    cover = np.clip(0.5 + rng.uniform(-0.4, 0.6) + 0.4 * fractal(rng, *below.shape[:2], 60), 0, 0.9)[..., None]
    below += cover * (np.float32([205, 200, 195]) - below)
    if walkers:
        stage.walkers()
    size, slow = stage.truth.height / 400, rng.uniform(0.7, 1.3)
    layers = [(450 * amount, 0.12 * slow, 1, 0.02, 0.4, 0.01),
              (200 * amount, 0.25 * slow, 1.6 * size, 0.02, 0.55, 0.02),
              (60 * amount, 0.45 * slow, 2.6 * size, 0.02, 0.7, 0.03),
              (14 * amount, 0.8 * slow, 6 * size, 0.025, 0.55, 0.05)]
    fall(stage, layers, rng.uniform(200, 250), rng.uniform(0.05, 0.6))
    return stage.film()


def clouds(rng, walkers=False):
    """Clouds drift and change in a large sky, and the light on the ground changes a little with them."""
    stage = Stage(rng, time=rng.choice(("sun", "overcast", "dusk")), horizon=rng.uniform(0.42, 0.58))
    if walkers:
        stage.walkers()
    rate, width, light = stage.truth.rate, stage.truth.width, stage.light
    rows, columns = int(stage.canvas.top) // 2, width // 2
    pace = rng.uniform(2, 14, 2) * width / 640 * rng.choice((-1, 1))
    reach = int(np.abs(pace).max() * stage.seconds) + 4
    fields = [fractal(rng, rows, columns + reach, columns * rng.uniform(0.2, 0.5), 6) for _ in range(2)]
    blue, white = np.float32([225, 170, 120]) * rng.uniform(0.6, 1), np.float32([235, 232, 228])
    amount, change = rng.uniform(-0.3, 0.5), rng.uniform(0.05, 0.25)
    stage.gain = stage.gain * (1 + rng.uniform(0.02, 0.06) * stage.course(3))

    def effect(frame, i):
        time = i / rate
        parts = []
        for field, speed in zip(fields, pace):
            shift = speed * time if speed > 0 else reach + speed * time
            parts.append(cv2.warpAffine(field, np.float32([[1, 0, -shift], [0, 1, 0]]), (columns, rows)))
        mix = 0.5 + 0.5 * math.sin(change * time)
        dense = np.clip(0.5 + 0.7 * (parts[0] * (1 - mix) + parts[1] * mix + amount), 0, 1)[..., None]
        cloud = white * (1 - 0.2 * np.clip(parts[1], 0, 2)[..., None])
        sky = cv2.transform(blue + dense * (cloud - blue), light.matrix) + np.float32(light.lift)
        sky = cv2.resize(sky, (width, 2 * rows))
        upper = frame[:2 * rows]
        upper += stage.sky[:2 * rows, :, None] * (sky - upper)

    stage.under.append(effect)
    return stage.film()


def cloud_shadows(rng):
    """The soft shadows of clouds move over the ground and the walls."""
    stage = Stage(rng, time="sun")
    rows, columns = stage.truth.height // 8, stage.truth.width // 8
    speed = rng.uniform(0.08, 0.35) * columns * rng.choice((-1, 1))
    reach = int(abs(speed) * stage.seconds) + 2
    shadow = fractal(rng, rows, columns + reach, columns * rng.uniform(0.7, 1.4), 3)
    shadow = 1 / (1 + np.exp(-3 * shadow - rng.uniform(-1, 1)))
    depth = rng.uniform(0.25, 0.5)

    def effect(frame, i):
        shift = speed * i / stage.truth.rate + (reach if speed < 0 else 0)
        move = np.float32([[1, 0, -shift], [0, 1, 0]])
        part = cv2.warpAffine(shadow, move, (columns, rows), borderMode=cv2.BORDER_REPLICATE)
        shade(frame, 1 - depth * part)

    stage.over.append(effect)
    return stage.film()
