"""Streams of generated cases through the engine, and what it says on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, reject, settings

from hypotheses.engine_rows import fact_text, said
from thalweg.analysis.hypotheses.unfold import unfold
from thalweg.engine.hypotheses import reasoner
from thalweg.engine.hypotheses.stream import HypothesisStream, HypotheticalAnswers
from thalweg.errors import ProgramError
from thalweg.testing.hypotheses import Answer, Arrival, GroundAtom, arrival_times, slices
from thalweg.testing.strategies import HypothesesCase

MOST_PATTERNS = 200
"""Programs that unfold to more take long."""
Theta = tuple[Any, ...]
"""θ: the arguments and the time; None for what is open."""


def examples(count: int) -> settings:
    """Settings for so many generated cases."""
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), database=None)


class Step(NamedTuple):
    """One advance: what it said, and what has arrived by then."""

    stream: HypothesisStream
    answers: HypotheticalAnswers
    data: frozenset[GroundAtom]
    closed: int

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What was said, row by row."""
        return self.answers.table().to_pylist()


def stream_of(case: HypothesesCase, **options: Any) -> HypothesisStream:
    """A stream for a case; cases with something that cannot be waited for, or with many patterns, are none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(unfold.__globals__, "MOST_PATTERNS", MOST_PATTERNS)
        try:
            return HypothesisStream(case.program, case.query, **options)
        except ProgramError as error:
            if {each.code for each in error.diagnostics} <= {"E350", "E352", "E354"}:
                reject()
            raise


def steps(case: HypothesesCase, stream: HypothesisStream | None = None, beyond: int = 6) -> Iterator[Step]:
    """A case slice by slice, and some time points more."""
    stream = stream or stream_of(case)
    first = case.times.start
    data: frozenset[GroundAtom] = frozenset()
    for closed, facts in enumerate([*slices(case.arrivals, first=first), *([frozenset()] * beyond)], first):
        answers = stream.advance(fact_text(facts), closed)
        assert not answers.late
        data |= facts
        yield Step(stream, answers, data, closed)


def theta(row: dict[str, Any]) -> Theta:
    """θ of a row that was said."""
    names = [name for name in row if name not in ("status", "evidence", "hypotheses", "deadline", "confidence")]
    return tuple(row[name] for name in names)


def frozen(row: Any) -> Any:
    """A row as a value: the order of evidence and of hypotheses says nothing."""
    if isinstance(row, dict):
        parts = {name: frozenset(map(frozen, each)) if name in _SETS else frozen(each) for name, each in row.items()}
        return tuple(parts.items())
    return tuple(map(frozen, row)) if isinstance(row, list) else row


_SETS = ("evidence", "hypotheses")


def told(answers: HypotheticalAnswers) -> list[Any]:
    """What was said, in no order.

    Of an answer that is told of once one row is shown, any of those that would do: for the end of an answer only θ
    counts, and for its beginning θ and the rows apart.
    """
    found = []
    for row in answers.table().to_pylist():
        status = row.pop("status")
        if status in ("confirmed", "refuted", "dropped"):
            found.append((status, theta(row)))
            continue
        found.append(("row", frozen(row)))
        found += [("opened", theta(row))] if status == "opened" else []
    return sorted(found, key=repr)


class Told(NamedTuple):
    """What a whole stream said of answers, those with open variables left out."""

    opened: frozenset[Answer]
    confirmed: frozenset[Answer]
    refuted: frozenset[Answer]

    @classmethod
    def of(cls, several: list[HypotheticalAnswers]) -> Told:
        """All that was said, in the order of advances."""
        return cls(*(frozenset().union(*(said(each, kind) for each in several)) for kind in cls._fields))

    @property
    def met(self) -> frozenset[Answer]:
        """The answers that were spoken of."""
        return self.opened | self.confirmed | self.refuted


def rearranged(case: HypothesesCase, random: Random) -> HypothesesCase:
    """The same facts, arriving at other times that δ allows."""
    facts = [each.atom for each in case.arrivals]
    random.shuffle(facts)
    return case._replace(
        arrivals=tuple(Arrival(atom, random.choice(arrival_times(case.program, atom))) for atom in facts)
    )


def cut(case: HypothesesCase, random: Random) -> Iterator[tuple[frozenset[GroundAtom], int]]:
    """The slices of a case, several of them put together here and there."""
    first = case.times.start
    pending: frozenset[GroundAtom] = frozenset()
    delivered = [*slices(case.arrivals, first=first), *([frozenset()] * 6)]
    for closed, facts in enumerate(delivered, first):
        pending |= facts
        if random.random() < 0.5 or closed == first + len(delivered) - 1:
            yield pending, closed
            pending = frozenset()


@contextmanager
def without_order() -> Iterator[None]:
    """The engine without the path of Proposition 10."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reasoner, "_levels", lambda _: None)
        yield
