"""Tracks: boxes and points that are followed, and whatever moves before a fixed camera."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, c_int64
from typing import Any, Literal, NamedTuple

import numpy.typing as npt

from ._arrays import Channels, image
from ._flow import Accuracy
from ._checks import choice, flag, number, optional, rows, whole
from ._library import Handle, encoded, library
from ._time import TimeLike, ticks

Box = tuple[float, float, float, float]
Point = tuple[float, float]
Level = Literal["fast", "accurate"]


class TrackPosition(NamedTuple):
    """Where a track is in a frame.

    Attributes
    ----------
    frame : int
        The number of the frame, from 0.
    seconds : float
        When it shows.
    box : (x, y, width, height)
        The box in pixels; of a point the single pixel around it.
    confidence : float
        0 to 1; 0 where it was not seen.
    """

    frame: int
    seconds: float
    box: Box
    confidence: float


class Track(NamedTuple):
    """Something followed through the frames.

    Attributes
    ----------
    id : int
        The number of the track, from 1.
    kind : {"box", "point"}
        What is followed.
    loss : str or None
        Why the track ended before the frames did.
    positions : tuple of TrackPosition
        One for every frame from the first to the last in which it was found.
    """

    id: int
    kind: str
    loss: str | None
    positions: tuple[TrackPosition, ...]


def _track(track: dict[str, Any]) -> Track:
    positions = (
        TrackPosition(
            position["frame"],
            float(position["seconds"]),
            (position["box"][0], position["box"][1], position["box"][2], position["box"][3]),
            position["confidence"],
        )
        for position in track["positions"]
    )
    return Track(track["id"], track["kind"], track.get("loss"), tuple(positions))


class Tracker:
    """Follows boxes and points, or finds what moves before the background of a fixed camera.

    Parameters
    ----------
    boxes : iterable of (x, y, width, height), optional
        Boxes of the first frame, in pixels, that are followed.
    points : iterable of (x, y), optional
        Points of the first frame, in pixels, that are followed by the flow.
    objects : bool, optional
        Whether what moves is found; by default where neither boxes nor points are given.
    level : {"fast", "accurate"}
        How boxes are followed: by their looks, or by their looks and the flow.
    accuracy : {"low", "medium", "high", "very-high"}
        Of the flow that points are followed by.
    patience : float, optional
        Seconds for which what is hidden is looked for.
    channels : {"rgb", "bgr"}
        The order of the channels of colour frames.
    threads : int
        The number of threads; 0: all cores. It changes no result.

    Examples
    --------
    >>> import numpy as np, rheo
    >>> texture = np.random.default_rng(1).integers(0, 256, (90, 160), np.uint8)
    >>> tracker = rheo.Tracker(boxes=[(40, 30, 32, 24)])
    >>> for number in range(3):
    ...     tracker.append(np.roll(texture, 2 * number, axis=1), number / 25)
    >>> [(position.frame, position.seconds) for position in tracker.finish()[0].positions]
    [(0, 0.0), (1, 0.04), (2, 0.08)]
    """

    def __init__(
        self,
        boxes: Iterable[Box] = (),
        points: Iterable[Point] = (),
        *,
        objects: bool | None = None,
        level: Level = "fast",
        accuracy: Accuracy = "medium",
        patience: float | None = None,
        channels: Channels = "rgb",
        threads: int = 0,
    ) -> None:
        self._boxes = rows(boxes, "boxes", "x, y, width, height")
        self._points = rows(points, "points", "x, y")
        if objects is None:
            objects = not self._boxes and not self._points
        self._options = encoded(
            {
                "objects": flag(objects, "objects"),
                "level": choice(level, "level", Level),
                "accuracy": choice(accuracy, "accuracy", Accuracy),
                "patience": optional(patience, "patience"),
                "threads": whole(threads, "threads", 0, 1024),
            }
        )
        self._channels = choice(channels, "channels", Channels)
        self._size: tuple[int, int] | None = None
        # A size that any frame has: the options are checked now, not with the first frame.
        self._handle = self._made((1, 1))

    def _made(self, size: tuple[int, int]) -> Handle:
        handle = Handle(library.rheo_tracker_create, library.rheo_tracker_free, size[1], size[0], self._options)
        for box in self._boxes:
            handle.call(library.rheo_tracker_add_box, *box, byref(c_int64()))
        for point in self._points:
            handle.call(library.rheo_tracker_add_point, *point, byref(c_int64()))
        return handle

    def append(self, frame: npt.ArrayLike, time: TimeLike) -> None:
        """Takes the next frame.

        Parameters
        ----------
        frame : array_like
            An image, as of `flow`, of the size of the frames before.
        time : float or Fraction
            When it shows, in seconds; later than the frame before.
        """
        description, pixels = image(frame, "frame", self._channels)
        size = (pixels.shape[0], pixels.shape[1])
        if self._size is None:
            self._handle = self._made(size)
        elif size != self._size:
            raise ValueError(f"frame has shape {pixels.shape} among frames of {self._size}")
        self._handle.call(library.rheo_tracker_append, byref(description), ticks(time))
        self._size = size

    def add_box(self, x: float, y: float, width: float, height: float) -> int:
        """Starts to follow a box of the last frame; returns the number of its track."""
        if self._size is None:
            raise ValueError("boxes of the first frame are given when the tracker is made")
        box = [number(value, name) for value, name in ((x, "x"), (y, "y"), (width, "width"), (height, "height"))]
        track = c_int64()
        self._handle.call(library.rheo_tracker_add_box, *box, byref(track))
        return track.value

    def add_point(self, x: float, y: float) -> int:
        """Starts to follow a point of the last frame; returns the number of its track."""
        if self._size is None:
            raise ValueError("points of the first frame are given when the tracker is made")
        track = c_int64()
        self._handle.call(library.rheo_tracker_add_point, number(x, "x"), number(y, "y"), byref(track))
        return track.value

    @property
    def tracks(self) -> list[Track]:
        """All tracks so far, by number."""
        return [_track(track) for track in self._handle.call_for_json(library.rheo_tracker_tracks)]

    def finish(self) -> list[Track]:
        """Ends the search, and returns all tracks."""
        self._handle.call(library.rheo_tracker_finish)
        return self.tracks
