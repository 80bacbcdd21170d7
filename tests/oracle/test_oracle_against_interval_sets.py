"""Two independent readings of Table 1, the oracle's cells and the algebra of interval sets, must agree."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from thalweg.model.formula import Atom, BoxMinus, BoxPlus, DiamondMinus, DiamondPlus, Formula, Since, Until
from thalweg.model.program import Fact, Program, Rule
from thalweg.testing import naive_materialise
from thalweg.time import interval_set
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline

START, END = Fraction(-2), Fraction(9)
P, S, Q = Atom("P"), Atom("S"), Atom("Q")

UNARY = {
    DiamondMinus: interval_set.diamond_minus,
    DiamondPlus: interval_set.diamond_plus,
    BoxMinus: interval_set.box_minus,
    BoxPlus: interval_set.box_plus,
}
BINARY = {Since: interval_set.since, Until: interval_set.until}

timelines = st.sampled_from(Timeline)
denominators = st.sampled_from([1, 1, 2, 3, 4])


@st.composite
def intervals(draw: Callable, low: int, infinite_start: bool = True) -> Interval:
    times = st.builds(Fraction, st.integers(low, 8), denominators)
    start, end = sorted((draw(times), draw(times)))
    start = draw(st.sampled_from([start, start, start, -math.inf])) if infinite_start else start
    end = draw(st.sampled_from([end, end, end, math.inf]))
    return Interval(start, end, start == end or draw(st.booleans()), start == end or draw(st.booleans()))


fact_lists = st.lists(intervals(-6), max_size=3)
operator_intervals = intervals(0, infinite_start=False)


def by_oracle(timeline: Timeline, head: Formula, body: Formula, **facts: list[Interval]) -> IntervalSet:
    program = Program((Rule(head, (body,), 1),), timeline=timeline)
    data = [Fact(Atom(name), interval) for name, times in facts.items() for interval in times]
    answers = naive_materialise(program, data, START, END)
    return IntervalSet(answers.get(("Q", ()), ()), timeline)


def inside(times: IntervalSet) -> IntervalSet:
    return times.intersection(IntervalSet((Interval(START, END),), times.timeline))


@given(timelines, st.sampled_from(list(UNARY)), operator_intervals, fact_lists)
def test_unary_operators(timeline, operator, interval, facts):
    expected = UNARY[operator](IntervalSet(tuple(facts), timeline), interval)
    assert by_oracle(timeline, Q, operator(interval, P), P=facts) == inside(expected)


@given(timelines, st.sampled_from(list(BINARY)), operator_intervals, fact_lists, fact_lists)
def test_binary_operators(timeline, operator, interval, left, right):
    sets = IntervalSet(tuple(left), timeline), IntervalSet(tuple(right), timeline)
    expected = BINARY[operator](*sets, interval)
    assert by_oracle(timeline, Q, operator(interval, P, S), P=left, S=right) == inside(expected)


@given(timelines, st.sampled_from([BoxMinus, BoxPlus]), operator_intervals, fact_lists)
def test_a_box_in_the_head_is_the_opposite_diamond_in_the_body(timeline, box, interval, facts):
    diamond = {BoxMinus: interval_set.diamond_plus, BoxPlus: interval_set.diamond_minus}[box]
    expected = diamond(IntervalSet(tuple(facts), timeline), interval)
    assert by_oracle(timeline, box(interval, Q), P, P=facts) == inside(expected)


@given(timelines, st.lists(st.sampled_from(list(UNARY)), min_size=3, max_size=3), st.data())
def test_nested_operators(timeline, operators, data):
    facts = data.draw(fact_lists)
    formula: Formula = P
    expected = IntervalSet(tuple(facts), timeline)
    for operator in operators:
        interval = data.draw(operator_intervals)
        formula, expected = operator(interval, formula), UNARY[operator](expected, interval)
    assert by_oracle(timeline, Q, formula, P=facts) == inside(expected)
