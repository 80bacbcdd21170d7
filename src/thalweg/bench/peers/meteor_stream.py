"""A stream reasoner made of MeTeoR's parts: Algorithm 1 of the journal paper, one time point after another.

MeTeoR has helpers for streams, but no reasoner that uses them. Here its ``materialize`` runs at every time point on a
window as long as the longest interval of the rules; its helpers add what arrives and trim the window.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from meteor_reasoner.classes.interval import Interval
from meteor_reasoner.materialization.materialize import materialize
from meteor_reasoner.stream.stream_generator import Stream_Generator
from meteor_reasoner.stream.utils import add_streams, get_maximum_rational_number, trim_window

from thalweg.bench.peers.meteor import MAX_ROUNDS, read_facts, silence

Stream = list[tuple[list[Any], Any]]
"""The facts of each time point, and the time point, in MeTeoR's terms."""


def read_stream(lines: Sequence[str]) -> Stream:
    """The facts in lines, each at a single time point, by time."""
    facts = read_facts(lines)
    times = {interval.left_value for entities in facts.values() for held in entities.values() for interval in held}
    return list(Stream_Generator(sorted(times), facts).generator())


def answers_at_time_points(rules: list[Any], stream: Stream, query: str) -> list[tuple[str, Fraction]]:
    """The first arguments of a predicate's facts at each time point."""
    span = get_maximum_rational_number(rules)
    window: Any = defaultdict(lambda: defaultdict(list))
    found = []
    for facts, time in stream:
        add_streams(window, facts, time)
        with silence():
            reached_fixpoint = materialize(window, rules, mode="seminaive", K=MAX_ROUNDS)
        assert reached_fixpoint
        now = Interval(time, time, False, False)
        for entity, held in window[query].items():
            if any(Interval.intersection(interval, now) for interval in held):
                found.append((entity[0].name, Fraction(time)))
        window = trim_window(window, Interval(time - span, time, False, False))
    return found
