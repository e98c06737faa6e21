"""Scenes of people, an animal and vehicles that an owner wants to be told of."""

import cv2
import numpy as np

from .figures import Car, Cyclist, Dog, Person
from .paint import LUMA, paint_colour, patch
from .stage import Actor, Stage


# People in plain sight


def two_walkers_crossing(rng):
    """Two people come from opposite sides and pass each other."""
    stage = Stage(rng, inside=rng.random() < 0.2)
    start, facing = rng.uniform(4, stage.seconds - 9), rng.choice((-1, 1))
    near = stage.foot(0.2)
    duration = float(np.clip(stage.truth.width / stage.canvas.body(near) / rng.uniform(0.8, 1.6), 3.5, 8))
    for way, y in ((facing, near), (-facing, max(near - rng.uniform(0, 0.1) * near, stage.canvas.top + 2))):
        stops = across(stage, y, 0.45, way, start + rng.uniform(0, 0.8), duration)
        stage.actors.append(Actor(stage, Person(rng, stage.ground_luma()), stops))
    return stage.film()


def across(stage, y, reach, way, start, duration):
    """Stops of something that crosses the picture at y and extends `reach` body heights to either side of its feet."""
    reach = reach * stage.canvas.body(y)
    first, last = (-reach, stage.truth.width + reach)[::way]
    return [(start, first, y), (start + duration, last, y)]


def standing_visitor(rng):
    """Somebody comes, stands for a while with small gestures, and leaves."""
    stage = Stage(rng, inside=rng.random() < 0.3, seconds=24)
    stage.actors.append(Actor(stage, Person(rng, stage.ground_luma()), visit(stage, (6, 10))))
    return stage.film()


def seated_person(rng):
    """Somebody comes in, sits down on a stool, moves a little, gets up and leaves."""
    stage = Stage(rng, inside=True, seconds=24)
    stops = visit(stage, (8, 11))
    (arrives, spot, y), (leaves, _, _) = stops[1:3]
    stage.canvas.box(rng, spot, y - 0.03 * stage.canvas.body(y), 0.34, 0.25, 0.3, paint_colour(rng, 40, 160))
    person = Actor(stage, Person(rng, stage.ground_luma()), stops)
    person.sit = np.clip(stage.when - arrives - 0.2, 0, 1) * np.clip(leaves - 0.1 - stage.when, 0, 1)
    person.side[:] = np.maximum(person.side, 0.75)
    stage.actors.append(person)
    return stage.film()


def visit(stage, stay):
    """Stops of somebody who comes from a side, stays at a spot for a time in the range `stay`, and leaves."""
    rng, width = stage.rng, stage.truth.width
    y = stage.foot(0.18)
    body = stage.canvas.body(y)
    speed = rng.uniform(0.7, 1.4) * body
    facing = rng.choice((-1, 1))
    edge = -0.45 * body if facing > 0 else width + 0.45 * body
    spot = float(np.clip(edge + facing * speed * rng.uniform(2.5, 4.5), 0.15 * width, 0.85 * width))
    start = rng.uniform(3, 4.5)
    arrives = start + abs(spot - edge) / speed
    leaves = arrives + rng.uniform(*stay)
    end = edge if rng.random() < 0.6 else width - edge
    return [(start, edge, y), (arrives, spot, y), (leaves, spot, y), (leaves + abs(end - spot) / speed, end, y)]


# People who are hard to see


def slow_2fps(rng):
    """A camera that records only two pictures a second; a person or two walk through."""
    stage = Stage(rng, rate=2.0, seconds=40)
    stage.walkers()
    return stage.film()


def far_walker(rng):
    """A person far away, six to twelve pixels tall, walks through a wide place."""
    backdrop, time = rng.choice(("trees", "hedge")), rng.choice(("sun", "overcast"))
    stage = Stage(rng, depth=(0.03, 0.045), backdrop=backdrop, time=time)
    body = float(np.clip(rng.uniform(0.02, 0.03) * stage.truth.height, 6.5, 12))
    y = stage.canvas.horizon + body / stage.canvas.scale
    person = Person(rng, stage.ground_luma(), contrast=45)
    stage.walkers(person, count=1, y=y, speeds=(0.9, 1.6), lengths=(6, 9))
    return stage.film()


def low_contrast_walker(rng):
    """A person differs from the background by a mere twelve percent of its brightness."""
    stage = Stage(rng, time=rng.choice(("sun", "overcast")))
    factor = 1 + 0.12 * rng.choice((-1, 1))

    def recolour(sprite, frame, left, top):
        colour = local_colour(frame, left, top, sprite.shape[:2])
        clothes = sprite[..., :3] @ LUMA
        clothes = np.clip(clothes / (clothes.sum() / (sprite[..., 3].sum() / 255 + 1e-3) + 1e-3) - 1, -1, 1)
        return np.dstack([colour * (factor + 0.03 * clothes[..., None]) * sprite[..., 3:] / 255, sprite[..., 3]])

    stage.walkers(recolour=recolour)
    return stage.film()


def equal_luma_walker(rng):
    """A person of the background's brightness but of another colour."""
    stage = Stage(rng, time=rng.choice(("sun", "overcast")))
    hue = np.float32([(0.5, 0.72, 1.75), (1.9, 1.0, 0.65), (0.5, 1.25, 0.7), (1.6, 0.7, 1.35)][rng.integers(4)])
    hue /= hue @ LUMA

    def recolour(sprite, frame, left, top):
        luma = local_colour(frame, left, top, sprite.shape[:2]) @ LUMA
        strength = np.clip((250 / np.maximum(luma, 1) - 1) / (hue.max() - 1), 0, 1)[..., None]
        colour = luma[..., None] * (1 + strength * (hue - 1))
        return np.dstack([colour * sprite[..., 3:] / 255, sprite[..., 3]])

    stage.walkers(recolour=recolour)
    return stage.film()


def local_colour(frame, left, top, shape):
    """The blurred colour of the background where a sprite is going to be."""
    there, here = patch(frame.shape, left, top, *shape)
    colour = np.zeros((*shape, 3), np.float32)
    if frame[there].size:
        colour[:] = frame[there].mean((0, 1))
        colour[here] = cv2.blur(frame[there], (max(3, shape[1] // 2),) * 2)
    return colour


# Animals and vehicles


def dog(rng):
    """A large dog trots through."""
    stage = Stage(rng)
    stage.walkers(Dog(rng, stage.ground_luma()), count=1, y=stage.foot(0.16))
    return stage.film()


def fast_crossing(rng):
    """A bicycle or a car crosses the picture in about a second, twice, several seconds apart."""
    stage = Stage(rng, road=True, seconds=rng.uniform(16, 24))
    kind, reach = (Car, 1.3) if rng.random() < 0.5 else (Cyclist, 0.55)
    first = rng.uniform(4, 6)
    for start in (first, rng.uniform(first + 5, stage.seconds - 2)):
        figure = kind(rng, ground=stage.ground_luma())
        stops = across(stage, stage.canvas.road, reach, rng.choice((-1, 1)), start, rng.uniform(0.5, 1.2))
        stage.actors.append(Actor(stage, figure, stops))
    return stage.film()


def car_passes(rng):
    """A car passes along a road."""
    stage = Stage(rng, road=True)
    start, way = rng.uniform(4, stage.seconds - 5), rng.choice((-1, 1))
    car = Car(rng, ground=stage.ground_luma())
    stops = across(stage, stage.canvas.road, 1.45, way, start, rng.uniform(1.5, 4))
    stage.actors.append(Actor(stage, car, stops))
    return stage.film()


def car_parks(rng):
    """A car drives in, slows down and stays."""
    stage = Stage(rng, road=True)
    width, y = stage.truth.width, stage.canvas.road
    reach, facing = 1.45 * stage.canvas.body(y), rng.choice((-1, 1))
    edge, spot = (-reach if facing > 0 else width + reach), rng.uniform(0.3, 0.7) * width
    start, duration = rng.uniform(4, 7), rng.uniform(2.5, 5)
    brake = np.linspace(0, 1, 30)
    stops = [(start + duration * share, spot + (edge - spot) * (1 - share) ** 1.8, y) for share in brake]
    car = Car(rng, ground=stage.ground_luma())
    stage.actors.append(Actor(stage, car, [*stops, (stage.seconds + 1, spot, y)]))
    return stage.film()
