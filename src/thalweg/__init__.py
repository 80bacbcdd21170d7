"""Thalweg: reason with rules about time over data that never stops arriving."""

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
