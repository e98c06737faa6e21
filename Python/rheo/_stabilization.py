"""Steady frames: the camera's path, evened out while frames come."""

from __future__ import annotations

from collections import deque
from ctypes import byref
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._arrays import Channels, image
from ._checks import choice, flag, number, optional, whole
from ._library import Handle, Transform, encoded, library
from ._registration import Border, Interpolation, warp
from ._time import TimeLike, ticks

Frame = npt.NDArray[Any]
Family = Literal["translation", "euclidean", "affine", "homography"]
FrameBorder = Literal["crop", "black", "replicate"]


class Stabilizer:
    """Steadies frames as ``rheo stabilize`` does in one pass; each waits until half a window after it is known.

    Parameters
    ----------
    model : {"euclidean", "translation", "affine", "homography"}
        The family of motions that is evened out.
    smoothing : float
        The window in seconds, 0 to 20.
    border : {"crop", "black", "replicate"}
        What shows beyond the borders of a moved frame; ``"crop"``: frames are zoomed so that they never show.
    tripod : bool
        Whether the view of the first frame, and of the first one behind a cut, is held as long as the zoom allows.
    zoom : float, optional
        The enlargement, 1 to 4; 1.1 where borders are cropped, else 1.
    interpolation : {"bicubic", "bilinear"}
        How frames are sampled.
    channels : {"rgb", "bgr"}
        The order of the channels of colour frames.
    threads : int
        The number of threads; 0: all cores. It changes no result.

    Examples
    --------
    >>> import numpy as np, rheo
    >>> stabilizer = rheo.Stabilizer(smoothing=1)
    >>> texture = np.random.default_rng(1).integers(0, 256, (90, 160), np.uint8)
    >>> steady = []
    >>> for number in range(30):
    ...     steady += stabilizer.append(np.roll(texture, number % 3, axis=1), number / 25)
    >>> len(steady + stabilizer.finish())
    30
    """

    def __init__(
        self,
        model: Family = "euclidean",
        *,
        smoothing: float = 3.0,
        border: FrameBorder = "crop",
        tripod: bool = False,
        zoom: float | None = None,
        interpolation: Interpolation = "bicubic",
        channels: Channels = "rgb",
        threads: int = 0,
    ) -> None:
        choice(border, "border", FrameBorder)
        self._options = encoded(
            {
                "model": choice(model, "model", Family),
                "smoothing": number(smoothing, "smoothing"),
                "zoom": optional(zoom, "zoom"),
                "crop": border == "crop",
                "tripod": flag(tripod, "tripod") or None,
                "threads": whole(threads, "threads", 0, 1024),
            }
        )
        self._border: Border = "black" if border == "black" else "replicate"
        self._interpolation: Interpolation = choice(interpolation, "interpolation", Interpolation)
        self._channels = choice(channels, "channels", Channels)
        self._threads = threads
        self._size: tuple[int, int] | None = None
        self._waiting: deque[Frame] = deque()
        # A size that any frame has: the options are checked now, not with the first frame.
        self._handle = self._made((1, 1))

    def _made(self, size: tuple[int, int]) -> Handle:
        return Handle(library.rheo_stabilizer_create, library.rheo_stabilizer_free, size[1], size[0], self._options)

    def append(self, frame: npt.ArrayLike, time: TimeLike) -> list[Frame]:
        """Takes the next frame.

        Parameters
        ----------
        frame : array_like of uint8 or uint16
            An image of the size of the frames before; it is kept, as a copy, until its turn comes.
        time : float or Fraction
            When it shows, in seconds; later than the frame before.

        Returns
        -------
        list of ndarray
            The steady frames that are known now, in order.
        """
        description, pixels = image(frame, "frame", self._channels)
        size = (pixels.shape[0], pixels.shape[1])
        if pixels.dtype == np.float32:
            raise ValueError("frame has dtype float32: allowed are uint8 and uint16")
        if self._size is None:
            self._handle = self._made(size)
        elif size != self._size:
            raise ValueError(f"frame has shape {pixels.shape} among frames of {self._size}")
        self._handle.call(library.rheo_stabilizer_append, byref(description), ticks(time))
        self._size = size
        self._waiting.append(pixels.copy())
        return self._known()

    def finish(self) -> list[Frame]:
        """Ends the sequence, and returns the frames that still waited."""
        library.rheo_stabilizer_finish(self._handle.pointer)
        return self._known()

    def _known(self) -> list[Frame]:
        steady = []
        transform = Transform()
        while self._waiting and library.rheo_stabilizer_next(self._handle.pointer, transform):
            steady.append(
                warp(
                    self._waiting.popleft(),
                    np.array(transform[:]).reshape(3, 3),
                    border=self._border,
                    interpolation=self._interpolation,
                    threads=self._threads,
                )
            )
        return steady
