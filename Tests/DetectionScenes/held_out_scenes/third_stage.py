"""The stage of the third set of scenes: smaller pictures, longer videos, props without boxes, looks of its own."""

import cv2
import numpy as np

from .figures import Person
from .places import indoors, outdoors
from .stage import Actor, Stage, Truth, lighting

BUDGET = 130e6  # the number of pixels in a video up to which a rate and a length are chosen
QUIET = 6  # seconds without a visit at the start of a video


class Prop(Actor):
    """A thing that stands or moves among the actors and hides them, but is no visitor."""


class Scene(Stage):
    """One video of the third set.

    `size` is the width and height of the picture, `place` a function of (rng, width, height) that draws the canvas,
    `seconds` the range of lengths. `long_shadow` is how far the shadow of a figure reaches aside and downwards, in
    heights of the figure.
    """

    WIDTHS = (320, 352, 400, 480, 480, 512, 576, 640, 640)
    RATES = (10, 12.5, 15, 25, 30)
    TIMES = ("sun", "sun", "overcast", "overcast", "overcast", "dusk", "lamps", "infrared")

    def __init__(self, rng, inside=False, time=None, seconds=(24, 40), rate=None, size=None, place=None, margin=0,
                 noise=1.0, clock=None, **options):
        self.rng, self.inside = rng, inside
        width = int(rng.choice(self.WIDTHS))
        width, height = size or (width, 2 * round(width * rng.choice((9 / 16, 9 / 16, 3 / 4)) / 2))
        rates = [rate for rate in self.RATES if width * height * rate * seconds[0] <= BUDGET] or [10]
        rate = rate or float(rng.choice(rates))
        self.seconds = rng.uniform(seconds[0], max(seconds[0], min(seconds[1], BUDGET / (width * height * rate))))
        self.truth = Truth(rate, width, height, int(self.seconds * rate))
        self.when = np.arange(self.truth.frames) / rate
        world = (width + 2 * margin, height + 2 * margin)
        self.canvas = (place or (indoors if inside else outdoors))(rng, *world, **options)
        self.time = time or ("room" if inside else rng.choice(self.TIMES))
        self.light = lighting(rng, self.time, *world)
        self.view = np.full((self.truth.frames, 2), margin, np.float32)
        self.moves = margin > 0
        self.noise, self.blotches, self.blur = noise * self.light.noise, 0.0, rng.uniform(0.4, 0.9)
        self.shutter = rng.uniform(0.003, 0.012) * (2 if self.time in ("lamps", "infrared") else 1)
        self.has_clock = rng.random() < 0.3 if clock is None else clock
        self.actors, self.under, self.over, self.after = [], [], [], []
        self.gain = self.natural_gain()
        self.long_shadow = None

    def stroll(self, figure=None, recolour=None, left=0, **route):
        """Somebody, at times with a companion, walks through after the quiet start; leaves seconds before the end."""
        rng = self.rng
        stops = self.route(rng.uniform(QUIET, max(QUIET + 0.5, self.seconds - 15)), left=left, **route)
        for _ in range(1 if figure or rng.random() < 0.75 else 2):
            self.actors.append(Actor(self, figure or Person(rng, self.ground_luma()), stops, recolour))
            stops = [(t + 0.5, x, y + 0.06 * self.canvas.body(y)) for t, x, y in stops]

    def graded(self, colour):
        """A colour in the light of the scene."""
        return np.clip(self.light.matrix @ np.float32(colour) + self.light.lift, 0, 255)

    def show(self, actor, frame, i):
        box, share = super().show(actor, frame, i)
        return None if isinstance(actor, Prop) else box, share

    def cast_shadow(self, frame, alpha, sprite_left, sprite_top, breadth, x, y, size):
        """The spot under the feet, and in low sun a long hard shadow on the ground."""
        if self.long_shadow:
            self.cast_long_shadow(frame, alpha, sprite_left, sprite_top, y)
        super().cast_shadow(frame, alpha, sprite_left, sprite_top, breadth, x, y, size)

    def cast_long_shadow(self, frame, alpha, left, top, y):
        aside, down = self.long_shadow
        height, width = frame.shape[:2]
        matrix = np.float32([[1, -aside, left + aside * (y - top)], [0, -down, y + down * (y - top)]])
        mask = cv2.GaussianBlur(cv2.warpAffine(alpha / 255, matrix, (width, height)), (0, 0), 0.7)
        mask *= self.visible(0, 0, height, width, y)
        mask[:int(self.canvas.top)] = 0
        frame *= 1 - 0.62 * mask[..., None]


def resend(film, source):
    """A film that shows for each of its pictures the picture of another film with the number in `source`.

    `source` never falls; the boxes are those of the picture shown.
    """
    inner, draw = film
    truth = Truth(inner.rate, inner.width, inner.height, len(source))

    def pictures():
        truth.boxes.clear()
        number, i = -1, 0
        for number, picture in enumerate(draw()):
            while i < len(source) and source[i] == number:
                if number in inner.boxes:
                    truth.boxes[i] = inner.boxes[number]
                yield picture
                i += 1

    return truth, pictures


def interlace(film):
    """A film of half the rate whose even lines come from one picture and whose odd lines from the next."""
    inner, draw = film
    truth = Truth(inner.rate / 2, inner.width, inner.height, inner.frames // 2)

    def pictures():
        truth.boxes.clear()
        upper = None
        for number, picture in enumerate(draw()):
            if number % 2 == 0:
                upper = picture
                continue
            woven = picture.copy()
            woven[::2] = upper[::2]
            first, second = (inner.boxes.get(n, []) for n in (number - 1, number))
            if first and second and len(first) == len(second):
                truth.boxes[number // 2] = [hull(one, other) for one, other in zip(first, second)]
            elif first or second:
                truth.boxes[number // 2] = first or second
            yield woven

    return truth, pictures


def hull(one, other):
    """The smallest box around two boxes."""
    left, top = min(one[0], other[0]), min(one[1], other[1])
    right, bottom = max(one[0] + one[2], other[0] + other[2]), max(one[1] + one[3], other[1] + other[3])
    return [left, top, right - left, bottom - top]
