"""The examples of the paper, by its definitions and by its algorithm."""

import pytest

from hypotheses.reading import TURBINES, answer, facts, pattern, patterns, read
from thalweg.testing.hypotheses import (
    Hypothetical,
    Query,
    Row,
    Supported,
    computed_answers,
    instances,
    local_mgus,
    schematic_answers,
    unfold,
)
from thalweg.testing.hypotheses.terms import Known, pattern_of

CONSTANTS = ("wt2", "wt4", "high", "n/a")
MALF = pattern("Malf(X, T)")
OPEN = patterns("Temp(X, high, T) Temp(X, high, T + 1) Temp(X, high, T + 2)")

AT_ONCE = read(TURBINES)
"""Every δ is 0."""
DELAYED = read(f"{TURBINES} delay Temp = 1.")


def readings(*times: int, turbine: str = "wt2"):
    return facts(" ".join(f"Temp({turbine},high)@{time}" for time in times))


def malf(program) -> Query:
    return Query(program, "Malf", CONSTANTS, range(7))


def rows(program, *slices, query=MALF):
    """The last 𝒮_τ, without what only the conditions on the timeline tell apart."""
    return {(each.answer, each.evidence, each.hypotheses) for each in schematic_answers(program, query, slices)[-1]}


def row(theta: str, evidence, hypotheses):
    return pattern(theta), frozenset(map(pattern_of, evidence)), frozenset(map(pattern_of, hypotheses))


# Example 1


def test_example_1_there_is_an_answer_when_the_third_reading_has_come():
    query = malf(AT_ONCE)
    assert query.answers(readings(0)) == frozenset()
    assert query.answers(readings(0, 1)) == frozenset()
    assert query.answers(readings(0, 1, 2)) == {answer("wt2@0")}


# Example 2


def test_example_2_two_readings_make_a_supported_answer():
    query, data = malf(AT_ONCE), readings(0, 1)
    assert Hypothetical(answer("wt2@0"), readings(2)) in query.hypothetical(data, 1, 3)
    assert Supported(answer("wt2@0"), readings(2), readings(0, 1)) in query.supported(data, 1, 3)


def test_example_2_without_evidence_an_answer_is_not_supported():
    query, data = malf(AT_ONCE), readings(0, 1)
    assert Hypothetical(answer("wt2@3"), readings(3, 4, 5)) in query.hypothetical(data, 1, 3)
    assert answer("wt2@3") not in {each.answer for each in query.supported(data, 1, 3)}


# Example 3


def test_example_3_unfolding():
    [found] = unfold(AT_ONCE, MALF)
    assert (found.answer, found.hypotheses) == (MALF, OPEN)


def test_example_3_without_delays_rows_live_as_long_as_readings_come():
    # The example leaves out the row without evidence, which Definition 6 keeps.
    start = (MALF, frozenset(), OPEN)
    first, second, third = readings(0), readings(1), readings(2)
    assert rows(AT_ONCE, first) == {start, row("Malf(wt2, 0)", readings(0), readings(1, 2))}
    assert rows(AT_ONCE, first, second) == {
        start,
        row("Malf(wt2, 0)", readings(0, 1), readings(2)),
        row("Malf(wt2, 1)", readings(1), readings(2, 3)),
    }
    assert rows(AT_ONCE, first, second, third) == {
        start,
        row("Malf(wt2, 0)", readings(0, 1, 2), readings()),
        row("Malf(wt2, 1)", readings(1, 2), readings(3)),
        row("Malf(wt2, 2)", readings(2), readings(3, 4)),
    }


# Examples 4 and 5


def test_example_4_a_reading_may_still_come_one_time_point_later():
    query, data = malf(DELAYED), readings(0, turbine="wt4")
    hypotheses = readings(1, 2, turbine="wt4")
    assert Hypothetical(answer("wt4@0"), hypotheses) in query.hypothetical(data, 1, 3)
    assert Supported(answer("wt4@0"), hypotheses, data) in query.supported(data, 1, 3)
    assert answer("wt4@0") not in {each.answer for each in query.hypothetical(data, 2, 3)}


def test_example_5_a_computed_answer_with_premises():
    found = computed_answers(DELAYED, MALF, readings(0, turbine="wt4"), 1)
    expected = row("Malf(wt4, 0)", readings(0, turbine="wt4"), readings(1, 2, turbine="wt4"))
    assert expected in {(each.answer, each.evidence, each.hypotheses) for each in found}


# Example 6


PAIRS = read("timeline integer. delay p = 2. q(X) at T :- p(X) at T, r(Y) at T.")


def test_example_6_local_mgus():
    gamma = patterns("p(X, T) r(Y, T)")
    zero, a, b = Known(0), Known("a"), Known("b")
    assert local_mgus(gamma, patterns("p(a, 0) r(b, 0)")) == {
        frozenset(),
        frozenset({("X", a), ("T", zero)}),
        frozenset({("Y", b), ("T", zero)}),
        frozenset({("X", a), ("Y", b), ("T", zero)}),
    }


def test_example_6_the_substitution_that_waits_for_r_is_discarded():
    delivered = facts("p(a)@0 r(b)@0")
    found = rows(PAIRS, delivered, query=pattern("q(X, T)"))
    ours = {(theta, evidence) for theta, evidence, _ in found}
    assert ours == {
        (pattern("q(X, T)"), frozenset()),
        (pattern("q(X, 0)"), patterns("r(b, 0)")),
        (pattern("q(a, 0)"), patterns("p(a, 0) r(b, 0)")),
    }


def test_example_6_another_p_makes_another_answer():
    found = rows(PAIRS, facts("p(a)@0 r(b)@0"), [], facts("p(c)@0"), query=pattern("q(X, T)"))
    assert (pattern("q(c, 0)"), patterns("p(c, 0) r(b, 0)"), frozenset()) in found


# Example 7


def test_example_7_nothing_changes_while_the_reading_may_still_come():
    start = (MALF, frozenset(), OPEN)
    expected = {start, row("Malf(wt2, 0)", readings(0), readings(1, 2))}
    assert rows(DELAYED, readings(0)) == expected
    assert rows(DELAYED, readings(0), []) == expected


@pytest.mark.parametrize(
    ("delivered", "evidence", "hypotheses"),
    [
        # The paper prints one set {0, 1, 2} here, instead of the evidence {0, 1} and the hypothesis {2}.
        ((1,), (0, 1), (2,)),
        ((1, 2), (0, 1, 2), ()),
    ],
)
def test_example_7_the_delayed_reading_comes(delivered, evidence, hypotheses):
    found = rows(DELAYED, readings(0), [], readings(*delivered))
    assert [each for each in found if each[0] == pattern("Malf(wt2, 0)")] == [
        row("Malf(wt2, 0)", readings(*evidence), readings(*hypotheses))
    ]


def test_example_7_the_delayed_reading_does_not_come():
    found = rows(DELAYED, readings(0), [], readings(2))
    assert pattern("Malf(wt2, 0)") not in {theta for theta, _, _ in found}


def test_example_7_answers_are_copied_to_all_later_sets():
    found = rows(DELAYED, readings(0), [], readings(1, 2), [], [], [])
    assert row("Malf(wt2, 0)", readings(0, 1, 2), readings()) in found


# Example 8


DEFECTS = read(f'{TURBINES} Defective(X) at 0 :- Temp(X, high) at T1, Temp(X, "n/a") at T2.')


def test_example_8_a_time_may_stay_open():
    [found] = unfold(DEFECTS, pattern("Defective(X, T)"))
    assert found.answer == pattern("Defective(X, 0)")
    [defect] = [each for each in _defects(readings(0)) if each.evidence]
    assert defect.answer == pattern("Defective(wt2, 0)")
    assert defect.evidence == patterns("Temp(wt2, high, 0)")
    [hypothesis] = defect.hypotheses
    assert hypothesis.arguments == (Known("wt2"), Known("n/a"))
    assert hypothesis.variables


def test_example_8_its_instances_are_supported_answers():
    [defect] = [each for each in _defects(readings(0)) if each.evidence]
    query = Query(DEFECTS, "Defective", CONSTANTS, range(7))
    ours = set(instances(DEFECTS, defect, CONSTANTS, range(7), closed=0))
    assert {str(atom) for each in ours for atom in each.hypotheses} == {f"Temp(wt2,n/a)@{t}" for t in range(1, 7)}
    assert ours == {each for each in query.supported(readings(0), 0, 2) if each.answer == answer("wt2@0")}


def test_example_8_says_nothing_of_different_times():
    # "at some (different) time": the rule lets both readings have one time.
    query = Query(DEFECTS, "Defective", CONSTANTS, range(7))
    assert query.answers(facts("Temp(wt2,high)@0 Temp(wt2,n/a)@0")) == {answer("wt2@0")}


def _defects(*slices):
    return schematic_answers(DEFECTS, pattern("Defective(X, T)"), slices)[-1]


# Before Proposition 9


FOUR = """
timeline integer.
q at 0 :- p(a) at 0, p(b) at 1, p(c) at 2.
q at 0 :- p(a) at 0, p(c) at 2, p(d) at 3.
"""


def test_a_row_may_ask_for_more_than_is_needed():
    program = read(FOUR)
    found = rows(program, facts("p(a)@0"), facts("p(b)@1"), query=pattern("q(T)"))
    assert found == {
        row("q(0)", facts("p(a)@0 p(b)@1"), facts("p(c)@2")),
        row("q(0)", facts("p(a)@0"), facts("p(c)@2 p(d)@3")),
    }
    supported = Query(program, "q", "abcd", range(5)).supported(facts("p(a)@0 p(b)@1"), 1, 3)
    assert supported == {Supported(answer("@0"), facts("p(c)@2"), facts("p(a)@0 p(b)@1"))}


def test_rows_print_as_the_paper_writes_them():
    assert (
        str(Row(pattern("q(X, T)"), patterns("p(X, T + 1)"), patterns("p(a, 0)")))
        == "⟨q(X, T), {p(a, 0)}, {p(X, T+1)}⟩"
    )
