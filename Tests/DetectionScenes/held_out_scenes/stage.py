"""A video in the making: the camera with its truth, light, noise and clock, and the stage that it films."""

import math
from dataclasses import dataclass, field

import cv2
import numpy as np

from .figures import Car, Pen, Person, Pose
from .paint import LUMA, SHIFT, blend, fractal, leafage, patch, wander
from .places import indoors, outdoors

VISIBLE = 0.5  # the share of a mover that has to be in sight for it to have a box


# The camera


@dataclass
class Truth:
    """The format of a video and, for each picture, the boxes of everything an owner wants to be told of.

    A box is (x, y, width, height) in pixels; the boxes are complete once all pictures have been drawn. `parts` are the
    boxes of what is seen of movers of which most is hidden or outside the picture.
    """

    rate: float
    width: int
    height: int
    frames: int
    boxes: dict[int, list] = field(default_factory=dict)
    parts: dict[int, list] = field(default_factory=dict)


@dataclass
class Light:
    """How the camera sees colours: a matrix, a lift of the blacks and a field of brightness over the picture.

    `sun` is the strength of the shadows that figures cast, `slant` their direction, `noise` that of the sensor.
    """

    matrix: np.ndarray
    lift: float
    field: np.ndarray
    sun: float
    slant: float
    noise: float
    grey: bool

    def develop(self, canvas, blur):
        """An empty place as the camera sees it."""
        image = cv2.resize(canvas.image, (canvas.width, canvas.height), interpolation=cv2.INTER_AREA)
        image = cv2.transform(cv2.GaussianBlur(image, (0, 0), blur), self.matrix) + np.float32(self.lift)
        return image * self.field[..., None]

    def grade(self, sprite, left, top):
        """A sprite as the camera sees it at its place in the picture."""
        there, here = patch(self.field.shape, left, top, *sprite.shape[:2])
        graded = sprite.copy()
        graded[..., :3] = cv2.transform(sprite[..., :3], self.matrix) + self.lift * sprite[..., 3:] / 255
        graded[here][..., :3] *= self.field[there][..., None]
        return graded


# time: tint, ranges of exposure and contrast, lift of the blacks, range of the sensor's noise
TIMES = {
    "sun": ((0.93, 1.0, 1.05), (1.15, 1.45), (0.85, 1.1), 5, (0.7, 2)),
    "overcast": ((1.04, 1.0, 0.97), (0.85, 1.2), (0.55, 0.9), 25, (0.8, 2.5)),
    "dusk": ((1.12, 0.97, 0.92), (0.45, 0.75), (0.7, 1), 8, (2, 4)),
    "lamps": ((0.66, 0.92, 1.12), (0.45, 0.7), (0.8, 1), 8, (2, 4.5)),
    "infrared": ((1, 1, 1), (0.6, 0.95), (0.7, 1), 10, (2, 5)),
    "room": ((0.9, 1, 1.04), (0.8, 1.15), (0.7, 1), 10, (0.8, 3)),
}


def lighting(rng, time, width, height):
    """The light of a time of day: sun, overcast, dusk, lamps, infrared or room."""
    # Drawn for every time, so that the draws that follow do not depend on it.
    drawn = {name: [rng.uniform(*span) for span in (exposure, contrast, noise)]
             for name, (_, exposure, contrast, _, noise) in TIMES.items()}
    (tint, _, _, lift, _), (exposure, contrast, noise) = TIMES[time], drawn[time]
    lift += 55 * (1 - contrast) * exposure
    infrared = time == "infrared"
    colourful = 0 if infrared else rng.uniform(0.6, 1.1)
    grey = rng.dirichlet((4, 4, 4)) if infrared else LUMA
    mix = colourful * np.eye(3) + (1 - colourful) * np.tile(grey, (3, 1))
    balance = np.float64(tint) * rng.normal(1, 0.02, 3) ** (not infrared)
    matrix = exposure * contrast * np.diag(balance) @ mix
    y, x = np.mgrid[-1:1:height * 1j, -1:1:width * 1j].astype(np.float32)
    fall = 1 - rng.uniform(0.03, 0.2) * (x * x + y * y)
    if time in ("infrared", "lamps"):
        spread = rng.uniform(0.5, 1.2)
        fall *= 0.25 + np.exp(-((x - rng.uniform(-0.4, 0.4)) ** 2 + (y - rng.uniform(-0.1, 0.5)) ** 2) / spread)
    if time == "sun" and rng.random() < 0.6:
        edge = y + rng.uniform(-0.6, 0.6) * x - rng.uniform(-0.1, 0.7)
        fall *= 1 - rng.uniform(0.3, 0.5) / (1 + np.exp(np.clip(edge * height / 4, -20, 20)))
    sun = rng.uniform(0.4, 0.9) if time == "sun" else 0.0
    return Light(matrix.astype(np.float32), lift, fall, sun, rng.uniform(-0.9, 0.9), noise, infrared)


class Sensor:
    """Noise of the sensor, stronger in brighter parts, and the rounding to eight bits."""

    def __init__(self, rng, width, height, sigma, grey, blotches=0.0):
        self.rng, self.spare = rng, (height // 8 + 40, width // 8 + 40)
        shape = (height + self.spare[0], width + self.spare[1])
        bank = rng.standard_normal((*shape, 1), dtype=np.float32)
        colour = 0 if grey else 0.5 * rng.standard_normal((*shape, 3), dtype=np.float32)
        bank = cv2.GaussianBlur(bank + colour * np.ones(3, np.float32), (0, 0), rng.uniform(0.35, 0.6))
        if blotches:
            bank = bank / bank.std() + blotches * fractal(rng, *shape, 5, 2)[..., None]
        self.bank = bank * np.float32(sigma / bank.std())

    def expose(self, frame):
        height, width = frame.shape[:2]
        y, x = (int(self.rng.integers(spare)) for spare in self.spare)
        small = cv2.resize(frame, (width // 8, height // 8), interpolation=cv2.INTER_AREA) @ LUMA
        gain = cv2.resize(0.55 + 0.6 * np.sqrt(np.clip(small, 0, 255) / 128), (width, height))
        noise = cv2.multiply(self.bank[y:y + height, x:x + width], cv2.merge((gain,) * 3))
        return cv2.add(frame, noise, dtype=cv2.CV_8U)


class Clock:
    """Date and time that the camera writes into the picture."""

    def __init__(self, rng, width, height):
        self.start, self.size = rng.uniform(0, 86000), rng.uniform(0.45, 0.8) * width / 640
        self.date = f"20{rng.integers(18, 26)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
        self.x, self.y = int(rng.choice((0.02, 0.5)) * width), int(height * rng.choice((0.07, 0.96)))

    def draw(self, picture, seconds):
        second = int(self.start + seconds)
        text = f"{self.date} {second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        for dx, dy, grey in ((-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0), (0, 0, 250)):
            cv2.putText(picture, text, (self.x + dx, self.y + dy), cv2.FONT_HERSHEY_SIMPLEX, self.size, (grey,) * 3, 1,
                        cv2.LINE_AA)


# The stage


class Actor:
    """A figure that moves along stops (second, x, y) of its feet; out of sight before the first and after the last.

    `recolour`, a function of (sprite, frame, left, top), replaces the light's grading.
    """

    def __init__(self, stage, figure, stops, recolour=None):
        self.figure, self.recolour = figure, recolour
        rate, count, when = stage.truth.rate, stage.truth.frames, stage.when
        seconds, xs, ys = np.float64(stops).T
        self.here = (when >= seconds[0]) & (when <= seconds[-1])
        self.x, self.y = np.interp(when, seconds, xs), np.interp(when, seconds, ys)
        self.size = stage.canvas.body(self.y)
        heading = np.gradient(self.x)
        step = np.hypot(heading, np.gradient(self.y))
        self.travel = np.cumsum(step / self.size)
        self.stride = np.clip(step / self.size * rate / 0.35, 0, 1)
        self.facing = np.where(np.abs(heading) > 1e-6, np.sign(heading), 0).astype(int)
        for i in range(1, count):
            self.facing[i] = self.facing[i] or self.facing[i - 1]
        self.side = np.clip(np.abs(heading) / np.maximum(step, 1e-6), 0.3, 1)
        self.side[step < 1e-6] = stage.rng.uniform(0.3, 0.9)
        self.speed = heading * rate
        self.sit = np.zeros(count)
        self.sway = [wander(stage.rng, count, rate * scale) for scale in (0.9, 0.7, 0.6, 0.8)]

    def pose(self, i):
        calm = 1 - 0.8 * self.stride[i]
        lean, nod, far, near = (course[i] * calm for course in self.sway)
        return Pose(self.facing[i] or 1, self.side[i], self.travel[i], self.stride[i], self.sit[i], 0.012 * lean,
                    0.008 * nod, 0.5 * max(far, 0), 0.6 * max(near, 0))


class Stage:
    """One video in the making: the place, the light, the camera, the actors and the disturbances.

    Effects are functions of (frame, index) that change the frame in place: `under` before the actors are drawn, `over`
    after them, `after` on the finished eight-bit picture. `view` is the corner of the picture in the place at each
    index, `gain` the brightness.
    """

    WIDTHS = (320, 400, 480, 480, 512, 560, 640, 640, 640, 720, 800, 960)

    def __init__(self, rng, inside=False, time=None, seconds=None, rate=None, stretch=1.0, margin=0, noise=1.0,
                 clock=None, **place):
        self.rng, self.inside = rng, inside
        width = int(rng.choice(self.WIDTHS))
        height = 2 * round(width * rng.choice((9 / 16, 9 / 16, 3 / 4)) / 2)
        rates = (8, 10, 12.5, 15, 20, 25, 30) if width * height < 250_000 else (8, 10, 12.5, 15)
        rate = rate or float(rng.choice(rates))
        self.seconds = seconds or rng.uniform(14, 24)
        self.truth = Truth(rate, width, height, int(self.seconds * rate))
        self.when = np.arange(self.truth.frames) / rate
        world = (int(width * stretch) + 2 * margin, height + 2 * margin)
        self.canvas = indoors(rng, *world) if inside else outdoors(rng, *world, **place)
        if not time:
            time = "room" if inside else rng.choice(("sun", "sun", "overcast", "overcast", "dusk", "lamps", "infrared"))
        self.time = time
        self.light = lighting(rng, time, *world)
        self.view = np.full((self.truth.frames, 2), margin, np.float32)
        self.moves = margin > 0 or stretch > 1
        self.noise, self.blotches, self.blur = noise * self.light.noise, 0.0, rng.uniform(0.4, 0.8)
        self.shutter = rng.uniform(0.003, 0.012) * (2 if time in ("lamps", "infrared") else 1)
        self.has_clock = rng.random() < 1 / 3 if clock is None else clock
        self.actors, self.under, self.over, self.after = [], [], [], []
        self.gain = self.natural_gain()

    def natural_gain(self):
        """The small unrest of daylight and of the automatic exposure."""
        slow, quick = self.course(6), self.course(0.7)
        drift, unrest = self.rng.uniform(0, 0.02), self.rng.uniform(0, 0.005)
        return 1 + drift * (slow - slow[0]) + unrest * quick + 0.001 * self.rng.standard_normal(self.truth.frames)

    def course(self, scale):
        """A wandering course over the video; `scale` in seconds."""
        return wander(self.rng, self.truth.frames, scale * self.truth.rate)

    def gusts(self):
        """Strength of the wind over the video, at least 0.1, around 1."""
        gust = self.rng.uniform(0.3, 0.7) * self.course(2.5) + 0.25 * self.course(0.6)
        return np.maximum(self.rng.uniform(0.5, 1.1) * np.exp(gust), 0.1).astype(np.float32)

    # Passers-by

    def walkers(self, figure=None, count=None, recolour=None, left=0, start=None, **route):
        """One person or two who walk through at a random time after four seconds, for three to eight seconds."""
        rng = self.rng
        count = count or (2 if rng.random() < 0.35 else 1)
        together = rng.random() < 0.5
        begin = start if start is not None else rng.uniform(4, self.seconds - 9)
        stops = self.route(begin, left=left, **route)
        for number in range(count):
            person = figure or Person(rng, self.ground_luma())
            self.actors.append(Actor(self, person, stops, recolour))
            if together:
                stops = [(t + 0.45, x, y + 0.05 * self.canvas.body(y)) for t, x, y in stops]
            elif number + 1 < count:
                stops = self.route(rng.uniform(4, self.seconds - 8.5), left=left, **route)

    def route(self, start, left=0, y=None, speeds=(0.5, 1.6), lengths=(3, 8)):
        """Stops of a way through the view from `left` on: all through or, if slow, from or to behind something."""
        rng, canvas, view = self.rng, self.canvas, self.truth.width
        y = y or self.foot()
        body, facing = canvas.body(y), rng.choice((-1, 1))
        duration, pace = rng.uniform(*lengths), rng.uniform(*speeds) * body
        whole = pace * duration > 0.85 * view
        if whole:
            duration = max(lengths[0], view / pace)
            pace = view / duration
        way = pace * duration + 0.9 * body
        rise = float(np.clip(rng.uniform(-0.06, 0.06) * way, canvas.top + 0.03 * body - y, 0.98 * canvas.height - y))
        enters = rng.random() < 0.5
        edge = left - 0.45 * body if (facing > 0) == enters else left + view + 0.45 * body
        first = edge if enters else edge - facing * way
        stops = [(start, first, y), (start + way / pace, first + facing * way, y + rise)]
        if not whole:
            hidden = stops[1] if enters else stops[0]
            self.screen(hidden[1], max(stops[0][2], stops[1][2]), body, facing if enters else -facing)
        return stops

    def screen(self, x, y, body, outward):
        """Puts something behind which a passer-by appears or vanishes at x and which extends outward from there."""
        rng, base = self.rng, min(y + 0.07 * body, self.canvas.height + 0.3 * body)
        kind = "wall" if self.inside else rng.choice(("wall", "hedge", "van"))
        x += outward * body * (0.85 if kind == "van" else 0.1)
        if kind == "van":
            self.canvas.figure(Car(rng, "van", self.ground_luma()), x, base, rng.choice((-1, 1)))
        elif kind == "hedge":
            wide, tall = int(body * rng.uniform(2.2, 3.2)), int(2.5 * body)
            self.canvas.darken(x, base, wide / 4, 0.1 * body)
            self.canvas.stamp(leafage(rng, wide, tall, max(3, 0.13 * body), False), x - wide / 4, base - tall / 2, base)
        else:
            material = rng.choice(("brick", "plaster", "planks"))
            self.canvas.box(rng, x, base, rng.uniform(1.1, 1.5), rng.uniform(1.2, 1.5), 0.3, (110, 115, 120), material)

    def foot(self, low=0.08):
        """A place for the feet at which a body takes between `low` and 0.4 of the picture's height."""
        canvas, height = self.canvas, self.truth.height
        nearest = min(0.4 * height, canvas.body(0.97 * canvas.height))
        farthest = min(max(low * height, canvas.body(canvas.top) * 1.08), 0.9 * nearest)
        body = math.exp(self.rng.uniform(math.log(farthest), math.log(nearest)))
        return canvas.horizon + body / canvas.scale

    def ground_luma(self):
        """Mean brightness of the ground before grading, against which clothes should show."""
        return float(self.canvas.image[int(2 * self.canvas.top):].mean((0, 1)) @ LUMA)

    # Filming

    def film(self):
        """The truth and the generator function of the pictures."""
        truth, canvas = self.truth, self.canvas
        self.image = self.light.develop(canvas, self.blur)
        self.hiding = canvas.base[::2, ::2].copy()
        self.sky = cv2.resize(canvas.sky, (canvas.width, canvas.height), interpolation=cv2.INTER_AREA)
        self.clock = Clock(self.rng, truth.width, truth.height)
        seed = int(self.rng.integers(2**62))

        def pictures():
            chance = np.random.default_rng(seed)
            sensor = Sensor(chance, truth.width, truth.height, self.noise, self.light.grey, self.blotches)
            truth.boxes.clear()
            truth.parts.clear()
            for i in range(truth.frames):
                yield self.take(sensor, i)

        return truth, pictures

    def take(self, sensor, i):
        """Draws one picture and notes the boxes of the actors in it."""
        truth = self.truth
        frame = self.image.copy()
        for effect in self.under:
            effect(frame, i)
        present = sorted((actor for actor in self.actors if actor.here[i]), key=lambda actor: actor.y[i])
        for actor in present:
            box, share = self.show(actor, frame, i)
            if box:
                (truth.boxes if share >= VISIBLE else truth.parts).setdefault(i, []).append(box)
        for effect in self.over:
            effect(frame, i)
        if self.moves:
            matrix = np.float32([[1, 0, -self.view[i, 0]], [0, 1, -self.view[i, 1]]])
            frame = cv2.warpAffine(frame, matrix, (truth.width, truth.height), borderMode=cv2.BORDER_REPLICATE)
        picture = sensor.expose(frame * np.float32(self.gain[i]))
        for effect in self.after:
            effect(picture, i)
        if self.has_clock:
            self.clock.draw(picture, i / truth.rate)
        return picture

    def show(self, actor, frame, i):
        """Draws an actor; returns the box of what is seen of it, or None, and the share of it that is seen."""
        x, y, size = actor.x[i], actor.y[i], actor.size[i]
        pen = Pen(x, y, size, actor.figure.reach)
        actor.figure.draw(pen, actor.pose(i))
        sprite, left, top = cv2.GaussianBlur(pen.sprite(actor.figure.texture), (0, 0), self.blur), pen.left, pen.top
        smear = int(abs(actor.speed[i]) * self.shutter)
        if smear > 1:
            sprite = cv2.copyMakeBorder(sprite, 0, 0, smear, smear, cv2.BORDER_CONSTANT)
            sprite, left = cv2.blur(sprite, (smear, 1)), left - smear
        seen = self.visible(left, top, *sprite.shape[:2], y)
        self.cast_shadow(frame, sprite[..., 3], left, top, pen.shape[0], x, y, size)
        sprite = (actor.recolour(sprite, frame, left, top) if actor.recolour
                  else self.light.grade(sprite, left, top))
        blend(frame, sprite, left, top, seen)
        return self.box(sprite[..., 3], seen, left - round(self.view[i, 0]), top - round(self.view[i, 1]))

    def box(self, alpha, seen, left, top):
        """The box of the part of a sprite that is seen in the picture, or None, and the share of it that is seen."""
        (rows, columns), here = patch((self.truth.height, self.truth.width), left, top, *alpha.shape)
        part = (alpha * seen / 255)[here]
        x, y, width, height = cv2.boundingRect((part > 0.35).astype(np.uint8))
        box = [x + columns.start, y + rows.start, width, height] if width and height else None
        return box, float(part.sum() / max(alpha.sum() / 255, 1e-6))

    def visible(self, left, top, height, width, y):
        """Where a sprite whose foot is at y is not hidden by what stands nearer to the camera."""
        there, here = patch(self.hiding.shape, left, top, height, width)
        result = np.ones((height, width), np.float32)
        result[here] = self.hiding[there] <= y
        return result

    def cast_shadow(self, frame, alpha, sprite_left, sprite_top, breadth, x, y, size):
        """A soft dark spot under the feet and, in the sun, the figure's shadow on the ground."""
        light = self.light
        height, width = int(0.9 * size) + 8, int(3.6 * size) + 8
        left, top = int(x - width / 2), int(y - height / 2)
        mask = np.zeros((height, width), np.float32)
        wide = 0.22 * size if breadth < 1.6 * size else 1.15 * size
        centre = (int((x - left) * 2**SHIFT), int((y - top) * 2**SHIFT))
        axes = (int(wide * 2**SHIFT), int(0.05 * size * 2**SHIFT))
        cv2.ellipse(mask, centre, axes, 0, 0, 360, 0.3, -1, cv2.LINE_8, SHIFT)
        if light.sun:
            flat = 0.3 * light.slant
            matrix = np.float32([[1, -light.slant, sprite_left - left + light.slant * (y - sprite_top)],
                                 [0, flat, y - top - flat * (y - sprite_top)]])
            mask = np.maximum(mask, 0.55 * light.sun * cv2.warpAffine(alpha / 255, matrix, (width, height)))
        mask = cv2.GaussianBlur(mask, (0, 0), 0.8 + 0.02 * size) * self.visible(left, top, height, width, y)
        there, here = patch(frame.shape, left, top, height, width)
        frame[there] *= 1 - mask[here][..., None]
