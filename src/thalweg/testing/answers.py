"""Comparing what two reasoners say holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from thalweg.model.formula import Value
from thalweg.null import Null
from thalweg.time.interval import Interval, format_rational
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline

GroundAtom = tuple[str, tuple[Value, ...]]
"""A predicate and its arguments."""


def assert_same_answers(
    actual: Mapping[GroundAtom, Iterable[Interval]],
    expected: Mapping[GroundAtom, Iterable[Interval]],
    timeline: Timeline = Timeline.RATIONAL,
) -> None:
    """Fail unless the same atoms hold at the same times; the message lists what is missing and what is extra.

    How the times are cut into intervals does not matter.
    """
    differences = list(_differences(actual, expected, timeline))
    if differences:
        raise AssertionError("\n".join(["the answers differ", *differences]))


def _differences(
    actual: Mapping[GroundAtom, Iterable[Interval]],
    expected: Mapping[GroundAtom, Iterable[Interval]],
    timeline: Timeline,
) -> Iterator[str]:
    for atom in sorted({*actual, *expected}, key=_format):
        got = IntervalSet(tuple(actual.get(atom, ())), timeline)
        wanted = IntervalSet(tuple(expected.get(atom, ())), timeline)
        if got != wanted:
            yield f"  {_format(atom)}"
            yield f"    expected    {wanted}"
            yield f"    actual      {got}"
            yield f"    missing     {wanted.difference(got)}"
            yield f"    unexpected  {got.difference(wanted)}"


def _format(atom: GroundAtom) -> str:
    predicate, arguments = atom
    return f"{predicate}({', '.join(map(_format_value, arguments))})" if arguments else predicate


def _format_value(value: Value) -> str:
    match value:
        case str():
            return repr(value)
        case Fraction():
            return format_rational(value)
        case Null():
            return str(value)
