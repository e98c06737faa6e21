"""Scenes of security cameras, drawn over still pictures or over real empty stretches, with exact truth.

Each scene is a function of a canvas and a random generator that yields frames (height × width × 3, uint8, BGR) one by
one and keeps the truth: the times of the visits, and in each frame the boxes of what an owner wants to be told of.
"""
import math
from dataclasses import dataclass, field

import cv2
import numpy as np

WIDTH, HEIGHT = 480, 270
cv2.setNumThreads(1)


@dataclass
class Truth:
    """What is to be found: visits as (first, last) frame, and boxes (x, y, width, height) for frames."""

    rate: float
    frames: int
    visits: list = field(default_factory=list)
    boxes: dict = field(default_factory=dict)
    # Before this frame an event that is not a visit is tolerated.
    settle: int = 0


def fractal(rng, width, height, octaves=6, low=60, high=190):
    """Smooth noise of several scales, BGR, with edges like those of walls and boxes."""
    picture = np.zeros((height, width, 3), np.float32)
    for octave in range(octaves):
        cells = 3 * 2**octave
        noise = rng.standard_normal((cells * height // width + 2, cells + 2, 3)).astype(np.float32)
        noise[..., 1:] = 0.6 * noise[..., :1] + 0.4 * noise[..., 1:]
        picture += cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC) / 1.6**octave
    for _ in range(14):
        x, y = rng.integers(0, width), rng.integers(0, height)
        w, h = rng.integers(20, width // 3), rng.integers(20, height // 3)
        picture[y : y + h, x : x + w] += rng.standard_normal(3).astype(np.float32) * 0.5 + rng.standard_normal() * 0.6
    picture -= picture.min()
    return low + (high - low) * picture / picture.max()


class Still:
    """A still picture with sensor noise."""

    def __init__(self, rng, picture, noise=1.5):
        self.rng, self.picture, self.noise = rng, picture.astype(np.float32), noise

    def frame(self, number):
        noise = self.rng.standard_normal(self.picture.shape[:2] + (1,)).astype(np.float32) * self.noise
        return self.picture + noise


class Stretch:
    """Real frames in which nothing moves, to and fro."""

    def __init__(self, frames):
        self.frames = frames

    def frame(self, number):
        period = max(2 * len(self.frames) - 2, 1)
        place = number % period
        return self.frames[min(place, period - place) if len(self.frames) > 1 else 0].astype(np.float32)


def load_stretch(path, first, last, limit=40):
    """The frames first..<last of a video at the size of the scenes."""
    video, frames, number = cv2.VideoCapture(str(path)), [], 0
    while number < last and len(frames) < limit:
        ok, picture = video.read()
        if not ok:
            break
        if number >= first:
            frames.append(cv2.resize(picture, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA))
        number += 1
    if not frames:
        raise ValueError(f"{path} has no frames {first}..<{last}")
    return frames


# MARK: things


def blend(image, color, mask):
    """Paints a colour or picture through a mask of 0…1."""
    image += (color - image) * mask[..., None]


def soft_ellipse(shape, cx, cy, rx, ry, blur=0.7, angle=0.0):
    mask = np.zeros(shape[:2], np.float32)
    scale = 16
    cv2.ellipse(
        mask, (int(cx * scale), int(cy * scale)), (max(int(rx * scale), 1), max(int(ry * scale), 1)), angle, 0, 360, 1.0,
        -1, cv2.LINE_AA, 4)
    return cv2.GaussianBlur(mask, (0, 0), blur) if blur > 0 else mask


class Walker:
    """A person of `height` pixels: head, trunk with a pattern, legs and arms that swing."""

    def __init__(self, rng, height, colors=None):
        self.height = height
        dark = rng.random() < 0.6
        base = rng.uniform(15, 60) if dark else rng.uniform(190, 235)
        tint = rng.uniform(-20, 20, 3)
        self.trunk = np.clip(base + tint, 0, 255).astype(np.float32)
        self.legs = np.clip(rng.uniform(20, 80) + rng.uniform(-15, 15, 3), 0, 255).astype(np.float32)
        self.head = np.array([110, 140, 190], np.float32) * rng.uniform(0.6, 1.1)
        if colors is not None:
            self.trunk, self.legs, self.head = colors
        self.phase = rng.uniform(0, 6.28)
        self.stripe = rng.uniform(-25, 25)

    def draw(self, image, x, y, gait, lean=0.0, reach=0.0):
        """Draws the person with the feet at (x, y). `gait` is the phase of the legs; returns the mask."""
        h = self.height
        shape = image.shape
        whole = np.zeros(shape[:2], np.float32)

        def limb(color, x0, y0, x1, y1, width):
            mask = np.zeros(shape[:2], np.float32)
            cv2.line(
                mask, (int(x0 * 16), int(y0 * 16)), (int(x1 * 16), int(y1 * 16)), 1.0, max(int(round(width)), 1),
                cv2.LINE_AA, 4)
            mask = cv2.GaussianBlur(mask, (0, 0), 0.6)
            blend(image, color, mask)
            np.maximum(whole, mask, out=whole)

        swing = 0.16 * h * math.sin(gait + self.phase)
        hip, shoulder = y - 0.48 * h, y - 0.82 * h
        xs = x + lean * h
        limb(self.legs, x, hip, x + swing, y, 0.10 * h)
        limb(self.legs, x, hip, x - swing, y, 0.10 * h)
        trunk = soft_ellipse(shape, (x + xs) / 2, (hip + shoulder) / 2, 0.12 * h, 0.22 * h, 0.6)
        blend(image, self.trunk, trunk)
        band = trunk.copy()
        band[: max(int((hip + shoulder) / 2), 0)] = 0
        blend(image, np.clip(self.trunk + self.stripe, 0, 255), band * 0.7)
        limb(self.trunk * 0.85, xs, shoulder + 0.05 * h, xs - 0.8 * swing, hip + 0.02 * h, 0.06 * h)
        limb(
            self.trunk * 0.85, xs, shoulder + 0.05 * h, xs + 0.8 * swing + reach * h, hip + 0.02 * h - reach * 0.6 * h,
            0.06 * h)
        head = soft_ellipse(shape, xs, y - 0.91 * h, 0.065 * h, 0.085 * h, 0.6)
        blend(image, self.head, head)
        np.maximum(whole, np.maximum(trunk, head), out=whole)
        return whole


def box_of(mask, limit=0.3):
    ys, xs = np.where(mask > limit)
    if len(xs) < 4:
        return None
    return int(xs.min()), int(ys.min()), int(xs.max() - xs.min() + 1), int(ys.max() - ys.min() + 1)


class Crossing:
    """A walk across the picture between two frames."""

    def __init__(self, rng, first, last, height=None, colors=None, alpha=1.0, left=None, y=None):
        self.first, self.last = first, last
        self.walker = Walker(rng, height or rng.uniform(45, 90), colors)
        self.y = y or rng.uniform(0.65, 0.95) * HEIGHT
        self.right = rng.random() < 0.5 if left is None else not left
        self.alpha = alpha
        margin = 0.3 * self.walker.height
        self.start, self.end = -margin, WIDTH + margin

    def draw(self, image, number):
        if not self.first <= number <= self.last:
            return None
        part = (number - self.first) / max(self.last - self.first, 1)
        x = self.start + (self.end - self.start) * part
        if not self.right:
            x = WIDTH - x
        way = abs(self.end - self.start) * part
        if self.alpha < 1:
            copy = image.copy()
            mask = self.walker.draw(copy, x, self.y, way / (0.13 * self.walker.height))
            image += (copy - image) * self.alpha
        else:
            mask = self.walker.draw(image, x, self.y, way / (0.13 * self.walker.height))
        return box_of(mask)


def note(truth, number, box):
    if box is not None:
        truth.boxes.setdefault(number, []).append(box)


def visits_of(truth, gap=25):
    """The visits are the runs of frames with boxes."""
    runs = []
    for number in sorted(truth.boxes):
        if runs and number - runs[-1][1] <= gap:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    truth.visits = [tuple(run) for run in runs]


# MARK: weather


class Rain:
    """Streaks at several depths that fall slantwise; near ones are long, fast and wide."""

    def __init__(self, rng, density, rate):
        self.rng, self.count, self.rate = rng, int(density), rate
        self.slant = rng.uniform(-0.3, 0.3)

    def draw(self, image):
        layer = np.zeros(image.shape[:2], np.float32)
        exposure = 0.35 * 25 / self.rate
        for _ in range(self.rng.poisson(self.count)):
            depth = self.rng.uniform(0.25, 1)
            length = 34 * depth * exposure * self.rng.uniform(0.7, 1.3) / 0.35
            x, y = self.rng.uniform(-20, WIDTH + 20), self.rng.uniform(-30, HEIGHT)
            cv2.line(
                layer, (int(x * 16), int(y * 16)), (int((x + self.slant * length) * 16), int((y + length) * 16)),
                float(self.rng.uniform(0.25, 0.6) * (0.5 + 0.5 * depth)), 1 if depth < 0.75 else 2, cv2.LINE_AA, 4)
        blend(image, np.array([215, 215, 215], np.float32), cv2.GaussianBlur(layer, (0, 0), 0.6))


class Snow:
    """Flakes at several depths that sink and drift, with a path of their own."""

    def __init__(self, rng, count, rate):
        self.rng, self.rate = rng, rate
        count = int(count)
        self.x, self.y = rng.uniform(0, WIDTH, count), rng.uniform(0, HEIGHT, count)
        self.depth = rng.uniform(0.2, 1, count) ** 1.5
        self.phase, self.wobble = rng.uniform(0, 6.28, count), rng.uniform(0.5, 2, count)
        self.wind = rng.uniform(-1.5, 1.5)
        self.time = 0.0

    def draw(self, image):
        step = 25 / self.rate
        self.time += 1 / self.rate
        self.x += (self.wind * self.depth + 0.8 * np.sin(self.phase + 3 * self.wobble * self.time) * self.depth) * step
        self.y += (1 + 3.5 * self.depth) * step
        gone = self.y > HEIGHT + 6
        self.y[gone] = -6
        self.x[gone] = self.rng.uniform(-10, WIDTH + 10, gone.sum())
        self.x = (self.x + 10) % (WIDTH + 20) - 10
        layer = np.zeros(image.shape[:2], np.float32)
        for x, y, depth in zip(self.x, self.y, self.depth):
            radius = 0.7 + 2.6 * depth
            cv2.ellipse(
                layer, (int(x * 16), int(y * 16)), (int(radius * 16), int(radius * 1.4 * 16)), 0, 0, 360,
                float(0.9 - 0.3 * depth), -1, cv2.LINE_AA, 4)
        blend(image, np.array([240, 240, 240], np.float32), cv2.GaussianBlur(layer, (0, 0), 0.8))


# MARK: restless things


def smooth_patch(rng, size, scale, low, high):
    noise = rng.standard_normal((size // scale + 3, size // scale + 3, 3)).astype(np.float32)
    noise[..., 1:] = 0.7 * noise[..., :1] + 0.3 * noise[..., 1:]
    patch = cv2.resize(noise, (size, size), interpolation=cv2.INTER_CUBIC)
    patch = (patch - patch.min()) / (patch.max() - patch.min())
    return low + (high - low) * patch


class Flag:
    """A striped cloth whose waves travel from the pole to its free end."""

    def __init__(self, rng):
        self.w, self.h = rng.uniform(60, 130), rng.uniform(40, 80)
        self.x, self.y = rng.uniform(40, WIDTH - self.w - 30), rng.uniform(20, HEIGHT / 2 - 20)
        self.speed, self.length = rng.uniform(4, 9), rng.uniform(0.7, 1.6)
        self.gust, self.phase = rng.uniform(0.3, 0.9), rng.uniform(0, 6.28)
        self.colors = rng.uniform(20, 240, (3, 3)).astype(np.float32)

    def draw(self, image, seconds):
        ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        part = (xs - self.x) / self.w
        strength = 0.12 * self.h * (1 + 0.5 * np.sin(self.gust * 2.1 * seconds + self.phase))
        wave = strength * np.clip(part, 0, 1) * np.sin(6.28 * part / self.length - self.speed * seconds + self.phase)
        v = (ys - self.y - wave) / self.h
        inside = (part > 0) & (part < 1) & (v > 0) & (v < 1)
        stripes = self.colors[np.clip((v * 3).astype(int), 0, 2)]
        light = 1 + 0.25 * np.clip(part, 0, 1) * np.cos(6.28 * part / self.length - self.speed * seconds + self.phase)
        blend(image, np.clip(stripes * light[..., None], 0, 255), cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 0.8))


class Water:
    """A pond: ripples of several wave lengths that travel in various ways, with glints."""

    def __init__(self, rng):
        self.top = rng.uniform(0.45, 0.65) * HEIGHT
        self.waves = [
            (rng.uniform(10, 60), rng.uniform(0, 6.28), rng.uniform(20, 60), rng.uniform(4, 11), rng.uniform(0, 6.28))
            for _ in range(9)
        ]
        self.tone = rng.uniform(70, 130)

    def draw(self, image, seconds):
        ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        near = np.clip((ys - self.top) / (HEIGHT - self.top), 0.05, 1)
        height = 0
        for length, angle, speed, amplitude, phase in self.waves:
            way = (xs - WIDTH / 2) * math.cos(angle) / near**0.5 + (ys - self.top) * math.sin(angle) / near
            height = height + amplitude * np.sin(6.28 / length * (way - speed * seconds) + phase)
        value = self.tone + height + 40 * np.clip(height / 25 - 0.9, 0, 1)
        mask = cv2.GaussianBlur((ys > self.top).astype(np.float32), (0, 0), 1)
        blend(image, np.stack([value * 1.1, value, value * 0.85], -1).clip(0, 255), mask * 0.8)


class Banner:
    """Letters that scroll across a strip."""

    def __init__(self, rng):
        self.y, self.h = int(rng.uniform(10, HEIGHT - 60)), int(rng.uniform(18, 34))
        self.x, self.w = int(rng.uniform(10, 100)), int(rng.uniform(180, 350))
        self.speed = rng.uniform(25, 110)
        strip = np.full((self.h, 1500, 3), int(rng.uniform(10, 60)), np.uint8)
        text = "".join(rng.choice(list("ABCDEFGHKLMNORSTUVXYZ 0123456789  "), 90))
        cv2.putText(
            strip, text, (0, int(0.75 * self.h)), cv2.FONT_HERSHEY_SIMPLEX, self.h / 38, (230, 220, 240), 2, cv2.LINE_AA)
        self.strip = strip.astype(np.float32)

    def draw(self, image, seconds):
        x = (seconds * self.speed) % (1500 - self.w)
        part = cv2.getRectSubPix(self.strip, (self.w, self.h), (x + self.w / 2, (self.h - 1) / 2))
        image[self.y : self.y + self.h, self.x : self.x + self.w] = part[: HEIGHT - self.y, : WIDTH - self.x]


class Television:
    """A screen with scenes that cut, pan and have people of their own."""

    def __init__(self, rng):
        self.rng = rng
        self.w, self.h = int(rng.uniform(80, 150)), int(rng.uniform(50, 90))
        self.x, self.y = int(rng.uniform(10, WIDTH - self.w - 10)), int(rng.uniform(10, HEIGHT - self.h - 30))
        self.until = -1.0

    def draw(self, image, seconds):
        if seconds > self.until:
            self.until = seconds + self.rng.uniform(0.8, 4)
            self.start = seconds
            self.page = smooth_patch(self.rng, 420, int(self.rng.integers(8, 40)), 30, 220)
            self.way = self.rng.uniform(-50, 50, 2) if self.rng.random() < 0.7 else np.zeros(2)
            self.walk = self.rng.uniform(-60, 60)
            self.person = Walker(self.rng, self.h * 1.1)
        t = seconds - self.start
        center = 210 + self.way * t
        part = cv2.getRectSubPix(self.page, (self.w, self.h), (float(center[0]), float(center[1]))).copy()
        self.person.draw(part, self.w / 2 + self.walk * (t - 1), self.h * 1.05, 8 * t)
        image[self.y : self.y + self.h, self.x : self.x + self.w] = part


def drifting(rng, scale, octaves):
    """A field of 0…1 that drifts to one side and slowly becomes another; call it with a way in pixels and a share."""

    def field():
        total, width, height = 0, WIDTH, HEIGHT
        for octave in range(octaves):
            cell = max(int(scale / 2**octave), 2)
            # Its ends join: beyond each are the two columns of the other that bicubic interpolation looks at.
            noise = rng.standard_normal((height // cell + 3, 2 * width // cell)).astype(np.float32)
            padded = np.concatenate([noise[:, -2:], noise, noise[:, :2]], 1)
            large = cv2.resize(padded, None, fx=cell, fy=cell, interpolation=cv2.INTER_CUBIC)
            large = cv2.resize(large[: height + cell, 2 * cell : -2 * cell], (2 * width, height + cell))
            total = total + large[:height] / 1.8**octave
        low, high = np.percentile(total, (2, 98))
        return np.clip((total - low) / (high - low), 0, 1)

    first, second = field(), field()

    def at(way, share):
        mixed = (1 - share) * first + share * second
        columns = np.arange(WIDTH) + way
        left = np.floor(columns).astype(int)
        part = (columns - left).astype(np.float32)
        return (1 - part) * mixed[:, left % (2 * WIDTH)] + part * mixed[:, (left + 1) % (2 * WIDTH)]

    return at


def between(low, high, value):
    """A smooth step from 0 below `low` to 1 above `high`."""
    part = np.clip((value - low) / (high - low), 0, 1)
    return part * part * (3 - 2 * part)


class Clouds:
    """A sky above roofs, with clouds that drift and change."""

    def __init__(self, rng):
        self.field = drifting(rng, rng.uniform(50, 160), 5)
        self.speed = math.exp(rng.uniform(math.log(1.5), math.log(20))) * rng.choice([-1, 1])
        self.change = rng.uniform(0.005, 0.03)
        self.low = rng.uniform(0.3, 0.6)
        self.high = self.low + rng.uniform(0.1, 0.35)
        edge = cv2.resize(rng.uniform(0.25, 0.5, (1, int(rng.integers(5, 30)))).astype(np.float32), (WIDTH, 1))[0]
        rows = np.arange(HEIGHT, dtype=np.float32)[:, None]
        self.mask = cv2.GaussianBlur((rows < edge * HEIGHT).astype(np.float32), (0, 0), 0.8)
        top, bottom = np.array([210, 150, 100], np.float32), np.array([220, 195, 165], np.float32)
        self.sky = (top + (bottom - top) * (rows / (0.5 * HEIGHT)).clip(0, 1)[..., None]) * rng.uniform(0.7, 1.0)
        self.tone = np.array([250, 250, 250], np.float32) * rng.uniform(0.75, 1.0)
        self.depth = rng.uniform(0.4, 1.0)

    def draw(self, image, seconds):
        thick = self.depth * between(self.low, self.high, self.field(self.speed * seconds, self.change * seconds))
        blend(image, self.sky + (self.tone - self.sky) * thick[..., None], self.mask)


class CloudShadows:
    """Shadows of clouds that pass over the ground, with wide edges: the sun is 9 m wide in a cloud 1 km above."""

    def __init__(self, rng):
        self.field = drifting(rng, rng.uniform(150, 320), 2)
        self.speed = rng.uniform(20, 120) * rng.choice([-1, 1])
        self.low = rng.uniform(0.3, 0.5)
        self.high = self.low + rng.uniform(0.2, 0.5)
        self.depth = rng.uniform(0.2, 0.55)

    def draw(self, image, seconds):
        image *= 1 - self.depth * between(self.low, self.high, self.field(self.speed * seconds, 0))[..., None]


class Foliage:
    """Leaves of a bush that swing as branches do: common gusts, own phases, leaves that flutter."""

    def __init__(self, rng, share=0.35, strength=1.0, size=None):
        side = size or math.sqrt(share * WIDTH * HEIGHT)
        self.cx, self.cy = rng.uniform(0.2, 0.8) * WIDTH, rng.uniform(0.25, 0.75) * HEIGHT
        count = int(side * side / 60)
        self.leaves = [
            (
                self.cx + rng.normal() * side / 3, self.cy + rng.normal() * side / 3.2, rng.uniform(3, 9),
                rng.uniform(1.5, 4), rng.uniform(0, 180), rng.uniform(30, 150), rng.uniform(0, 6.28),
                rng.uniform(0.6, 1.4))
            for _ in range(count)
        ]
        self.frequency, self.swing = rng.uniform(0.35, 0.9), strength * rng.uniform(6, 12)
        self.phase, self.tint = rng.uniform(0, 6.28), rng.uniform(0.7, 1.1, 3)
        self.gust = rng.uniform(0.1, 0.3)

    def draw(self, image, seconds):
        layer = np.zeros_like(image)
        mask = np.zeros(image.shape[:2], np.float32)
        envelope = 0.55 + 0.45 * math.sin(6.28 * self.gust * seconds + 2 * self.phase)
        for x, y, a, b, angle, tone, phase, own in self.leaves:
            away = 6.28 * self.frequency * seconds + self.phase - 0.012 * (x + y)
            dx = self.swing * envelope * own * math.sin(away) + 1.0 * envelope * math.sin(9 * seconds * own + phase)
            dy = 0.35 * self.swing * envelope * own * math.sin(away * 1.1 + phase * 0.2)
            color = (tone * self.tint * np.array([0.7, 1.0, 0.75])).tolist()
            center, axes = (int((x + dx) * 16), int((y + dy) * 16)), (int(a * 16), int(b * 16))
            turn = angle + 6 * math.sin(7 * seconds * own + phase)
            cv2.ellipse(layer, center, axes, turn, 0, 360, color, -1, cv2.LINE_AA, 4)
            cv2.ellipse(mask, center, axes, turn, 0, 360, 1.0, -1, cv2.LINE_AA, 4)
        blend(image, layer, mask)


class Insect:
    """A spider or a moth before the lens: large, out of focus, with pauses and dashes."""

    def __init__(self, rng, rate):
        self.rng, self.rate = rng, rate
        self.x, self.y = rng.uniform(100, WIDTH - 100), rng.uniform(60, HEIGHT - 60)
        self.radius, self.tone = rng.uniform(14, 34), rng.choice([20.0, 235.0])
        self.velocity, self.until, self.time = np.zeros(2), 0.0, 0.0
        self.alpha = rng.uniform(0.5, 0.9)

    def draw(self, image):
        self.time += 1 / self.rate
        if self.time > self.until:
            self.until = self.time + self.rng.exponential(0.5)
            self.velocity = self.rng.normal(size=2) * self.rng.choice([0, 60, 220])
        self.x = min(max(self.x + self.velocity[0] / self.rate, -20), WIDTH + 20)
        self.y = min(max(self.y + self.velocity[1] / self.rate, -20), HEIGHT + 20)
        body = soft_ellipse(image.shape, self.x, self.y, self.radius, self.radius * 0.7, self.radius / 3)
        for leg in range(6):
            angle = leg * 1.047 + 0.3 * math.sin(12 * self.time + leg)
            mask = np.zeros(image.shape[:2], np.float32)
            end = (self.x + 2.2 * self.radius * math.cos(angle), self.y + 2.2 * self.radius * math.sin(angle))
            cv2.line(mask, (int(self.x), int(self.y)), (int(end[0]), int(end[1])), 1.0, 3, cv2.LINE_AA)
            body = np.maximum(body, 0.8 * cv2.GaussianBlur(mask, (0, 0), 2.5))
        blend(image, np.full(3, self.tone, np.float32), body * self.alpha)


def bands(image, number, speed, amplitude, period):
    """The rolling bands of mains light under a rolling shutter."""
    rows = np.arange(HEIGHT, dtype=np.float32)
    image *= (1 + amplitude * np.sin(6.28 * (rows / period - speed * number)))[:, None, None]


def headlights(image, part, rng_state):
    """Two soft cones of light that wander over walls; `part` 0…1."""
    x0, x1, y, spread, power = rng_state
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    x = x0 + (x1 - x0) * part
    light = 0
    for dx in (-0.6 * spread, 0.6 * spread):
        light = light + np.exp(-(((xs - x - dx) / spread) ** 2 + ((ys - y) / (1.2 * spread)) ** 2))
    image *= 1 + power * math.sin(math.pi * min(max(part, 0), 1)) * light[..., None]


def clip(image):
    return np.clip(image + 0.5, 0, 255).astype(np.uint8)


# MARK: scenes


def simple(rate, frames, ground, rng, draw, walker=None, settle=0, before=False, **walk):
    """A scene of one thing, with somebody who walks behind it (through rain, say) or, with `before`, before it."""
    truth = Truth(rate, frames, settle=settle)
    crossings = [] if walker is None else [Crossing(rng, *walker, **walk)]

    def pictures():
        for number in range(frames):
            image = ground.frame(number).copy()
            if before:
                draw(image, number)
            for crossing in crossings:
                note(truth, number, crossing.draw(image, number))
            if not before:
                draw(image, number)
            yield clip(image)

    return truth, pictures


def weather(kind, density, walks):
    def build(rng, ground):
        rate = 25
        thing = {"rain": Rain, "snow": Snow}[kind](rng, density, rate)
        walker = (150, 150 + int(rng.uniform(110, 150))) if walks else None
        return simple(rate, 325, ground, rng, lambda image, number: thing.draw(image), walker)

    return build


class Overcast:
    """A ground below a pale sky, before which rain and snow do not show."""

    def __init__(self, rng, ground):
        self.ground, self.bright = ground, rng.uniform(205, 235)
        skyline = np.repeat(rng.uniform(0.35, 0.75, 8), WIDTH // 8) * HEIGHT
        sky = (np.arange(HEIGHT)[:, None] < skyline[None, :]).astype(np.float32)
        self.sky = 0.95 * cv2.GaussianBlur(sky, (0, 0), 1.0)
        self.light = rng.uniform(0.4, 0.9)

    def frame(self, number):
        image = self.ground.frame(number) * self.light
        blend(image, np.full(3, self.bright, np.float32), self.sky)
        return image


def overcast(kind, densities, walks=False):
    """Weather that shows before the dark part of the image alone."""

    def build(rng, ground):
        rate = float(rng.choice([12.5, 15, 25]))
        thing = {"rain": Rain, "snow": Snow}[kind](rng, rng.uniform(*densities), rate)
        begin = round(6 * rate)
        walker = (begin, begin + round(rng.uniform(4.4, 6) * rate)) if walks else None
        below = Overcast(rng, ground)
        return simple(rate, round(13 * rate), below, rng, lambda image, number: thing.draw(image), walker)

    return build


def restless(make, walks=False, settle=75, frames=325):
    def build(rng, ground):
        rate = 25
        thing = make(rng)
        walker = (160, 160 + int(rng.uniform(110, 150))) if walks else None
        draw = lambda image, number: thing.draw(image, number / rate)
        return simple(rate, frames, ground, rng, draw, walker, settle, before=True)

    return build


def cold_tree(rng, ground):
    """A swaying tree from the first frame on, from any phase; no event at all, the first seconds too."""
    thing = Foliage(rng, share=rng.uniform(0.06, 0.3), strength=rng.uniform(0.8, 1.4))
    shift = rng.uniform(0, 20)
    return simple(25, 150, ground, rng, lambda image, number: thing.draw(image, number / 25 + shift))


def insect(rng, ground):
    thing = Insect(rng, 25)
    return simple(25, 300, ground, rng, lambda image, number: thing.draw(image))


def rolling(rng, ground):
    speed, amplitude, period = rng.uniform(0.02, 0.3), rng.uniform(0.03, 0.12), rng.uniform(60, 400)
    return simple(25, 250, ground, rng, lambda image, number: bands(image, number, speed, amplitude, period))


def sweep(rng, ground):
    state = [
        (-60.0, WIDTH + 60.0, rng.uniform(60, 200), rng.uniform(25, 80), rng.uniform(0.5, 2.0)) for _ in range(3)]
    starts = [40, 120, 200]
    lengths = [int(rng.uniform(20, 60)) for _ in range(3)]
    dark = rng.uniform(0.25, 0.6)

    def draw(image, number):
        image *= dark
        for first, length, values in zip(starts, lengths, state):
            if first <= number <= first + length:
                headlights(image, (number - first) / length, values)

    return simple(25, 280, ground, rng, draw)


def camera(kind):
    """A camera that shakes or pans over a still, larger picture."""

    def build(rng, ground):
        truth = Truth(25, 250)
        first = ground.frame(0)
        wide = cv2.resize(cv2.copyMakeBorder(first, 0, 0, WIDTH, WIDTH, cv2.BORDER_REFLECT_101), None, fx=1.15, fy=1.15,
                          interpolation=cv2.INTER_CUBIC)
        a, b = rng.uniform(5, 12, 2), rng.uniform(0, 6.28, 8)
        power = rng.uniform(3, 7)
        speed = {"shake": 0, "pan": rng.uniform(1.0, 3.0), "quick-pan": rng.uniform(8, 20)}[kind]

        def pictures():
            x, y = wide.shape[1] / 2.0, wide.shape[0] / 2.0
            for number in range(truth.frames):
                t = number / 25
                if kind == "shake":
                    dx = power * (math.sin(a[0] * t + b[0]) + 0.6 * math.sin(2.7 * a[1] * t + b[1]))
                    dy = 0.7 * power * (math.sin(a[1] * t + b[2]) + 0.6 * math.sin(3.1 * a[0] * t + b[3]))
                    turn = 0.4 * math.sin(1.3 * a[0] * t + b[4])
                else:
                    on = 60 <= number < 60 + min(150, int(400 / speed)) * 1
                    x += speed if on else 0
                    dx, dy, turn = 0, 0, 0
                m = cv2.getRotationMatrix2D((x + dx, y + dy), turn, 1)
                m[0, 2] -= x + dx - WIDTH / 2
                m[1, 2] -= y + dy - HEIGHT / 2
                image = cv2.warpAffine(wide, m, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
                yield clip(image + rng.standard_normal((HEIGHT, WIDTH, 1)) * 1.5)

        return truth, pictures

    return build


def visitor(company):
    """Somebody comes, stands and reads with small gestures, and leaves: one visit. In company, somebody who came along
    goes on at once, and somebody else passes by later."""

    def build(rng, ground):
        rate, frames = 25, 1000
        truth = Truth(rate, frames)
        walker = Walker(rng, rng.uniform(60, 110))
        arrive, stay, leave = 75, int(rng.uniform(500, 650)), 90
        y, x1 = rng.uniform(0.7, 0.95) * HEIGHT, rng.uniform(0.3, 0.7) * WIDTH
        t0, t1 = 100, 100 + arrive
        t2 = t1 + stay
        gestures = [(rng.uniform(t1, t2), rng.uniform(8, 40), rng.uniform(-0.25, 0.25)) for _ in range(int(stay / 50))]
        breath, side = rng.uniform(0.2, 0.5), rng.choice([-1, 1])
        others = companions(rng, walker, (x1 + 30) / arrive, (t0, t1, t2)) if company else []

        def pictures():
            for number in range(frames):
                image = ground.frame(number).copy()
                for other in others:
                    note(truth, number, other.draw(image, number))
                if t0 <= number <= t2 + leave:
                    lean, reach = 0.0, 0.0
                    if number < t1:
                        way = (number - t0) / arrive
                        x, gait = -30 + (x1 + 30) * way, (x1 + 30) * way / (0.13 * walker.height)
                    elif number < t2:
                        x, gait = x1, x1 / (0.13 * walker.height)
                        lean = 0.012 * math.sin(breath * (number - t1) / rate * 6.28)
                        for start, length, power in gestures:
                            if start <= number <= start + length:
                                reach += power * math.sin(math.pi * (number - start) / length)
                    else:
                        way = (number - t2) / leave
                        far = (WIDTH + 30 - x1) if side > 0 else (-30 - x1)
                        x, gait = x1 + far * way, abs(far) * way / (0.13 * walker.height)
                    note(truth, number, box_of(walker.draw(image, x, y, gait, lean, reach)))
                yield clip(image)

        return truth, pictures

    return build


def companions(rng, walker, speed, times):
    """Somebody who comes along with a walker at `speed` pixels per frame and goes on, and somebody who passes later."""
    come, _, leave = times
    later, others = int(rng.uniform(0.4, 0.6) * (come + leave)), []
    for first, left in ((come + int(rng.uniform(5, 20)), False), (later, None)):
        other = Crossing(rng, first, first, walker.height * rng.uniform(0.85, 1.15), left=left)
        other.last = first + int((other.end - other.start) / (speed * rng.uniform(0.9, 1.2)))
        others.append(other)
    return others


def still(noise):
    def build(rng, ground):
        return simple(
            25, 250, ground, rng,
            lambda image, number: np.add(
                image * 0.4, rng.standard_normal((HEIGHT, WIDTH, 1)).astype(np.float32) * noise, out=image))

    return build


def slow_camera(rate, seconds, noise=2.0, light=1.0, **walk):
    """One or two walks before a camera with few frames a second."""

    def build(rng, ground):
        frames = int(rate * 20)
        first = int(8 * rate)
        last = first + max(int(seconds * rng.uniform(0.85, 1.15) * rate), 2)

        def draw(image, number):
            image *= light
            image += rng.standard_normal((HEIGHT, WIDTH, 1)).astype(np.float32) * noise

        return simple(rate, frames, ground, rng, draw, (first, last), **walk)

    return build


def equal_luma(rng, ground):
    """A person of the background's brightness, but of another colour."""
    rate, frames = 25, 275
    truth = Truth(rate, frames)
    crossing = Crossing(rng, 100, 230)
    hue = rng.uniform(0, 6.28)

    def pictures():
        for number in range(frames):
            image = ground.frame(number).copy()
            probe = image.copy()
            box = None
            if crossing.first <= number <= crossing.last:
                part = (number - crossing.first) / (crossing.last - crossing.first)
                x = crossing.start + (crossing.end - crossing.start) * part
                mask = crossing.walker.draw(probe, x if crossing.right else WIDTH - x, crossing.y, 8 * part * 6.28)
                box = box_of(mask)
                luma = image @ np.array([0.114, 0.587, 0.299], np.float32)
                cb, cr = 45 * math.cos(hue), 45 * math.sin(hue)
                b, r = luma + 1.772 * cb, luma + 1.402 * cr
                g = (luma - 0.114 * b - 0.299 * r) / 0.587
                blend(image, np.stack([b, g, r], -1).clip(0, 255), mask)
            note(truth, number, box)
            yield clip(image)

    return truth, pictures


def far_movers(rng, ground):
    """Somebody far away, 5 to 9 pixels of 480 high (3 to 6 of 320), on a wall without much texture."""
    rate, frames = 25, 300
    truth = Truth(rate, frames)
    size, y = rng.uniform(5, 9), rng.uniform(0.2, 0.8) * HEIGHT
    tone = rng.choice([30.0, 225.0])
    speed, x0 = rng.uniform(18, 40), rng.uniform(30, 120)

    def pictures():
        for number in range(frames):
            image = ground.frame(number).copy()
            if 80 <= number < 240:
                x = x0 + speed * (number - 80) / rate
                mask = soft_ellipse(image.shape, x, y, 0.3 * size, 0.5 * size, 0.5)
                blend(image, np.full(3, tone, np.float32), mask)
                note(truth, number, box_of(mask))
            yield clip(image)

    return truth, pictures


SCENES = {
    **{f"rain-{n}": weather("rain", d, False) for n, d in (("light", 40), ("medium", 150), ("heavy", 450))},
    **{f"snow-{n}": weather("snow", d, False) for n, d in (("light", 60), ("medium", 220), ("heavy", 600))},
    "rain-medium-walker": weather("rain", 150, True),
    "rain-heavy-walker": weather("rain", 450, True),
    "snow-medium-walker": weather("snow", 220, True),
    "snow-heavy-walker": weather("snow", 600, True),
    "rain-overcast": overcast("rain", (15, 120)),
    "rain-overcast-walker": overcast("rain", (15, 120), walks=True),
    "snow-overcast": overcast("snow", (20, 160)),
    "snow-overcast-walker": overcast("snow", (20, 160), walks=True),
    "flag": restless(Flag),
    "flag-walker": restless(Flag, walks=True),
    "water": restless(Water),
    "water-walker": restless(Water, walks=True),
    "banner": restless(Banner),
    "banner-walker": restless(Banner, walks=True),
    "television": restless(Television),
    "television-walker": restless(Television, walks=True),
    "foliage": restless(Foliage),
    "foliage-near": restless(lambda rng: Foliage(rng, share=0.8, strength=2.2)),
    "foliage-walker": restless(Foliage, walks=True),
    "cold-tree": cold_tree,
    "clouds": restless(Clouds, settle=0),
    "clouds-walker": restless(Clouds, walks=True, settle=0),
    "cloud-shadows": restless(CloudShadows, settle=0),
    "cloud-shadows-walker": restless(CloudShadows, walks=True, settle=0),
    "insect": insect,
    "bands": rolling,
    "headlights": sweep,
    "shake": camera("shake"),
    "pan": camera("pan"),
    "quick-pan": camera("quick-pan"),
    "visitor": visitor(company=False),
    "visitor-company": visitor(company=True),
    "noisy-room": still(12),
    "2fps": slow_camera(2, 6),
    "fast-10fps": slow_camera(10, 0.9),
    "dark-noise-10fps": slow_camera(10, 6, noise=9, light=0.3),
    "low-contrast": slow_camera(25, 5, alpha=0.12),
    "equal-luma": equal_luma,
    "far": far_movers,
}
