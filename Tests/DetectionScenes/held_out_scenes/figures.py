"""People, animals and vehicles.

A figure has a `reach` (how far it extends to the left, to the right and upwards from its feet, in body heights), a
`texture` of light over it, and draws itself with a pen in a pose.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from .paint import SHIFT, folds, paint_colour, subpixel, unlike

STEP = 0.45  # largest angle of the thigh when walking


@dataclass
class Pose:
    """The posture of a figure in one picture; `travel` is the way gone in body heights, angles are in radians."""

    facing: int = 1
    side: float = 1.0
    travel: float = 0.0
    stride: float = 0.0
    sit: float = 0.0
    lean: float = 0.0
    nod: float = 0.0
    raise_arm: float = 0.0
    lift_arm: float = 0.0

    @property
    def phase(self):
        return math.pi * self.travel / math.sin(STEP)


class Pen:
    """Draws a figure in body heights, y upwards from the feet, supersampled so that edges fall between pixels."""

    def __init__(self, x, y, size, reach):
        left, right, up = reach
        self.left, self.top = math.floor(x - left * size) - 1, math.floor(y - up * size) - 1
        width = math.ceil(x + right * size) + 2 - self.left
        height = math.ceil(y + 0.08 * size) + 2 - self.top
        self.finer = 6 if size < 30 else 4 if size < 100 else 2
        self.canvas = np.zeros((height * self.finer, width * self.finer, 4), np.uint8)
        self.origin = np.float64([x - self.left, y - self.top]) * self.finer
        self.unit, self.shape = size * self.finer, (width, height)
        self.turned = (1, 1)

    def turn(self, facing, size=1.0):
        """Mirrors all positions from now on if the figure faces left, and scales them."""
        self.turned = (facing * size, size)

    def place(self, points):
        return subpixel(self.origin + np.float64(points) * self.turned * (self.unit, -self.unit))

    def limb(self, points, width, colour):
        thickness = max(1, round(width * self.unit))
        cv2.polylines(self.canvas, [self.place(points)], False, opaque(colour), thickness, cv2.LINE_8, SHIFT)

    def area(self, points, colour):
        cv2.fillPoly(self.canvas, [self.place(points)], opaque(colour), cv2.LINE_8, SHIFT)

    def disc(self, centre, rx, ry, colour, angle=0.0, start=0, end=360):
        axes = tuple(int(round(r * self.unit * 2**SHIFT)) for r in (rx, ry))
        centre = tuple(map(int, self.place(centre)))
        cv2.ellipse(self.canvas, centre, axes, -angle, start, end, opaque(colour), -1, cv2.LINE_8, SHIFT)

    def sprite(self, texture):
        """The figure at the picture's resolution, with the folds and lighting of its texture."""
        small = cv2.resize(self.canvas, self.shape, interpolation=cv2.INTER_AREA).astype(np.float32)
        small[..., :3] *= cv2.resize(texture, self.shape)[..., None]
        return small


def opaque(colour):
    return (*map(float, colour), 255)


class Person:
    """Somebody who walks, stands or sits, in clothes of several colours."""

    reach = (0.5, 0.5, 1.08)

    def __init__(self, rng, ground=120.0, umbrella=False, contrast=28):
        self.jacket = unlike(ground, contrast, lambda: paint_colour(rng, 15, 240))
        self.trousers = unlike(ground, contrast, lambda: paint_colour(rng, 20, 180, 0.5))
        self.skin = np.float32([120, 150, 205]) * rng.uniform(0.4, 1.1)
        self.hair = np.float32([30, 45, 65]) * rng.uniform(0.4, 2.2)
        self.shoes, self.bag = paint_colour(rng, 15, 90, 0.3), paint_colour(rng)
        self.coat, self.carries = rng.random() < 0.35, rng.random() < 0.4
        self.stout = rng.uniform(0.85, 1.25)
        self.umbrella = paint_colour(rng, 30, 210) if umbrella else None
        self.texture = folds(rng)
        if umbrella:
            self.reach = (0.55, 0.55, 1.32)

    def draw(self, pen, pose):
        hip, legs = self.joints(pose)
        forward = pose.facing * pose.side
        lean = 0.03 * forward + pose.lean
        shoulder = (lean, hip + 0.28)
        broad = self.stout * (0.10 - 0.03 * pose.side)
        aside = 0.9 * broad * (1 - pose.side)
        far, near = (0.55 * pose.stride * math.sin(pose.phase + start) for start in (math.pi, 0))
        far = far + 0.8 * pose.raise_arm + 0.6 * pose.sit
        near = near + 0.3 * pose.lift_arm + 0.6 * pose.sit
        if self.umbrella is not None:
            near = 1.1
        self.draw_arm(pen, shoulder, -aside, far, 1.2 * pose.raise_arm, forward, 0.75)
        for tone, (knee, ankle) in zip((0.78, 1.0), legs):
            root = (0.45 * broad * np.sign(knee[0]) * (1 - pose.side), hip)
            pen.limb([root, knee], 0.095 * self.stout, self.trousers * tone)
            pen.limb([knee, ankle], 0.07, self.trousers * tone)
            pen.limb([ankle, (ankle[0] + 0.07 * forward, ankle[1] - 0.008)], 0.045, self.shoes * tone)
        self.draw_body(pen, pose, hip, lean, broad, forward)
        self.draw_arm(pen, shoulder, aside, near, 0.9 * pose.lift_arm, forward, 1.08)
        if self.umbrella is not None:
            self.draw_umbrella(pen, shoulder, forward)

    def joints(self, pose):
        """The height of the hip, and for each leg knee and ankle, with the lower foot on the ground."""
        joints = []
        for start in (0, math.pi):
            phase = pose.phase + start
            thigh = STEP * pose.stride * math.sin(phase) + 1.45 * pose.sit
            bend = pose.stride * (0.08 + 0.85 * max(0, math.cos(phase + 0.35))) + 1.4 * pose.sit
            apart = (0.045 if start else -0.045) * (1 - pose.side)
            knee = (0.25 * math.sin(thigh), -0.25 * math.cos(thigh))
            ankle = (knee[0] + 0.25 * math.sin(thigh - bend), knee[1] - 0.25 * math.cos(thigh - bend))
            across = pose.facing * pose.side
            joints.append(((apart + knee[0] * across, knee[1]), (apart + ankle[0] * across, ankle[1])))
        lift = 0.03 - min(ankle[1] for _, ankle in joints)
        return lift, [[(x, y + lift) for x, y in leg] for leg in joints]

    def draw_body(self, pen, pose, hip, lean, broad, forward):
        hem = 0.17 if self.coat and pose.sit < 0.3 else 0.02
        neck = (lean, hip + 0.31)
        pen.limb([(0, hip + 0.02), (lean, hip + 0.24)], 1.55 * broad, self.jacket)
        pen.area([(-broad, hip - hem), (broad, hip - hem), (lean + 1.05 * broad, hip + 0.27),
                  (lean + 0.5 * broad, neck[1]), (lean - 0.5 * broad, neck[1]), (lean - 1.05 * broad, hip + 0.27)],
                 self.jacket)
        head = (lean + 0.012 * forward + pose.nod, hip + 0.40)
        pen.limb([neck, head], 0.055, self.skin * 0.85)
        pen.disc(head, 0.053, 0.068, self.skin)
        pen.disc((head[0] - 0.014 * forward, head[1] + 0.014), 0.054, 0.06, self.hair, 35 * forward, 180, 360)
        if self.carries and pose.sit < 0.3:
            pen.disc((lean - 0.09 * forward - 0.02, hip + 0.15), 0.06, 0.11, self.bag)

    def draw_arm(self, pen, shoulder, aside, swing, bend, forward, tone):
        bend = abs(bend) + 0.35 + (1.2 if self.umbrella is not None and tone > 1 else 0)
        root = (shoulder[0] + aside, shoulder[1])
        elbow = (root[0] + 0.16 * math.sin(swing) * forward + 0.25 * aside, root[1] - 0.16 * math.cos(swing))
        hand = (elbow[0] + 0.14 * math.sin(swing + bend) * forward, elbow[1] - 0.14 * math.cos(swing + bend))
        pen.limb([root, elbow], 0.062 * self.stout, self.jacket * tone)
        pen.limb([elbow, hand], 0.05, self.jacket * tone)
        pen.disc(hand, 0.022, 0.025, self.skin * tone)

    def draw_umbrella(self, pen, shoulder, forward):
        foot, tip = (shoulder[0] + 0.16 * forward, shoulder[1] - 0.06), (shoulder[0] + 0.08 * forward, 1.24)
        pen.limb([foot, tip], 0.015, (40, 40, 40))
        pen.disc((tip[0], 1.03), 0.36, 0.2, self.umbrella, 0, 180, 360)
        pen.disc((tip[0] + 0.1, 1.03), 0.16, 0.19, self.umbrella * 0.82, 0, 180, 360)


class Cyclist(Person):
    """Somebody on a bicycle, seen from the side."""

    reach = (0.7, 0.7, 1.15)

    def draw(self, pen, pose):
        pen.turn(pose.facing)
        rim = np.linspace(0, 2 * math.pi, 25)
        for hub in (-0.32, 0.32):
            pen.limb(np.stack([hub + 0.19 * np.cos(rim), 0.2 + 0.19 * np.sin(rim)], 1), 0.025, (35, 35, 35))
        pen.limb([(-0.32, 0.2), (-0.02, 0.2), (0.25, 0.5), (-0.14, 0.5), (-0.32, 0.2)], 0.025, self.bag)
        pen.limb([(-0.02, 0.2), (-0.14, 0.54)], 0.025, self.bag)
        pen.limb([(0.32, 0.2), (0.26, 0.58), (0.32, 0.6)], 0.025, self.bag)
        hip, shoulder = np.float64([-0.14, 0.58]), np.float64([0.1, 0.84])
        for tone, start in ((0.75, math.pi), (1, 0)):
            turn = start - 1.2 * pose.travel
            foot = np.float64([-0.02 + 0.09 * math.cos(turn), 0.2 + 0.09 * math.sin(turn)])
            span = foot - hip
            knee = hip + span / 2 + np.float64([-span[1], span[0]]) * math.sqrt(max(0.06 / (span @ span) - 0.25, 0))
            pen.limb([hip, knee, foot], 0.075, self.trousers * tone)
            pen.disc(foot, 0.05, 0.025, self.shoes)
        pen.limb([hip, shoulder], 0.17 * self.stout, self.jacket)
        pen.limb([shoulder, (0.2, 0.68), (0.3, 0.62)], 0.055, self.jacket * 1.05)
        pen.disc((0.17, 0.96), 0.058, 0.068, self.skin)
        pen.disc((0.16, 0.98), 0.068, 0.06, self.bag, 0, 180, 360)


class Dog:
    """A large dog, seen from the side."""

    reach = (0.5, 0.5, 0.6)

    def __init__(self, rng, ground=120.0):
        self.coat = unlike(ground, 30, lambda: np.float32([70, 110, 150]) * rng.uniform(0.2, 1.7))
        self.texture, self.big = folds(rng, 0.08), rng.uniform(0.7, 0.95)

    def draw(self, pen, pose):
        pen.turn(pose.facing, self.big)
        phase = 1.6 * pose.phase
        for tone, offset in ((0.7, 0.5), (1.0, 0.0)):
            for root, start in ((-0.2, 0.0), (0.17, 2.3)):
                angle = 0.5 * pose.stride * math.sin(phase + start + 2 * math.pi * offset)
                bend = 0.7 * pose.stride * max(0, math.cos(phase + start + 2 * math.pi * offset))
                knee = (root + 0.14 * math.sin(angle), 0.29 - 0.14 * math.cos(angle))
                foot = (knee[0] + 0.14 * math.sin(angle - bend), max(0.015, knee[1] - 0.14 * math.cos(angle - bend)))
                pen.limb([(root, 0.3), knee, foot], 0.05, self.coat * tone)
        bob = 0.012 * math.sin(2 * phase)
        wag = 0.05 * math.sin(3.1 * phase)
        pen.limb([(-0.24, 0.36 + bob), (-0.36, 0.42 + wag), (-0.43, 0.5 + wag)], 0.03, self.coat)
        pen.limb([(-0.17, 0.34 + bob), (0.17, 0.35 + bob)], 0.15, self.coat)
        pen.limb([(0.18, 0.38 + bob), (0.28, 0.47 + bob)], 0.09, self.coat)
        pen.disc((0.31, 0.49 + bob), 0.065, 0.055, self.coat)
        pen.limb([(0.33, 0.475 + bob), (0.42, 0.46 + bob)], 0.045, self.coat * 0.8)
        pen.limb([(0.27, 0.53 + bob), (0.245, 0.46 + bob)], 0.03, self.coat * 0.55)


class Car:
    """A car or van seen from the side."""

    reach = (1.5, 1.5, 1.35)
    # kind: outlines of the body and of the windows, facing right
    SHAPES = {
        "saloon": ([(-1.25, 0.2), (-1.24, 0.5), (-0.8, 0.56), (-0.5, 0.83), (0.2, 0.85), (0.6, 0.58), (1.15, 0.48),
                    (1.25, 0.35), (1.24, 0.2)],
                   [(-0.72, 0.57), (-0.46, 0.78), (0.17, 0.8), (0.47, 0.57)]),
        "hatch": ([(-1.15, 0.2), (-1.17, 0.5), (-1.0, 0.86), (0.1, 0.9), (0.55, 0.6), (1.05, 0.5), (1.15, 0.35),
                   (1.13, 0.2)],
                  [(-1.0, 0.58), (-0.88, 0.8), (0.07, 0.84), (0.42, 0.6)]),
        "van": ([(-1.4, 0.2), (-1.42, 1.22), (0.7, 1.25), (1.05, 0.75), (1.35, 0.6), (1.38, 0.2)],
                [(0.3, 0.76), (0.3, 1.12), (0.66, 1.13), (0.9, 0.76)]),
    }

    def __init__(self, rng, kind=None, ground=120.0):
        self.body, self.window = self.SHAPES[kind or rng.choice(list(self.SHAPES))]
        self.paint = unlike(ground, 30, lambda: paint_colour(rng, 15, 245))
        self.texture = folds(rng, 0.05) * np.linspace(1.12, 0.85, 64, dtype=np.float32)[:, None]
        self.sky = rng.uniform(90, 180)
        self.lit = rng.random() < 0.4

    def draw(self, pen, pose):
        pen.turn(pose.facing)
        pen.area([(-1.1, 0.1), (1.1, 0.1), (1.1, 0.3), (-1.1, 0.3)], (22, 22, 24))
        pen.area(self.body, self.paint)
        edge = max(x for x, _ in self.body)
        pen.limb([(-edge + 0.05, 0.43), (edge - 0.15, 0.43)], 0.03, self.paint * 0.8 + 50)
        pen.limb([(-edge + 0.02, 0.22), (edge - 0.02, 0.22)], 0.06, self.paint * 0.45)
        pen.area(self.window, (48, 44, 40))
        low, high = self.window[0], self.window[-2]
        glint = np.float64(self.window) * (0.5, 0.55) + (0.5 * high[0], 0.45 * high[1] - 0.005)
        pen.area(glint, np.float32([1.08, 1, 0.92]) * self.sky)
        middle = 0.5 * (low[0] + high[0])
        pen.limb([(middle, 0.24), (middle, high[1])], 0.025, self.paint * 0.7)
        pen.disc((edge - 0.06, 0.42), 0.06, 0.04, (255, 255, 255) if self.lit else (190, 200, 205))
        pen.disc((-edge + 0.04, 0.45), 0.035, 0.05, (40, 40, 190))
        for axle in (-0.78, 0.76):
            self.draw_wheel(pen, pose, np.float64([axle, 0.185]))

    def draw_wheel(self, pen, pose, hub):
        pen.disc(hub, 0.185, 0.185, (28, 28, 28))
        pen.disc(hub, 0.115, 0.115, (150, 150, 150))
        for spoke in range(5):
            angle = -pose.travel / 0.185 * pose.facing + spoke * 2 * math.pi / 5
            tip = hub + 0.1 * np.float64([pose.facing * math.cos(angle), math.sin(angle)])
            pen.limb([hub, tip], 0.035, (75, 75, 75))
