"""Frames of videos, by PyAV."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from types import TracebackType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

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
        Its place among the frames, from 0.
    """

    image: npt.NDArray[np.uint8]
    time: Fraction
    number: int


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
                yield VideoFrame(_pixels(frame, self._layout), frame.pts * frame.time_base, number)

    def __enter__(self) -> Video:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._container.close()


def _pixels(frame: Any, layout: Layout) -> npt.NDArray[np.uint8]:
    format = frame.format
    stores_luma = not format.is_rgb and format.name.startswith(("yuv", "nv", "gray"))
    if layout == "gray" and stores_luma and format.components[0].bits == 8 and not format.name.startswith("yuyv"):
        # As it is stored, as the program takes it: video range stays video range.
        plane = frame.planes[0]
        rows = np.frombuffer(plane, np.uint8, count=plane.line_size * frame.height)
        return np.array(rows.reshape(frame.height, plane.line_size)[:, : frame.width])
    pixels: npt.NDArray[np.uint8] = frame.to_ndarray(format={"gray": "gray", "rgb": "rgb24", "bgr": "bgr24"}[layout])
    return pixels


def open(path: str | os.PathLike[str], layout: Layout = "gray", *, stream: int = 0) -> Video:
    """Opens a video whose frames can be iterated over; needs PyAV, ``pip install 'rheo-flow[video]'``.

    Parameters
    ----------
    path : str or path-like
        The video: a file, or an address that FFmpeg knows.
    layout : {"gray", "rgb", "bgr"}
        The channels of the frames. ``"gray"`` is the luma as it is stored: with it `MotionDetector` finds what
        ``rheo detect`` finds.
    stream : int
        The number of the video stream, from 0.

    Returns
    -------
    Video
        An iterable of `VideoFrame`, and a context manager. Frames come as they are stored: not turned upright.

    Examples
    --------
    >>> for frame in rheo.open("clip.mp4"):  # doctest: +SKIP
    ...     print(frame.number, float(frame.time), frame.image.shape)
    """
    try:
        import av
    except ImportError:
        raise ImportError("rheo.open needs PyAV: pip install 'rheo-flow[video]'") from None
    if layout not in ("gray", "rgb", "bgr"):
        raise ValueError(f"layout {layout!r}: allowed are 'gray', 'rgb' and 'bgr'")
    return Video(av.open(os.fspath(path)), layout, stream)
