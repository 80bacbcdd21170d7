"""What a program makes a stream keep for ever: state that no window bounds, only the number of different facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from functools import partial

from thalweg.analysis.dependency import relevant_predicates
from thalweg.analysis.recursion import name_several
from thalweg.errors import Diagnostic
from thalweg.model.formula import (
    Aggregate,
    Atom,
    DiamondMinus,
    Formula,
    Since,
    Skolem,
    TimeWindow,
    TupleWindow,
    Variable,
    Windowed,
    atoms,
    children,
    variables,
)
from thalweg.model.lower import in_source_order
from thalweg.model.program import Program, Rule

_BOUND = "give it a bound: the time after which nobody asks any more"
_FEW_VALUES = "take a window over time, such as window[last 60], or see to it that the values are few"


def kept_for_ever(program: Program, wanted: Collection[str] | None = None) -> tuple[Diagnostic, ...]:
    """Warnings of operators whose state on a stream grows as long as new values come; in the order of the source.

    ``wanted`` are the predicates that are asked for, all of them when None. In a batch none of them costs anything.
    """
    relevant = relevant_predicates(program, wanted)
    rules = (r for r in program.rules if not isinstance(r.head_core, Atom) or r.head_core.predicate in relevant)
    return in_source_order([found for rule in rules for found in _in_rule(rule, program)])


def _in_rule(rule: Rule, program: Program) -> Iterator[Diagnostic]:
    core = rule.head_core
    if isinstance(core, Atom) and rule.head_time is None and rule.reach.end == math.inf and _varies(core):
        message = _remembers("boxplus without a bound in the head", core.predicate)
        yield Diagnostic("W304", rule.head.span, message, _BOUND)
    for part in rule.body:
        yield from _in_formula(part, program)


def _in_formula(formula: Formula, program: Program) -> Iterator[Diagnostic]:
    """What grows inside a formula; a window with a bound sees nothing that is older."""
    if isinstance(formula, Windowed) and _is_bounded(formula):
        yield from _of_the_stream(formula.operand, program)
        return
    found = _at_formula(formula, program)
    if found is not None:
        yield found
    for child in children(formula):
        yield from _in_formula(child, program)


def _of_the_stream(formula: Formula, program: Program) -> Iterator[Diagnostic]:
    """What grows inside a bounded window: windows that look at the whole stream again."""
    if isinstance(formula, Windowed) and formula.of_stream:
        yield from _in_formula(formula, program)
        return
    for child in children(formula):
        yield from _of_the_stream(child, program)


def _is_bounded(formula: Windowed) -> bool:
    window = formula.window
    return isinstance(window, TimeWindow) and window.last != math.inf


def _at_formula(formula: Formula, program: Program) -> Diagnostic | None:
    said: Callable[[str], str]
    match formula:
        case DiamondMinus(interval=interval, operand=operand) if interval.end == math.inf:
            code, said, hint = "W304", partial(_remembers, "diamondminus without a bound"), _BOUND
        case Windowed(window=TimeWindow(), operand=operand):
            code, said, hint = "W304", partial(_remembers, "a window without a bound"), _BOUND
        case Since(interval=interval, right=operand) if interval.end == math.inf:
            code, said, hint = "W305", _carries, _BOUND
        case Windowed(window=TupleWindow(per=(_, *_)), operand=operand):
            code, said, hint = "W305", _keeps_tuples, _FEW_VALUES
        case _:
            return None
    names = _growing(operand, program)
    return Diagnostic(code, formula.span, said(name_several(names)), hint) if names else None


def _remembers(what: str, names: str) -> str:
    return f"{what} remembers every different fact of {names} for ever: on a stream memory grows with their number"


def _carries(names: str) -> str:
    return (
        f"since without a bound carries every different fact of {names} on for as long as its left operand holds:"
        " on a stream memory grows with those for which it never ends"
    )


def _keeps_tuples(names: str) -> str:
    return (
        f"a window of tuples per argument keeps the last tuples of {names} for ever, for every different value of the"
        " argument: on a stream memory grows with their number"
    )


def _growing(operand: Formula, program: Program) -> tuple[str, ...]:
    """The predicates of an operand whose facts come without end: those with variables, other than background."""
    if not any(not variable.is_anonymous for variable in variables(operand)) and not isinstance(operand, Aggregate):
        return ()
    found = (atom.predicate for atom in atoms(operand) if _varies(atom) and atom.predicate not in program.background)
    return tuple(dict.fromkeys(found))


def _varies(atom: Atom) -> bool:
    return any(isinstance(term, Variable | Skolem) for term in atom.arguments)
