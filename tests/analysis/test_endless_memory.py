"""What a stream keeps for ever: the warnings agree with what the plan of a stream really keeps."""

from pathlib import Path

import pytest

import thalweg
from thalweg.analysis.endless_memory import kept_for_ever
from thalweg.errors import ProgramError
from thalweg.plan.stream import CARRIED, make_stream_plan

CASES = sorted((Path(__file__).parents[1] / "golden" / "cases").glob("*.rules"))


def codes(text, wanted=None):
    return [warning.code for warning in kept_for_ever(thalweg.parse(text), wanted)]


def kept_by_the_plan(plan):
    """Which codes there must be: for facts with values in the history, for those that are carried on, and tuples."""
    heads = {rule.head for stage in plan.stages for rule in stage.rules if (rule.head or "").startswith(CARRIED)}
    found = {"W304"} if any(each.node.variables for each in plan.remembered) else set()
    return found | ({"W305"} if heads or any(each.window.per for each in plan.counted) else set())


def test_the_warnings_are_those_of_the_plan():
    seen = set()
    for case in CASES:
        program = thalweg.load(case)
        try:
            plan = make_stream_plan(program, program.predicates)
        except ProgramError:
            continue
        found = {warning.code for warning in kept_for_ever(program)}
        assert found == kept_by_the_plan(plan), case.name
        seen |= found
    assert seen == {"W304", "W305"}


@pytest.mark.parametrize(
    "body",
    [
        "diamondminus[0,inf) P(X)",
        "P(X), not diamondminus[0,inf) P(X)",
        "diamondminus[0,1] diamondminus(3,inf) (P(X), R(X))",
        "P(X), diamondminus[0,inf) R(_)",
    ],
)
def test_an_unbounded_diamond_keeps_facts_where_they_have_values(body):
    has_values = "_" not in body
    assert codes(f"Q(X) :- {body}.") == ["W304"] * has_values


def test_what_has_a_bound_or_no_values_or_is_background_keeps_nothing():
    assert codes("Q(X) :- diamondminus[0,5] P(X), P(X) since[0,3] R(X).") == []
    assert codes("Q :- diamondminus[0,inf) P, top since[0,inf) R.") == []
    assert codes("background P(string). input R(string). Q(X) :- R(X), diamondminus[0,inf) P(X).") == []
    assert codes("timeline integer. Q(X) :- window[last 3 tuples] some P(X).") == []


def test_a_window_of_the_stream_keeps_facts_also_inside_a_bounded_one():
    assert codes("timeline integer. Q(X) :- window[last 3] some window[last 2] some P(X).") == []
    assert codes("timeline integer. Q(X) :- window[last 3] some window[last inf] some P(X).") == []
    assert codes("timeline integer. Q(X) :- window[last 3] some window[last inf, of stream] some P(X).") == ["W304"]


def test_only_rules_that_a_query_needs_count():
    text = "A(X) :- diamondminus[0,inf) P(X). B(X) :- P(X). C(X) :- A(X)."
    assert codes(text, ["B"]) == []
    assert codes(text, ["C"]) == ["W304"]
    assert codes(text) == ["W304"]


def test_a_warning_points_at_the_operator():
    (warning,) = kept_for_ever(thalweg.parse("Q(X) :- P(X),\n  diamondminus[0,inf) P(X)."))
    assert (warning.span.line, warning.span.column) == (2, 3)


def test_a_python_stream_warns_as_well(spark, tmp_path):
    (tmp_path / "in").mkdir()
    stream = spark.readStream.format("thalweg-facts").load(str(tmp_path / "in"))
    program = thalweg.parse("input P(string). Q(X) :- diamondminus[0,inf) P(X).")
    with pytest.warns(UserWarning, match="W304"):
        thalweg.spark.reason(program, stream, "Q")
