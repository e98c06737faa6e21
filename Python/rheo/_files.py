"""Flow files of every kind."""

from __future__ import annotations

import os
from ctypes import byref, c_float, c_int64, c_void_p, memmove, sizeof
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, address, vectors
from ._checks import choice, flag, optional, shown, whole
from ._library import UnsupportedError, call, call_for_json, encoded, library

Format = Literal["flo", "kitti", "pfm", "npy", "flo5", "pictures"]
Path = str | os.PathLike[str]


class WritingReport(NamedTuple):
    """The outcome of writing a flow file.

    Attributes
    ----------
    clamped : int
        The number of vectors that the format cannot hold: the nearest that fit were written.
    lost : int
        The number of unknown vectors written as zero motion, by a format that has no way to say "unknown".
    files : tuple of str
        The files written.
    """

    clamped: int
    lost: int
    files: tuple[str, ...]


def _encoded(path: Path) -> tuple[str, bytes]:
    """Returns a path as text, and as the library takes it."""
    try:
        name = os.fspath(path)
    except TypeError:
        raise ValueError(f"path {shown(path)}: it is a text or a path") from None
    if not isinstance(name, str) or not name or "\0" in name:
        raise ValueError(f"path {name!r}: it is a text that is not empty, without NUL")
    return name, os.fsencode(name)


def _is_hdf5(path: str, format: Format | None) -> bool:
    if format is not None:
        choice(format, "format", Format)
    return format == "flo5" or format is None and path.lower().endswith(".flo5")


def _h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise UnsupportedError(".flo5 files need h5py: pip install 'rheo-flow[hdf5]'") from None
    return h5py


def read_flow(
    path: Path, *, format: Format | None = None, field: int | None = None, bound: float | None = None
) -> Floats:
    """Reads a flow file.

    Parameters
    ----------
    path : str or path-like
        The file. Of a pair of 8-bit images name the JSON beside them.
    format : {"flo", "kitti", "pfm", "npy", "flo5", "pictures"}, optional
        The kind of file; by default what the ending says. ``.flo5`` needs ``rheo-flow[hdf5]``.
    field : int, optional
        Which field of a ``.npy`` with several, from 0; other files have the field 0 alone.
    bound : float, optional
        The motion in pixels that the level 255 of a pair of images stands for; by default what their JSON says.

    Returns
    -------
    ndarray of float32, shape (height, width, 2)
        Unknown vectors are NaN in both components.

    Raises
    ------
    OSError
        When the file cannot be read, or is damaged; the message names it.
    ValueError
        When the ending or an option is not allowed.
    """
    name, encoded_name = _encoded(path)
    number = None if field is None else whole(field, "field", 0)
    options = encoded({"format": format, "field": number, "bound": optional(bound, "bound")})
    if _is_hdf5(name, format):
        if number:
            raise ValueError(f"{name}: there is no field {number}; it holds 1, from 0")
        return _read_hdf5(name)
    width, height, pairs = c_int64(), c_int64(), c_void_p()
    call(library.rheo_flow_read, encoded_name, options, byref(width), byref(height), byref(pairs))
    try:
        flow: Floats = np.empty((height.value, width.value, 2), np.float32)
        memmove(address(flow) or 0, pairs, flow.size * sizeof(c_float))
    finally:
        library.rheo_free(pairs)
    return flow


def write_flow(
    path: Path,
    flow: npt.ArrayLike,
    *,
    format: Format | None = None,
    half: bool = False,
    bound: float | None = None,
    overwrite: bool = False,
) -> WritingReport:
    """Writes a flow file, which appears under its name only when it is complete.

    Parameters
    ----------
    path : str or path-like
        The file; its ending tells the kind, unless ``format`` does. A ``.png`` is KITTI's.
    flow : array_like of floats, shape (height, width, 2)
        The field; vectors with a component that is not finite are unknown.
    format : {"flo", "kitti", "pfm", "npy", "flo5", "pictures"}, optional
        The kind of file. ``.flo5`` needs ``rheo-flow[hdf5]``.
    half : bool
        Whether ``.npy`` has 16-bit floats.
    bound : float, optional
        The motion in pixels that the level 255 of a pair of images stands for; 20 by default.
    overwrite : bool
        Whether an existing file is replaced.

    Returns
    -------
    WritingReport
        What did not fit, and the files written.

    Raises
    ------
    FileExistsError
        When the file is there already and ``overwrite`` is not set.
    OSError
        When it cannot be written.
    """
    name, encoded_name = _encoded(path)
    pairs = vectors(flow, "flow")
    options = encoded(
        {
            "format": format,
            "half": flag(half, "half"),
            "bound": optional(bound, "bound"),
            "overwrite": flag(overwrite, "overwrite"),
        }
    )
    if _is_hdf5(name, format):
        return _write_hdf5(name, pairs, overwrite)
    report = call_for_json(
        library.rheo_flow_write, encoded_name, address(pairs), pairs.shape[1], pairs.shape[0], options
    )
    return WritingReport(report["clamped"], report["lost"], tuple(report["files"]))


def _read_hdf5(path: str) -> Floats:
    with _h5py().File(path, "r") as file:
        if "flow" not in file or file["flow"].ndim != 3 or file["flow"].shape[2] != 2:
            raise OSError(f"{path}: has no dataset 'flow' of (height, width, 2)")
        flow = np.ascontiguousarray(file["flow"][()], dtype=np.float32)
    flow[~np.isfinite(flow).all(axis=2)] = np.nan
    return flow


def _write_hdf5(path: str, flow: Floats, overwrite: bool) -> WritingReport:
    h5py = _h5py()
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f"{path}: is there already")
    known = np.where(np.isfinite(flow).all(axis=2, keepdims=True), flow, np.float32(np.nan))
    temporary = f"{path}.{os.getpid()}.partial"
    try:
        with h5py.File(temporary, "w") as file:
            file.create_dataset("flow", data=known, compression="gzip", compression_opts=5)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return WritingReport(0, 0, (path,))
