"""Places without anybody: gardens, streets, yards, car parks, rooms."""

import cv2
import numpy as np

from .figures import Car, Pen, Pose
from .paint import SURFACES, fractal, leafage, paint_colour, patch, rectangle, surface


class Canvas:
    """A place without anybody, drawn at twice the picture's size; takes positions in pixels of the picture.

    `top` is the y at which the ground ends and the backdrop begins. `base` holds for each pixel where the thing shown
    stands on the ground (its lowest y), 0 for what nobody can walk behind; so it tells what hides a mover whose feet
    are farther away, that is, higher in the picture. `sky` is the share of each pixel in which the sky is seen.
    """

    def __init__(self, width, height, horizon, scale, top):
        self.width, self.height = width, height
        self.horizon, self.scale, self.top = horizon, scale, top
        self.image = np.zeros((2 * height, 2 * width, 3), np.float32)
        self.base = np.zeros((2 * height, 2 * width), np.float32)
        self.sky = np.ones((2 * height, 2 * width), np.float32)
        self.road = self.wall = None  # y of a road's middle; left, top and width of a free spot on a room's wall

    def body(self, y):
        """Height in the picture of a person whose feet are at y."""
        return self.scale * (y - self.horizon)

    def put(self, there, mask, colour, base):
        self.image[there] += mask[..., None] * (colour - self.image[there])
        self.base[there] = np.where(mask > 0.5, base, self.base[there])
        self.sky[there] *= 1 - mask

    def lay(self, texture, quad, base=0.0):
        """Lays a flat texture of any size onto a quadrilateral, in perspective; `base` may differ between columns."""
        height, width = texture.shape[:2]
        quad = 2 * np.float32(quad)
        left, top = np.maximum(np.floor(quad.min(0)), 0).astype(int)
        right, bottom = np.minimum(np.ceil(quad.max(0)) + 1, self.image.shape[1::-1]).astype(int)
        if right <= left or bottom <= top:
            return
        corners = np.float32(rectangle(0, 0, width, height))
        matrix = cv2.getPerspectiveTransform(corners, quad - np.float32([left, top]))
        size = (int(right - left), int(bottom - top))
        mask = cv2.warpPerspective(np.ones((height, width), np.float32), matrix, size)
        colour = cv2.warpPerspective(texture, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        self.put(np.s_[top:bottom, left:right], mask, colour, base[left:right] if np.ndim(base) else base)

    def fill(self, points, colour, base=0.0):
        """Fills a polygon with a colour."""
        mask = np.zeros(self.base.shape, np.uint8)
        cv2.fillPoly(mask, [np.round(2 * np.float32(points)).astype(np.int32)], 1)
        x, y, width, height = cv2.boundingRect(mask)
        there = np.s_[y:y + height, x:x + width]
        self.put(there, mask[there].astype(np.float32), np.float32(colour), base)

    def stamp(self, sprite, left, top, base=0.0):
        """Puts a sprite, drawn at twice the picture's size, with its corner at (left, top)."""
        there, here = patch(self.base.shape, int(2 * left), int(2 * top), *sprite.shape[:2])
        alpha = sprite[here][..., 3] / 255
        self.put(there, alpha, sprite[here][..., :3] / np.maximum(alpha, 1e-3)[..., None], base)

    def darken(self, x, y, rx, ry):
        """The soft shadow on the ground under a thing that stands at (x, y)."""
        mask = np.zeros(self.base.shape, np.float32)
        cv2.ellipse(mask, (int(2 * x), int(2 * y)), (int(2 * rx) + 1, int(2 * ry) + 1), 0, 0, 360, 0.45, -1)
        self.image *= 1 - cv2.blur(mask, (int(2 * ry) | 1,) * 2)[..., None]

    def figure(self, figure, x, y, facing):
        """Draws a standing figure, such as a parked car."""
        size = self.body(y)
        self.darken(x, y, 1.1 * size, 0.1 * size)
        pen = Pen(2 * x, 2 * y, 2 * size, figure.reach)
        figure.draw(pen, Pose(facing=facing))
        self.stamp(pen.sprite(figure.texture), pen.left / 2, pen.top / 2, y)

    def box(self, rng, x, y, width, height, depth, colour, kind=None):
        """A cuboid seen from the front and a little from above: cupboard, bin, wall, table."""
        size = self.body(y)
        width, height = width * size, height * size
        self.darken(x, y, 0.55 * width, 0.06 * size)
        front = rectangle(x - width / 2, y - height, x + width / 2, y)
        shrink = self.body(y - depth * size * 0.35) / size
        middle = self.width / 2
        back = [(middle + (a - middle) * shrink, self.horizon + (b - self.horizon) * shrink) for a, b in front]
        for one, two, tone in ((0, 3, 0.7), (1, 2, 0.75), (0, 1, 1.2)):
            self.fill([front[one], back[one], back[two], front[two]], np.float32(colour) * tone, y)
        pixels = (max(int(2 * height), 4), max(int(2 * width), 4))
        if kind:
            texture = surface(rng, kind, *pixels, 2 * size)
        else:
            texture = np.float32(colour) * (1 + 0.04 * fractal(rng, *pixels, size))[..., None]
            for shelf in np.linspace(0, pixels[0], rng.integers(2, 5))[1:-1].astype(int):
                texture[shelf:shelf + 2] *= 0.6
        self.lay(texture, front, y)

    def ground(self, rng, kind, band=None):
        """The ground in perspective; a band (upper y, lower y, kind), such as a road or a path, may lie across it."""
        span, middle = 0.9 * self.width / self.scale, self.width / 2
        far, near = span / (self.top - self.horizon), span / (self.height - self.horizon)
        half = middle * far / (0.9 * self.width)
        unit = min(110.0, 2000 / (far - near), 2000 / (2 * half))
        rows, columns = int((far - near) * unit), int(2 * half * unit)
        texture = surface(rng, kind, rows, columns, unit)
        if band:
            first, last = (int((far - span / (y - self.horizon)) * unit) for y in band[:2])
            texture[first:last] = surface(rng, band[2], last - first, columns, unit)
            texture[max(first - 3, 0):first + 3] = texture[last - 3:last + 3] = 150 + 20 * rng.random()
        stains = fractal(rng, rows, columns, unit, 3)
        texture *= 1 - 0.18 * np.clip(stains - 1.2, 0, 1)[..., None]
        wide = middle * far / near
        self.fill(rectangle(0, self.horizon, self.width, self.height), texture[:4].mean((0, 1)))
        self.lay(texture, [(0, self.top), (self.width, self.top), (middle + wide, self.height),
                           (middle - wide, self.height)])
        below = self.image[int(2 * self.horizon):]
        below *= 1 + 0.6 * SURFACES[kind][4] * fractal(rng, *below.shape[:2], 6, 3, 0.8)[..., None]


# Outdoors


def outdoors(rng, width, height, backdrop=None, horizon=None, road=False, depth=(0.17, 0.3)):
    """A garden, street, yard or car park by day, still ungraded; `depth` is where the ground ends, below the horizon.

    `horizon` and `depth` are shares of the height.
    """
    horizon = height * (horizon or rng.uniform(0.14, 0.34))
    scale = rng.uniform(0.46, 0.62)
    canvas = Canvas(width, height, horizon, scale, horizon + (height - horizon) * rng.uniform(*depth))
    backdrop = backdrop or rng.choice(("houses", "houses", "fence", "hedge", "trees"))
    ground = rng.choice(("asphalt", "paving", "grass", "gravel", "brick"))
    rows = np.linspace(0, 1, 2 * height, dtype=np.float32)[:, None, None]
    clouds = fractal(rng, 2 * height, 2 * width, 0.5 * width)[..., None]
    canvas.image[:] = np.float32([235, 215, 195]) * (0.95 + 0.1 * rows) + 12 * clouds
    upper = canvas.top + (height - canvas.top) * rng.uniform(0.1, 0.35)
    lower = upper + (height - upper) * rng.uniform(0.3, 0.6)
    canvas.road = upper * 0.3 + lower * 0.7
    crossed = road or rng.random() < 0.5
    band = (upper, lower, "asphalt" if road else rng.choice(("asphalt", "paving")))
    canvas.ground(rng, ground, band if crossed else None)
    unit = canvas.body(canvas.top)
    {"houses": draw_houses, "fence": draw_fence, "hedge": draw_hedge, "trees": draw_trees}[backdrop](rng, canvas, unit)
    if not road and rng.random() < 0.5:
        draw_side(rng, canvas, rng.choice((-1, 1)))
    draw_furniture(rng, canvas, unit, 0 if road else rng.integers(0, 3))
    return canvas


def draw_furniture(rng, canvas, unit, cars):
    """Parked cars, bins and boxes, and perhaps a pole."""
    width = canvas.width
    for _ in range(cars):
        y = canvas.top + rng.uniform(0.05, 0.3) * unit
        canvas.figure(Car(rng), rng.uniform(0.05, 0.95) * width, y, rng.choice((-1, 1)))
    for _ in range(rng.integers(0, 4)):
        y = canvas.top + rng.uniform(0.03, 0.4) * unit
        canvas.box(rng, rng.uniform(0, 1) * width, y, rng.uniform(0.25, 0.45), rng.uniform(0.3, 0.7), 0.3,
                   paint_colour(rng, 30, 160))
    if rng.random() < 0.4:
        x, foot = rng.uniform(0.1, 0.9) * width, canvas.top + 0.1 * unit
        thick = 0.035 * unit + 0.6
        canvas.fill(rectangle(x - thick, 0.05 * canvas.height, x + thick, foot), (95, 98, 100), foot)


def draw_houses(rng, canvas, unit):
    """A row of one to three house fronts, slightly slanted."""
    edges = np.sort(np.r_[-0.05, rng.uniform(0.2, 0.8, rng.integers(0, 3)), 1.05]) * canvas.width
    for left, right in zip(edges, edges[1:]):
        rise = max(0.4 * unit, min(unit * rng.uniform(2, 4.5), canvas.top + 10))
        kind, size = rng.choice(("brick", "plaster", "planks")), (int(2 * rise), int(2 * (right - left)) + 4)
        wall = surface(rng, kind, *size, 2 * unit)
        draw_windows(rng, wall, 2 * unit)
        wall[:int(0.12 * unit)] *= 0.5
        slant = rng.uniform(-0.1, 0.1) * unit
        canvas.lay(wall, [(left, canvas.top - rise - 2 * slant), (right, canvas.top - rise + 2 * slant),
                          (right, canvas.top + abs(slant)), (left, canvas.top + abs(slant))])


def draw_windows(rng, wall, unit):
    """Puts windows, a door and a drainpipe onto the texture of a house's wall."""
    height, width = wall.shape[:2]
    frame, glass = rng.uniform(120, 230), paint_colour(rng, 30, 80, 0.3)
    wide, tall, pitch = (int(unit * rng.uniform(*share)) for share in ((0.4, 0.75), (0.5, 0.8), (1.2, 1.9)))
    for y in range(height - int(1.25 * unit), -tall, -int(1.6 * unit)):
        for x in range(int(rng.uniform(0.1, 0.5) * unit), width - wide, pitch):
            if rng.random() < 0.12:
                continue
            cv2.rectangle(wall, (x - 4, y - 4), (x + wide + 4, y + tall + 4), (frame,) * 3, -1)
            pane = wall[max(y, 0):y + tall, x:x + wide]
            if pane.size:
                pane[:] = glass * (1 + 0.3 * fractal(rng, *pane.shape[:2], wide, 2)[..., None])
                pane[:, :int(wide * rng.uniform(0, 0.25))] = rng.uniform(110, 200)
                cv2.line(wall, (x + wide // 2, y), (x + wide // 2, y + tall), (frame,) * 3, 3)
    door = int(rng.uniform(0.1, 0.8) * width)
    cv2.rectangle(wall, (door, height - int(1.25 * unit)), (door + int(0.55 * unit), height),
                  paint_colour(rng, 40, 160).tolist(), -1)
    pipe = int(rng.uniform(0, 1) * width)
    cv2.line(wall, (pipe, 0), (pipe, height), (90, 90, 95), max(2, int(0.05 * unit)))


def draw_fence(rng, canvas, unit):
    """A board fence with bushes looking over it."""
    draw_trees(rng, canvas, unit, 0.4)
    rise = unit * rng.uniform(0.9, 1.2)
    boards = surface(rng, "planks", int(2 * rise), 2 * canvas.width, 2 * unit)
    canvas.lay(boards, rectangle(0, canvas.top - rise, canvas.width, canvas.top))


def draw_hedge(rng, canvas, unit):
    """A cut hedge with a house behind it."""
    draw_houses(rng, canvas, 0.85 * unit)
    rise = unit * rng.uniform(0.8, 1.5)
    hedge = leafage(rng, 2 * canvas.width, int(2 * rise), max(4, 0.12 * unit), ragged=False)
    canvas.stamp(hedge, 0, canvas.top - rise)


def draw_trees(rng, canvas, unit, lift=0.0):
    """A line of trees and shrubs along the far edge."""
    for x in np.arange(-0.5, canvas.width / unit + 0.5, rng.uniform(0.7, 1.1)) * unit:
        wide, tall = int(unit * rng.uniform(3, 7)), int(unit * rng.uniform(3, 9))
        crown = leafage(rng, wide, tall, max(3, 0.13 * unit))
        canvas.stamp(crown, x - wide / 4, canvas.top - 0.42 * tall - lift * unit)
    low = leafage(rng, 2 * canvas.width, int(rng.uniform(1.5, 4.5) * unit), max(3, 0.1 * unit), ragged=False)
    canvas.stamp(low, 0, canvas.top + 0.05 * unit - low.shape[0] / 2)


def draw_side(rng, canvas, side):
    """A wall, fence or hedge along the left or right side, running away from the camera."""
    middle, rise = canvas.width / 2, rng.uniform(0.6, 1.8)
    far = middle + side * canvas.width * rng.uniform(0.38, 0.55)
    near = middle + side * canvas.width * rng.uniform(0.6, 0.9)

    def foot(x):
        return canvas.horizon + (canvas.top - canvas.horizon) * (x - middle) / (far - middle)

    size = (int(0.5 * canvas.height), canvas.width)
    unit = size[0] / rise
    kind = rng.choice(("brick", "plaster", "planks", "hedge"))
    if kind == "hedge":
        texture = leafage(rng, *size[::-1], 0.1 * unit, False)[..., :3]
    else:
        texture = surface(rng, kind, *size, unit)
    texture *= rng.uniform(0.6, 1)
    base = foot(np.arange(2 * canvas.width, dtype=np.float32) / 2)
    tops = [(x, foot(x) - rise * canvas.body(foot(x))) for x in (far, near)]
    canvas.lay(texture, [*tops, (near, foot(near)), (far, foot(far))], base)


# Indoors


def indoors(rng, width, height):
    """A furnished room, office or hall."""
    horizon = height * rng.uniform(0.2, 0.34)
    scale = rng.uniform(0.5, 0.64)
    canvas = Canvas(width, height, horizon, scale, horizon + (height - horizon) * rng.uniform(0.4, 0.55))
    left, right = rng.uniform(-0.1, 0.18) * width, rng.uniform(0.82, 1.1) * width
    ceiling = height * rng.uniform(-0.05, 0.1)
    canvas.ground(rng, rng.choice(("carpet", "parquet", "tiles")))
    unit = canvas.body(canvas.top)
    draw_walls(rng, canvas, left, right, ceiling)
    slots = rng.permutation(np.linspace(max(left, 0) + 0.5 * unit, min(right, width) - 0.5 * unit, 4))
    draw_window(rng, canvas, slots[0], ceiling)
    canvas.wall = (slots[1] - 0.45 * unit, canvas.top - 1.1 * unit, 0.9 * unit)
    picture = surface(rng, "plaster", 40, 40, 30) * paint_colour(rng, 100, 255) / 200
    across, up = slots[2], canvas.top - rng.uniform(0.75, 0.95) * unit
    canvas.lay(picture, rectangle(across - 0.2 * unit, up - 0.25 * unit, across + 0.2 * unit, up))
    for slot, tall in ((slots[1], 0.42), (slots[2], rng.uniform(0.3, 0.5)), (slots[3], rng.uniform(0.7, 1.15))):
        colour = paint_colour(rng, 50, 210, 0.5)
        canvas.box(rng, slot, canvas.top + 0.22 * unit, rng.uniform(0.5, 0.95), tall, 0.5, colour)
    for x in rng.uniform((-0.05, 0.85), (0.15, 1.05)) * width:
        canvas.box(rng, x, canvas.top + rng.uniform(0.4, 1.1) * unit, rng.uniform(0.4, 0.8), rng.uniform(0.3, 0.8), 0.6,
                   paint_colour(rng, 40, 200, 0.5))
    plant = leafage(rng, int(0.8 * unit), int(unit), 0.12 * unit)
    canvas.stamp(plant, slots[3] + 0.35 * unit, canvas.top - 0.25 * unit, canvas.top + 0.2 * unit)
    return canvas


def draw_walls(rng, canvas, left, right, ceiling):
    """The ceiling, the papered wall from left to right with its skirting board, and the walls beside it."""
    width, horizon, unit = canvas.width, canvas.horizon, canvas.body(canvas.top)
    paper = surface(rng, "plaster", int(2 * (canvas.top - ceiling)), int(2 * (right - left)), 2 * unit)
    canvas.image[:int(2 * canvas.top)] = 210
    for inner, outer, tone in ((left, -0.6, 0.82), (right, 1.6, 0.9)):
        outer = outer * width
        reach = (outer - width / 2) / (inner - width / 2)
        low, high = (horizon + (y - horizon) * reach for y in (canvas.top, ceiling))
        canvas.fill([(inner, canvas.top), (inner, ceiling), (outer, high), (outer, low)], paper.mean((0, 1)) * tone)
    canvas.lay(paper, rectangle(left, ceiling, right, canvas.top))
    canvas.fill(rectangle(left, canvas.top - 0.07 * unit, right, canvas.top), (200, 205, 210))


def draw_window(rng, canvas, x, ceiling):
    """A window of four panes in the papered wall, with a blurred view."""
    unit, rise = canvas.body(canvas.top), canvas.top - ceiling
    view = surface(rng, "plaster", 60, 80, 60) * np.linspace(1.25, 0.8, 60)[:, None, None].astype(np.float32)
    view[::29] = view[:, ::39] = 150
    canvas.lay(view, rectangle(x - 0.45 * unit, ceiling + 0.15 * rise, x + 0.45 * unit, canvas.top - 0.55 * unit))
