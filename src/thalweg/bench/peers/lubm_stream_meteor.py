"""Algorithm 1 of the journal paper for programs that recur without end, of MeTeoR's parts.

Its ``materialize`` would go on into the future for ever. As the authors' own script does, rules are applied until
nothing is new between the last time point and this, and the window is trimmed.
"""

from __future__ import annotations

import decimal
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from meteor_reasoner.classes.atom import Atom
from meteor_reasoner.classes.interval import Interval
from meteor_reasoner.classes.term import Term
from meteor_reasoner.materialization.index_build import build_index
from meteor_reasoner.materialization.t_operator import naive_immediate_consequence_operator
from meteor_reasoner.stream.utils import add_fact_to_window, add_streams, get_maximum_rational_number, trim_window

from thalweg.bench.peers.meteor import read_rules
from thalweg.bench.peers.meteor_stream import Stream
from thalweg.generators.stream import Slice


@dataclass
class Windowed:
    """The first arguments of the query's facts with their times, and the most facts that the window held."""

    answers: set[tuple[str, Fraction]] = field(default_factory=set)
    stored: int = 0


def rules_of(program: str) -> list[Any]:
    """MeTeoR's rules of a program in which each rule is a line, or ends with a full stop."""
    text = program.replace("diamondminus", "Diamondminus").replace("boxminus", "Boxminus").replace(" ", "")
    return read_rules(text.replace(".\n", "\n").splitlines())


def stream_of(slices: Iterable[Slice]) -> Stream:
    """Slices of facts in MeTeoR's terms; the time of a slice is that of its facts."""
    return [(_atoms(each), decimal.Decimal(each.now.numerator) / each.now.denominator) for each in slices]


def windowed(rules: list[Any], stream: Stream, query: str) -> Windowed:
    """Answers at each time point of a stream, which has one for every step, also where no facts are."""
    span = get_maximum_rational_number(rules)
    window: Any = defaultdict(lambda: defaultdict(list))
    found, before = Windowed(), decimal.Decimal("-inf")
    for facts, time in stream:
        add_streams(window, facts, time)
        _saturate(window, rules, Interval(before, time, True, False))
        now = Interval(time, time, False, False)
        for entity, held in window[query].items():
            if any(Interval.intersection(interval, now) for interval in held):
                found.answers.add((entity[0].name, Fraction(time)))
        found.stored = max(found.stored, sum(len(held) for entities in window.values() for held in entities.values()))
        window, before = trim_window(window, Interval(time - span, time, False, False)), time
    return found


def _saturate(window: Any, rules: list[Any], stretch: Any) -> None:
    """Apply rules until nothing is new in a stretch of time."""
    index = build_index(window)
    while add_fact_to_window(window, naive_immediate_consequence_operator(rules, window, index), stretch):
        pass


def _atoms(given: Slice) -> list[Any]:
    return [
        Atom(name, tuple(map(Term, row)))
        for name, table in given.tables.items()
        for row in zip(*(column.to_pylist() for column in table.columns[:-1]), strict=True)
    ]
