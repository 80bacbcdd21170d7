"""Values for the variables of formulas."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from thalweg.columnar.values import Values
from thalweg.engine.answers.decided import Arguments
from thalweg.engine.answers.known import Stream
from thalweg.model.formula import At, Atom, Constant, Formula, HeadTerm, Not, Skolem, Term, Variable, children

Substitution = Mapping[str, int | None]
"""The codes of values of variables; None for a value that no atom has."""


def code_of(term: HeadTerm, given: Substitution, values: Values) -> int | None:
    """The code of a term's value."""
    assert not isinstance(term, Skolem), "programs with exists are refused before"
    return values.code(term.value) if isinstance(term, Constant) else given[term.name]


def instant_of(term: Term, given: Substitution, values: Values) -> int | None:
    """The time point that a term stands for; None when its value is none."""
    code = code_of(term, given, values)
    value = None if code is None else values.value(code)
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else None


def extensions(formulas: Iterable[Formula], given: Substitution, stream: Stream) -> Iterator[Substitution]:
    """The given substitution with values for all variables outside inner negations.

    Only values that some atom has are worth trying, and one that none has: atoms occur positively here, so a value
    that makes them false does no more than that one.
    """
    binders = (part for formula in formulas for part in _binders(formula))
    missing = [part for part in binders if not _is_bound(part, given)]
    if not missing:
        yield given
        return
    seen = set()
    for extended in _extended(missing, given, stream):
        key = tuple(extended.items())
        if key not in seen:
            seen.add(key)
            yield extended


def _extended(missing: list[Atom | At], given: Substitution, stream: Stream) -> Iterator[Substitution]:
    if not missing:
        yield given
        return
    first, *others = missing
    matches = _times(first, given, stream) if isinstance(first, At) else _matches(first, given, stream)
    for extended in matches:
        yield from _extended(others, extended, stream)


def _times(part: At, given: Substitution, stream: Stream) -> Iterator[Substitution]:
    """All time points, and none, for a time that has no value yet."""
    assert isinstance(part.time, Variable)
    if part.time.name in given:
        yield given
        return
    for each in stream.points(stream.timeline.low, stream.timeline.high):
        yield {**given, part.time.name: stream.values.code(Fraction(each))}
    yield {**given, part.time.name: None}


def _matches(atom: Atom, given: Substitution, stream: Stream) -> Iterator[Substitution]:
    """The values that make an atom possible, and none at all."""
    for arguments in stream.arguments(atom.predicate):
        matched = _match(atom, arguments, given, stream.values)
        if matched is not None:
            yield matched
    free = (term.name for term in atom.arguments if isinstance(term, Variable) and term.name not in given)
    yield {**given, **dict.fromkeys(free)}


def _match(atom: Atom, arguments: Arguments, given: Substitution, values: Values) -> Substitution | None:
    found = dict(given)
    for term, code in zip(atom.arguments, arguments, strict=True):
        if isinstance(term, Variable) and term.name not in found:
            found[term.name] = code
        elif code_of(term, found, values) != code:
            return None
    return found


def _binders(formula: Formula) -> Iterator[Atom | At]:
    """The atoms and time points outside inner negations."""
    if isinstance(formula, Not):
        return
    if isinstance(formula, Atom | At):
        yield formula
    yield from itertools.chain.from_iterable(map(_binders, children(formula)))


def _is_bound(part: Atom | At, given: Substitution) -> bool:
    terms = part.arguments if isinstance(part, Atom) else (part.time,)
    return all(term.name in given for term in terms if isinstance(term, Variable))
