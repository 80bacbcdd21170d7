"""The atoms of LARS+ (paper, (1)) and their T-matches (Section 2), by looking at every time point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from thalweg.model.formula import (
    All,
    At,
    Atom,
    Comparison,
    Constant,
    Formula,
    HeadTerm,
    Skolem,
    Some,
    TimeWindow,
    Top,
    Value,
    Variable,
    Windowed,
    expression_variables,
)
from thalweg.testing.lars_plus.stream import GrowingStream
from thalweg.testing.values import Substitution, compare

Moment = tuple[Atom | Top, int]
"""A simple atom or ⊤, and the time at which it is asked for."""


def is_atom(formula: Formula) -> bool:
    """Whether a formula is an atom of LARS+: a | b | @b | ⊞@b | ⊞◇b | ⊞□b; comparisons are the arithmetic ones."""
    match formula:
        case Comparison():
            return True
        case At(operand=operand) | Windowed(window=TimeWindow(next=0, slide=1), operand=At(operand=operand)):
            return _is_simple(operand)
        case Windowed(window=TimeWindow(next=0, slide=1), operand=Some(operand=inner) | All(operand=inner)):
            return _is_simple(inner)
        case _:
            return _is_simple(formula)


def matches(atoms: Sequence[Formula], stream: GrowingStream, time: int) -> Iterator[Substitution]:
    """The T-matches of atoms on S and t; the same one may come more than once.

    Time variables are mapped to T (i). So are those that only arithmetic speaks of.
    """
    arithmetic = [atom for atom in atoms if isinstance(atom, Comparison)]
    others = [atom for atom in atoms if not isinstance(atom, Comparison)]
    for found in _all_of(others, stream, time, {}):
        yield from _on_timeline(arithmetic, stream.timeline, found)


def together(moments: Sequence[Moment], stream: GrowingStream, given: Substitution) -> Iterator[Substitution]:
    """The extensions of a substitution under which all simple atoms hold, each at its time."""
    if not moments:
        yield given
        return
    (atom, time), *rest = moments
    for extended in _here(atom, stream, time, given):
        yield from together(rest, stream, extended)


def _is_simple(formula: Formula) -> bool:
    return isinstance(formula, Atom | Top)


def _all_of(atoms: Sequence[Formula], stream: GrowingStream, time: int, given: Substitution) -> Iterator[Substitution]:
    if not atoms:
        yield given
        return
    first, *rest = atoms
    for extended in _one(first, stream, time, given):
        yield from _all_of(rest, stream, time, extended)


def _one(atom: Formula, stream: GrowingStream, time: int, given: Substitution) -> Iterator[Substitution]:
    """The extensions of a substitution under which S, t ⊨ α."""
    match atom:
        case Atom() | Top():
            yield from _here(atom, stream, time, given)
        case At(operand=operand, time=term):
            yield from _at(operand, term, stream.timeline, stream, given)
        case Windowed(window=TimeWindow() as window, operand=At(operand=operand, time=term)):
            yield from _at(operand, term, _window(window, time, stream), stream, given)
        case Windowed(window=TimeWindow() as window, operand=Some(operand=operand)):
            for when in _window(window, time, stream):
                yield from _here(operand, stream, when, given)
        case Windowed(window=TimeWindow() as window, operand=All(operand=Atom() | Top() as operand)):
            yield from together([(operand, when) for when in _window(window, time, stream)], stream, given)
        case _:
            raise TypeError(f"no atom of LARS+: {atom!r}")


def _window(window: TimeWindow, time: int, stream: GrowingStream) -> range:
    """The points t' of T with t − n ≤ t' ≤ t."""
    first = stream.timeline.start
    return range(first if window.last == math.inf else max(first, time - int(window.last)), time + 1)


def _at(
    operand: Formula, term: HeadTerm, points: Iterable[int], stream: GrowingStream, given: Substitution
) -> Iterator[Substitution]:
    for when in points:
        bound = _bound(term, Fraction(when), given)
        if bound is not None:
            yield from _here(operand, stream, when, bound)


def _here(atom: Formula, stream: GrowingStream, time: int, given: Substitution) -> Iterator[Substitution]:
    if isinstance(atom, Top):
        yield given
        return
    assert isinstance(atom, Atom)
    for arguments in tuple(stream.at(time, atom.predicate)):
        bound: Substitution | None = given
        for term, value in zip(atom.arguments, arguments, strict=True):
            bound = None if bound is None else _bound(term, value, bound)
        if bound is not None:
            yield bound


def _bound(term: HeadTerm, value: Value, given: Substitution) -> Substitution | None:
    """The substitution with a term standing for a value; None where it stands for another one."""
    assert not isinstance(term, Skolem), "existential variables are variables here"
    if isinstance(term, Constant):
        return given if term.value == value else None
    if term.name in given:
        return given if given[term.name] == value else None
    return {**given, term.name: value}


def _on_timeline(arithmetic: Sequence[Comparison], points: range, given: Substitution) -> Iterator[Substitution]:
    """The extensions to all variables of arithmetic atoms, by time points, that make the atoms true."""
    waiting = []
    for atom in arithmetic:
        missing = next((variable for variable in _variables(atom) if variable.name not in given), None)
        if missing is not None:
            waiting.append((atom, missing))
        elif not compare(atom, given):
            return
    if not waiting:
        yield given
        return
    _, variable = waiting[0]
    for point in points:
        yield from _on_timeline([atom for atom, _ in waiting], points, {**given, variable.name: Fraction(point)})


def _variables(atom: Comparison) -> Iterator[Variable]:
    yield from expression_variables(atom.left)
    yield from expression_variables(atom.right)
