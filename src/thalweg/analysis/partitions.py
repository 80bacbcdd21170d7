"""The arguments by which windows over tuples are partitioned are there."""

from __future__ import annotations

from collections.abc import Iterable

from thalweg.errors import Diagnostic
from thalweg.model.formula import Atom, TupleWindow, Windowed, atoms, subformulas
from thalweg.model.program import Program


def check_partitions(program: Program) -> Iterable[Diagnostic]:
    """Every predicate in a window over tuples per argument has these arguments; background is not counted."""
    for rule in program.rules:
        for literal in rule.body:
            for part in subformulas(literal):
                if isinstance(part, Windowed) and isinstance(part.window, TupleWindow) and part.window.per:
                    last = max(part.window.per) + 1
                    counted = (atom for atom in atoms(part.operand) if atom.predicate not in program.background)
                    yield from (_missing(atom, last) for atom in counted if len(atom.arguments) < last)


def _missing(atom: Atom, position: int) -> Diagnostic:
    message = f"{atom.predicate} has no argument {position} to count tuples by"
    hint = f"it has {len(atom.arguments)}, counted from 1; a window counts the tuples of each predicate inside it"
    return Diagnostic("E242", atom.span, message, hint)
