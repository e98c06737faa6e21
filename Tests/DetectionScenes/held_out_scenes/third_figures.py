"""Figures of the third set: warm people, people who carry something, people from above, a cat, boats, bags."""

import math

import numpy as np

from .figures import Dog, Person
from .paint import folds, paint_colour, unlike


class WarmPerson(Person):
    """Somebody as a thermal camera sees them: brighter than all around, the face and hands brightest."""

    def __init__(self, rng, warmth=1.0):
        super().__init__(rng)
        grey = np.ones(3, np.float32) * warmth
        self.jacket, self.trousers = grey * rng.uniform(150, 185), grey * rng.uniform(145, 180)
        self.skin, self.hair = grey * rng.uniform(215, 240), grey * rng.uniform(175, 205)
        self.shoes, self.bag = grey * 125, grey * 110
        self.texture = folds(rng, 0.05)


class Bag:
    """A suitcase, a rucksack or a parcel that stands on the ground."""

    reach = (0.3, 0.3, 0.5)

    def __init__(self, rng, ground=120.0):
        self.kind = rng.choice(("suitcase", "rucksack", "parcel"))
        self.colour = unlike(ground, 32, lambda: paint_colour(rng, 15, 230))
        if self.kind == "parcel":
            self.colour = np.float32([105, 150, 185]) * rng.uniform(0.7, 1.2)
        self.wide, self.tall = rng.uniform(0.1, 0.16), rng.uniform(0.22, 0.36)
        self.texture = folds(rng, 0.08)

    def draw(self, pen, pose):
        self.draw_at(pen, 0.0, 0.0)

    def draw_at(self, pen, x, y):
        wide, tall = self.wide, self.tall
        if self.kind == "rucksack":
            pen.disc((x, y + 0.5 * tall), 0.9 * wide, 0.5 * tall, self.colour)
            pen.disc((x, y + 0.3 * tall), 0.6 * wide, 0.25 * tall, self.colour * 0.8)
            return
        pen.area([(x - wide, y), (x + wide, y), (x + wide, y + tall), (x - wide, y + tall)], self.colour)
        if self.kind == "suitcase":
            handle = [(x - 0.4 * wide, y + tall), (x - 0.4 * wide, y + 1.25 * tall), (x + 0.4 * wide, y + 1.25 * tall),
                      (x + 0.4 * wide, y + tall)]
            pen.limb(handle, 0.018, (60, 60, 60))
            pen.limb([(x - wide, y + 0.5 * tall), (x + wide, y + 0.5 * tall)], 0.015, self.colour * 0.6)
        else:
            pen.limb([(x, y), (x, y + tall)], 0.03, self.colour * 1.3)


class Carrier(Person):
    """Somebody who carries a bag in the hand."""

    def __init__(self, rng, ground, bag):
        super().__init__(rng, ground)
        self.load, self.carries = bag, False

    def draw(self, pen, pose):
        super().draw(pen, pose)
        if self.load is not None:
            swing = 0.05 * pose.stride * math.sin(pose.phase)
            self.load.draw_at(pen, 0.1 + swing, 0.42 - self.load.tall - 0.35 * pose.sit)


class PersonFromAbove:
    """Somebody seen from straight above who walks in a fixed direction: shoulders, head, arms and feet."""

    reach = (0.42, 0.42, 0.62)

    def __init__(self, rng, ground, heading):
        self.jacket = unlike(ground, 30, lambda: paint_colour(rng, 20, 230))
        self.hair = np.float32([30, 45, 65]) * rng.uniform(0.4, 2.5)
        self.skin, self.shoes = np.float32([120, 150, 205]) * rng.uniform(0.5, 1.1), paint_colour(rng, 15, 90, 0.3)
        self.bag = paint_colour(rng, 20, 200) if rng.random() < 0.4 else None
        self.heading, self.stout = heading, rng.uniform(0.9, 1.2)
        self.texture = folds(rng, 0.07)

    def draw(self, pen, pose):
        along = np.float64([math.cos(self.heading), math.sin(self.heading)])
        across = np.float64([-along[1], along[0]])
        middle = np.float64([0, 0.22])
        angle = math.degrees(self.heading)
        swing = pose.stride * math.sin(pose.phase)
        for side, step in ((1, swing), (-1, -swing)):
            foot = middle + 0.05 * side * across + 0.19 * step * along
            pen.limb([middle + 0.05 * side * across, foot], 0.075, self.jacket * 0.45)
            pen.disc(foot + 0.03 * along, 0.055, 0.028, self.shoes, angle)
        for side, step in ((1, -swing), (-1, swing)):
            shoulder = middle + 0.125 * self.stout * side * across
            hand = shoulder + (0.12 * step + 0.03) * along + 0.02 * side * across
            pen.limb([shoulder, hand], 0.06, self.jacket * 0.85)
            pen.disc(hand, 0.026, 0.026, self.skin)
        pen.disc(middle, 0.085 * self.stout, 0.155 * self.stout, self.jacket, angle)
        if self.bag is not None:
            pen.disc(middle - 0.1 * along, 0.06, 0.1, self.bag, angle)
        pen.disc(middle + 0.055 * along, 0.05, 0.04, self.skin, angle)
        pen.disc(middle + 0.02 * along, 0.068, 0.06, self.hair, angle)


class Cat(Dog):
    """A cat, a hare or a fox's cub: small and low."""

    reach = (0.3, 0.3, 0.3)

    def __init__(self, rng, ground=120.0):
        super().__init__(rng, ground)
        tones = ((40, 40, 42), (70, 110, 150), (120, 125, 130), (190, 200, 205))
        self.coat = unlike(ground, 22, lambda: np.float32(tones[rng.integers(4)]) * rng.uniform(0.6, 1.2))
        self.big = rng.uniform(0.36, 0.46)
        self.tail = rng.uniform(-0.1, 0.25)

    def draw(self, pen, pose):
        pen.turn(pose.facing, self.big)
        phase, stride = 2.0 * pose.phase, pose.stride
        bob = 0.01 * math.sin(2 * phase)
        for tone, offset in ((0.7, 0.5), (1.0, 0.0)):
            for root, start in ((-0.24, 0.0), (0.18, 2.3)):
                angle = 0.55 * stride * math.sin(phase + start + 2 * math.pi * offset)
                knee = (root + 0.11 * math.sin(angle), 0.22 - 0.11 * math.cos(angle))
                foot = (knee[0] + 0.11 * math.sin(angle), max(0.015, knee[1] - 0.11 * math.cos(angle)))
                pen.limb([(root, 0.26), knee, foot], 0.055, self.coat * tone)
        wave = 0.04 * math.sin(1.3 * phase + 40 * pose.lean)
        pen.limb([(-0.26, 0.3 + bob), (-0.42, 0.3 + self.tail + wave), (-0.56, 0.36 + 1.3 * self.tail + wave)], 0.045,
                 self.coat)
        pen.limb([(-0.22, 0.28 + bob), (0.0, 0.27 + bob), (0.2, 0.29 + bob)], 0.15, self.coat)
        head = (0.33, 0.37 + bob + 3 * pose.nod)
        pen.limb([(0.2, 0.3 + bob), head], 0.09, self.coat)
        pen.disc(head, 0.085, 0.075, self.coat * 1.05)
        for ear in (-0.04, 0.04):
            x, y = head[0] + ear, head[1] + 0.06
            pen.area([(x - 0.03, y - 0.02), (x + 0.03, y - 0.02), (x, y + 0.06)], self.coat * 0.85)


class Boat:
    """A rowing boat with somebody in it, a motor boat or a sailing boat."""

    def __init__(self, rng, ground=120.0):
        self.kind = rng.choice(("rowing", "motor", "sail"))
        self.paint = unlike(ground, 30, lambda: paint_colour(rng, 20, 245))
        self.cloth = np.float32([235, 238, 240]) * rng.uniform(0.75, 1.0)
        self.crew, self.skin = paint_colour(rng, 20, 220), np.float32([120, 150, 205])
        self.texture, self.reach = folds(rng, 0.05), (1.4, 1.4, 3.2 if self.kind == "sail" else 1.2)

    def draw(self, pen, pose):
        pen.turn(pose.facing)
        roll = 1.2 * pose.lean
        stroke = math.sin(1.6 * pose.travel)
        if self.kind == "sail":
            pen.limb([(0.15, 0.3), (0.15 + roll, 3.0)], 0.04, (90, 100, 110))
            pen.area([(0.1, 0.55), (0.12 + roll, 2.9), (-1.0 + 0.5 * roll, 0.6)], self.cloth)
            pen.area([(0.2, 0.5), (0.18 + 0.9 * roll, 2.5), (1.05, 0.4)], self.cloth * 0.9)
        if self.kind == "motor":
            pen.area([(-0.5, 0.3), (-0.45, 0.85), (0.25, 0.85), (0.5, 0.4)], self.cloth * 0.9)
            pen.area([(-0.2, 0.5), (-0.18, 0.76), (0.2, 0.76), (0.36, 0.5)], (70, 60, 50))
        else:
            seat = -0.45 if self.kind == "sail" else 0.0
            lean = 0.08 * stroke if self.kind == "rowing" else 0.0
            pen.limb([(seat, 0.25), (seat + lean, 0.58)], 0.16, self.crew)
            pen.disc((seat + 1.2 * lean, 0.72), 0.055, 0.07, self.skin)
            if self.kind == "rowing":
                pen.limb([(seat + 0.2 + lean, 0.45), (0.3, 0.32), (0.6 - 0.3 * stroke, 0.06)], 0.03, (90, 120, 150))
        pen.area([(-1.15, 0.02), (-1.2, 0.3 + roll), (1.25, 0.36 - roll), (0.95, 0.02)], self.paint)
        pen.limb([(-1.2, 0.3 + roll), (1.25, 0.36 - roll)], 0.04, self.paint * 0.6 + 60)
        pen.limb([(-1.12, 0.03), (0.95, 0.03)], 0.06, self.paint * 0.5)
