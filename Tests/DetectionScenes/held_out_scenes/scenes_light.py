"""Scenes of changing light: shadows of leaves, lamps, headlights, a lit sign, a television."""

import math

import cv2
import numpy as np

from .paint import blend, fractal, leafage, paint_colour, rectangle, shade
from .scenes_wind import swaying
from .stage import Stage


def sun_and_shadow(rng):
    """Shadows of swaying leaves lie on a wall and the ground while the sun brightens and dims."""
    stage = Stage(rng, time="sun", backdrop=rng.choice(("houses", "fence")))
    height, width = stage.truth.height // 2, stage.truth.width // 2
    crown = leafage(rng, width, height, rng.uniform(0.02, 0.05) * height)[..., 3:].repeat(4, 2)
    crown[..., :3] = 0
    crown = cv2.GaussianBlur(crown, (0, 0), rng.uniform(0.8, 2.5))
    weight = np.hypot(*np.mgrid[0:1:height * 1j, 0:1:width * 1j]) + 0.2
    cast = swaying(stage, crown, 0, 0, stage.gusts(), rng.uniform(0.006, 0.02) * width, weight)
    sun = np.clip(0.65 + 0.35 * stage.course(rng.uniform(1.5, 4)), 0, 1)
    depth, dim = rng.uniform(0.35, 0.6), rng.uniform(0.1, 0.3)

    def effect(frame, i):
        shadow = np.full((height, width, 3), 255, np.float32)
        cast(shadow, i)
        light = 1 - dim * (1 - sun[i])
        shade(frame, light * (1 - depth * sun[i] * np.clip(1 - shadow[..., 0] / 255, 0, 1)))

    stage.over.append(effect)
    return stage.film()


def headlight_sweep(rng):
    """At night the headlights of passing cars throw the shape of a window over the walls of an empty room."""
    stage = Stage(rng, inside=True, time=rng.choice(("lamps", "infrared")))
    truth = stage.truth
    passes = [(rng.uniform(3, stage.seconds - 3), rng.uniform(0.8, 3), rng.choice((-1, 1)), rng.uniform(0.5, 1.6))
              for _ in range(rng.integers(2, 6))]
    rows, columns = truth.height // 4, truth.width // 4
    pane = np.ones((60, 80), np.float32)
    pane[::29], pane[:, ::39] = 0.1, 0.1
    curve = rng.uniform(0.5, 0.9)

    def effect(frame, i):
        brightness = np.ones((rows, columns), np.float32)
        for start, duration, direction, strength in passes:
            share = (i / truth.rate - start) / duration
            if not 0 < share < 1:
                continue
            share = share if direction > 0 else 1 - share
            middle, grow = columns * (1.3 * share - 0.15), 0.6 + share
            wide, tall, tilt = 0.16 * columns * grow, 0.2 * rows * grow, 0.08 * rows * (share - 0.5)
            left, right, upper, lower = middle - wide, middle + wide, rows * 0.35 - tall, rows * 0.35 + tall
            quad = np.float32([(left, upper - tilt), (right, upper + tilt), (right, lower + 2 * tilt),
                               (left, lower - 2 * tilt)])
            matrix = cv2.getPerspectiveTransform(np.float32(rectangle(0, 0, 80, 60)), quad)
            beam = cv2.GaussianBlur(cv2.warpPerspective(pane, matrix, (columns, rows)), (0, 0), 1.2)
            peak = math.sin(math.pi * share) ** curve
            brightness += strength * peak * (beam + 0.12)
        if brightness.max() > 1.001:
            shade(frame, brightness)

    stage.over.append(effect)
    return stage.film()


def lamp_switched(rng):
    """A lamp is switched on and off and the automatic exposure settles after it."""
    inside = rng.random() < 0.7
    stage = Stage(rng, inside=inside, time="room" if inside else "lamps")
    truth, when = stage.truth, stage.when
    y, x = np.mgrid[0:truth.height:4, 0:truth.width:4]
    pool = np.exp(-np.hypot(x - rng.uniform(0.1, 0.9) * truth.width, y - rng.uniform(0, 0.5) * truth.height)
                  / (rng.uniform(0.25, 0.6) * truth.width))
    dark, warm = rng.uniform(0.3, 0.6), np.float32([0.85, 1, 1.08])
    switches = np.sort(rng.uniform(3, stage.seconds - 2, rng.integers(1, 5)))
    lit, settle = np.full(truth.frames, rng.integers(2), np.float64), rng.uniform(0.4, 1.5)
    for switch in switches:
        after = when >= switch
        lit[after] = 1 - lit[after]
        change = np.where(after, np.exp(-np.maximum(when - switch, 0) / settle), 0)
        stage.gain = stage.gain * (1 + rng.uniform(0.05, 0.2) * change * np.where(lit > 0.5, 1, -1))
    lit = np.convolve(np.pad(lit, 1, "edge"), (0.15, 0.7, 0.15), "valid")

    def effect(frame, i):
        shade(frame, dark + lit[i] * (1.25 - dark) * (0.35 + pool))
        frame *= 1 + lit[i] * (warm - 1)

    stage.over.append(effect)
    return stage.film()


def banner_scrolling(rng):
    """A text runs along a board of light-emitting diodes on a wall."""
    stage = Stage(rng, backdrop="houses", time=rng.choice(("overcast", "dusk", "lamps")))
    width, rate = stage.truth.width, stage.truth.rate
    cell = max(2, round(stage.truth.height / rng.uniform(110, 200)))
    rows, columns = 14, int(width * rng.uniform(0.3, 0.65)) // cell
    words = ("OPEN TODAY", "SALE -30%", "WELCOME", "BAKERY 7-18 H", "PLATFORM 2", "FRESH COFFEE", "TAXI 24 H")
    text = "   ".join(rng.permutation(words)[:4]) + "   "
    (length, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_PLAIN, 1, 1)
    letters = np.zeros((rows, length), np.uint8)
    cv2.putText(letters, text, (0, rows - 2), cv2.FONT_HERSHEY_PLAIN, 1, 255, 1)
    colour = np.float32([(40, 150, 255), (40, 40, 255), (90, 255, 120)][rng.integers(3)])
    dot = cv2.GaussianBlur(np.pad(np.ones((max(1, cell - 1),) * 2, np.float32), (0, 1)), (0, 0), 0.5)
    speed = rng.uniform(12, 45)
    left, top = int(rng.uniform(0.05, 0.3) * width), int(max(4, stage.canvas.top - (rows + 8) * cell))
    strength = rng.uniform(0.7, 1)

    def effect(frame, i):
        shown = letters[:, (np.arange(columns) + int(speed * i / rate)) % length]
        light = np.kron(shown > 100, dot)[..., None] * strength * colour
        light += 0.25 * cv2.GaussianBlur(light, (0, 0), cell)
        sprite = np.dstack([light + 18, np.full(light.shape[:2], 255, np.float32)])
        blend(frame, sprite, left, top, stage.visible(left, top, *light.shape[:2], stage.canvas.top))

    stage.under.append(effect)
    return stage.film()


def television(rng, walkers=False):
    """In a living room a television runs and its light plays over the room."""
    stage = Stage(rng, inside=True, time=rng.choice(("room", "room", "lamps")))
    canvas, truth = stage.canvas, stage.truth
    left, top, room = map(int, canvas.wall)
    wide = int(min(room * rng.uniform(0.9, 1.3), 0.35 * truth.width))
    tall = int(wide * 9 / 16)
    canvas.fill(rectangle(left - 3, top - 3, left + wide + 3, top + tall + 3), (18, 18, 18))
    if walkers:
        stage.walkers()
    shots = programme(rng, stage.seconds)
    starts = np.array([shot[0] for shot in shots])
    y, x = np.mgrid[0:truth.height:8, 0:truth.width:8]
    spill = np.exp(-np.hypot(x - left - wide / 2, y - top - tall / 2) / (0.35 * truth.width)).astype(np.float32)
    strength, bright = rng.uniform(0.05, 0.2) * (2 if stage.time == "lamps" else 1), rng.uniform(0.7, 1.2)

    def effect(frame, i):
        start, *shot = shots[np.searchsorted(starts, i / truth.rate, "right") - 1]
        screen = cv2.resize(draw_shot(i / truth.rate - start, *shot), (wide, tall), interpolation=cv2.INTER_AREA)
        screen = np.clip(screen * bright, 5, 245)
        shade(frame, 1 + strength * (screen.mean() / 110 - 1) * spill)
        sprite = np.dstack([screen, np.full((tall, wide), 255, np.float32)])
        blend(frame, sprite, left, top, stage.visible(left, top, tall, wide, canvas.top))

    stage.under.append(effect)
    return stage.film()


def programme(rng, seconds):
    """The shots that a television shows, one to six seconds each, as (start, picture, pan, figures moving in it)."""
    shots, time = [], 0.0
    while time < seconds + 6:
        picture = 110 * rng.uniform(0.4, 1.5) + 45 * fractal(rng, 90, 160, 60)[..., None] * rng.uniform(0.3, 1, 3)
        picture = picture * paint_colour(rng, 150, 255, 0.6) / 200
        figures = [(rng.uniform((20, 30), (140, 90)), rng.uniform((8, 15), (30, 50)), paint_colour(rng),
                    rng.uniform(-20, 20, 2)) for _ in range(rng.integers(0, 4))]
        shots.append((time, picture.astype(np.float32), rng.uniform(-10, 10, 2), figures))
        time += rng.uniform(1, 6)
    return shots


def draw_shot(age, picture, pan, figures):
    """The picture of a shot that has lasted for `age` seconds."""
    move = np.float32([[1, 0, pan[0] * age], [0, 1, pan[1] * age]])
    screen = cv2.warpAffine(picture, move, (160, 90), borderMode=cv2.BORDER_REFLECT)
    for (x, y), axes, colour, speed in figures:
        centre = (float(x + speed[0] * age + 6 * math.sin(4 * age)), float(y + 0.3 * speed[1] * age))
        size = tuple(map(float, 2 * axes))
        cv2.ellipse(screen, (centre, size, 8 * math.sin(3 * age)), colour.tolist(), -1)
    return screen
