"""Scenes of the third set with weather, water, plants and insects that are restless."""

import math

import cv2
import numpy as np

from .paint import SHIFT, fractal, patch, rectangle, shade, subpixel, surface, veil
from .places import Canvas, draw_houses, draw_trees
from .scenes_wind import swaying
from .stage import Actor
from .third_figures import Boat
from .third_stage import QUIET, Scene


# A lake


def shore(rng, width, height):
    """The far shore of a lake with trees or houses; the water is the lower half and still without waves."""
    horizon = height * rng.uniform(0.28, 0.44)
    canvas = Canvas(width, height, horizon, rng.uniform(0.3, 0.42), horizon + rng.uniform(0.05, 0.09) * height)
    rows = np.linspace(0.93, 1.08, 2 * height, dtype=np.float32)[:, None, None]
    clouds = fractal(rng, 2 * height, 2 * width, 0.6 * width)[..., None]
    canvas.image[:] = np.float32([235, 215, 195]) * rows + 12 * clouds
    unit = 0.05 * height
    if rng.random() < 0.4:
        draw_houses(rng, canvas, unit)
    else:
        hills = horizon - height * (0.08 + 0.05 * fractal(rng, 1, width, 0.5 * width, 4)[0])
        outline = [(0, canvas.top), *zip(range(width), hills), (width, canvas.top)]
        canvas.fill(outline, np.float32([95, 105, 90]) * rng.uniform(0.7, 1.2))
    draw_trees(rng, canvas, unit)
    canvas.fill(rectangle(0, canvas.top - 2, width, height), (95, 85, 70))
    canvas.fill(rectangle(0, canvas.top - 2, width, canvas.top), (90, 110, 120))
    return canvas


def lake(rng, boat=False):
    """A lake fills half of the picture with waves and glitter; at times a boat crosses slowly."""
    stage = Scene(rng, time=rng.choice(("sun", "sun", "overcast", "dusk")), place=shore, seconds=(30, 40),
                  rate=float(rng.choice((10, 10, 12.5, 15))))
    stage.light.field[:] = 1
    truth, canvas = stage.truth, stage.canvas
    width, height, top = truth.width, truth.height, int(canvas.top)
    gy, gx = np.mgrid[top:height, 0:width].astype(np.float32)
    depth = 0.12 * height / (gy - canvas.horizon + 2)
    middle, stretch = width / 2, rng.uniform(0.7, 1.3) * 640 / width
    waves = [fractal(rng, 512, 1024, size, 4, 0.7) for size in rng.uniform(6, 22, 2)]
    maps = [((gx - middle) * depth * stretch * share + 512, 900 * depth * share) for share in (1.0, 0.63)]
    flow = rng.uniform(-16, 16, (2, 2)) * (1, 0.8) + rng.choice((-1, 1)) * np.float32([[0, 9], [0, 7]])
    gusts = np.minimum(stage.gusts(), 1.6)
    deep = np.float32(rng.uniform((60, 60, 40), (110, 95, 75)))
    bright = np.float32([225, 215, 200]) * rng.uniform(0.75, 1.05)
    base = 0.3 + 0.3 * np.exp(-(gy - top) / (0.25 * height))
    calm = np.clip((gy - top) / (0.12 * height), 0.2, 1)
    sun = rng.uniform(0.1, 0.9) * width
    glitter = np.exp(-((gx - sun) / (0.05 * width + 0.5 * (gy - top))) ** 2) * (1.2 if stage.time == "sun" else 0.3)
    glitter, cut = np.float32(glitter * rng.uniform(0.4, 1)), rng.uniform(1.0, 2.0)
    reflection = cv2.resize(canvas.image, (width, canvas.height))[max(0, 2 * top - height):top][::-1]
    reflection = cv2.GaussianBlur(reflection, (0, 0), 1.5, sigmaY=6) * 0.75
    mirrored = np.zeros((height - top, width, 3), np.float32)
    mirrored[:len(reflection)] = reflection
    fade = np.float32(rng.uniform(0.3, 0.7) * np.exp(-(gy - top) / (0.2 * height)))[..., None]
    fade[len(reflection):] = 0

    def effect(frame, i):
        time = i / truth.rate
        ripple = sum(cv2.remap(wave, mx + np.float32(fx * time), my + np.float32(fy * time), cv2.INTER_LINEAR,
                               borderMode=cv2.BORDER_WRAP) for wave, (mx, my), (fx, fy) in zip(waves, maps, flow))
        light = np.clip(base + 0.1 * (0.4 + 0.6 * gusts[i]) * calm * ripple, 0, 1)
        colour = deep + light[..., None] * (bright - deep)
        colour += fade * (mirrored * (1 + 0.1 * ripple[..., None]) - colour)
        glint = glitter * np.clip(2.5 * (ripple - cut), 0, 1)
        colour += glint[..., None] * (np.float32(275) - colour)
        colour = cv2.transform(colour, stage.light.matrix) + np.float32(stage.light.lift)
        frame[top:] = cv2.GaussianBlur(colour, (0, 0), stage.blur) * stage.light.field[top:, :, None]

    stage.under.append(effect)
    if boat:
        cross(stage)
    return stage.film()


def cross(stage):
    """A boat crosses the lake with its wake behind it."""
    rng, truth, canvas = stage.rng, stage.truth, stage.canvas
    y = canvas.horizon + rng.uniform(0.09, 0.19) * truth.height / canvas.scale
    y = float(np.clip(y, canvas.top + 0.02 * truth.height, 0.9 * truth.height))
    body = canvas.body(y)
    duration = rng.uniform(10, min(20, stage.seconds - 12))
    start, way = rng.uniform(QUIET, stage.seconds - duration - 4), rng.choice((-1, 1))
    first, last = (-1.5 * body, truth.width + 1.5 * body)[::way]
    rise = rng.uniform(-0.03, 0.03) * truth.height
    boat = Actor(stage, Boat(rng, 110), [(start, first, y), (start + duration, last, y + rise)])
    boat.y = boat.y + 0.012 * body * np.sin(2 * np.pi * stage.when / rng.uniform(1.5, 3))
    stage.actors.append(boat)
    gy, gx = np.mgrid[0:truth.height // 2, 0:truth.width // 2].astype(np.float32) * 2

    def wake(frame, i):
        if not boat.here[i]:
            return
        behind = -(gx - boat.x[i]) * way / body
        aside = (gy - boat.y[i]) / (0.1 * body) / (1 + 0.35 * np.clip(behind, 0, 9))
        foam = np.exp(-((np.abs(aside) - 1) / 0.4) ** 2) + 0.3 * np.exp(-aside**2)
        alpha = 0.35 * foam * np.clip(behind + 0.8, 0, 1) * np.exp(-np.clip(behind, 0, 9) / 2.5)
        veil(frame, alpha * (gy > canvas.top), stage.graded((225, 222, 215)))

    stage.under.append(wake)


# Sun through leaves, low sun


def dappled(rng, walkers=False):
    """Spots of sun and shadows of leaves sway on the ground."""
    stage = Scene(rng, time="sun", backdrop=rng.choice(("houses", "fence", "hedge")))
    stage.light.field[:] = 0.92
    if walkers:
        stage.stroll()
    truth, canvas = stage.truth, stage.canvas
    rows, columns = truth.height // 2, truth.width // 2
    casts = []
    for _ in range(2):
        crown = canopy(rng, canvas, int(1.2 * columns), rows + 20)
        weight = 0.6 + 0.4 * fractal(rng, *crown.shape[:2], 60, 2)
        amplitude = rng.uniform(0.004, 0.014) * truth.width
        casts.append(sway_shadow(stage, crown, -int(0.1 * columns), -10, amplitude, weight))
    y = np.mgrid[0:rows, 0:columns][0] * 2
    ground = 1 / (1 + np.exp(-(y - canvas.top + 0.5 * canvas.body(canvas.top)) / (0.02 * truth.height)))
    sun = np.clip(0.85 + 0.15 * stage.course(rng.uniform(2, 6)), 0.3, 1)
    depth = rng.uniform(0.4, 0.65)

    def effect(frame, i):
        shadow = np.full((rows, columns, 3), 255, np.float32)
        for cast in casts:
            cast(shadow, i)
        shade(frame, 1.15 - depth * sun[i] * ground * np.clip(1 - shadow[..., 0] / 255, 0, 1))

    stage.over.append(effect)
    return stage.film()


def canopy(rng, canvas, columns, rows):
    """The shadow that a crown throws onto the ground, at half the picture's size: dark with bright spots of the sun."""
    shadow = np.full((rows, columns), 255, np.uint8)
    light, size = rng.uniform(0.45, 0.65), rng.uniform(0.05, 0.12)
    clumps = fractal(rng, rows, columns, 0.2 * columns, 3) + rng.uniform(0.3, 1.2)
    for _ in range(4000):
        x, y = rng.uniform(0, columns), rng.uniform(0, rows)
        radius = size * canvas.body(max(2 * y, canvas.top)) / 2 * rng.uniform(0.5, 1.5)
        if rng.random() * 12 < radius or clumps[int(y), int(x)] < 0:
            continue
        axes = (int(16 * radius) + 8, int(7 * radius) + 8)
        cv2.ellipse(shadow, (int(16 * x), int(16 * y)), axes, rng.uniform(-30, 30), 0, 360, 0, -1, cv2.LINE_AA, SHIFT)
        if shadow.mean() < 255 * (1 - light):
            break
    sprite = np.zeros((rows, columns, 4), np.float32)
    sprite[..., 3] = cv2.GaussianBlur(shadow.astype(np.float32), (0, 0), rng.uniform(0.5, 1.2))
    return sprite


def sway_shadow(stage, sprite, left, top, amplitude, weight):
    """The effect of a swaying shadow in a picture of half the size."""
    field = stage.light.field
    stage.light.field = np.ones_like(field)
    try:
        return swaying(stage, sprite, left, top, stage.gusts(), amplitude, weight)
    finally:
        stage.light.field = field


def low_sun(rng):
    """Somebody walks through in low sun with a long hard shadow; the box is that of the body alone."""
    stage = Scene(rng, time="sun")
    stage.light.field[:], stage.light.sun = 0.92, 0.0  # the long shadow replaces the usual one
    down = rng.uniform(0.1, 0.5) * (1 if rng.random() < 0.7 else -0.5)
    stage.long_shadow = rng.uniform(1.2, 2.8) * rng.choice((-1, 1)), down
    warm = np.diag(np.float32([0.8, 0.96, 1.08]))
    stage.light.matrix = warm @ stage.light.matrix
    stage.stroll(y=stage.foot(0.15))
    return stage.film()


# Leaves


def leaves(rng, walkers=False):
    """Autumn leaves fall and are blown over the ground in gusts."""
    stage = Scene(rng, time=rng.choice(("sun", "overcast", "overcast", "dusk")),
                  backdrop=rng.choice(("trees", "hedge", "houses", "fence")))
    truth, canvas = stage.truth, stage.canvas
    if walkers:
        stage.stroll()
    tones = [np.float32(tone) for tone in ((30, 90, 170), (35, 130, 200), (40, 150, 190), (35, 60, 110), (45, 70, 150))]
    width, height = truth.width, truth.height
    carpet = np.zeros((2 * height, 2 * width, 4), np.uint8)
    for _ in range(rng.integers(50, 900)):
        y = rng.uniform(canvas.top, height)
        size = 0.045 * canvas.body(y)
        colour = tones[rng.integers(5)] * rng.uniform(0.6, 1.2)
        cv2.ellipse(carpet, (int(2 * rng.uniform(0, width)), int(2 * y)), (max(1, int(2 * size)), max(1, int(size))),
                    rng.uniform(0, 180), 0, 360, (*colour.tolist(), 255), -1)
    canvas.stamp(carpet.astype(np.float32), 0, 0)
    gusts, facing = stage.gusts() ** 1.5, rng.choice((-1, 1))
    blown = facing * np.cumsum(gusts) / truth.rate
    count, rolling = int(rng.uniform(4, 22)), int(rng.uniform(5, 30))
    flock = [(rng.uniform(canvas.top + 0.03 * height, height), rng.uniform(0, 99), rng.uniform(0.5, 1.5),
              rng.uniform(0, 6.3), tones[rng.integers(5)] * rng.uniform(0.7, 1.25), number < count)
             for number in range(count + rolling)]
    pace, wind = rng.uniform(0.35, 0.7), rng.uniform(0.2, 0.7)

    def effect(frame, i):
        time = i / truth.rate
        paint, mask = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.uint8)
        for y, begin, quick, turn, colour, falls in flock:
            body = canvas.body(y)
            size, spin = 0.045 * body, turn + time * (2 + 3 * quick)
            if falls:
                lap, age = divmod(begin + time * quick * pace, 1.6 + 0.3 * height / body)
                up = (1.5 + 0.3 * height / body - age) * body * 1.2
                x = begin * 977 + lap * 131 + (blown[i] * wind * quick + 0.25 * math.sin(spin)) * body
                x, y = x % (1.1 * width) - 0.05 * width, y - max(up, 0) + 0.06 * body * math.cos(2 * spin)
            else:
                run = np.maximum(blown[i] * quick - 0.5 * facing * time, -99)
                hop = max(gusts[i] - 0.8, 0) * abs(math.sin(2 * spin)) * 0.12
                x, y = (begin * 977 + run * body * 0.9) % (1.1 * width) - 0.05 * width, y - hop * body
            axes = (max(size, 0.7), max(abs(size * math.sin(spin)) * 0.7, 0.5))
            centre = tuple(int(part * 2**SHIFT) for part in (x, y))
            axes = tuple(int(axis * 2**SHIFT) for axis in axes)
            angle = math.degrees(turn + 0.6 * math.sin(spin))
            grown = tuple(axis + 2**SHIFT for axis in axes)
            cv2.ellipse(paint, centre, grown, angle, 0, 360, stage.graded(colour).tolist(), -1, cv2.LINE_8, SHIFT)
            cv2.ellipse(mask, centre, axes, angle, 0, 360, 235, -1, cv2.LINE_AA, SHIFT)
        where = np.flatnonzero(mask)
        pixels = frame.reshape(-1, 3)
        share = mask.reshape(-1)[where, None] / np.float32(255)
        pixels[where] += (paint.reshape(-1, 3)[where] - pixels[where]) * share

    stage.over.append(effect)
    return stage.film()


# Steam and fog


def plume(stage, x, y, rise, spread, wind, life, thick, colour):
    """The effect of steam or smoke that rises from (x, y) at `rise` pixels a second and drifts with the wind."""
    rng, truth = stage.rng, stage.truth
    rows, columns = truth.height // 4, truth.width // 4
    count, lead = int(np.clip(22 * life, 30, 110)), int((life + 1) * truth.rate)
    births, aside, sizes = rng.uniform(0, life, count), rng.normal(0, 1, count), rng.uniform(0.7, 1.4, count)
    gusts = stage.gusts()
    blown = np.concatenate([np.arange(-lead, 0) * wind * gusts[0], np.cumsum(wind * gusts)]) / truth.rate
    output = np.clip(1 + 0.45 * stage.course(1.2), 0.15, 2)
    bell = cv2.getGaussianKernel(48, 10)
    puffs = [np.clip(bell @ bell.T * 630 * (1 + fractal(rng, 48, 48, 20, 4)), 0, None).astype(np.float32)
             for _ in range(8)]

    def effect(frame, i):
        dense = np.zeros((rows, columns), np.float32)
        for number in range(count):
            age = (births[number] + i / truth.rate) % life
            share = age / life
            born = max(0, i + lead - int(age * truth.rate))
            side = (blown[i + lead] - blown[born]) / 4 + aside[number] * spread * (0.1 + share) / 8
            wide = int(spread / 4 * sizes[number] * (0.25 + 1.6 * share)) + 3
            puff = cv2.resize(puffs[number % 8], (wide, wide))
            left, top = int(x / 4 + side - wide / 2), int((y - rise * age) / 4 - wide / 2)
            there, here = patch(dense.shape, left, top, wide, wide)
            dense[there] += thick * output[max(0, i - int(age * truth.rate))] * (1 - share) ** 1.3 * puff[here]
        veil(frame, 1 - np.exp(-cv2.GaussianBlur(dense, (0, 0), 0.8)), colour)

    return effect


def steam(rng, walkers=False):
    """A chimney, a vent in a wall or a manhole gives off steam or smoke."""
    stage = Scene(rng, backdrop=rng.choice(("houses", "fence", "hedge")))
    truth, canvas = stage.truth, stage.canvas
    height, unit = truth.height, canvas.body(canvas.top)
    x, kind = rng.uniform(0.15, 0.85) * truth.width, rng.choice(("chimney", "vent", "manhole"))
    if kind == "chimney":
        y, half = max(0.16 * height, canvas.top - rng.uniform(1.5, 2.6) * unit), 0.14 * unit + 2
        brick = surface(rng, "brick", int(2 * (canvas.top - y)) + 2, int(4 * half), 2 * unit)
        canvas.lay(brick, rectangle(x - half, y, x + half, canvas.top))
        canvas.fill(rectangle(x - 1.2 * half, y - 3, x + 1.2 * half, y + 3), (70, 75, 90))
    elif kind == "vent":
        y, half = canvas.top - rng.uniform(0.3, 1.3) * unit, 0.1 * unit + 2
        canvas.fill(rectangle(x - half, y - half, x + half, y + half), (60, 62, 65))
        for row in np.linspace(-0.7, 0.7, 4):
            canvas.fill(rectangle(x - 0.9 * half, y + row * half, x + 0.9 * half, y + row * half + 1), (140, 142, 145))
    else:
        y = rng.uniform(canvas.top + 0.1 * height, canvas.top + 0.45 * (height - canvas.top))
        unit = canvas.body(y)
        rim = np.linspace(0, 2 * np.pi, 30)
        canvas.fill(np.stack([x + 0.2 * unit * np.cos(rim), y + 0.08 * unit * np.sin(rim)], 1), (55, 55, 58))
    if walkers:
        stage.stroll()
    life = rng.uniform(2, 5)
    bright = np.float32([200, 200, 198]) * rng.uniform(0.55, 1.1)
    night = stage.time in ("lamps", "infrared", "dusk")
    effect = plume(stage, x, y, rng.uniform(0.35, 0.8) * unit, rng.uniform(0.5, 1.2) * unit,
                   rng.uniform(-0.5, 0.5) * unit, life, rng.uniform(0.12, 0.3), bright * (0.6 if night else 1))
    (stage.under if rng.random() < 0.4 else stage.over).append(effect)
    return stage.film()


def fog(rng, walkers=False):
    """Fog of low contrast drifts through, denser in the distance; at times somebody walks in it."""
    stage = Scene(rng, time=rng.choice(("overcast", "overcast", "dusk", "infrared")))
    truth, canvas = stage.truth, stage.canvas
    if walkers:
        stage.stroll(y=stage.foot(0.14))
    rows, columns = truth.height // 4, truth.width // 4
    y = np.mgrid[0:rows, 0:columns][0] * 4.0
    far = np.clip(1 / (1 + np.maximum(y - canvas.top, 0) / (0.35 * truth.height)), 0, 1)
    pace = rng.uniform(0.04, 0.2) * columns * rng.choice((-1, 1)) * np.float64([1, 0.55])
    reach = int(abs(pace[0]) * stage.seconds) + 4
    fields = [fractal(rng, rows, columns + reach, columns * rng.uniform(0.2, 0.6), 5) for _ in pace]
    dense, uneven = rng.uniform(0.3, 0.6), rng.uniform(0.06, 0.2)
    swell = stage.course(6)
    grey = {"infrared": 130, "dusk": 105}.get(stage.time, rng.uniform(150, 205)) * np.float32([1.02, 1, 0.98])
    mix = 0.5 + 0.5 * np.sin(0.3 * stage.when + 0.5 * stage.course(4))

    def effect(frame, i):
        parts = []
        for field, speed in zip(fields, pace):
            shift = speed * i / truth.rate + (reach if speed < 0 else 0)
            parts.append(cv2.warpAffine(field, np.float32([[1, 0, -shift], [0, 1, 0]]), (columns, rows)))
        drift = parts[0] * mix[i] + parts[1] * (1 - mix[i])
        alpha = (dense + 0.05 * swell[i] + uneven * drift) * (0.55 + 0.55 * far)
        veil(frame, np.clip(alpha, 0, 0.85), grey)

    stage.over.append(effect)
    return stage.film()


# Insects at night


def bugs_night(rng):
    """Infrared night: a spider's web sways before the lens, moths fly close to the lamp."""
    stage = Scene(rng, time="infrared")
    truth = stage.truth
    height, width = truth.height, truth.width
    web(stage)
    moths = []
    for _ in range(rng.integers(4, 14)):
        start, length = rng.uniform(0, stage.seconds), rng.uniform(0.3, 3)
        middle = rng.uniform((0.05, 0.05), (0.95, 0.95)) * (width, height)
        reach = rng.uniform(0.1, 0.5) * height
        pace = rng.uniform(0.5, 2.5)
        turn = 2 * np.pi * np.cumsum(pace + 0.6 * pace * stage.course(0.3)) / truth.rate
        drift = rng.uniform(-0.6, 0.6, 2) * (width, height)
        age = (stage.when - start) % (stage.seconds * rng.uniform(0.25, 0.7))
        xs = middle[0] + reach * np.cos(turn) + drift[0] * (age - length / 2) + 0.2 * reach * stage.course(0.12)
        ys = middle[1] + reach * np.sin(1.2 * turn) + drift[1] * (age - length / 2) + 0.2 * reach * stage.course(0.12)
        near = rng.uniform(0.004, 0.03) * height
        moths.append((xs, ys, age < length, near, rng.uniform(0, 6.3), rng.uniform(0.5, 1)))
    shutter = rng.uniform(0.01, 0.03) * truth.rate

    def effect(frame, i):
        layers = {}
        for xs, ys, here, near, start, bright in moths:
            if not here[i]:
                continue
            head = np.float64([xs[i], ys[i]])
            move = (head - (xs[max(i - 1, 0)], ys[max(i - 1, 0)])) * min(shutter, 0.6)
            move *= min(1, 0.15 * width / (np.linalg.norm(move) + 1e-6))
            key = 0 if near < 0.012 * height else 1
            mask = layers.setdefault(key, np.zeros((height // 2, width // 2), np.uint8))
            for step in np.linspace(0, 1, 6):
                wing = near * (0.7 + 0.5 * abs(math.sin(start + 8 * step + 2.7 * i)))
                place = subpixel((head - step * move) / 2)
                axes = (int(wing * 2**SHIFT / 2) + 8, int(0.5 * near * 2**SHIFT / 2) + 8)
                tone = int(255 * bright * (1 if step < 0.5 else 0.7))
                cv2.ellipse(mask, tuple(map(int, place)), axes, math.degrees(start + 3 * step), 0, 360, tone, -1,
                            cv2.LINE_AA, SHIFT)
        for key, mask in layers.items():
            soft = cv2.GaussianBlur(mask, (0, 0), 0.7 + 0.006 * height * key)
            veil(frame, soft / 255 * (0.9 - 0.25 * key), (240, 243, 245))

    stage.over.append(effect)
    return stage.film()


def web(stage):
    """A spider's web in a corner close to the lens, blurred and lit by the lamp, that sways with the wind."""
    rng, truth = stage.rng, stage.truth
    rows, columns = truth.height // 2, truth.width // 2
    hub = rng.uniform((0.1, 0.1), (0.9, 0.7)) * (columns, rows)
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(7, 13)))
    reach = rng.uniform(0.5, 1.3) * rows
    mask = np.zeros((rows, columns), np.uint8)
    for angle in angles:
        tip = hub + reach * np.float64([math.cos(angle), math.sin(angle)])
        cv2.polylines(mask, [subpixel([hub, tip])], False, int(rng.uniform(60, 200)), 1, cv2.LINE_AA, SHIFT)
    for ring in np.linspace(0.12, 0.9, rng.integers(4, 11)):
        spokes = ring * reach * rng.uniform(0.93, 1.04, len(angles))
        corners = hub + spokes[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
        cv2.polylines(mask, [subpixel(corners)], rng.random() < 0.6, int(rng.uniform(40, 150)), 1, cv2.LINE_AA, SHIFT)
    patches = np.clip(0.6 + 0.5 * fractal(rng, rows, columns, 0.3 * columns, 2), 0, 1.3)
    strands = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), rng.uniform(0.8, 2.5)) * patches / 255
    strands *= rng.uniform(0.5, 1.2)
    sway = rng.uniform(0.5, 2.5) * stage.gusts() * np.sin(2 * np.pi * rng.uniform(0.4, 1.5) * stage.when
                                                         + stage.course(1))
    shine = np.clip(1 + 0.3 * stage.course(0.8), 0.3, 1.8)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    loose = np.clip(np.hypot(x - hub[0], y - hub[1]) / reach, 0, 1)
    loose = np.float32(np.sin(np.pi * loose))

    def effect(frame, i):
        move = np.float32(sway[i]) * (0.4 + loose)
        moved = cv2.remap(strands, x + move, y + 0.6 * move, cv2.INTER_LINEAR)
        veil(frame, np.clip(shine[i] * moved, 0, 0.8), (235, 238, 240))

    stage.over.append(effect)
