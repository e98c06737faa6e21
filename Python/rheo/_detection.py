"""Events of motion in frames with times."""

from __future__ import annotations

import math
from collections.abc import Mapping
from ctypes import byref
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import Array, Channels, image
from ._checks import choice, flag, optional, shown, whole
from ._library import Handle, Image, encoded, library
from ._time import TimeLike, seconds, ticks


Compensation = Literal["none", "translation", "homography"]


class FrameMoment(NamedTuple):
    """A frame by its number, from 0, and its time in seconds."""

    frame: int
    seconds: float


class MotionBox(NamedTuple):
    """A region that travels, in pixels of the frame.

    Attributes
    ----------
    frame : int
        The number of the frame.
    x, y, width, height : float
        The box around it.
    """

    frame: int
    x: float
    y: float
    width: float
    height: float


class MotionEvent(NamedTuple):
    """Motion from its beginning to its end.

    Attributes
    ----------
    number : int
        The number of the event, from 1.
    start, end, peak : FrameMoment
        The first and the last frame, and the one in which most travels.
    peak_score : float
        How much travels at the peak, in percent of the image.
    zones : tuple of str
        The zones that reached their thresholds.
    u, v : float
        The mean motion to the right and down, in pixels per frame.
    boxes : tuple of MotionBox
        What travels, frame by frame.
    """

    number: int
    start: FrameMoment
    end: FrameMoment
    peak: FrameMoment
    peak_score: float
    zones: tuple[str, ...]
    u: float
    v: float
    boxes: tuple[MotionBox, ...]

    @property
    def duration(self) -> float:
        """Seconds from the first to the last frame."""
        return self.end.seconds - self.start.seconds


class MotionUpdate(NamedTuple):
    """Something that a frame brings.

    Attributes
    ----------
    kind : {"started", "ended", "lighting", "camera", "cut", "frame"}
        ``"started"``: an event is certain; ``"ended"``: it is over. ``"lighting"``, ``"camera"`` and ``"cut"``: a time
        is over in which something other than motion changed the image. ``"frame"``: the statistics of a frame.
    event : MotionEvent or None
        The event that started or ended.
    start, end : FrameMoment or None
        The period of ``"lighting"``, ``"camera"`` and ``"cut"``.
    statistics : dict or None
        The statistics of a frame, where they were asked for.
    """

    kind: str
    event: MotionEvent | None = None
    start: FrameMoment | None = None
    end: FrameMoment | None = None
    statistics: dict[str, Any] | None = None


def _moment(stamp: dict[str, Any]) -> FrameMoment:
    return FrameMoment(stamp["frame"], seconds(stamp["time"]))


def _event(event: dict[str, Any]) -> MotionEvent:
    boxes = (
        MotionBox(entry["frame"], box["x"], box["y"], box["width"], box["height"])
        for entry in event["boxes"]
        for box in (entry["box"],)
    )
    return MotionEvent(
        event["number"],
        _moment(event["start"]),
        _moment(event["end"]),
        _moment(event["peak"]),
        event["peakScore"],
        tuple(event["zones"]),
        event["u"],
        event["v"],
        tuple(boxes),
    )


def _update(update: dict[str, Any]) -> MotionUpdate:
    if "started" in update:
        return MotionUpdate("started", _event(update["started"]))
    if "ended" in update:
        return MotionUpdate("ended", _event(update["ended"]))
    if "suppressed" in update:
        period = update["suppressed"]
        return MotionUpdate(period["reason"], None, _moment(period["start"]), _moment(period["end"]))
    return MotionUpdate("frame", statistics=update["frame"])


def _planes(chrominance: Any, frame: Array) -> list[tuple[Image, Array]]:
    """Describes the colour differences of a grey frame."""
    if frame.ndim == 3 and frame.shape[2] > 1:
        raise ValueError(f"frame has shape {frame.shape}: with chrominance it is grey")
    if not isinstance(chrominance, tuple | list | np.ndarray) or len(chrominance) != 2:
        raise ValueError(f"chrominance {shown(chrominance)}: it is a pair of arrays, Cb and Cr")
    planes = [image(plane, f"chrominance[{index}]") for index, plane in enumerate(chrominance)]
    for index, (_, plane) in enumerate(planes):
        if plane.ndim == 3 and plane.shape[2] > 1:
            raise ValueError(f"chrominance[{index}] has shape {plane.shape}: it is (height, width)")
    return planes


def _plain(value: Any, name: str) -> Any:
    """What JSON has, of dicts, lists, texts and numbers, those of NumPy among them."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(inner, f"{name}.{key}") for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, f"{name}[{index}]") for index, inner in enumerate(value)]
    if value is None or isinstance(value, str | int) or isinstance(value, float) and math.isfinite(value):
        return value
    raise ValueError(f"{name} {shown(value)}: it is a dict, a list, a text or a finite number")


def _contents(zones: Mapping[str, Any] | None) -> Any:
    """The contents of a zones file, as they are given: the library knows its keys."""
    if zones is not None and not isinstance(zones, Mapping):
        raise ValueError(
            f"zones {shown(zones)}: it is the contents of a zones file, {{'zones': […], 'tripLines': […]}}"
        )
    return None if zones is None else _plain(zones, "zones")


class MotionDetector:
    """Finds the events of motion that ``rheo detect`` finds, in frames that come one after the other.

    Parameters
    ----------
    zones : dict, optional
        Where motion counts: the contents of a zones file, ``{"zones": [{"name": …, "polygon": [[x, y], …]}]}``.
    compensate : {"none", "translation", "homography"}
        The camera's motion that is taken out.
    threshold : float, optional
        Percent of the image that must travel for an event to begin.
    hysteresis : float, optional
        The share of the threshold that keeps an event going, more than 0 and up to 1.
    minimum_duration, merge_gap, before, after, maximum_duration, presence_limit : float, optional
        Times of events in seconds, as of ``rheo detect``.
    light_share : float, optional
        The share of the image whose brightness must change for a change of light, more than 0 and up to 1.
    statistics : bool
        Whether each frame's statistics are among the updates.
    channels : {"rgb", "bgr"}
        The order of the channels of colour frames. Luma and colour differences of a video as they are stored, as
        `open` gives them, bring the events of ``rheo detect``.
    threads : int
        The number of threads; 0: all cores. It changes no result.

    Examples
    --------
    >>> import numpy as np, rheo
    >>> detector = rheo.MotionDetector()
    >>> frames = np.full((10, 90, 160), 80, np.uint8)
    >>> [update for number, frame in enumerate(frames) for update in detector.append(frame, number / 25)]
    []
    >>> detector.finish()
    []
    """

    def __init__(
        self,
        *,
        zones: Mapping[str, Any] | None = None,
        compensate: Compensation = "homography",
        threshold: float | None = None,
        hysteresis: float | None = None,
        minimum_duration: float | None = None,
        merge_gap: float | None = None,
        before: float | None = None,
        after: float | None = None,
        maximum_duration: float | None = None,
        presence_limit: float | None = None,
        light_share: float | None = None,
        statistics: bool = False,
        channels: Channels = "rgb",
        threads: int = 0,
    ) -> None:
        self._options = encoded(
            {
                "zones": _contents(zones),
                "compensate": choice(compensate, "compensate", Compensation),
                "threshold": optional(threshold, "threshold"),
                "hysteresis": optional(hysteresis, "hysteresis"),
                "minimumDuration": optional(minimum_duration, "minimum_duration"),
                "mergeGap": optional(merge_gap, "merge_gap"),
                "before": optional(before, "before"),
                "after": optional(after, "after"),
                "maximumDuration": optional(maximum_duration, "maximum_duration"),
                "presenceLimit": optional(presence_limit, "presence_limit"),
                "lightShare": optional(light_share, "light_share"),
                "statistics": flag(statistics, "statistics") or None,
                "threads": whole(threads, "threads", 0, 1024),
            }
        )
        self._channels = choice(channels, "channels", Channels)
        self._size: tuple[int, int] | None = None
        # A size that any frame has: the options are checked now, not with the first frame.
        self._handle = self._made((1, 1))

    def _made(self, size: tuple[int, int]) -> Handle:
        return Handle(library.rheo_detector_create, library.rheo_detector_free, size[1], size[0], self._options)

    def append(
        self,
        frame: npt.ArrayLike,
        time: TimeLike,
        *,
        chrominance: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    ) -> list[MotionUpdate]:
        """Takes the next frame.

        Parameters
        ----------
        frame : array_like
            An image, as of `flow`, of the size of the frames before.
        time : float or Fraction
            When it shows, in seconds; later than the frame before. A fraction stays exact.
        chrominance : pair of array_like, optional
            The colour differences Cb and Cr of a grey frame, both of one shape: the frame's, or on each axis a half
            or a quarter of it; grey is 128 of uint8. Without them who has the brightness of the wall behind is not
            seen.

        Returns
        -------
        list of MotionUpdate
            What the frame brings; mostly nothing.
        """
        description, pixels = image(frame, "frame", self._channels)
        size = (pixels.shape[0], pixels.shape[1])
        if self._size is None:
            self._handle = self._made(size)
        elif size != self._size:
            raise ValueError(f"frame has shape {pixels.shape} among frames of {self._size}")
        if chrominance is None:
            updates = self._handle.call_for_json(library.rheo_detector_append, byref(description), ticks(time))
        else:
            blue, red = _planes(chrominance, pixels)
            updates = self._handle.call_for_json(
                library.rheo_detector_append_planes,
                *(byref(plane) for plane in (description, blue[0], red[0])),
                ticks(time),
            )
        self._size = size
        return [_update(update) for update in updates]

    def finish(self) -> list[MotionUpdate]:
        """Ends what is still going on with the last frame."""
        updates = self._handle.call_for_json(library.rheo_detector_finish)
        return [_update(update) for update in updates]
