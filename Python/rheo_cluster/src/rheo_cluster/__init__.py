"""Rheo on many machines: Ray runs the ``rheo`` program on many videos, and on the shards into which they are cut.

All machines see the inputs and the working directory under the same paths, and have ``rheo`` and this package.
"""

from .annotation import Annotation
from .batch import Batch, annotate, detect
from .detection import Detection
from .export import Export, export
from .job import Job
from .program import Program, ProgramFailure
from .tasks import Report

__all__ = [
    "Annotation", "Batch", "Detection", "Export", "Job", "Program", "ProgramFailure", "Report", "annotate", "detect",
    "export",
]
