"""Frames of videos, by PyAV."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from types import TracebackType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._checks import choice, whole

Layout = Literal["gray", "rgb", "bgr"]


class VideoFrame(NamedTuple):
    """A frame of a video.

    Attributes
    ----------
    image : ndarray of uint8
        (height, width) for ``"gray"``, else (height, width, 3).
    time : Fraction
        When it shows, in seconds; exact.
    number : int
        Its index among the frames, from 0.
    chrominance : pair of ndarray of uint8, optional
        The colour differences Cb and Cr beside the luma of ``"gray"``, as they are stored, mostly at half its size;
        None where the video has none of 8 bits.
    """

    image: npt.NDArray[np.uint8]
    time: Fraction
    number: int
    chrominance: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]] | None = None


class Video:
    """The frames of a video, one after the other; made by `open`."""

    def __init__(self, container: Any, layout: Layout, stream: int) -> None:
        self._container = container
        self._layout: Layout = layout
        self._stream = stream

    def __iter__(self) -> Iterator[VideoFrame]:
        with self:
            for number, frame in enumerate(self._container.decode(video=self._stream)):
                if frame.pts is None:
                    raise ValueError(f"frame {number} of the video has no time")
                yield VideoFrame(
                    _pixels(frame, self._layout),
                    frame.pts * frame.time_base,
                    number,
                    _chrominance(frame) if self._layout == "gray" else None,
                )

    def __enter__(self) -> Video:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._container.close()


def _plane(frame: Any, number: int, step: int = 1, start: int = 0) -> npt.NDArray[np.uint8]:
    """Returns bytes of a plane as they are stored, as the program takes them: video range stays video range."""
    plane = frame.planes[number]
    rows = np.frombuffer(plane, np.uint8, count=plane.line_size * plane.height)
    return np.array(rows.reshape(plane.height, plane.line_size)[:, start : step * plane.width : step])


def _stores_luma(frame: Any) -> bool:
    format = frame.format
    return (
        not format.is_rgb
        and format.name.startswith(("yuv", "nv", "gray"))
        and format.components[0].bits == 8
        and not format.name.startswith("yuyv")
    )


def _pixels(frame: Any, layout: Layout) -> npt.NDArray[np.uint8]:
    if layout == "gray" and _stores_luma(frame):
        return _plane(frame, 0)
    pixels: npt.NDArray[np.uint8] = frame.to_ndarray(format={"gray": "gray", "rgb": "rgb24", "bgr": "bgr24"}[layout])
    return pixels


def _chrominance(frame: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]] | None:
    if not _stores_luma(frame) or frame.format.name.startswith("gray"):
        return None
    if frame.format.name.startswith("nv"):
        blue = 1 if frame.format.name in ("nv21", "nv42") else 0
        return _plane(frame, 1, 2, blue), _plane(frame, 1, 2, 1 - blue)
    return _plane(frame, 1), _plane(frame, 2)


def open(path: str | os.PathLike[str], layout: Layout = "gray", *, stream: int = 0) -> Video:
    """Opens a video whose frames can be iterated over; needs PyAV, ``pip install 'rheo-flow[video]'``.

    Parameters
    ----------
    path : str or path-like
        The video: a file, or an address that FFmpeg knows.
    layout : {"gray", "rgb", "bgr"}
        The channels of the frames. ``"gray"`` is the luma as it is stored, beside it the colour differences: with both
        `MotionDetector` finds what ``rheo detect`` finds.
    stream : int
        The number of the video stream, from 0.

    Returns
    -------
    Video
        An iterable of `VideoFrame`, and a context manager. Frames come as they are stored: not turned upright.

    Raises
    ------
    ValueError
        When the file has no video stream, or none of this number.

    Examples
    --------
    >>> for frame in rheo.open("clip.mp4"):  # doctest: +SKIP
    ...     print(frame.number, float(frame.time), frame.image.shape)
    """
    try:
        import av
    except ImportError:
        raise ImportError("rheo.open needs PyAV: pip install 'rheo-flow[video]'") from None
    choice(layout, "layout", Layout)
    number = whole(stream, "stream", 0)
    container = av.open(os.fspath(path))
    count = len(container.streams.video)
    if number >= count:
        container.close()
        raise ValueError(
            f"stream {number}: {os.fspath(path)} has the video streams {', '.join(map(str, range(count)))}"
            if count
            else f"{os.fspath(path)} has no video stream"
        )
    return Video(container, layout, number)
