"""Generated cases, read as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from thalweg.testing.hypotheses import GroundAtom, Pattern, Query, histories, query_atom, slices
from thalweg.testing.strategies import HypothesesCase


class Moment(NamedTuple):
    """τ: the slices up to it are complete."""

    closed: int
    slices: list[frozenset[GroundAtom]]
    data: frozenset[GroundAtom]


def query_of(case: HypothesesCase, ahead: int = 0) -> Query:
    """The query over the constants of a case and the times of its facts and some more."""
    return Query(case.program, case.query, case.constants, range(case.times.start, case.times.stop - 2 + ahead))


def query_pattern(case: HypothesesCase) -> Pattern:
    """P(X1, …, Xn, T)."""
    return query_atom(case.query, case.program.signatures[case.query].arity)


def moments(case: HypothesesCase) -> Iterator[Moment]:
    """Every τ at which facts arrive, the last included, and the one before the stream begins."""
    first = case.times.start
    yield Moment(first - 1, [], frozenset())
    delivered = slices(case.arrivals, first=first)
    for index, history in enumerate(histories(delivered)):
        if delivered[index]:
            yield Moment(first + index, delivered[: index + 1], history)
