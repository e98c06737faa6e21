"""Rheo on many machines: videos are cut into shards, Ray runs the ``rheo`` program on each, and the results are joined.

All machines see the inputs and the working directory under the same paths, and have ``rheo`` and this package.
"""

from .export import Export, ExportReport, export
from .program import Program, ProgramFailure

__all__ = ["Export", "ExportReport", "Program", "ProgramFailure", "export"]
