"""Dense optical flow, registration, motion events, tracks, flow files and drawings of flow for NumPy arrays.

>>> import numpy as np, rheo
>>> previous = np.zeros((48, 64), np.uint8)
>>> flow = rheo.flow(previous, previous)
>>> flow.shape, float(abs(flow).max())
((48, 64, 2), 0.0)

Flow points from the first image to the second: ``previous[y, x]`` shows what ``current[y + v, x + u]`` shows, with
``u, v = flow[y, x]`` in pixels. Unknown vectors are NaN.
"""

from __future__ import annotations

from ._detection import FrameMoment, MotionBox, MotionDetector, MotionEvent, MotionUpdate
from ._files import WritingReport, read_flow, write_flow
from ._flow import FlowObservation, Sequence, bidirectional_flow, flow
from ._library import UnsupportedError, library as _shared
from ._measures import evaluate
from ._registration import Alternative, Registration, register, warp
from ._rendering import Renderer, render
from ._stabilization import Stabilizer
from ._tracking import Track, Tracker, TrackPosition
from ._video import Video, VideoFrame, open

__all__ = [
    "FlowObservation",
    "FrameMoment",
    "MotionBox",
    "MotionDetector",
    "MotionEvent",
    "MotionUpdate",
    "Alternative",
    "Registration",
    "Renderer",
    "Sequence",
    "Stabilizer",
    "Track",
    "TrackPosition",
    "Tracker",
    "UnsupportedError",
    "Video",
    "VideoFrame",
    "WritingReport",
    "bidirectional_flow",
    "evaluate",
    "flow",
    "open",
    "processor",
    "read_flow",
    "register",
    "render",
    "warp",
    "write_flow",
]

__version__: str = _shared.rheo_version().decode()


def processor() -> str:
    """Returns the instruction set of the kernels in use: ``"baseline"``, ``"v3"`` or ``"v4"``.

    The environment variable ``RHEO_CPU`` can lower it.
    """
    name: str = _shared.rheo_processor().decode()
    return name
