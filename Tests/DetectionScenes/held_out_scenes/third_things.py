"""Scenes of the third set with machines, fans and lights that move by themselves."""

import math

import cv2
import numpy as np

from .figures import Car, Person
from .paint import SHIFT, blend, fractal, paint_colour, rectangle, shade, subpixel, veil
from .scenes_visited import across
from .stage import Actor
from .third_stage import QUIET, Scene
from .third_visits import call


# Cars at night


def night_road(rng):
    """A dark road; a car with glaring headlights passes twice."""
    stage = Scene(rng, road=True, time=rng.choice(("lamps", "infrared")), seconds=(26, 36))
    stage.light.matrix *= np.float32(rng.uniform(0.3, 0.55))
    y = stage.canvas.road
    body = stage.canvas.body(y)
    start = rng.uniform(QUIET + 1, 9)
    for start in (start, start + rng.uniform(9, 12)):
        duration, way = rng.uniform(3, 6.5), rng.choice((-1, 1))
        stops = across(stage, y, 5, way, start - 1, duration)
        car = Actor(stage, Car(rng), stops)
        stage.actors.append(car)
        lamps(stage, car, way, y, body, rng.uniform(0.6, 1.3))
    return stage.film()


def lamps(stage, car, way, y, body, strength):
    """The headlights of a car: their light on the road and the walls, their glare, and the red lamps behind."""
    rng, truth = stage.rng, stage.truth
    gy, gx = np.mgrid[0:truth.height:4, 0:truth.width:4].astype(np.float32)
    haze, warm = rng.uniform(0.04, 0.16), np.float32([210, 240, 255]) if not stage.light.grey else np.full(3, 255)
    settle, near = 0.0, np.zeros(truth.frames)
    for i in range(truth.frames):
        seen = car.here[i] and -body < car.x[i] + way * 1.3 * body < truth.width + body
        settle += (float(seen) - settle) * min(1, 2.5 / truth.rate)
        near[i] = settle
    stage.gain = stage.gain * (1 - 0.18 * min(strength, 1) * near)

    def light(frame, i):
        if not car.here[i]:
            return
        ahead = (gx - (car.x[i] + way * 1.2 * body)) * way / body
        open_ = np.clip(ahead * 4, 0, 1)
        wide = 0.08 * body + 0.07 * body * np.clip(ahead, 0, 9)
        pool = open_ * np.exp(-((gy - y) / wide) ** 2 - np.clip(ahead, 0, 9) / 2.2)
        wall = 0.25 * open_ * np.exp(-((gy - y + 0.5 * body) / (0.7 * body)) ** 2 - np.clip(ahead, 0, 9) / 3)
        shade(frame, 1 + strength * (4.5 * pool + 3 * wall))

    def glare(frame, i):
        if not car.here[i]:
            return
        x, height = car.x[i] + way * 1.19 * body, y - 0.42 * body
        far = np.hypot(gx - x, gy - height) / body
        glow = np.exp(-(far / 0.1) ** 2) + 0.45 * np.exp(-far / 0.16) + haze * np.exp(-far / 1.1)
        glow += 0.12 * np.exp(-np.abs(gy - height) / (0.03 * body) - far / 0.8)
        veil(frame, np.clip(strength * glow, 0, 1), warm)
        back = np.hypot(gx - (car.x[i] - way * 1.2 * body), gy - y + 0.45 * body) / body
        red = (60, 60, 255) if not stage.light.grey else (150, 150, 150)
        veil(frame, np.clip(0.8 * np.exp(-(back / 0.07) ** 2) + 0.2 * np.exp(-back / 0.15), 0, 1), red)

    stage.under.append(light)
    stage.over.append(glare)


def night_glare(rng):
    """A dark place without anybody; the glow of headlights out of view sweeps over walls and ground."""
    stage = Scene(rng, time=rng.choice(("lamps", "infrared")), backdrop=rng.choice(("houses", "fence", "hedge")))
    stage.light.matrix *= np.float32(rng.uniform(0.3, 0.6))
    truth, canvas = stage.truth, stage.canvas
    gy, gx = np.mgrid[0:truth.height:4, 0:truth.width:4].astype(np.float32)
    u, v = gx / truth.width, gy / truth.height
    passes, moment = [], rng.uniform(4, 8)
    while moment < stage.seconds - 2:
        length = rng.uniform(1, 4)
        passes.append((moment, length, rng.choice((-1, 1)), rng.uniform(0.6, 2.5), rng.uniform(0.1, 0.3),
                       rng.uniform(-0.05, 0.15)))
        moment += length + rng.uniform(1, 7)
    relief = cv2.resize(fractal(rng, 40, 60, 12, 3), u.shape[::-1])
    bars = [(rng.uniform(0, 1), rng.uniform(0.008, 0.03)) for _ in range(rng.integers(1, 4))]
    level = canvas.top / truth.height

    def effect(frame, i):
        light, flare = np.ones_like(u), np.zeros_like(u)
        for start, length, way, strength, wide, low in passes:
            share = (i / truth.rate - start) / length
            if not 0 < share < 1:
                continue
            middle = 1.5 * (share if way > 0 else 1 - share) - 0.25
            peak = math.sin(math.pi * share) ** 0.7
            beam = np.exp(-((u - middle) / wide) ** 2 - ((v - level - low) / 0.25) ** 2)
            for place, thick in bars:  # the shadows of posts run faster than the light and the other way
                beam *= 1 - 0.7 * np.exp(-((u - place - 0.6 * (place - middle)) / thick) ** 2)
            light += strength * peak * (beam * (1 + 0.15 * relief) + 0.06)
            edge = 0 if middle < 0.5 else 1
            flare += 0.12 * strength * max(0, 1 - 3 * min(share, 1 - share)) * np.exp(-np.abs(u - edge) / 0.25)
        if light.max() > 1.002:
            shade(frame, light)
            veil(frame, np.clip(flare, 0, 0.5), (235, 245, 255) if not stage.light.grey else (250,) * 3)

    stage.under.append(effect)
    return stage.film()


# A room with a fan and a curtain


def room_fan(rng, visitor=False):
    """A room with a fan that turns and a curtain that moves; at times a visitor comes in, sits and leaves."""
    stage = Scene(rng, inside=True, seconds=(30, 40) if visitor else (22, 36))
    canvas = stage.canvas
    if visitor:
        stops = call(stage, rng.uniform(9, 11.5), 0.2)
        (arrives, spot, y), (leaves, _, _) = stops[1:3]
        canvas.base[canvas.base > y] = y
        canvas.box(rng, spot, y - 0.03 * canvas.body(y), 0.34, 0.25, 0.3, paint_colour(rng, 40, 160))
        person = Actor(stage, Person(rng, stage.ground_luma()), stops)
        person.sit = np.clip(stage.when - arrives - 0.2, 0, 1) * np.clip(leaves - 0.1 - stage.when, 0, 1)
        person.side[:] = np.maximum(person.side, 0.75)
        stage.actors.append(person)
    curtain(stage)
    fan = ceiling_fan if rng.random() < 0.5 else table_fan
    fan(stage)
    return stage.film()


def curtain(stage):
    """A curtain at the back wall that the draught swells."""
    rng, canvas, truth = stage.rng, stage.canvas, stage.truth
    unit = canvas.body(canvas.top)
    wide, tall = int(rng.uniform(0.6, 1.3) * unit), int(rng.uniform(0.9, 1.15) * unit)
    tall = int(min(tall, canvas.top - 4))
    left, top = int(rng.uniform(0.1, 0.8) * truth.width), int(canvas.top - tall * rng.uniform(1.0, 1.1))
    margin = int(0.25 * wide)
    full = wide + 2 * margin
    x = np.linspace(0, 1, wide)
    pleats = 1 + 0.16 * np.sin(2 * np.pi * (rng.uniform(6, 12) * x + 0.4 * np.sin(5 * x)))
    cloth = np.zeros((tall, full, 4), np.float32)
    colour = paint_colour(rng, 90, 235, 0.5)
    cloth[:, margin:margin + wide, :3] = colour * pleats[None, :, None]
    cloth[:, margin:margin + wide, 3] = 255
    if rng.random() < 0.5:
        cloth[::max(4, tall // 12), :, :3] *= 0.8
    grid_y, grid_x = np.mgrid[0:tall, 0:full].astype(np.float32)
    hang = (grid_y / tall) ** 1.3
    swell = np.maximum(0.5 + 0.5 * stage.course(1.2), 0) * rng.uniform(0.05, 0.16) * wide
    pace, side = rng.uniform(0.4, 1.2), rng.choice((-1, 1))

    def effect(frame, i):
        wave = np.sin(2 * np.pi * (grid_x / wide * 1.5 + 0.8 * grid_y / tall - pace * i / truth.rate))
        move = hang * np.float32(swell[i]) * (side + 0.5 * wave)
        lift = hang * hang * np.float32(0.25 * swell[i])
        sprite = cv2.remap(cloth, np.float32(grid_x + move), np.float32(grid_y + lift), cv2.INTER_LINEAR)
        sprite[..., :3] *= (1 + 0.12 * swell[i] / (0.15 * wide) * hang * wave)[..., None]
        sprite = cv2.GaussianBlur(stage.light.grade(sprite, left, top), (0, 0), stage.blur)
        blend(frame, sprite, left, top, stage.visible(left, top, tall, full, canvas.top + 1))

    stage.under.append(effect)


def blades(stage, centre, rx, ry, count, turn, colour, smear, beat=0.5):
    """The opacity of the blades of a rotor seen as an ellipse, blurred by their motion, and where it lies."""
    left, top = int(centre[0] - rx) - 2, int(centre[1] - ry) - 2
    wide, tall = int(2 * rx) + 5, int(2 * ry) + 5
    mask = np.zeros((tall, wide), np.float32)
    steps = int(np.clip(abs(smear) * rx / 1.5, 1, 10))
    for step in range(steps):
        one = np.zeros((tall, wide), np.uint8)
        for blade in range(count):
            angle = turn + smear * step / steps + 2 * np.pi * blade / count
            shape = []
            for reach, side in ((0.08, -0.1), (0.4, -beat / 2), (0.95, -0.8 * beat / 2), (1, 0), (0.95, 0.5 * beat / 2),
                                (0.4, 0.4 * beat / 2), (0.08, 0.1)):
                shape.append((centre[0] - left + rx * reach * math.cos(angle + side),
                              centre[1] - top + ry * reach * math.sin(angle + side)))
            cv2.fillPoly(one, [subpixel(shape)], 255, cv2.LINE_AA, SHIFT)
        mask += one / np.float32(255 * steps)
    return np.dstack([mask[..., None] * np.float32(colour), 255 * mask]), left, top


def ceiling_fan(stage):
    """A fan under the ceiling, its blades in perspective."""
    rng, truth = stage.rng, stage.truth
    rx = rng.uniform(0.14, 0.28) * truth.width
    ry = rx * rng.uniform(0.18, 0.35)
    centre = rng.uniform(0.3, 0.7) * truth.width, ry + rng.uniform(0.02, 0.08) * truth.height
    count, colour = rng.integers(3, 6), paint_colour(rng, 30, 220, 0.4)
    spin = 2 * np.pi * rng.uniform(0.4, 3.5) * rng.choice((-1, 1))
    turn = np.cumsum(spin * (1 + 0.03 * stage.course(2))) / truth.rate
    smear = spin * rng.uniform(0.005, 0.03)

    def effect(frame, i):
        sprite, left, top = blades(stage, centre, rx, ry, count, turn[i], colour, smear)
        blend(frame, stage.light.grade(sprite, left, top), left, top)
        hub = tuple(map(int, centre))
        cv2.ellipse(frame, hub, (int(0.1 * rx) + 1, int(0.16 * ry) + 2), 0, 0, 360,
                    stage.graded(colour * 0.7).tolist(), -1)

    stage.under.append(effect)


def table_fan(stage):
    """A fan on a stand with a grille; its head at times turns from side to side."""
    rng, truth, canvas = stage.rng, stage.truth, stage.canvas
    foot = canvas.top + rng.uniform(0.1, 0.6) * canvas.body(canvas.top)
    body = canvas.body(foot)
    x, y = rng.uniform(0.15, 0.85) * truth.width, foot - rng.uniform(0.5, 0.8) * body
    radius = rng.uniform(0.17, 0.28) * body
    canvas.fill(rectangle(x - 0.015 * body, y, x + 0.015 * body, foot), (70, 70, 75))
    canvas.fill(rectangle(x - 0.12 * body, foot - 0.03 * body, x + 0.12 * body, foot), (60, 60, 65))
    colour, cage = paint_colour(rng, 90, 235, 0.4), rng.uniform(90, 220)
    spin = 2 * np.pi * rng.uniform(3, 12)
    turn, smear = np.cumsum(spin * (1 + 0.02 * stage.course(2))) / truth.rate, spin * rng.uniform(0.004, 0.02)
    swing = rng.uniform(0.3, 1.0) if rng.random() < 0.6 else 0
    look = swing * np.sin(2 * np.pi * stage.when / rng.uniform(6, 12))
    count = rng.integers(3, 6)
    rim = np.linspace(0, 2 * np.pi, 60)

    def effect(frame, i):
        rx, centre = radius * math.cos(look[i]), (x + 0.3 * radius * math.sin(look[i]), y)
        sprite, left, top = blades(stage, centre, rx, radius, count, turn[i], colour, smear, 1.1)
        blend(frame, stage.light.grade(sprite, left, top), left, top)
        mask = np.zeros(frame.shape[:2], np.uint8)
        for share in (1.05, 0.75, 0.45):
            circle = np.stack([centre[0] + share * rx * np.cos(rim), centre[1] + share * radius * np.sin(rim)], 1)
            cv2.polylines(mask, [subpixel(circle)], True, 190 if share > 1 else 110, 1, cv2.LINE_AA, SHIFT)
        for angle in rim[::4]:
            tip = centre[0] + rx * math.cos(angle), centre[1] + radius * math.sin(angle)
            cv2.polylines(mask, [subpixel([centre, tip])], False, 80, 1, cv2.LINE_AA, SHIFT)
        veil(frame, mask.astype(np.float32) / 255, stage.graded((cage,) * 3))

    stage.under.append(effect)


# Machines


def machine(rng, walkers=False):
    """Something turns, swings or runs since the first picture; at times somebody passes in front of it."""
    kinds = (rotating_sign, wind_wheel, pendulum, escalator)
    kind = kinds[rng.integers(4)]
    inside = kind in (pendulum, escalator) or (kind is rotating_sign and rng.random() < 0.3)
    stage = Scene(rng, inside=inside, time=None if not inside else rng.choice(("room", "room", "lamps")))
    kind(stage)
    if walkers:
        stage.stroll()
    return stage.film()


def rotating_sign(stage):
    """A sign of two sides that turns on a pole."""
    rng, truth, canvas = stage.rng, stage.truth, stage.canvas
    wide, tall = int(rng.uniform(0.1, 0.24) * truth.width), int(rng.uniform(0.12, 0.26) * truth.height)
    x, foot = rng.uniform(0.2, 0.8) * truth.width, canvas.top + 0.04 * truth.height
    top = int(max(4, foot - rng.uniform(1.3, 2.2) * tall - 0.5 * canvas.body(foot)))
    canvas.fill(rectangle(x - 2, top, x + 2, foot), (90, 92, 95))
    faces = []
    for word in rng.permutation(("OPEN", "TAXI", "CAFE", "SALE", "BANK", "PIZZA"))[:2]:
        face = (np.ones((tall, wide, 3)) * paint_colour(rng, 60, 240)).astype(np.uint8)
        size, _ = cv2.getTextSize(word, cv2.FONT_HERSHEY_DUPLEX, 1, 2)
        scale = 0.85 * wide / size[0]
        cv2.putText(face, word, (int(0.07 * wide), int(tall / 2 + 0.4 * size[1] * scale)), cv2.FONT_HERSHEY_DUPLEX,
                    scale, paint_colour(rng, 10, 250).tolist(), max(1, round(scale * 2)), cv2.LINE_AA)
        cv2.rectangle(face, (0, 0), (wide - 1, tall - 1), (30, 30, 30), max(1, wide // 40))
        faces.append(np.dstack([face, np.full((tall, wide), 255)]).astype(np.float32))
    turn = np.cumsum(2 * np.pi / rng.uniform(2.5, 9) * (1 + 0.05 * stage.course(2))) / truth.rate
    sun = rng.uniform(0.1, 0.4)

    def effect(frame, i):
        open_ = math.cos(turn[i])
        face = faces[0 if open_ > 0 else 1]
        half = max(1.0, wide / 2 * abs(open_))
        breadth = 2 * int(half) + 3
        left = int(x) - breadth // 2
        grow = 2 * half / wide
        matrix = np.float32([[grow, 0, breadth / 2 - half], [0, 1, 0]])
        sprite = cv2.warpAffine(face, matrix, (breadth, tall), flags=cv2.INTER_AREA)
        sprite[..., :3] *= 1 - sun + sun * math.sin(turn[i] + 0.7)
        sprite = cv2.GaussianBlur(stage.light.grade(sprite, left, top), (0, 0), stage.blur)
        blend(frame, sprite, left, top, stage.visible(left, top, tall, breadth, foot))

    stage.under.append(effect)


def wind_wheel(stage):
    """A wind wheel on a mast, from a child's toy to a pump in a field; its speed follows the gusts."""
    rng, truth, canvas = stage.rng, stage.truth, stage.canvas
    radius = rng.uniform(0.09, 0.2) * truth.height
    x, foot = rng.uniform(0.2, 0.8) * truth.width, canvas.top + 0.05 * truth.height
    y = max(radius + 3, foot - radius - rng.uniform(0.4, 1.2) * canvas.body(foot))
    canvas.fill([(x - 1, y), (x + 1, y), (x + 3, foot), (x - 3, foot)], (105, 108, 112))
    count, colour = rng.choice((3, 4, 6, 8)), paint_colour(rng, 40, 245)
    spin = 2 * np.pi * rng.uniform(0.15, 1.2) * np.minimum(cv2.blur(stage.gusts()[None], (9, 1))[0], 1.8)
    turn, slant = np.cumsum(spin) / truth.rate, rng.uniform(0.5, 1)

    def effect(frame, i):
        sprite, left, top = blades(stage, (x, y), slant * radius, radius, count, turn[i], colour, 0.012 * spin[i],
                                   min(0.5, 2.2 / count))
        sprite = stage.light.grade(cv2.GaussianBlur(sprite, (0, 0), stage.blur), left, top)
        blend(frame, sprite, left, top, stage.visible(left, top, *sprite.shape[:2], foot))
        cv2.circle(frame, (int(x), int(y)), max(1, int(0.07 * radius)), stage.graded((60, 60, 60)).tolist(), -1)

    stage.under.append(effect)


def pendulum(stage):
    """A large clock on the wall with a pendulum and a hand that jumps each second."""
    rng, truth, canvas = stage.rng, stage.truth, stage.canvas
    radius = rng.uniform(0.06, 0.11) * truth.height
    x, y = rng.uniform(0.2, 0.8) * truth.width, radius + rng.uniform(0.03, 0.1) * truth.height
    length = rng.uniform(2.2, 3.2) * radius
    wood, foot = np.float32([50, 75, 120]) * rng.uniform(0.5, 1.4), y + length + 0.6 * radius
    canvas.fill(rectangle(x - 1.2 * radius, y - 1.2 * radius, x + 1.2 * radius, foot), wood)
    canvas.fill(rectangle(x - 0.95 * radius, y + 0.9 * radius, x + 0.95 * radius, foot - 0.15 * radius), wood * 0.45)
    rim = np.linspace(0, 2 * np.pi, 40)
    canvas.fill(np.stack([x + radius * np.cos(rim), y + radius * np.sin(rim)], 1), (215, 228, 232))
    for hour in range(12):
        turn = hour * np.pi / 6
        mark = np.float64([x + 0.82 * radius * math.cos(turn), y + 0.82 * radius * math.sin(turn)])
        canvas.fill(rectangle(*(mark - 1), *(mark + 1)), (30, 30, 30))
    period, wide, brass = rng.uniform(1.2, 2.2), rng.uniform(0.15, 0.32), (70, 170, 215)
    begin = rng.uniform(0, 6.3)

    def effect(frame, i):
        time = i / truth.rate
        angle = wide * math.sin(2 * np.pi * time / period + begin)
        bob = (x + length * math.sin(angle), y + length * math.cos(angle))
        cover = np.zeros(frame.shape[:2], np.uint8)
        cv2.polylines(cover, [subpixel([(x, y + radius), bob])], False, 220, max(1, round(0.07 * radius)), cv2.LINE_AA,
                      SHIFT)
        cv2.circle(cover, tuple(map(int, subpixel(bob))), int(0.28 * radius * 2**SHIFT), 255, -1, cv2.LINE_AA, SHIFT)
        hands = np.zeros(frame.shape[:2], np.uint8)
        for turn, reach in ((int(time) * np.pi / 30, 0.8), (begin, 0.7), (begin / 12, 0.5)):
            tip = x + reach * radius * math.sin(turn), y - reach * radius * math.cos(turn)
            cv2.polylines(hands, [subpixel([(x, y), tip])], False, 255, 1, cv2.LINE_AA, SHIFT)
        seen = stage.visible(0, 0, *cover.shape, canvas.top)
        veil(frame, cv2.GaussianBlur(cover, (0, 0), stage.blur) / 255 * seen, stage.graded(brass))
        veil(frame, hands / 255 * seen, stage.graded((35, 35, 35)))

    stage.under.append(effect)


def escalator(stage):
    """An escalator seen from its foot or its head, whose steps run without end between two rails."""
    rng, truth, canvas = stage.rng, stage.truth, stage.canvas
    unit = canvas.body(canvas.top)
    low, high = canvas.top + rng.uniform(0.1, 0.5) * unit, max(2, canvas.top - rng.uniform(1.5, 2.4) * unit)
    x, wide = rng.uniform(0.25, 0.75) * truth.width, rng.uniform(0.35, 0.6) * unit
    shrink, lean = rng.uniform(0.55, 0.75), rng.uniform(-0.4, 0.4) * unit
    left, right = int(x - 1.5 * wide - abs(lean)), int(x + 1.5 * wide + abs(lean))
    rows, columns = int(low - high), right - left
    share = np.linspace(1, 0, rows)[:, None]  # 0 at the foot
    middle = x - left + lean * share
    half = wide * (1 - (1 - shrink) * share)
    across_ = (np.arange(columns)[None] - middle) / half
    steps = np.float32(np.abs(across_) < 0.8)
    metal = rng.uniform(90, 150)
    rails = np.float32((np.abs(across_) > 0.8) & (np.abs(across_) < 1.0))
    handrail = np.float32((np.abs(across_) > 0.86) & (np.abs(across_) < 0.97))
    along = np.log1p(share * (1 / shrink - 1)) / math.log(1 / shrink) * rng.uniform(9, 16)
    ribs = 1 + 0.06 * np.sin(across_ * 40)
    pace, alpha = rng.uniform(0.8, 2.0) * rng.choice((-1, 1)), np.clip(steps + rails, 0, 1)

    def effect(frame, i):
        phase = (along - pace * i / truth.rate) % 1
        tread = 0.55 + 0.75 * np.clip(phase * 2.2, 0, 1) - 0.9 * np.float32(phase > 0.86)
        grey = metal * (steps * tread * ribs + rails * 1.2 - handrail * 0.95)
        sprite = np.dstack([grey * alpha] * 3 + [255 * alpha]).astype(np.float32)
        sprite = cv2.GaussianBlur(stage.light.grade(sprite, left, int(high)), (0, 0), stage.blur)
        blend(frame, sprite, left, int(high), stage.visible(left, int(high), rows, columns, canvas.top + 1))

    stage.under.append(effect)
