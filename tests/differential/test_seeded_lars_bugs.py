"""The comparison of windows with the oracle can fail: each of these bugs, planted one at a time, must make it do so."""

from dataclasses import replace

import pytest

from differential.comparison import engine_answers, oracle_answers
from differential.planting import differs, planted, some
from golden.test_cases import facts_of, load
from thalweg.columnar import aggregate, tuples, windows
from thalweg.engine import aggregates, derive, evaluate, fixpoint, tuple_windows, window_frames
from thalweg.plan import formulas
from thalweg.testing.strategies import Case, lars_cases

GOLDEN = (
    "window_some_and_all",
    "window_slides",
    "window_reaches_ahead_with_slide",
    "window_without_end",
    "window_of_tuples",
    "window_per_partition",
    "windows_in_windows",
    "window_with_background",
    "window_before_a_negation",
    "time_variables",
    "disjunction_and_nested_negation",
    "aggregates",
    "metric_operators_in_windows",
)

BUGS = {
    "slide: pivots are not rounded up": (windows.from_pivots, "-(-relation.start // slide) * slide", "relation.start"),
    "slide: nothing holds between pivots": (windows.from_pivots, "* slide + slide - 1)", "* slide)"),
    "slide: a time outside its own window counts": (
        windows.near_pivots,
        "pivot * slide + ahead",
        "pivot * slide + slide",
    ),
    "all: windows are not cut off at the start": (
        windows.to_the_ends,
        "relation.start <= low, NEGATIVE_INFINITY, relation.start",
        "relation.start <= low, relation.start, relation.start",
    ),
    "at: a window holds one time point more": (windows.references, "high + slide - 1", "high + slide"),
    "tuples: one too many": (tuples.last_tuples, "times[count:][pushed_out] - 1", "times[count:][pushed_out]"),
    "tuples: partitions are counted together": (
        tuple_windows.sequence_of,
        "if window.per is None else (*window.per, *range(arity, len(columns)))",
        "if True else ()",
    ),
    "tuples: simultaneous ones the other way round": (tuples._ranks, "ranks[inverse]", "-ranks[inverse]"),
    "frames: windows in windows see the whole stream": (
        window_frames.WindowFrames._around,
        "if frame.parent is not None:",
        "if False:",
    ),
    "frames: all of an empty part will do": (window_frames.WindowFrames.throughout, "rows[covers]", "rows"),
    "frames: what holds at another time counts": (
        window_frames.WindowFrames.left,
        "(relation.start <= times) & (times <= relation.end)",
        "relation.start <= times",
    ),
    "count: elements are counted for ever": (
        aggregate.Stretches.totals,
        "np.subtract.at(change, self.after, amounts)",
        "",
    ),
    "min: the greatest": (aggregate.extreme, "if greatest else ranks[inverse]", "if not greatest else ranks[inverse]"),
    "sum: no 0 for empty groups": (
        aggregates.aggregated,
        "AggregateKind.COUNT, AggregateKind.SUM",
        "AggregateKind.COUNT,",
    ),
    "heads: at the time of the body": (derive._at_times, "derived.with_time(times, times)", "derived"),
    "bodies: rules fire outside the timeline": (
        derive.due,
        "else max(first, low - farthest - 1)",
        "else low - farthest - 1",
    ),
    "not: inside an operator it means nothing": (
        evaluate.Evaluator._full,
        "self.full(left).without(self.full(right))",
        "self.full(left)",
    ),
    "windows before a negation are lost": (
        formulas.FormulaPlanner._windowed,
        "Not(replace(formula, operand=inner), operand.span)",
        "Not(inner, operand.span)",
    ),
}


@pytest.fixture(scope="module")
def answered():
    """Golden and generated cases with the oracle's answers; what is rare among the latter is in the former."""
    cases = [*map(golden, GOLDEN), *some(lars_cases(), 100)]
    return [(case, oracle_answers(case)) for case in cases]


def golden(name):
    program, start, end = load(name)
    bounded = replace(program, timeline_end=program.timeline_end or end)
    return Case(bounded, tuple(facts_of(program, name)), start, end)


def test_without_a_bug_nothing_differs(answered):
    assert not differs(answered, engine_answers)


@pytest.mark.parametrize("bug", BUGS)
def test_the_comparison_finds(bug, answered, monkeypatch):
    monkeypatch.setattr(fixpoint, "is_certain_to_end", lambda *_: False)
    with planted(*BUGS[bug]):
        assert differs(answered, engine_answers)
