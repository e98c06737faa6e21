"""Scenes of things that the wind moves: trees, bushes and branches, a flag, steam."""

import math

import cv2
import numpy as np

from .paint import blend, fractal, leafage, paint_colour, patch, rectangle, veil
from .stage import Stage


def swaying(stage, sprite, left, top, gusts, amplitude, weight, y=0.0):
    """The effect of a plant moved by the wind: it bends as a whole, its branches swing and its leaves flutter.

    `weight` tells how far each part of the sprite moves with the amplitude; the plant stands at y, if that is given.
    """
    rng, rate = stage.rng, stage.truth.rate
    height, width = sprite.shape[:2]
    small = (height // 8 + 2, width // 8 + 2)
    weight = cv2.resize(weight.astype(np.float32), small[::-1])
    swings, courses = [], []
    for _ in range(5):
        shapes = [fractal(rng, *small, max(2, rng.uniform(0.2, 0.5) * max(small)), 2) for _ in range(2)]
        swings.append(np.stack([shapes[0] * weight, 0.6 * shapes[1] * weight], 2))
        turn = 2 * np.pi * rng.uniform(0.3, 1.8) * np.arange(stage.truth.frames) / rate
        courses.append(0.35 * amplitude * gusts * np.sin(turn + 1.2 * stage.course(1.5)))
    bend = amplitude * (cv2.blur(gusts.astype(np.float32)[None], (max(1, int(0.6 * rate)), 1))[0] - 0.6)
    bend *= rng.choice((-1, 1))
    glitter = [0.12 * fractal(rng, height, width, 6, 2) for _ in range(2)]
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), 2).astype(np.float32)
    sprite = stage.light.grade(sprite, left, top)
    sprite = np.clip(cv2.GaussianBlur(sprite, (0, 0), stage.blur), 0, 255).astype(np.uint8)

    def effect(frame, i):
        move = sum(np.float32(course[i]) * swing for course, swing in zip(courses, swings))
        move[..., 0] += np.float32(bend[i]) * weight
        moved = cv2.remap(sprite, grid + cv2.resize(move, (width, height)), None, cv2.INTER_LINEAR).astype(np.float32)
        turn = 5 * i / rate
        flutter = min(gusts[i], 1.5) * (math.cos(turn) * glitter[0] + math.sin(1.3 * turn) * glitter[1])
        moved[..., :3] *= 1 + flutter[..., None]
        blend(frame, moved, left, top, stage.visible(left, top, height, width, y) if y else None)

    return effect


def tree(stage, gusts, amplitude):
    """A tree or bush in front of the backdrop, behind every passer-by."""
    rng, canvas = stage.rng, stage.canvas
    height, width = stage.truth.height, stage.truth.width
    wide, tall = int(width * rng.uniform(0.22, 0.5)), int(height * rng.uniform(0.22, 0.55))
    foot = canvas.top + 0.02 * height
    bush = rng.random() < 0.4
    x = rng.uniform(0.1, 0.9) * width
    top = int(foot - tall * (0.95 if bush else 1.15))
    if not bush:
        thick = 0.02 * tall + 1
        for lean in (0, -0.2 * wide, 0.18 * wide):
            canvas.fill([(x - thick, foot), (x + thick, foot), (x + lean + 0.4 * thick, top + 0.35 * tall),
                         (x + lean - 0.4 * thick, top + 0.35 * tall)], (40, 55, 68))
    sprite = leafage(rng, wide, tall, max(2.5, rng.uniform(0.008, 0.016) * height))
    weight = np.linspace(1.2, 0.15, tall)[:, None] * np.ones((1, wide))
    stage.under.append(swaying(stage, sprite, int(x - wide / 2), top, gusts, amplitude, weight, foot))


def foliage(rng, walkers=False, strength=(0.004, 0.014), cold=False):
    """Trees and bushes sway in gusts of wind; a cold tree swings widely from the first picture on."""
    stage = Stage(rng)
    gusts = stage.gusts()
    if cold:
        gusts = np.maximum(gusts, 0.9 + 0.2 * np.sin(stage.when))
    for _ in range(rng.integers(2 if cold else 1, 4)):
        tree(stage, gusts, rng.uniform(*strength) * stage.truth.width)
    if walkers:
        stage.walkers()
    return stage.film()


def foliage_near(rng):
    """A branch close to the camera, large and out of focus, swings into the picture."""
    stage = Stage(rng)
    height, width = stage.truth.height, stage.truth.width
    wide, tall = int(width * rng.uniform(0.3, 0.6)), int(height * rng.uniform(0.35, 0.7))
    at_right, hangs = rng.random() < 0.5, rng.random() < 0.6
    left = width - int(0.75 * wide) if at_right else -int(0.25 * wide)
    top = -int(0.2 * tall) if hangs else height - int(0.75 * tall)
    sprite = leafage(rng, wide, tall, rng.uniform(0.03, 0.06) * height)
    twig = np.zeros((tall, wide, 4), np.float32)
    start = (wide if at_right else 0, 0 if hangs else tall)
    cv2.line(twig, start, (wide // 2, tall // 2), (35, 45, 60, 255), max(3, height // 60))
    leaves = sprite[..., 3:] / 255
    sprite = cv2.GaussianBlur(sprite + twig * (1 - leaves), (0, 0), rng.uniform(0.006, 0.014) * height)
    y, x = np.mgrid[0:1:tall * 1j, 0:1:wide * 1j]
    weight = np.hypot(x - start[0] / wide, y - start[1] / tall)
    stage.over.append(swaying(stage, sprite, left, top, stage.gusts(), rng.uniform(0.012, 0.04) * width, weight))
    return stage.film()


def flag(rng, walkers=False):
    """A flag on a pole waves, flaps and droops in changing wind."""
    stage = Stage(rng)
    height, width = stage.truth.height, stage.truth.width
    tall = int(height * rng.uniform(0.1, 0.24))
    wide = int(tall * rng.uniform(1.3, 1.8))
    x, y = rng.uniform(0.15, 0.75) * width, rng.uniform(0.06, 0.2) * height
    foot = stage.canvas.top + 2
    stage.canvas.fill(rectangle(x - 2.5, y - 5, x, foot), (170, 175, 178))
    if walkers:
        stage.walkers()
    cloth = striped_cloth(rng, tall, wide)
    gusts = np.clip(stage.gusts(), 0.15, 2)
    turn = np.cumsum(2 * np.pi * rng.uniform(1.0, 2.2) * (0.5 + 0.5 * gusts)) / stage.truth.rate
    v, u = np.mgrid[-0.6:2.0:int(2.6 * tall) * 1j, 0:1.05:int(1.05 * wide) * 1j].astype(np.float32)
    facing, waves = rng.choice((-1, 1)), rng.uniform(1.1, 2.0)

    def effect(frame, i):
        blow = min(1.0, 0.45 + 0.5 * gusts[i])
        along = u / blow
        wave = 2 * np.pi * waves * along - turn[i]
        lift = 0.16 * along * (0.5 + 0.5 * gusts[i]) * np.sin(wave + v) + (1 - blow) * 1.3 * along**1.5
        light = 1 + 0.28 * np.minimum(along * 2, 1) * np.cos(wave + v)
        sprite = cv2.remap(cloth, along * wide, (v - lift) * tall, cv2.INTER_LINEAR)
        sprite[..., :3] *= light[..., None]
        sprite = sprite[:, ::facing]
        left, top = int(x if facing > 0 else x - 2 - sprite.shape[1]), int(y - 0.6 * tall)
        sprite = cv2.GaussianBlur(stage.light.grade(sprite, left, top), (0, 0), stage.blur)
        blend(frame, sprite, left, top, stage.visible(left, top, *sprite.shape[:2], foot))

    stage.under.append(effect)
    return stage.film()


def striped_cloth(rng, tall, wide):
    """The sprite of a flag of three stripes, horizontal or vertical."""
    cloth = np.zeros((tall, wide, 3), np.float32)
    for number in range(3):
        cloth[number * tall // 3:(number + 1) * tall // 3] = paint_colour(rng, 40, 240, 1.0)
    if rng.random() < 0.4:
        cloth = np.ascontiguousarray(cv2.resize(cloth.swapaxes(0, 1), (wide, tall)))
    return np.dstack([cloth, np.full((tall, wide), 255, np.float32)])


def steam(rng):
    """Steam comes from a vent in a wall, rises, drifts with the wind and thins out."""
    stage = Stage(rng, backdrop=rng.choice(("houses", "fence")))
    truth, canvas = stage.truth, stage.canvas
    rows, columns = truth.height // 4, truth.width // 4
    x, y = rng.uniform(0.15, 0.85) * truth.width, canvas.top - rng.uniform(0.3, 1.5) * canvas.body(canvas.top)
    half = 0.02 * truth.height
    canvas.fill(rectangle(x - half, y - half, x + half, y + half), (60, 62, 65))
    count, life, lead = 60, rng.uniform(2, 4.5), int(5 * truth.rate)
    births, rise = rng.uniform(0, life, count), rng.uniform(0.12, 0.28) * rows
    spread, sizes = rng.normal(0, 1, count), rng.uniform(0.7, 1.4, count)
    wind = rng.uniform(-0.1, 0.1) * columns * stage.gusts()
    blown = np.concatenate([np.zeros(lead), np.cumsum(wind) / truth.rate])
    output = np.clip(1 + 0.5 * stage.course(1.5), 0.1, 2)
    bell = cv2.getGaussianKernel(48, 10)
    puffs = [np.clip(bell @ bell.T * 630 * (1 + fractal(rng, 48, 48, 24)), 0, None).astype(np.float32)
             for _ in range(6)]
    colour, thick = np.float32([200, 200, 198]) * rng.uniform(0.8, 1.1), rng.uniform(0.1, 0.25)

    def effect(frame, i):
        dense = np.zeros((rows, columns), np.float32)
        now = i + lead
        for number in range(count):
            age = (births[number] + i / truth.rate) % life
            share = age / life
            born = max(0, now - int(age * truth.rate))
            side = blown[now] - blown[born] + spread[number] * (0.5 + 4 * share)
            wide = int(rows * sizes[number] * (0.05 + 0.24 * share)) + 3
            puff = cv2.resize(puffs[number % 6], (wide, wide))
            left, top = int(x / 4 + side - wide / 2), int(y / 4 - rise * age - wide / 2)
            there, here = patch(dense.shape, left, top, wide, wide)
            dense[there] += thick * output[i] * (1 - share) ** 1.5 * puff[here]
        veil(frame, 1 - np.exp(-cv2.GaussianBlur(dense, (0, 0), 1)), colour)

    stage.over.append(effect)
    return stage.film()
