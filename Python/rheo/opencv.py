"""Functions with OpenCV's names and signatures, computed by Rheo: change one import line.

>>> import rheo.opencv as cv  # instead of: import cv2 as cv

`calcOpticalFlowFarneback` gives OpenCV's field to 0.001 pixels. `DISOpticalFlow_create` gives Rheo's inverse search,
with the accuracies low, medium and high for the presets ultrafast, fast and medium. `findTransformECC` finds its map
without a guess: the warp that is passed in only receives the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, image
from ._checks import number, shown, whole
from ._flow import Accuracy, flow as _flow
from ._registration import Model, register as _register

__all__ = [
    "DISOPTICAL_FLOW_PRESET_FAST",
    "DISOPTICAL_FLOW_PRESET_MEDIUM",
    "DISOPTICAL_FLOW_PRESET_ULTRAFAST",
    "DISOpticalFlow",
    "DISOpticalFlow_PRESET_FAST",
    "DISOpticalFlow_PRESET_MEDIUM",
    "DISOpticalFlow_PRESET_ULTRAFAST",
    "DISOpticalFlow_create",
    "DenseOpticalFlow",
    "FarnebackOpticalFlow",
    "FarnebackOpticalFlow_create",
    "MOTION_AFFINE",
    "MOTION_EUCLIDEAN",
    "MOTION_HOMOGRAPHY",
    "MOTION_TRANSLATION",
    "OPTFLOW_FARNEBACK_GAUSSIAN",
    "OPTFLOW_USE_INITIAL_FLOW",
    "calcOpticalFlowFarneback",
    "error",
    "findTransformECC",
]

OPTFLOW_USE_INITIAL_FLOW = 4
OPTFLOW_FARNEBACK_GAUSSIAN = 256
DISOpticalFlow_PRESET_ULTRAFAST = DISOPTICAL_FLOW_PRESET_ULTRAFAST = 0
DISOpticalFlow_PRESET_FAST = DISOPTICAL_FLOW_PRESET_FAST = 1
DISOpticalFlow_PRESET_MEDIUM = DISOPTICAL_FLOW_PRESET_MEDIUM = 2
MOTION_TRANSLATION, MOTION_EUCLIDEAN, MOTION_AFFINE, MOTION_HOMOGRAPHY = range(4)


class error(Exception):
    """An error that OpenCV throws as ``cv2.error``: images that have nothing in common."""


def _gray(pixels: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    # The function that it goes to warns.
    _, array = image(pixels, name, warns=False)
    if array.ndim == 3 and array.shape[2] != 1:
        raise ValueError(f"{name} has shape {array.shape}: OpenCV takes images of one channel here")
    return array


def _into(target: npt.ArrayLike | None, found: Floats) -> Floats:
    """Writes a field where OpenCV would write it."""
    if isinstance(target, np.ndarray) and target.shape == found.shape and target.dtype == np.float32:
        target[...] = found
        return target
    return found


class DenseOpticalFlow:
    """The base of the methods of dense flow."""

    # What to do where OpenCV has a getter or a setter.
    _advice = "all parameters are those that the method was made with"

    def calc(self, I0: npt.ArrayLike, I1: npt.ArrayLike, flow: npt.ArrayLike | None) -> Floats:
        """Computes the flow from ``I0`` to ``I1``; ``flow``, where it is an array of its shape, receives it too."""
        raise NotImplementedError

    def collectGarbage(self) -> None:
        """Does nothing: memory is reused."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            kind = type(self).__name__
            if name.startswith(("get", "set")):
                raise AttributeError(f"{kind}.{name} is not supported: {self._advice}")
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")


class DISOpticalFlow(DenseOpticalFlow):
    """Dense inverse search; made by `DISOpticalFlow_create`."""

    _advice = "choose a preset, or set parameters of Rheo's search with rheo.flow(…, parameters=…)"

    def __init__(self, preset: int) -> None:
        levels: dict[int, Accuracy] = {0: "low", 1: "medium", 2: "high"}
        self._accuracy: Accuracy = levels[whole(preset, "preset", 0, 2)]

    def calc(self, I0: npt.ArrayLike, I1: npt.ArrayLike, flow: npt.ArrayLike | None) -> Floats:
        """Computes the flow from ``I0`` to ``I1``; ``flow``, where it is an array of its shape, receives it too."""
        return _into(flow, _flow(_gray(I0, "I0"), _gray(I1, "I1"), "dis", self._accuracy))


def DISOpticalFlow_create(preset: int = DISOPTICAL_FLOW_PRESET_FAST) -> DISOpticalFlow:
    """Makes a method of dense inverse search, as ``cv2.DISOpticalFlow_create``."""
    return DISOpticalFlow(preset)


class FarnebackOpticalFlow(DenseOpticalFlow):
    """Farnebäck's method; made by `FarnebackOpticalFlow_create`."""

    _advice = "pass all parameters to FarnebackOpticalFlow_create"

    def __init__(
        self,
        numLevels: int,
        pyrScale: float,
        fastPyramids: bool,
        winSize: int,
        numIters: int,
        polyN: int,
        polySigma: float,
        flags: int,
    ) -> None:
        if fastPyramids:
            raise ValueError(f"fastPyramids {shown(fastPyramids)}: only False is supported")
        self._arguments = (pyrScale, numLevels, winSize, numIters, polyN, polySigma, flags)

    def calc(self, I0: npt.ArrayLike, I1: npt.ArrayLike, flow: npt.ArrayLike | None) -> Floats:
        """Computes the flow from ``I0`` to ``I1``; ``flow``, where it is an array of its shape, receives it too."""
        return calcOpticalFlowFarneback(I0, I1, flow, *self._arguments)


def FarnebackOpticalFlow_create(
    numLevels: int = 5,
    pyrScale: float = 0.5,
    fastPyramids: bool = False,
    winSize: int = 13,
    numIters: int = 10,
    polyN: int = 5,
    polySigma: float = 1.1,
    flags: int = 0,
) -> FarnebackOpticalFlow:
    """Makes Farnebäck's method, as ``cv2.FarnebackOpticalFlow_create``."""
    return FarnebackOpticalFlow(numLevels, pyrScale, fastPyramids, winSize, numIters, polyN, polySigma, flags)


def calcOpticalFlowFarneback(
    prev: npt.ArrayLike,
    next: npt.ArrayLike,
    flow: npt.ArrayLike | None,
    pyr_scale: float,
    levels: int,
    winsize: int,
    iterations: int,
    poly_n: int,
    poly_sigma: float,
    flags: int,
) -> Floats:
    """Computes dense flow by Farnebäck's method, as ``cv2.calcOpticalFlowFarneback``.

    Parameters
    ----------
    prev, next : array_like
        Two images of one size and one channel.
    flow : ndarray or None
        Receives the field where it is an array of its shape; the search starts from zero motion.
    pyr_scale, levels, winsize, iterations, poly_n, poly_sigma
        OpenCV's parameters.
    flags : int
        0 or ``OPTFLOW_FARNEBACK_GAUSSIAN``.

    Returns
    -------
    ndarray of float32, shape (height, width, 2)
        The flow from ``prev`` to ``next``.
    """
    chosen = whole(flags, "flags", 0)
    if chosen & ~OPTFLOW_FARNEBACK_GAUSSIAN:
        reason = "OPTFLOW_USE_INITIAL_FLOW is not supported, " if chosen & OPTFLOW_USE_INITIAL_FLOW else ""
        raise ValueError(f"flags {chosen}: {reason}allowed are 0 and OPTFLOW_FARNEBACK_GAUSSIAN")
    counts = {"levels": levels, "winsize": winsize, "iterations": iterations, "poly_n": poly_n}
    checked = {name: whole(value, name, 0) for name, value in counts.items()}
    parameters = (
        f"pyramid-scale={number(pyr_scale, 'pyr_scale')}:levels={checked['levels']}:window={checked['winsize']}:"
        f"window-kind={'gaussian' if chosen else 'box'}:iterations={checked['iterations']}:"
        f"neighborhood={checked['poly_n']}:sigma={number(poly_sigma, 'poly_sigma')}"
    )
    found = _flow(_gray(prev, "prev"), _gray(next, "next"), "farneback", "medium", parameters=parameters)
    return _into(flow, found)


def findTransformECC(
    templateImage: npt.ArrayLike,
    inputImage: npt.ArrayLike,
    warpMatrix: npt.NDArray[Any] | None,
    motionType: int = MOTION_AFFINE,
    criteria: Any = None,
    inputMask: npt.ArrayLike | None = None,
    gaussFiltSize: int = 5,
) -> tuple[float, npt.NDArray[Any]]:
    """Finds the warp between two images, as ``cv2.findTransformECC``.

    Parameters
    ----------
    templateImage, inputImage : array_like
        Images of one channel; ``warpMatrix`` maps pixels of the first to pixels of the second, for use with
        ``cv2.WARP_INVERSE_MAP``.
    warpMatrix : ndarray or None
        Receives the result; what it held does not matter.
    motionType : int
        ``MOTION_TRANSLATION``, ``MOTION_EUCLIDEAN``, ``MOTION_AFFINE`` or ``MOTION_HOMOGRAPHY``.
    criteria, gaussFiltSize
        Ignored: the method ends by itself.
    inputMask : None
        Masks are not supported.

    Returns
    -------
    correlation : float
        The correlation coefficient of the template and the warped input where both are seen.
    warpMatrix : ndarray of float32
        (2, 3), or (3, 3) for a homography.

    Raises
    ------
    error
        When the images have nothing in common.
    """
    models: dict[int, Model] = {0: "translation", 1: "euclidean", 2: "affine", 3: "homography"}
    model = models[whole(motionType, "motionType", 0, 3)]
    if inputMask is not None:
        raise ValueError("inputMask: masks are not supported, only None")
    template, floating = _gray(templateImage, "templateImage"), _gray(inputImage, "inputImage")
    found = _register(template, floating, model)
    if found.model == "identity" and found.reason is not None:
        raise error(f"the images cannot be registered: {found.reason}")
    inverse = np.linalg.inv(found.transform)
    inverse /= inverse[2, 2]
    result: npt.NDArray[Any] = inverse.astype(np.float32)[: 3 if motionType == MOTION_HOMOGRAPHY else 2]
    if isinstance(warpMatrix, np.ndarray) and warpMatrix.shape == result.shape:
        warpMatrix[...] = result
        result = warpMatrix
    return _correlation(template, floating, inverse), result


def _correlation(template: npt.NDArray[Any], floating: npt.NDArray[Any], matrix: npt.NDArray[Any]) -> float:
    """The correlation coefficient of an image and another one seen through a map."""
    first: npt.NDArray[Any] = template.astype(np.float64).reshape(template.shape[:2])
    second: npt.NDArray[Any] = floating.astype(np.float64).reshape(floating.shape[:2])
    y, x = np.mgrid[0 : first.shape[0], 0 : first.shape[1]]
    depth = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2]
    px = (matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2]) / depth
    py = (matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2]) / depth
    right, bottom = second.shape[1] - 1, second.shape[0] - 1
    inside = (depth > 0) & (px >= 0) & (py >= 0) & (px <= right) & (py <= bottom)
    if not inside.any():
        return 0.0
    px, py, values = px[inside], py[inside], first[inside]
    left, top = np.minimum(px.astype(int), max(right - 1, 0)), np.minimum(py.astype(int), max(bottom - 1, 0))
    fx, fy = px - left, py - top
    lower, after = np.minimum(top + 1, bottom), np.minimum(left + 1, right)
    upper_row = second[top, left] * (1 - fx) + second[top, after] * fx
    lower_row = second[lower, left] * (1 - fx) + second[lower, after] * fx
    warped = upper_row * (1 - fy) + lower_row * fy
    values, warped = values - values.mean(), warped - warped.mean()
    norm = float(np.sqrt((values**2).sum() * (warped**2).sum()))
    return float((values * warped).sum()) / norm if norm > 0 else 0.0
