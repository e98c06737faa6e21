"""Dense optical flow: of pairs of images, and of sequences."""

from __future__ import annotations

from ctypes import byref, c_int32
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import Bytes, Channels, Floats, address, image
from ._checks import choice, flag, numbers, text, whole
from ._library import FlowOutput, Handle, encoded, library

Algorithm = Literal["dis", "farneback", "lucas-kanade"]
Accuracy = Literal["low", "medium", "high", "very-high"]
Direction = Literal["forward", "backward", "both"]
Region = tuple[float, float, float, float]


class FlowObservation(NamedTuple):
    """The motion between two images.

    Attributes
    ----------
    flow : ndarray of float32, shape (height, width, 2)
        Forward flow on the grid of ``previous``, or with ``direction="backward"`` the flow from ``current`` to
        ``previous`` on the grid of ``current``. ``u`` points right, ``v`` down, in pixels; unknown vectors are NaN.
    backward : ndarray of float32, shape (height, width, 2), or None
        With ``direction="both"``: the flow from ``current`` to ``previous``.
    confidence : ndarray of float32, shape (height, width), or None
        How far each vector can be trusted, 0 to 1.
    occlusion : ndarray of bool, shape (height, width), or None
        With ``direction="both"``: where the backward flow contradicts.
    """

    flow: Floats
    backward: Floats | None = None
    confidence: Floats | None = None
    occlusion: npt.NDArray[np.bool_] | None = None


class _Output:
    """Arrays that an estimate is written into."""

    def __init__(self, shape: tuple[int, int], direction: str, confidence: bool) -> None:
        both = direction == "both"
        pairs = (*shape, 2)
        self.flow: Floats = np.empty(pairs, np.float32)
        self.backward: Floats | None = np.empty(pairs, np.float32) if both else None
        self.confidence: Floats | None = np.empty(shape, np.float32) if both or confidence else None
        self.occlusion: Bytes | None = np.empty(shape, np.uint8) if both else None
        self.structure = FlowOutput(
            address(self.flow), address(self.backward), address(self.confidence), address(self.occlusion)
        )

    def observation(self) -> FlowObservation:
        occlusion = None if self.occlusion is None else self.occlusion.view(np.bool_)
        return FlowObservation(self.flow, self.backward, self.confidence, occlusion)


def _options(
    algorithm: str,
    accuracy: str,
    parameters: str | None,
    direction: str,
    confidence: bool,
    max_dimension: int | None,
    region: Region | None,
    warm_start: bool,
    threads: int,
) -> bytes:
    return encoded(
        {
            "algorithm": choice(algorithm, "algorithm", Algorithm),
            "accuracy": choice(accuracy, "accuracy", Accuracy),
            "parameters": text(parameters, "parameters", "a text, 'key=value:key=value'"),
            "direction": choice(direction, "direction", Direction),
            "confidence": flag(confidence, "confidence") or None,
            "maxDimension": None if max_dimension is None else whole(max_dimension, "max_dimension", 16, 65536),
            "region": None if region is None else numbers(region, "region", "x, y, width, height"),
            "warmStart": flag(warm_start, "warm_start") or None,
            "threads": whole(threads, "threads", 0, 1024),
        }
    )


def _create(options: bytes) -> Handle:
    return Handle(library.rheo_flow_create, library.rheo_flow_free, options)


class _Estimators:
    """Estimators that nobody uses at the time, kept for their memory: those of the last few sets of options."""

    _limit = 4

    def __init__(self) -> None:
        self._idle: dict[bytes, list[Handle]] = {}

    def take(self, options: bytes) -> Handle:
        idle = self._idle.get(options)
        try:
            return idle.pop() if idle is not None else _create(options)
        except IndexError:
            return _create(options)

    def give_back(self, options: bytes, estimator: Handle) -> None:
        # The last used comes last.
        idle = self._idle.pop(options, None) or []
        if len(idle) < self._limit:
            idle.append(estimator)
        self._idle[options] = idle
        while len(self._idle) > self._limit:
            try:
                self._idle.pop(next(iter(self._idle)), None)
            except (StopIteration, RuntimeError):
                break


_estimators = _Estimators()


def _estimate(
    previous: npt.ArrayLike,
    current: npt.ArrayLike,
    options: bytes,
    direction: str,
    confidence: bool,
    channels: str,
) -> FlowObservation:
    first, first_pixels = image(previous, "previous", channels)
    second, second_pixels = image(current, "current", channels)
    shape = first_pixels.shape[:2]
    if shape != second_pixels.shape[:2]:
        raise ValueError(
            f"previous has shape {first_pixels.shape} and current {second_pixels.shape}: they are of one size"
        )
    estimator = _estimators.take(options)
    output = _Output((shape[0], shape[1]), direction, confidence)
    estimator.call(library.rheo_flow_estimate, byref(first), byref(second), byref(output.structure))
    _estimators.give_back(options, estimator)
    return output.observation()


def flow(
    previous: npt.ArrayLike,
    current: npt.ArrayLike,
    algorithm: Algorithm = "dis",
    accuracy: Accuracy = "medium",
    *,
    direction: Literal["forward", "backward"] = "forward",
    channels: Channels = "rgb",
    parameters: str | None = None,
    max_dimension: int | None = None,
    region: Region | None = None,
    threads: int = 0,
) -> Floats:
    """Estimates dense optical flow between two images.

    Parameters
    ----------
    previous, current : array_like
        Two images of one size: (height, width), or (height, width, 3 or 4), of uint8, uint16 or float32 (grey levels
        of 0 to 255, not of 0 to 1). Any strides; nothing is copied before it is converted.
    algorithm : {"dis", "farneback", "lucas-kanade"}
        The method.
    accuracy : {"low", "medium", "high", "very-high"}
        How much time to spend on precision.
    direction : {"forward", "backward"}
        ``"forward"``: from ``previous`` to ``current`` on the grid of ``previous``; ``"backward"``: from ``current`` to
        ``previous`` on the grid of ``current``.
    channels : {"rgb", "bgr"}
        The order of the channels of colour images.
    parameters : str, optional
        ``"key=value:key=value"``, single parameters of the method, as of the program ``rheo``.
    max_dimension : int, optional
        The longest side, in pixels, at which the engine works; the flow is scaled back.
    region : (x, y, width, height), optional
        The part to look at, in fractions of the image; elsewhere the flow is unknown.
    threads : int
        The number of threads; 0: all cores. It changes no result.

    Returns
    -------
    ndarray of float32, shape (height, width, 2)
        ``u`` (right) and ``v`` (down) in pixels; unknown vectors are NaN.

    Raises
    ------
    ValueError
        For an array or an option that is not allowed; the message names it.

    Examples
    --------
    >>> import numpy as np, rheo
    >>> y, x = np.mgrid[0:64, 0:96]
    >>> still = (127 + 60 * np.sin(x / 5) + 60 * np.cos(y / 7)).astype(np.uint8)
    >>> rheo.flow(still, np.roll(still, 2, axis=1)).shape
    (64, 96, 2)
    """
    options = _options(algorithm, accuracy, parameters, direction, False, max_dimension, region, False, threads)
    way: str = direction
    if way == "both":
        raise ValueError("direction 'both': bidirectional_flow gives both")
    return _estimate(previous, current, options, direction, False, channels).flow


def bidirectional_flow(
    previous: npt.ArrayLike,
    current: npt.ArrayLike,
    algorithm: Algorithm = "dis",
    accuracy: Accuracy = "medium",
    *,
    channels: Channels = "rgb",
    parameters: str | None = None,
    max_dimension: int | None = None,
    region: Region | None = None,
    threads: int = 0,
) -> FlowObservation:
    """Estimates the flow both ways, with confidence and occlusion.

    The parameters are those of `flow`.

    Returns
    -------
    FlowObservation
        ``flow``, ``backward``, ``confidence`` and ``occlusion``.
    """
    options = _options(algorithm, accuracy, parameters, "both", False, max_dimension, region, False, threads)
    return _estimate(previous, current, options, "both", False, channels)


class Sequence:
    """Estimates the flow along a stream of frames; computes nothing twice.

    The flow of each pair equals that of `flow` bit for bit, unless ``warm_start`` is set. One object serves one thread
    at a time.

    Parameters
    ----------
    algorithm, accuracy, channels, parameters, max_dimension, region, threads
        As of `flow`.
    direction : {"forward", "backward", "both"}
        Which way the flow leads; ``"both"`` adds ``backward``, ``confidence`` and ``occlusion``.
    confidence : bool
        Whether the confidence is measured without a backward flow, too.
    warm_start : bool
        Whether each search starts from the last flow, which finds faster motion. The result then depends on the
        frames before.

    Examples
    --------
    >>> import numpy as np, rheo
    >>> sequence = rheo.Sequence(accuracy="low")
    >>> frames = np.zeros((3, 48, 64), np.uint8)
    >>> [observation is None for observation in map(sequence.append, frames)]
    [True, False, False]
    """

    def __init__(
        self,
        algorithm: Algorithm = "dis",
        accuracy: Accuracy = "medium",
        *,
        direction: Direction = "forward",
        confidence: bool = False,
        channels: Channels = "rgb",
        parameters: str | None = None,
        max_dimension: int | None = None,
        region: Region | None = None,
        warm_start: bool = False,
        threads: int = 0,
    ) -> None:
        options = _options(
            algorithm, accuracy, parameters, direction, confidence, max_dimension, region, warm_start, threads
        )
        self._handle = _create(options)
        self._direction = direction
        self._confidence = confidence
        self._channels = choice(channels, "channels", Channels)
        self._shape: tuple[int, int] | None = None

    def append(self, frame: npt.ArrayLike) -> FlowObservation | None:
        """Takes the next frame.

        Parameters
        ----------
        frame : array_like
            An image of the size of the frames before.

        Returns
        -------
        FlowObservation or None
            The motion from the frame before to this one; None for the first.
        """
        description, pixels = image(frame, "frame", self._channels)
        shape = (pixels.shape[0], pixels.shape[1])
        if self._shape is not None and shape != self._shape:
            raise ValueError(
                f"frame has shape {pixels.shape} after frames of {self._shape}: reset() begins a new sequence"
            )
        output = _Output(shape, self._direction, self._confidence)
        has_flow = c_int32()
        self._handle.call(
            library.rheo_flow_append,
            byref(description),
            byref(output.structure),
            byref(has_flow),
        )
        self._shape = shape
        return output.observation() if has_flow.value else None

    def reset(self) -> None:
        """Forgets the frames so far; the next one may have another size."""
        library.rheo_flow_reset(self._handle.pointer)
        self._shape = None
