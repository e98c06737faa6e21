"""Scenes in which the camera itself changes the picture, and scenes in which nothing happens."""

import math

import cv2
import numpy as np

from .places import indoors, outdoors
from .stage import Stage, lighting


def exposure_steps(rng):
    """The camera's exposure and white balance change in steps."""
    stage = Stage(rng, inside=rng.random() < 0.4)
    balance = np.ones((stage.truth.frames, 3), np.float32)
    for start in rng.uniform(2, stage.seconds - 1, rng.integers(3, 9)):
        ramp = np.clip((stage.when - start) / rng.choice((0.05, 0.3, 1)), 0, 1)
        stage.gain = stage.gain * (1 + rng.uniform(0.04, 0.22) * rng.choice((-1, 1)) * ramp)
        if rng.random() < 0.4:
            balance *= 1 + 0.08 * ramp[:, None] * rng.uniform(-1, 1, 3)

    def effect(frame, i):
        frame *= balance[i]

    stage.over.append(effect)
    return stage.film()


def ir_switch(rng):
    """At dusk the camera turns from colour to grey infrared with other brightness, and some turn back."""
    stage = Stage(rng, time=rng.choice(("dusk", "lamps")))
    truth = stage.truth
    infrared = lighting(rng, "infrared", truth.width, truth.height)
    first = int(rng.uniform(4, stage.seconds - 5) * truth.rate)
    last = int((first / truth.rate + rng.uniform(3, 20)) * truth.rate)
    blink, hush = max(1, int(rng.uniform(0.05, 0.6) * truth.rate)), rng.uniform(0.1, 1.5)
    for start in (first, last):
        stage.gain[start:start + blink] *= hush
        settle = np.arange(max(0, truth.frames - start - blink)) / truth.rate
        stage.gain[start + blink:] *= 1 + rng.uniform(-0.3, 0.4) * np.exp(-settle / rng.uniform(0.3, 1))
    image = infrared.develop(stage.canvas, stage.blur)

    def look(frame, i):
        if first <= i < last:
            frame[:] = image

    def grey(picture, i):
        if first <= i < last:
            picture[:] = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)[..., None]

    stage.under.append(look)
    stage.after.append(grey)
    return stage.film()


def rolling_bands(rng):
    """Mains light and a rolling shutter make bands of brightness and colour that travel through the picture."""
    stage = Stage(rng, inside=True, time="room")
    rows = np.linspace(0, 1, stage.truth.height)
    bands, pace = rng.uniform(0.6, 3.5), rng.uniform(-1.5, 1.5)
    depth, tint = rng.uniform(0.02, 0.09), np.float32([1, 0.9, rng.uniform(0.6, 1)])
    unrest = 0.15 * stage.course(1)

    def effect(frame, i):
        turn = 2 * np.pi * (bands * rows + pace * i / stage.truth.rate + unrest[i])
        frame *= 1 + depth * np.sin(turn)[:, None, None].astype(np.float32) * tint

    stage.over.append(effect)
    return stage.film()


def night_noise(rng, walkers=False):
    """A dark picture full of noise, partly blotchy, from a camera at its limit."""
    noise = rng.uniform(1.8, 3.2) * (0.75 if walkers else 1)
    stage = Stage(rng, time=rng.choice(("lamps", "infrared", "dusk")), noise=noise)
    stage.blotches = rng.uniform(0.2, 1)
    stage.light.matrix *= np.float32(rng.uniform(0.5, 0.8))
    if walkers:
        stage.walkers()
    return stage.film()


def compression_pulse(rng):
    """The picture of a weak encoder pulses: each second a blocky key picture, then details come back."""
    stage = Stage(rng, noise=1.3)
    group = max(2, round(stage.truth.rate * rng.choice((1, 1, 2))))
    quality, recovery = int(rng.uniform(8, 24)), rng.uniform(0.15, 0.5) * group

    def effect(picture, i):
        _, code = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))
        weight = math.exp(-(i % group) / recovery)
        blocky = cv2.imdecode(code, cv2.IMREAD_COLOR)
        picture[:] = cv2.addWeighted(blocky, weight, cv2.GaussianBlur(picture, (0, 0), 0.6), 1 - weight, 0)

    stage.after.append(effect)
    return stage.film()


def shaking(rng, walkers=False):
    """The camera's mast shakes in the wind by one to six pixels."""
    margin = 12
    stage = Stage(rng, margin=margin)
    if walkers:
        stage.walkers(left=margin)
    reach, gusts = rng.uniform(0.8, 4), stage.gusts()
    for axis, share in ((0, 1), (1, rng.uniform(0.2, 0.8))):
        swing = sum(np.sin(2 * np.pi * rng.uniform(0.4, 4) * stage.when + stage.course(1)) for _ in range(2))
        stage.view[:, axis] += np.clip(share * reach * gusts * 0.7 * swing, -6, 6)
    return stage.film()


def pan(rng, seconds, walkers=False):
    """The camera turns over a wider place and stops, once or there and back."""
    stretch = rng.uniform(1.4, 2)
    stage = Stage(rng, stretch=stretch, seconds=rng.uniform(19, 24))
    room = stage.canvas.width - stage.truth.width - 2
    start, duration = rng.uniform(2.5, 5), rng.uniform(*seconds)
    stop = start + duration
    ease = np.clip((stage.when - start) / duration, 0, 1)
    if not walkers and stop < 13 and rng.random() < 0.5:
        ease = ease - np.clip((stage.when - rng.uniform(stop + 1, 14)) / duration, 0, 1)
    ease = ease * ease * (3 - 2 * ease)
    backwards = rng.random() < 0.5
    stage.view[:, 0] = room * ((1 - ease) if backwards else ease)
    if walkers:
        stage.walkers(count=1, left=0 if backwards else room, start=max(4, rng.uniform(start, stop + 3)))
    return stage.film()


def cut_back(rng):
    """The recording cuts to the view of another camera and back."""
    stage = Stage(rng)
    truth, other = stage.truth, indoors if rng.random() < 0.4 else outdoors
    canvas = other(rng, truth.width, truth.height)
    light = lighting(rng, rng.choice(("overcast", "dusk", "room")), truth.width, truth.height)
    first = rng.uniform(4, stage.seconds / 2)
    last = min(first + rng.uniform(2, 8), stage.seconds - 2)
    image = light.develop(canvas, stage.blur)

    def effect(frame, i):
        if first <= i / truth.rate < last:
            frame[:] = image

    stage.under.append(effect)
    return stage.film()


def empty(rng, clock=None, inside=False):
    """Nothing happens: there is the noise of the sensor, daylight's unrest and perhaps a clock."""
    stage = Stage(rng, inside=inside, clock=clock, time=None if clock or inside else rng.choice(("sun", "overcast")))
    return stage.film()
