"""The shared library: its structures, its functions, and how its errors become exceptions."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_void_p
from typing import Any

OK, INVALID, FILE, EXISTS, UNSUPPORTED = range(5)


class UnsupportedError(RuntimeError):
    """This build or this machine cannot do what was asked for: a kind of file, text without a font."""


class Image(ctypes.Structure):
    """``rheo_image``: pixels in the memory of an array."""

    _fields_ = [
        ("data", c_void_p),
        ("width", c_int64),
        ("height", c_int64),
        ("row_stride", c_int64),
        ("pixel_stride", c_int64),
        ("channel_stride", c_int64),
        ("samples", c_int32),
        ("channels", c_int32),
    ]


class FlowOutput(ctypes.Structure):
    """``rheo_flow_output``: where an estimate goes."""

    _fields_ = [("flow", c_void_p), ("backward", c_void_p), ("confidence", c_void_p), ("occlusion", c_void_p)]


class Time(ctypes.Structure):
    """``rheo_time``: ticks of a time base."""

    _fields_ = [("value", c_int64), ("numerator", c_int32), ("denominator", c_int32)]


Text = POINTER(c_void_p)
ImagePointer = POINTER(Image)
Transform = c_double * 9

_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "rheo_version": (c_char_p, []),
    "rheo_processor": (c_char_p, []),
    "rheo_free": (None, [c_void_p]),
    "rheo_flow_create": (c_int32, [c_char_p, POINTER(c_void_p), Text]),
    "rheo_flow_estimate": (c_int32, [c_void_p, ImagePointer, ImagePointer, POINTER(FlowOutput), Text]),
    "rheo_flow_append": (c_int32, [c_void_p, ImagePointer, POINTER(FlowOutput), POINTER(c_int32), Text]),
    "rheo_flow_reset": (None, [c_void_p]),
    "rheo_flow_free": (None, [c_void_p]),
    "rheo_flow_read": (
        c_int32,
        [c_char_p, c_char_p, POINTER(c_int64), POINTER(c_int64), POINTER(c_void_p), Text],
    ),
    "rheo_flow_write": (c_int32, [c_char_p, c_void_p, c_int64, c_int64, c_char_p, Text, Text]),
    "rheo_flow_evaluate": (c_int32, [c_void_p, c_void_p, c_void_p, c_int64, c_int64, Text, Text]),
    "rheo_register": (c_int32, [ImagePointer, ImagePointer, c_char_p, Text, Text]),
    "rheo_warp": (c_int32, [ImagePointer, POINTER(c_double), c_char_p, c_void_p, Text]),
    "rheo_renderer_create": (c_int32, [c_int64, c_int64, c_char_p, POINTER(c_void_p), Text]),
    "rheo_renderer_size": (None, [c_void_p, POINTER(c_int64), POINTER(c_int64)]),
    "rheo_renderer_draw": (c_int32, [c_void_p, c_void_p, c_void_p, ImagePointer, c_void_p, Text]),
    "rheo_renderer_free": (None, [c_void_p]),
    "rheo_detector_create": (c_int32, [c_int64, c_int64, c_char_p, POINTER(c_void_p), Text]),
    "rheo_detector_append": (c_int32, [c_void_p, ImagePointer, Time, Text, Text]),
    "rheo_detector_append_planes": (
        c_int32,
        [c_void_p, ImagePointer, ImagePointer, ImagePointer, Time, Text, Text],
    ),
    "rheo_detector_finish": (c_int32, [c_void_p, Text, Text]),
    "rheo_detector_free": (None, [c_void_p]),
    "rheo_tracker_create": (c_int32, [c_int64, c_int64, c_char_p, POINTER(c_void_p), Text]),
    "rheo_tracker_add_box": (
        c_int32,
        [c_void_p, c_double, c_double, c_double, c_double, POINTER(c_int64), Text],
    ),
    "rheo_tracker_add_point": (c_int32, [c_void_p, c_double, c_double, POINTER(c_int64), Text]),
    "rheo_tracker_append": (c_int32, [c_void_p, ImagePointer, Time, Text]),
    "rheo_tracker_finish": (c_int32, [c_void_p, Text]),
    "rheo_tracker_tracks": (c_int32, [c_void_p, Text, Text]),
    "rheo_tracker_free": (None, [c_void_p]),
    "rheo_stabilizer_create": (c_int32, [c_int64, c_int64, c_char_p, POINTER(c_void_p), Text]),
    "rheo_stabilizer_append": (c_int32, [c_void_p, ImagePointer, Time, Text]),
    "rheo_stabilizer_finish": (None, [c_void_p]),
    "rheo_stabilizer_next": (c_int32, [c_void_p, POINTER(c_double)]),
    "rheo_stabilizer_free": (None, [c_void_p]),
}


def _load() -> ctypes.CDLL:
    # ctypes lets go of the interpreter's lock for as long as a function of a CDLL runs.
    loaded = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "librheo.so"))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    return loaded


library = _load()


def take_text(pointer: c_void_p) -> str:
    """Copies a text of the library, and frees it."""
    if not pointer.value:
        return ""
    try:
        return (ctypes.cast(pointer, c_char_p).value or b"").decode()
    finally:
        library.rheo_free(pointer)


def _exception(status: int, message: str) -> Exception:
    if status == FILE:
        return OSError(message)
    if status == EXISTS:
        return FileExistsError(message)
    if status == UNSUPPORTED:
        return UnsupportedError(message)
    return ValueError(message)


def call(function: Any, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises what it means."""
    error = c_void_p()
    status = function(*arguments, byref(error))
    if status != OK:
        raise _exception(status, take_text(error))


def call_for_json(function: Any, *arguments: Any) -> Any:
    """Calls a function whose result is JSON."""
    result = c_void_p()
    call(function, *arguments, byref(result))
    return json.loads(take_text(result))


def encoded(options: dict[str, Any]) -> bytes:
    """Options as the library takes them; those that are ``None`` are left out."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return json.dumps(given, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"options {given!r}: {error}") from None


class Handle:
    """An object of the library, which is freed with its owner."""

    __slots__ = ("_free", "_lock", "pointer")

    def __init__(self, create: Any, free: Any, *arguments: Any) -> None:
        self.pointer: int | None = None
        self._free = free
        # Objects serve one thread at a time.
        self._lock = threading.Lock()
        made = c_void_p()
        call(create, *arguments, byref(made))
        self.pointer = made.value

    def call(self, function: Any, *arguments: Any) -> None:
        """Calls a function of the object that returns a status."""
        with self._lock:
            call(function, self.pointer, *arguments)

    def call_for_json(self, function: Any, *arguments: Any) -> Any:
        """Calls a function of the object whose result is JSON."""
        with self._lock:
            return call_for_json(function, self.pointer, *arguments)

    def __del__(self) -> None:
        if self.pointer:
            self._free(self.pointer)
            self.pointer = None
