"""The program that a call names."""

from __future__ import annotations

from pathlib import Path

from thalweg.api import diagnose, read_source
from thalweg.cli.messages import tell
from thalweg.errors import ProgramError
from thalweg.model.program import Program


def read_program(path: Path, *, stratified: bool = True) -> Program:
    """The program in a file; raises :class:`ProgramError` with all that is wrong, and tells what is doubtful."""
    program, diagnostics = diagnose(read_source(path), stratified=stratified)
    if any(diagnostic.is_error for diagnostic in diagnostics):
        raise ProgramError(diagnostics)
    for warning in diagnostics:
        tell(warning.render())
    return program
