"""Programs that derive at least what any answer of the original has."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    BinaryMetric,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    TimeWindow,
    Top,
    TupleWindow,
    Windowed,
    atoms,
)
from thalweg.model.program import Program


def relaxed(program: Program) -> Program:
    """The program with everything true that can become true when less holds.

    Negations of derived predicates are ⊤, and tuple windows on them have everything in them.
    """
    derived = program.derived_predicates
    rules = (replace(rule, body=tuple(_relaxed(part, derived) for part in rule.body)) for rule in program.rules)
    return replace(program, rules=tuple(rules))


def _relaxed(formula: Formula, derived: Collection[str], wider: bool = False) -> Formula:
    """``wider`` formulas stand in a window that has become wider."""
    certain = not wider and not any(atom.predicate in derived for atom in atoms(formula))
    match formula:
        case _ if certain:
            return formula
        case Not():
            return Top()
        case Aggregate():
            raise ValueError("an aggregate over derived predicates can have too many values to try them all")
        case Windowed(window=TupleWindow(), operand=operand, of_stream=of_stream):
            return Windowed(TimeWindow(math.inf, math.inf), _relaxed(operand, derived, True), of_stream)
        case All(operand=operand) if wider:
            return Some(_relaxed(operand, derived, wider))
        case Metric() | Windowed() | Some() | All() | At():
            return replace(formula, operand=_relaxed(formula.operand, derived, wider))
        case BinaryMetric(left=left, right=right):
            return replace(formula, left=_relaxed(left, derived, wider), right=_relaxed(right, derived, wider))
        case And(operands=operands) | Or(operands=operands):
            return replace(formula, operands=tuple(_relaxed(each, derived, wider) for each in operands))
        case _:
            return formula
