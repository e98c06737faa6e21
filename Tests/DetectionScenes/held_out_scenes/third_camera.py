"""Scenes of the third set in which the camera is odd: thermal, slow, wet, shaken, hunting, interlaced, compressed."""

import math

import cv2
import numpy as np

from .figures import Car, Person
from .paint import fractal, patch
from .places import Canvas, draw_fence, draw_furniture, draw_hedge, draw_houses, draw_trees
from .scenes_visited import across
from .scenes_wind import tree
from .stage import Actor
from .third_figures import WarmPerson
from .third_stage import QUIET, Scene, interlace, resend


# Thermal


def thermal(rng, walkers=False):
    """A thermal camera: soft grey, drifting, with a fixed pattern; its shutter freezes the picture and resets it."""
    sizes = ((320, 240), (320, 256), (384, 288), (480, 360), (640, 480), (640, 360))
    stage = Scene(rng, time="infrared", size=sizes[rng.integers(len(sizes))], noise=rng.uniform(0.4, 0.8),
                  rate=float(rng.choice((10, 12.5, 15))))
    truth, light = stage.truth, stage.light
    contrast = rng.uniform(0.25, 0.5)
    light.matrix[:] = np.tile(np.float32([-0.15, 0.5, 0.65]) * contrast, (3, 1))
    light.field[:] = 1
    light.lift = rng.uniform(45, 85)
    stage.canvas.image = cv2.GaussianBlur(stage.canvas.image, (0, 0), 2)
    stage.blur = rng.uniform(1.0, 1.9)
    if walkers:
        stage.stroll(WarmPerson(rng, rng.uniform(0.8, 1.05)), lambda sprite, *_: sprite)
    rows, columns = truth.height, truth.width
    pattern = 0.6 * cv2.resize(rng.standard_normal((rows // 2, columns // 2)), (columns, rows))
    pattern = (pattern + 0.8 * rng.standard_normal((1, columns)) + 0.3 * rng.standard_normal((rows, 1)))
    y, x = np.mgrid[-1:1:rows * 1j, -1:1:columns * 1j]
    warming = (x * x + y * y) * rng.uniform(-6, 6) + fractal(rng, rows, columns, columns * 0.6, 2) * 2
    pattern, warming = (np.float32(field)[..., None] for field in (pattern, warming))
    moments, moment = [], rng.uniform(4, 10)
    while moment < stage.seconds - 2:
        moments.append(moment)
        moment += rng.uniform(7, 14)
    starts = [int(moment * truth.rate) for moment in moments]
    freeze = max(2, round(0.3 * truth.rate))
    offset = rng.uniform(3, 8) * stage.course(7)
    shown = np.arange(truth.frames)
    age = np.zeros(truth.frames)
    for start in starts:
        offset[start + freeze:] += rng.uniform(4, 14) * rng.choice((-1, 1))
        shown[start:start + freeze] = start - 1
        age[start + freeze:] = np.arange(len(age[start + freeze:])) / truth.rate
    age[:starts[0] if starts else None] += stage.when[:starts[0] if starts else None] + 8
    offset = np.clip(offset, -light.lift + 15, 70)
    strength = rng.uniform(0.5, 1.2)

    def effect(frame, i):
        frame += np.float32(offset[i]) + strength * (0.5 + 0.06 * min(age[i], 15)) * pattern
        frame += np.float32(min(age[i] / 12, 1.3)) * warming

    last = [None, []]

    def shutter(picture, i):
        if shown[i] == i or last[0] is None:
            last[:] = picture.copy(), truth.boxes.get(i, [])
            return
        picture[:] = last[0]
        truth.boxes.pop(i, None)
        if last[1]:
            truth.boxes[i] = last[1]

    stage.over.append(effect)
    stage.after.append(shutter)
    return stage.film()


# Heat haze


def far_view(rng, width, height):
    """A far place through a long lens, which makes near and far of almost the same size; a road lies across it."""
    horizon = -height * rng.uniform(0.05, 0.4)
    top = height * rng.uniform(0.25, 0.45)
    canvas = Canvas(width, height, horizon, 0.06 * height * rng.uniform(0.7, 1.3) / (top - horizon), top)
    upper = top + rng.uniform(0.05, 0.3) * (height - top)
    lower = upper + rng.uniform(1.2, 2.2) * canvas.body(upper)
    furnish(rng, canvas, (upper, lower, "asphalt"))
    canvas.road = 0.35 * upper + 0.65 * min(lower, height)
    return canvas


def turbulence(rng, cars=False):
    """Heat haze wobbles and blurs the far view through a long lens; at times a car drives through."""
    stage = Scene(rng, time=rng.choice(("sun", "sun", "overcast")), place=far_view)
    truth = stage.truth
    if cars:
        start = rng.uniform(QUIET, stage.seconds - 14)
        car = Car(rng, ground=stage.ground_luma())
        stops = across(stage, stage.canvas.road, 1.5, rng.choice((-1, 1)), start, rng.uniform(4, 9))
        stage.actors.append(Actor(stage, car, stops))
    rows, columns = truth.height // 4, truth.width // 4
    coarse = rng.uniform(5, 12)
    reach = (rows + 220, columns + 220)
    banks = [np.dstack([fractal(rng, *reach, size, 2) for _ in range(2)]) for size in (coarse, 0.6 * coarse)]
    paths = []
    for _ in banks:
        pace = np.stack([rng.uniform(4, 14) + 4 * stage.course(1), 3 * stage.course(0.5) - 3], 1)
        paths.append(np.cumsum(pace, 0) / truth.rate)
    strong = rng.uniform(0.5, 1.6) * np.clip(1 + 0.5 * stage.course(3), 0.3, 2)
    y, x = np.mgrid[0:truth.height, 0:truth.width].astype(np.float32)
    grid = np.dstack([x, y])
    near = np.linspace(1.15, 0.6, rows, dtype=np.float32)[:, None, None]
    wanders = [18 * stage.course(0.35) for _ in banks]

    def effect(frame, i):
        move = 0
        for bank, path, jump in zip(banks, paths, wanders):
            left, top = 100 + path[i, 0] * 1.5 + jump[i], 100 + path[i, 1] + 0.7 * jump[i]
            matrix = np.float32([[1, 0, -(left % 200)], [0, 1, -(top % 200)]])
            move = move + cv2.warpAffine(bank, matrix, (columns, rows), borderMode=cv2.BORDER_REFLECT)
        move = cv2.resize(np.float32(0.7 * strong[i]) * near * move, (truth.width, truth.height))
        soft = cv2.GaussianBlur(frame, (0, 0), 0.6 + 0.35 * strong[i])
        frame[:] = cv2.remap(soft, grid + move, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)

    stage.over.append(effect)
    return stage.film()


# Few pictures a second


def slow(rng, rate, kind=None):
    """A camera that records a picture a second or one in two, for two minutes: trees, walkers or cars."""
    stage = Scene(rng, rate=rate, seconds=(120, 120), road=kind == "car")
    if kind == "tree" or rng.random() < 0.3:
        gusts = stage.gusts()
        for _ in range(rng.integers(1, 4)):
            tree(stage, gusts, rng.uniform(0.004, 0.02) * stage.truth.width)
    starts = np.arange(rng.uniform(10, 25), 100, rng.uniform(30, 50))
    for start in starts if kind == "walker" else ():
        stops = stage.route(start, speeds=(0.5, 1.1), lengths=(6, 12))
        stage.actors.append(Actor(stage, Person(rng, stage.ground_luma()), stops))
    for start in starts if kind == "car" else ():
        car = Car(rng, ground=stage.ground_luma())
        stops = across(stage, stage.canvas.road, 1.5, rng.choice((-1, 1)), start, rng.uniform(5, 12))
        stage.actors.append(Actor(stage, car, stops))
    return stage.film()


# Water on the lens


def lens_drops(rng, walkers=False):
    """Drops of water sit on the lens, each with a small reversed picture in it; some run down, some are new."""
    stage = Scene(rng, time=rng.choice(("overcast", "overcast", "dusk", "infrared")))
    truth = stage.truth
    width, height = truth.width, truth.height
    if walkers:
        stage.stroll()
    drops = [(rng.uniform(0, width), rng.uniform(0, height), height * min(rng.gamma(2, 0.014) + 0.012, 0.1))
             for _ in range(rng.integers(8, 30))]
    lives = [(0, stage.seconds)] * len(drops)
    for _ in range(rng.integers(0, 8)):
        drops.append((rng.uniform(0, width), rng.uniform(0, height), height * rng.uniform(0.012, 0.05)))
        lives.append((rng.uniform(2, stage.seconds), stage.seconds))
    courses = []
    for number, (x, y, radius) in enumerate(drops):
        ys = np.full(truth.frames, y)
        if number < 5 or (radius > 0.04 * height and rng.random() < 0.3):
            pace = radius * rng.uniform(0.3, 2.5) * np.maximum(stage.course(1.2) - rng.uniform(0, 0.8), 0) ** 1.5
            ys = y * rng.uniform(0, 0.8) + np.cumsum(pace) / truth.rate
        courses.append((x + 0.15 * radius * np.sin(ys / radius), ys))
    masks, blur = {}, rng.uniform(0.06, 0.22)
    for number, (_, _, radius) in enumerate(drops):
        side = 2 * int(1.5 * radius) + 5
        v, u = (np.mgrid[:side, :side] - side // 2) / radius
        shape = np.hypot(u * rng.uniform(0.95, 1.15), v * rng.uniform(0.8, 1.0) + 0.12 * rng.uniform(-1, 1) * u)
        alpha = 1 / (1 + np.exp(np.clip((shape - 1) / blur, -30, 30)))
        tone = 1 - 0.45 * np.clip(shape, 0, 1.2) ** 4 * (0.6 - 0.5 * v) + 0.12 * v
        masks[number] = side, np.float32(alpha * rng.uniform(0.75, 0.97))[..., None], np.float32(tone)[..., None]

    def effect(frame, i):
        tiny = cv2.resize(frame, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
        for number, (xs, ys) in enumerate(courses):
            if not lives[number][0] <= i / truth.rate < lives[number][1]:
                continue
            side, alpha, tone = masks[number]
            x, y, radius = float(xs[i]), float(ys[i]), drops[number][2]
            if y - side > height:
                continue
            wide = 4.5 * radius / 4  # half of the part of the view that the drop shows, in the tiny picture
            grow = -side / (2 * wide)
            matrix = np.float32([[grow, 0, side / 2 - grow * x / 4], [0, grow, side / 2 - grow * y / 4]])
            inner = cv2.warpAffine(tiny, matrix, (side, side), borderMode=cv2.BORDER_REFLECT)
            inner = cv2.GaussianBlur(inner, (0, 0), 0.8 + 0.12 * radius) * tone
            left, top = round(x - side / 2), round(y - side / 2)
            there, here = patch(frame.shape, left, top, side, side)
            frame[there] += alpha[here] * (inner[here] - frame[there])

    stage.over.append(effect)
    return stage.film()


# A camera that shakes, hunts or pumps


def jitter(rng, walkers=False):
    """The camera trembles five to nine times a second by up to six pixels."""
    margin = 12
    stage = Scene(rng, margin=margin, rate=float(rng.choice((15, 25, 30))), seconds=(22, 34))
    if walkers:
        stage.stroll(left=margin)
    reach = rng.uniform(1, 4) * np.clip(1 + 0.5 * stage.course(2), 0.15, 2)
    for axis, share in ((0, rng.uniform(0.5, 1)), (1, rng.uniform(0.5, 1))):
        hertz = rng.uniform(5, 9) + 0.5 * stage.course(1)
        swing = np.sin(2 * np.pi * np.cumsum(hertz) / stage.truth.rate) + 0.35 * stage.course(0.04)
        stage.view[:, axis] += np.clip(share * reach * swing + 0.6 * stage.course(2), -6, 6)
    return stage.film()


def focus_hunt(rng):
    """The autofocus hunts now and then: the picture gets blurred and sharp again and zooms a little."""
    stage = Scene(rng, inside=rng.random() < 0.3)
    truth = stage.truth
    focus = np.zeros(truth.frames)
    moment = rng.uniform(4, 8)
    while moment < stage.seconds - 2:
        age, length = stage.when - moment, rng.uniform(0.8, 2.6)
        inside = (age > 0) & (age < length)
        turns = rng.integers(1, 4)
        focus += np.where(inside, np.sin(np.pi * turns * age / length) * (1 - 0.5 * age / length), 0)
        moment += length + rng.uniform(3, 9)
    deepest, zoom = rng.uniform(0.003, 0.01) * truth.height, 0.01 * rng.uniform(0.5, 1.3)

    def effect(frame, i):
        if not focus[i]:
            return
        grow, (height, width) = 1 + zoom * focus[i], frame.shape[:2]
        matrix = np.float32([[grow, 0, (1 - grow) * width / 2], [0, grow, (1 - grow) * height / 2]])
        frame[:] = cv2.warpAffine(frame, matrix, (width, height), borderMode=cv2.BORDER_REFLECT)
        sigma = deepest * abs(focus[i])
        if sigma > 0.3:
            frame[:] = cv2.GaussianBlur(frame, (0, 0), sigma)

    stage.over.append(effect)
    return stage.film()


def gain_pump(rng, walkers=False):
    """The automatic gain swings slowly up and down; in the dark the noise swings with it."""
    stage = Scene(rng, inside=not walkers and rng.random() < 0.3)
    if walkers:
        stage.stroll()
    turn = np.cumsum(2 * np.pi / rng.uniform(4, 13) * np.exp(0.2 * stage.course(4))) / stage.truth.rate
    swing = np.sin(turn + 0.6 * np.sin(turn)) * np.clip(1 + 0.3 * stage.course(6), 0.3, 1.6)
    stage.gain = stage.gain * (1 + rng.uniform(0.06, 0.22) * swing)
    if rng.random() < 0.4:  # a camera that raises the gain in steps
        stage.gain = np.round(stage.gain * 40) / 40
    return stage.film()


# What recorders do to pictures


def interlaced(rng):
    """An analogue camera whose fields are woven: moving edges are combed; somebody walks through."""
    sizes = ((352, 288), (320, 240), (400, 300), (480, 360))
    stage = Scene(rng, rate=float(rng.choice((50, 60))), size=sizes[rng.integers(len(sizes))], seconds=(24, 26))
    stage.stroll()
    if rng.random() < 0.5:
        tree(stage, stage.gusts(), rng.uniform(0.004, 0.012) * stage.truth.width)
    return interlace(stage.film())


def duplicated(rng, walkers=False):
    """A recorder that sends pictures twice for a while, drops some and hangs now and then; a tree sways."""
    stage = Scene(rng, rate=float(rng.choice((12.5, 15, 25))), seconds=(28, 36))
    gusts = stage.gusts()
    for _ in range(rng.integers(1, 3)):
        tree(stage, gusts, rng.uniform(0.004, 0.014) * stage.truth.width)
    if walkers:
        stage.stroll()
    source, number, count = [], 0, stage.truth.frames
    while number < count:
        kind = rng.choice(("plain", "plain", "twice", "hang", "drop", "single"))
        if kind == "plain":
            run = range(number, number + int(rng.integers(8, 50)))
            source.extend(run)
            number = run.stop
        elif kind == "twice":
            run = range(number, number + 2 * int(rng.integers(4, 25)))
            source.extend(n - n % 2 for n in run)
            number = run.stop + 1
        elif kind == "hang":
            hold = int(rng.uniform(0.15, 0.7) * stage.truth.rate)
            source.extend([number] * hold)
            number += hold
        elif kind == "single":
            source.extend([number, number])
            number += 1
        else:
            number += int(rng.integers(2, 8))
    source = np.maximum.accumulate(source)
    return resend(stage.film(), source[source < count].tolist())


def lowbitrate(rng, walkers=False):
    """A place full of texture from an encoder with far too few bits, which pops at each key picture."""
    stage = Scene(rng, backdrop=rng.choice(("trees", "hedge", "fence", "houses")), noise=1.2,
                  time=rng.choice(("sun", "overcast", "overcast", "dusk")), rate=float(rng.choice((10, 12.5, 15, 25))))
    grain = 9 * fractal(rng, *stage.canvas.image.shape[:2], 7, 3, 0.9)[..., None]
    stage.canvas.image += grain * (1 - stage.canvas.sky[..., None])
    if walkers:
        stage.stroll()
    return stage.film()


def few_bits(rng, truth):
    """The encoder's settings for a picture with few bits and a key picture every two seconds."""
    group = round(2 * truth.rate)
    kilobits = int(truth.width * truth.height * truth.rate**0.6 * rng.uniform(0.07, 0.14) / 1000) + 12
    return ["-b:v", f"{kilobits}k", "-maxrate", f"{int(1.3 * kilobits)}k", "-bufsize", f"{2 * kilobits}k", "-g",
            str(group), "-keyint_min", str(group), "-bf", "0", "-x264-params",
            "scenecut=0:ipratio=0.9:mbtree=0:rc-lookahead=0"]


# A doorbell


def portrait(rng):
    """The upright, wide picture of a doorbell: somebody comes up to it, rings, waits and leaves."""
    sizes = ((360, 640), (360, 480), (480, 640), (320, 568))
    stage = Scene(rng, size=sizes[rng.integers(len(sizes))], place=doorway, seconds=(36, 40),
                  time=rng.choice(("sun", "overcast", "overcast", "dusk", "infrared")))
    truth, canvas = stage.truth, stage.canvas
    unit, middle = 0.62 * truth.width, truth.width / 2
    far, near = rng.uniform(4, 6.5), rng.uniform(0.42, 0.65)
    pace, stay = rng.uniform(0.7, 1.0), rng.uniform(5, 9)
    start = rng.uniform(QUIET, 8)
    side, end = rng.choice((-1, 1)), rng.choice((-1, 1))

    def stop(second, distance, aside):
        size = unit / distance
        return second, middle + aside * size, canvas.horizon + size / canvas.scale

    stops = []
    shares = np.linspace(0, 1, 40)
    walk = (far - near) / pace
    off = rng.uniform(-0.1, 0.15)
    for share in shares:
        distance = far + (near - far) * share
        stops.append(stop(start + walk * share, distance, side * (1.1 * (1 - share) ** 1.5 * far / 4 + off)))
    leave = start + walk + stay
    for share in shares:
        distance = near + (far - near) * share
        aside = end * 1.1 * share**1.5 * far / 4 + side * off * (1 - share)
        stops.append(stop(leave + walk * share, distance, aside))
    caller = Person(rng, stage.ground_luma())
    caller.carries = False
    person = Actor(stage, caller, stops)
    ringing = stage.when - (start + walk + 0.5)
    person.ring = np.clip(ringing / 0.4, 0, 1) * np.clip((1.6 - ringing) / 0.4, 0, 1)
    pose = person.pose

    def ring(i):
        posture = pose(i)
        posture.raise_arm = max(posture.raise_arm, 1.6 * person.ring[i])
        return posture

    person.pose = ring
    stage.actors.append(person)
    return bulge(stage, rng.uniform(0.12, 0.3))


def doorway(rng, width, height):
    """The view from a door at the height of a chest: a path or a street, houses, the jamb of the door."""
    horizon = height * rng.uniform(0.36, 0.46)
    canvas = Canvas(width, height, horizon, rng.uniform(1.15, 1.4), horizon + rng.uniform(0.07, 0.11) * height)
    upper = canvas.top + rng.uniform(0.03, 0.08) * height
    furnish(rng, canvas, (upper, upper + rng.uniform(0.05, 0.15) * height, rng.choice(("asphalt", "paving"))))
    wide = rng.uniform(0.05, 0.14) * width
    tone = np.float32([120, 140, 160]) * rng.uniform(0.4, 1.3)
    edge = 0 if rng.random() < 0.5 else width - wide
    canvas.fill([(edge, 0), (edge + wide, 0), (edge + wide, height), (edge, height)], tone, 3 * height)
    return canvas


def furnish(rng, canvas, band):
    """Draws the sky, the ground with a band across it, a backdrop and some furniture onto an empty canvas."""
    width, height = canvas.width, canvas.height
    rows = np.linspace(0.95, 1.05, 2 * height, dtype=np.float32)[:, None, None]
    canvas.image[:] = np.float32([235, 215, 195]) * rows + 12 * fractal(rng, 2 * height, 2 * width, width)[..., None]
    canvas.ground(rng, rng.choice(("paving", "grass", "gravel", "brick")), band)
    unit = canvas.body(canvas.top)
    draw = (draw_houses, draw_houses, draw_fence, draw_hedge, draw_trees)[rng.integers(5)]
    draw(rng, canvas, unit)
    draw_furniture(rng, canvas, unit, rng.integers(0, 2))


def bulge(stage, strength):
    """Films with a wide lens that bends straight lines outwards; the boxes are bent as well."""
    truth = stage.truth
    width, height = truth.width, truth.height
    scale = 2 / math.hypot(width, height)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    u, v = (x - width / 2) * scale, (y - height / 2) * scale
    radius = 1 + strength * (u * u + v * v)
    radius /= 1 + strength
    maps = u * radius / scale + width / 2, v * radius / scale + height / 2
    maps = [np.float32(part) for part in maps]

    def effect(frame, i):
        frame[:] = cv2.remap(frame, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        if i in truth.boxes:
            truth.boxes[i] = [bend(box) for box in truth.boxes[i]]

    def bend(box):
        left, top, wide, tall = box
        inside = (maps[0] >= left) & (maps[0] < left + wide) & (maps[1] >= top) & (maps[1] < top + tall)
        rows = np.flatnonzero(inside.any(1))
        columns = np.flatnonzero(inside[int(rows.mean())] if len(rows) else ())
        if not len(columns):
            return box
        return [int(columns[0]), int(rows[0]), int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1]

    stage.over.append(effect)
    return stage.film()
