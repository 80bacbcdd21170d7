"""Thalweg: reason with rules about time over data that never stops arriving."""

from importlib import import_module
from typing import TYPE_CHECKING

from thalweg.api import load, materialise, parse
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import (
    DataError,
    Diagnostic,
    DiagnosticError,
    InconsistencyError,
    ProgramError,
    ReasoningError,
    ThalwegError,
    UsageError,
)
from thalweg.model.program import Program

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "Diagnostic",
    "DiagnosticError",
    "InconsistencyError",
    "Materialisation",
    "Program",
    "ProgramError",
    "ReasoningError",
    "StreamReasoner",
    "ThalwegError",
    "UsageError",
    "load",
    "materialise",
    "parse",
]

if TYPE_CHECKING:
    from thalweg import spark as spark
else:

    def __getattr__(name):
        """``thalweg.spark`` is loaded when it is first asked for: Spark takes its time."""
        if name != "spark":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module("thalweg.spark")
