"""NumPy arrays as the library takes them: without copies where the layout allows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._library import Image

Channels = Literal["rgb", "bgr"]
Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

_SAMPLES = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 2, np.dtype(np.float32): 3}
_GRAY, _RGB, _BGR = 1, 2, 3


def image(array: npt.ArrayLike, name: str, channels: str = "rgb") -> tuple[Image, Array]:
    """Describes an image to the library.

    Returns the description, and the array whose memory it names: it has to live as long.
    """
    pixels = np.asarray(array)
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
    if channels not in ("rgb", "bgr"):
        raise ValueError(f"channels {channels!r}: allowed are 'rgb' and 'bgr'")
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
    field = np.asarray(array)
    if field.ndim != 3 or field.shape[2] != 2:
        raise ValueError(f"{name} has shape {field.shape}: a flow field is (height, width, 2)")
    if field.size == 0:
        raise ValueError(f"{name} has shape {field.shape}: it is empty")
    if field.dtype.kind != "f":
        raise ValueError(f"{name} has dtype {field.dtype}: a flow field is of floats")
    return np.ascontiguousarray(field, dtype=np.float32)


def plane(array: npt.ArrayLike, name: str, shape: tuple[int, ...], dtype: Any) -> Array:
    """Returns an array of one number for each pixel, as rows without gaps."""
    values = np.asarray(array)
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
