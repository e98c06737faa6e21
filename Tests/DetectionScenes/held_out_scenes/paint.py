"""Random textures and colours, and the ways of putting them into a picture.

Colours are BGR, 0 to 255, in float. A sprite is a small picture of premultiplied BGRA in float, 0 to 255.
"""

import cv2
import numpy as np

LUMA = np.float32([0.114, 0.587, 0.299])
SHIFT = 4  # fractional bits of the positions that OpenCV's drawing functions take


# Random fields and courses


def fractal(rng, height, width, coarse, octaves=4, roughness=0.6):
    """Noise of several scales with zero mean and unit deviation; the largest blobs have `coarse` pixels."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        size = max(coarse / 2**octave, 1.0)
        grid = rng.standard_normal((int(height / size) + 3, int(width / size) + 3), dtype=np.float32)
        total += roughness**octave * cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC)
    return (total - total.mean()) / (total.std() + 1e-6)


def wander(rng, count, scale):
    """A smooth random course of unit deviation that changes within about `scale` frames."""
    reach = int(3 * scale) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(scale, 0.3)) ** 2)
    course = np.convolve(rng.standard_normal(count + 2 * reach), kernel, "valid")
    return (course / np.linalg.norm(kernel)).astype(np.float32)


# Colours and textures


def paint_colour(rng, low=20, high=220, saturation=0.8):
    """A colour as cloth, lacquer or plaster may have it."""
    value = rng.uniform(low, high)
    hsv = np.float32([[[rng.uniform(0, 360), rng.uniform(0, saturation), value]]])
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]


def unlike(ground, contrast, draw):
    """The first colour drawn that differs from the ground's brightness by at least `contrast`."""
    colour = draw()
    while abs(colour @ LUMA - ground) < contrast:
        colour = draw()
    return colour


# kind: colours to choose from, pitch of the rows and columns in body heights (0: none), tone of the joints, grain
SURFACES = {
    "brick": (((70, 85, 140), (95, 120, 165), (110, 130, 140)), 0.05, 0.14, 1.25, 0.07),
    "plaster": (((190, 205, 210), (150, 180, 200), (200, 200, 195), (140, 160, 150)), 0, 0, 1, 0.04),
    "planks": (((70, 100, 130), (60, 75, 90), (120, 130, 135)), 3.0, 0.09, 0.55, 0.08),
    "paving": (((140, 150, 155), (120, 130, 145), (165, 170, 170)), 0.3, 0.3, 0.6, 0.06),
    "asphalt": (((85, 85, 85), (105, 105, 103), (70, 68, 66)), 0, 0, 1, 0.06),
    "grass": (((55, 105, 85), (50, 90, 65), (65, 125, 110)), 0, 0, 1, 0.14),
    "gravel": (((140, 150, 160), (120, 140, 155)), 0, 0, 1, 0.13),
    "carpet": (((110, 95, 85), (85, 85, 120), (110, 120, 125)), 0, 0, 1, 0.05),
    "parquet": (((75, 115, 160), (60, 85, 120)), 0.06, 0.45, 0.7, 0.05),
    "tiles": (((180, 185, 185), (140, 150, 160)), 0.22, 0.22, 0.75, 0.03),
}


def surface(rng, kind, height, width, unit):
    """A flat surface seen head-on; `unit` is its scale in pixels per body height."""
    colours, row, column, joint, grain = SURFACES[kind]
    colour = np.float32(colours[rng.integers(len(colours))]) * rng.uniform(0.8, 1.15)
    blotches, grit = fractal(rng, height, width, 1.5 * unit, 3), fractal(rng, height, width, 0.08 * unit + 2, 5)
    tone = 1 + grain * (0.6 * blotches + grit)
    if row:
        row, column = max(row * unit, 3), max(column * unit, 3)
        y = np.arange(height)[:, None] / row
        x = np.arange(width)[None, :] / column + 0.5 * (y.astype(int) % 2)
        tones = rng.normal(1, 0.07, (64, 64)).astype(np.float32)
        tone *= tones[y.astype(int) % 64, x.astype(int) % 64]
        thin = 0.012 * unit
        fade = min(1, thin / 0.7)  # joints thinner than a pixel only tint it
        joints = (y % 1 < max(thin, 1) / row) | (x % 1 < max(thin, 1) / column)
        tone[joints] *= 1 + (joint - 1) * fade
    hue = 1 + 0.3 * grain * fractal(rng, height, width, unit, 2)[..., None] * np.float32([-1, 0.3, 1])
    return colour * tone[..., None] * hue


def leafage(rng, width, height, leaf, ragged=True):
    """A crown or hedge of single leaves as a sprite, lit from above; `leaf` is a leaf's length in pixels."""
    big = np.zeros((2 * height, 2 * width, 4), np.uint8)
    green = np.float32([rng.uniform(25, 60), rng.uniform(80, 125), rng.uniform(45, 100)])
    count = int(np.clip(5 * width * height / leaf**2, 300, 5000))
    if ragged:
        blobs = rng.uniform((0.25, 0.25), (0.75, 0.75), (14, 2))
        points = blobs[rng.integers(14, size=count)] + rng.normal(0, 0.1, (count, 2))
    else:
        points = rng.uniform(0.01, 0.99, (count, 2))
        points[:, 1] = np.maximum(points[:, 1], 0.06 + 0.03 * np.sin(9 * points[:, 0]))
    depth = np.sort(rng.uniform(0.35, 1.0, count))
    for (x, y), near in zip(points, depth):
        tone = near * rng.uniform(0.75, 1.25) * (1.2 - 0.45 * y)
        colour = np.clip(green * tone + rng.normal(0, 5, 3), 0, 255)
        axes = (max(1, int(leaf * rng.uniform(0.7, 1.3))), max(1, int(leaf * rng.uniform(0.3, 0.6))))
        centre = (int(2 * width * x), int(2 * height * y))
        cv2.ellipse(big, centre, axes, rng.uniform(0, 180), 0, 360, (*colour.tolist(), 255), -1)
    return cv2.resize(big, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)


def folds(rng, depth=0.1):
    """Brightness of cloth or metal over a figure: folds and one side in the light."""
    side = np.linspace(1 - depth, 1 + depth, 48, dtype=np.float32) * np.ones((64, 1), np.float32)
    return side[:, ::rng.choice((-1, 1))] + depth * fractal(rng, 64, 48, 12, 4)


# Shapes and places


def rectangle(left, top, right, bottom):
    """The corners of an upright rectangle, clockwise from the upper left."""
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def subpixel(points):
    """Positions as OpenCV's drawing functions take them with SHIFT."""
    return np.round(np.asarray(points) * 2**SHIFT).astype(np.int32)


def patch(shape, left, top, height, width):
    """The part of a picture a sprite covers: slices of the picture and of the sprite."""
    y0, y1, x0, x1 = max(top, 0), min(top + height, shape[0]), max(left, 0), min(left + width, shape[1])
    y1, x1 = max(y0, y1), max(x0, x1)
    return np.s_[y0:y1, x0:x1], np.s_[y0 - top:y1 - top, x0 - left:x1 - left]


# Changes of a frame in place


def blend(frame, sprite, left, top, visible=None):
    """Puts a sprite over the frame where it is visible."""
    there, here = patch(frame.shape, left, top, *sprite.shape[:2])
    part = sprite[here] if visible is None else sprite[here] * visible[here][..., None]
    frame[there] *= 1 - part[..., 3:] / 255
    frame[there] += part[..., :3]


def shade(frame, brightness):
    """Multiplies the frame by a field of any resolution."""
    brightness = cv2.resize(brightness.astype(np.float32), frame.shape[1::-1])
    cv2.multiply(frame, cv2.merge((brightness,) * 3), dst=frame)


def veil(frame, alpha, colour):
    """Mixes a colour into the frame by an opacity of lower resolution."""
    alpha = cv2.resize(alpha.astype(np.float32), frame.shape[1::-1])
    x, y, width, height = cv2.boundingRect((alpha > 0.004).astype(np.uint8))
    there = np.s_[y:y + height, x:x + width]
    frame[there] += alpha[there][..., None] * (np.float32(colour) - frame[there])


def speckle(frame, mask, glow):
    """Mixes a colour into the few pixels of the frame that an eight-bit mask touches."""
    pixels, where = frame.reshape(-1, 3), np.flatnonzero(mask)
    pixels[where] += (np.float32(glow) - pixels[where]) * (mask.reshape(-1)[where, None] / np.float32(255))
