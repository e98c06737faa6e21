"""Flow as images."""

from __future__ import annotations

from ctypes import byref, c_int64
from typing import Literal

import numpy as np
import numpy.typing as npt

from ._arrays import Bytes, Channels, address, image, plane, vectors
from ._checks import choice, flag, optional, shown, whole
from ._library import Handle, encoded, library

Style = Literal[
    "overlay",
    "flowview",
    "wheel",
    "arrows",
    "magnitude",
    "confidence",
    "occlusion",
    "contours",
    "saliency",
    "side-by-side",
]
Normalization = Literal["stream", "frame", "fixed"]
Palette = Literal["hue", "uniform", "colorblind"]


class Renderer:
    """Draws the flow of a stream's frames, in order: an automatic scale follows the stream.

    Parameters
    ----------
    size : (height, width)
        The size of the flow.
    style : Style
        What is drawn, by its name on the command line. ``contours`` surrounds what moves more than ``min_length``, or
        half a pixel.
    opacity : float, optional
        Strength of the drawing over the image, 0 to 1.
    cell : int, optional
        Side of a glyph's cell in pixels, 4 to 512; by default what suits the size.
    tip_angle : float, optional
        Angle at a glyph's tip in degrees, 5 to 120.
    min_length, max_length : float, optional
        Motion up to which nothing shows, and motion of full colour, in pixels. ``max_length="auto"``, the
        default, takes it from the flow.
    normalize : {"stream", "frame", "fixed"}
        Where an automatic maximum comes from.
    palette : {"hue", "uniform", "colorblind"}
        The colours of directions.
    legend : bool
        Whether the key to the colours is drawn; needs a font.
    threads : int
        The number of threads; 0: all cores.
    """

    def __init__(
        self,
        size: tuple[int, int],
        style: Style = "overlay",
        *,
        opacity: float | None = None,
        cell: int | None = None,
        tip_angle: float | None = None,
        min_length: float | None = None,
        max_length: float | Literal["auto"] | None = None,
        normalize: Normalization = "stream",
        palette: Palette = "hue",
        legend: bool = False,
        threads: int = 0,
    ) -> None:
        longest = (
            max_length if max_length == "auto" else optional(max_length, "max_length", "a finite number or 'auto'")
        )
        options = encoded(
            {
                "style": choice(style, "style", Style),
                "opacity": optional(opacity, "opacity"),
                "cell": None if cell is None else whole(cell, "cell", 4, 512),
                "tipAngle": optional(tip_angle, "tip_angle"),
                "minLength": optional(min_length, "min_length"),
                "maxLength": longest,
                "normalize": choice(normalize, "normalize", Normalization),
                "palette": choice(palette, "palette", Palette),
                "legend": flag(legend, "legend") or None,
                "threads": whole(threads, "threads", 0, 1024),
            }
        )
        try:
            height, width = size
        except (TypeError, ValueError):
            raise ValueError(f"size {shown(size)}: it is (height, width)") from None
        self._size = (whole(height, "size[0]", 1), whole(width, "size[1]", 1))
        self._handle = Handle(
            library.rheo_renderer_create, library.rheo_renderer_free, self._size[1], self._size[0], options
        )
        columns, rows = c_int64(), c_int64()
        library.rheo_renderer_size(self._handle.pointer, byref(columns), byref(rows))
        self._shape = (rows.value, columns.value, 3)

    def draw(
        self,
        flow: npt.ArrayLike,
        *,
        background: npt.ArrayLike | None = None,
        confidence: npt.ArrayLike | None = None,
        channels: Channels = "rgb",
    ) -> Bytes:
        """Draws the flow of the next frame.

        Parameters
        ----------
        flow : array_like of floats, shape (height, width, 2)
            The field.
        background : array_like of uint8, optional
            The image to draw over, for the styles that do; black by default.
        confidence : array_like of floats, shape (height, width), optional
            How far each vector can be trusted, 0 to 1: ``overlay`` and ``arrows`` end where it is low;
            ``confidence`` and ``occlusion`` show it, ``saliency`` shows a heat instead.
        channels : {"rgb", "bgr"}
            The order of the channels of the background and of the drawing.

        Returns
        -------
        ndarray of uint8, shape (height, width, 3)
            The drawing; with the style ``"side-by-side"`` twice as wide.
        """
        pairs = vectors(flow, "flow")
        if pairs.shape[:2] != self._size:
            raise ValueError(f"flow has shape {pairs.shape}: the renderer draws fields of {self._size}")
        trust = None if confidence is None else plane(confidence, "confidence", self._size, np.float32)
        ground, pixels = (None, None) if background is None else image(background, "background", channels)
        if pixels is not None and (pixels.dtype != np.uint8 or pixels.shape[:2] != self._size):
            raise ValueError(
                f"background has dtype {pixels.dtype} and shape {pixels.shape}: it is of uint8 and {self._size}"
            )
        drawing: Bytes = np.empty(self._shape, np.uint8)
        self._handle.call(
            library.rheo_renderer_draw,
            address(pairs),
            address(trust),
            None if ground is None else byref(ground),
            address(drawing),
        )
        return drawing if channels == "rgb" else np.ascontiguousarray(drawing[:, :, ::-1])


def render(
    flow: npt.ArrayLike,
    style: Style = "wheel",
    *,
    background: npt.ArrayLike | None = None,
    confidence: npt.ArrayLike | None = None,
    channels: Channels = "rgb",
    opacity: float | None = None,
    cell: int | None = None,
    tip_angle: float | None = None,
    min_length: float | None = None,
    max_length: float | Literal["auto"] = "auto",
    normalize: Normalization = "frame",
    palette: Palette = "hue",
    legend: bool = False,
    threads: int = 0,
) -> Bytes:
    """Draws a flow field as an image, as ``rheo render`` does.

    The parameters are those of `Renderer` and `Renderer.draw`.

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)
        The drawing; with the style ``"side-by-side"`` twice as wide.
    """
    pairs = vectors(flow, "flow")
    renderer = Renderer(
        (pairs.shape[0], pairs.shape[1]),
        style,
        opacity=opacity,
        cell=cell,
        tip_angle=tip_angle,
        min_length=min_length,
        max_length=max_length,
        normalize=normalize,
        palette=palette,
        legend=legend,
        threads=threads,
    )
    return renderer.draw(pairs, background=background, confidence=confidence, channels=channels)
