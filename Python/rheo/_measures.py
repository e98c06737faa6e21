"""How far a flow field is from the truth."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from ._arrays import address, plane, vectors
from ._library import call_for_json, library


def evaluate(
    estimate: npt.ArrayLike, truth: npt.ArrayLike, mask: npt.ArrayLike | None = None
) -> dict[str, float | None]:
    """Measures how far a flow field is from the truth.

    Parameters
    ----------
    estimate, truth : array_like of floats, shape (height, width, 2)
        Two fields of one size. Pixels whose true vector is unknown (NaN) do not count; those without an estimate are
        outliers at every threshold and in no mean.
    mask : array_like of bool or integers, shape (height, width), optional
        Only pixels that are not 0 count.

    Returns
    -------
    dict
        The figures of ``rheo evaluate --json``: ``epe`` and ``aae`` with their spread, shares (0 to 1) beyond
        thresholds, percentiles, KITTI's ``flAll`` and ``flEst``, Sintel's classes of speed, ``coverage`` and the number
        of ``pixels``. None stands for a figure that does not exist.
    """
    first, second = vectors(estimate, "estimate"), vectors(truth, "truth")
    if first.shape != second.shape:
        raise ValueError(f"estimate has shape {first.shape} and truth {second.shape}: they are of one size")
    selection = None if mask is None else plane(mask, "mask", first.shape[:2], np.uint8)
    figures = call_for_json(
        library.rheo_flow_evaluate,
        address(first),
        address(second),
        address(selection),
        first.shape[1],
        first.shape[0],
    )
    return cast("dict[str, float | None]", figures)
