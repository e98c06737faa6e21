"""NumPy arrays as the library takes them: without copies where the layout allows."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._checks import choice
from ._library import Image

Channels = Literal["rgb", "bgr"]
Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

_SAMPLES = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 2, np.dtype(np.float32): 3}
_GRAY, _RGB, _BGR = 1, 2, 3


def _taken(array: npt.ArrayLike, name: str) -> Array:
    """Returns an array of what stands for one; a mask would be lost."""
    if np.ma.is_masked(array):
        raise ValueError(f"{name} is a masked array, and masked values have no meaning here: pass {name}.filled(…)")
    try:
        return np.asarray(array)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is no array: {error}") from None


def _warn_of_fractions(pixels: Array, name: str) -> None:
    """Warns where floats, which are grey levels of 0 to 255, seem to be 0 to 1. The first row mostly tells."""
    if pixels[0].max() > 1:
        return
    lowest, highest = pixels.min(), pixels.max()
    if not 0 <= lowest < highest <= 1:
        return
    # The line that called the package. The words are the same for all frames, so that one line warns once.
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    text = f"{name} is of floats from 0 to 1: grey levels of 0 to 255 are expected; pass 255 * {name}"
    warnings.warn(text, UserWarning, stacklevel=level)


def image(array: npt.ArrayLike, name: str, channels: str = "rgb", *, warns: bool = True) -> tuple[Image, Array]:
    """Describes an image to the library; warns of floats of 0 to 1.

    Returns the description, and the array whose memory it names: it has to live as long.
    """
    pixels = _taken(array, name)
    samples = _SAMPLES.get(pixels.dtype)
    if samples is None:
        if pixels.dtype.newbyteorder("=") not in _SAMPLES:
            raise ValueError(f"{name} has dtype {pixels.dtype}: allowed are uint8, uint16 and float32")
        pixels = pixels.astype(pixels.dtype.newbyteorder("="))
        samples = _SAMPLES[pixels.dtype]
    shape = pixels.shape
    if not (len(shape) == 2 or len(shape) == 3 and shape[2] in (1, 3, 4)):
        raise ValueError(f"{name} has shape {shape}: allowed are (height, width) and (height, width, 1, 3 or 4)")
    if 0 in shape:
        raise ValueError(f"{name} has shape {shape}: it is empty")
    choice(channels, "channels", Channels)
    if warns and pixels.dtype == np.float32:
        _warn_of_fractions(pixels, name)
    if not pixels.flags.aligned:
        pixels = pixels.copy()
    strides = pixels.strides
    has_color = len(shape) == 3 and shape[2] >= 3
    order = _GRAY if not has_color else _RGB if channels == "rgb" else _BGR
    description = Image(
        pixels.__array_interface__["data"][0],
        shape[1],
        shape[0],
        strides[0],
        strides[1],
        strides[2] if has_color else 0,
        samples,
        order,
    )
    return description, pixels


def vectors(array: npt.ArrayLike, name: str) -> Floats:
    """Returns a flow field as rows of pairs without gaps."""
    field = _taken(array, name)
    if field.ndim != 3 or field.shape[2] != 2:
        raise ValueError(f"{name} has shape {field.shape}: a flow field is (height, width, 2)")
    if field.size == 0:
        raise ValueError(f"{name} has shape {field.shape}: it is empty")
    if field.dtype.kind != "f":
        raise ValueError(f"{name} has dtype {field.dtype}: a flow field is of floats")
    return np.ascontiguousarray(field, dtype=np.float32)


def plane(array: npt.ArrayLike, name: str, shape: tuple[int, ...], dtype: Any) -> Array:
    """Returns an array of one number for each pixel, as rows without gaps."""
    values = _taken(array, name)
    if values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}: it has to be {shape}")
    if values.dtype.kind not in ("f" if np.dtype(dtype).kind == "f" else "bu"):
        raise ValueError(f"{name} has dtype {values.dtype}: allowed is {np.dtype(dtype)}")
    if np.dtype(dtype).kind == "u":
        return np.ascontiguousarray(values != 0, dtype=dtype)
    return np.ascontiguousarray(values, dtype=dtype)


def address(array: Array | None) -> int | None:
    """Returns where the memory of an array without gaps begins."""
    return None if array is None else int(array.__array_interface__["data"][0])
