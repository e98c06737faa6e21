"""How one image lies on another."""

from __future__ import annotations

from ctypes import byref
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import Channels, address, image
from ._checks import choice, shown, whole
from ._library import Transform, call, call_for_json, encoded, library

Model = Literal["identity", "translation", "euclidean", "affine", "homography"]
Method = Literal["automatic", "direct", "features"]
Border = Literal["black", "replicate"]
Interpolation = Literal["bicubic", "bilinear"]
_Family = Literal["translation", "euclidean", "affine", "homography"]


class Alternative(NamedTuple):
    """Another motion that a large part of two images agrees on.

    Attributes
    ----------
    transform : ndarray of float64, shape (3, 3)
        Maps homogeneous pixel coordinates of the floating image into the reference image.
    model : str
        The family of the map.
    share : float
        The share of the textured regions that move with the map, 0 to 1.
    """

    transform: npt.NDArray[np.float64]
    model: str
    share: float


class Registration(NamedTuple):
    """The map of one image onto another.

    Attributes
    ----------
    transform : ndarray of float64, shape (3, 3)
        Maps homogeneous pixel coordinates of the floating image into the reference image.
    model : str
        The family of the map: the one asked for, or a simpler one.
    inliers : float
        The share of the textured regions that move with the map, 0 to 1.
    residual : float
        How far those lie off, in pixels (root mean square).
    confidence : float
        0 (nothing in common) to 1.
    reason : str or None
        Why the family is simpler than asked for.
    alternatives : tuple of Alternative
        The motions of large parts that moved apart from the rest, the largest first.
    """

    transform: npt.NDArray[np.float64]
    model: str
    inliers: float
    residual: float
    confidence: float
    reason: str | None
    alternatives: tuple[Alternative, ...] = ()


def register(
    reference: npt.ArrayLike,
    floating: npt.ArrayLike,
    model: Model = "homography",
    *,
    method: Method = "automatic",
    channels: Channels = "rgb",
    threads: int = 0,
) -> Registration:
    """Finds how one image lies on another, as ``rheo register`` does.

    Parameters
    ----------
    reference, floating : array_like
        Two images, as of `flow`; their sizes may differ.
    model : {"homography", "affine", "euclidean", "translation"}
        The family of maps.
    method : {"automatic", "direct", "features"}
        ``"direct"``: for frames that a short time lies between; ``"features"``: for any two views of one plane or from
        one place; ``"automatic"``: the first, and the second where that is not sure.
    channels : {"rgb", "bgr"}
        The order of the channels of colour images.
    threads : int
        The number of threads; 0: all cores. It changes no result.

    Returns
    -------
    Registration
        The map, and how far to trust it.
    """
    first, first_pixels = image(reference, "reference", channels)
    second, second_pixels = image(floating, "floating", channels)
    options = encoded(
        {
            "model": choice(model, "model", _Family),
            "method": choice(method, "method", Method),
            "threads": whole(threads, "threads", 0, 1024),
        }
    )
    found = call_for_json(library.rheo_register, byref(first), byref(second), options)
    del first_pixels, second_pixels
    return Registration(
        _matrix(found["warpTransform"]),
        found["model"],
        found["inliers"],
        found["residual"],
        found["confidence"],
        found.get("reason"),
        tuple(
            Alternative(_matrix(other["warpTransform"]), other["model"], other["share"])
            for other in found["alternatives"]
        ),
    )


def _matrix(elements: list[float]) -> npt.NDArray[np.float64]:
    return np.array(elements, np.float64).reshape(3, 3)


def warp(
    pixels: npt.ArrayLike,
    transform: npt.ArrayLike,
    *,
    border: Border = "black",
    interpolation: Interpolation = "bicubic",
    threads: int = 0,
) -> npt.NDArray[Any]:
    """Warps an image of 8 or 16 bits.

    Parameters
    ----------
    pixels : array_like of uint8 or uint16
        The image.
    transform : array_like, shape (3, 3)
        Maps pixels of the result to pixels of the image; it has an inverse. To lay the floating image of a registration
        on its reference, pass ``numpy.linalg.inv(registration.transform)``.
    border : {"black", "replicate"}
        What shows beyond the borders.
    interpolation : {"bicubic", "bilinear"}
        How the image is sampled.
    threads : int
        The number of threads; 0: all cores.

    Returns
    -------
    ndarray
        An image of the same shape and dtype.
    """
    description, source = image(pixels, "pixels")
    if source.dtype == np.float32:
        raise ValueError("pixels has dtype float32: allowed are uint8 and uint16")
    if source.ndim == 3 and source.shape[2] == 4:
        raise ValueError(f"pixels has shape {source.shape}: images with opacity are not warped")
    try:
        matrix = np.asarray(transform, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"transform {shown(transform)}: it is 3 by 3 numbers") from None
    if matrix.shape != (3, 3):
        raise ValueError(f"transform has shape {matrix.shape}: it is (3, 3)")
    output = np.empty(source.shape, source.dtype)
    options = encoded(
        {
            "border": choice(border, "border", Border),
            "interpolation": choice(interpolation, "interpolation", Interpolation),
            "threads": whole(threads, "threads", 0, 1024),
        }
    )
    call(library.rheo_warp, byref(description), Transform(*matrix.ravel()), options, address(output))
    return output
