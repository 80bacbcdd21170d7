"""δ from the declarations of a program, and streams that keep to it."""

import pytest
from hypothesis import given, settings

from hypotheses.reading import arriving, fact, facts, read
from thalweg.model.formula import Constant, Variable
from thalweg.testing.hypotheses import (
    all_arrivals,
    arrival_times,
    delay,
    delay_of_pattern,
    delay_of_predicate,
    future_possible,
    histories,
    in_time,
    input_predicates,
    on_time,
    slices,
)
from thalweg.testing.strategies import hypotheses_cases

PROGRAM = read("""
timeline integer.
delay D(_, _) = 1.
delay D(a, _) = 3.
delay D(_, b) = 2.
delay D(c, c) = 0.
Q at T :- D(X, Y) at T, E(X) at T.
""")


@pytest.mark.parametrize(
    ("values", "expected"),
    [("cd", 1), ("ac", 3), ("cb", 2), ("ab", 3), ("cc", 0)],
)
def test_the_largest_of_the_most_specific_declarations_counts(values, expected):
    assert delay(PROGRAM, "D", values) == expected


def test_without_a_declaration_there_is_no_delay():
    assert delay(PROGRAM, "E", "a") == 0


def test_a_specific_declaration_may_lower_the_delay():
    program = read("timeline integer. delay P = 5. delay P(a) = 1. Q at T :- P(X) at T.")
    assert (delay(program, "P", "a"), delay(program, "P", "b")) == (1, 5)


def test_open_atoms_have_the_delay_of_their_latest_instance():
    x, y = Variable("X"), Variable("Y")
    assert delay_of_pattern(PROGRAM, "D", (x, y)) == delay_of_predicate(PROGRAM, "D", 2) == 3
    assert delay_of_pattern(PROGRAM, "D", (Constant("c"), y)) == 2
    assert delay_of_pattern(PROGRAM, "D", (x, Constant("c"))) == 3
    assert delay_of_pattern(PROGRAM, "D", (x, x)) == 3
    assert delay_of_pattern(PROGRAM, "E", (x,)) == 0


def test_an_atom_is_future_possible_until_its_time_and_delay_have_passed():
    # D(c, d) at 4, δ = 1: it may come in the slices of 4 and 5
    atom = fact("D(c,d)@4")
    assert [future_possible(PROGRAM, atom, closed) for closed in (3, 4, 5)] == [True, True, False]


@settings(max_examples=20)
@given(hypotheses_cases())
def test_no_instance_is_later_than_its_predicate(case):
    for name, arity in input_predicates(case.program).items():
        longest = delay_of_predicate(case.program, name, arity)
        own = [delay(case.program, name, each.atom.values) for each in case.arrivals if each.atom.predicate == name]
        assert all(each <= longest for each in own)


def test_slices_hold_what_arrives_and_histories_what_has_arrived():
    cut = slices(arriving("P@0:1 R@1:1 P@2:3"))
    assert cut == [frozenset(), facts("P@0 R@1"), frozenset(), facts("P@2")]
    assert histories(cut) == [frozenset(), facts("P@0 R@1"), facts("P@0 R@1"), facts("P@0 R@1 P@2")]


def test_slices_go_on_as_long_as_they_are_asked_for():
    assert slices(arriving("P@2:3"), last=4, first=2) == [frozenset(), facts("P@2"), frozenset()]


def test_a_fact_that_comes_again_changes_nothing():
    assert slices(arriving("P@0:0 P@0:1")) == [facts("P@0"), frozenset()]


def test_a_fact_is_in_time_from_its_own_time_until_its_delay_has_passed():
    arrivals = arriving("D(c,d)@4:3 D(c,d)@4:4 D(c,d)@4:5 D(c,d)@4:6")
    assert [in_time(PROGRAM, each) for each in arrivals] == [False, True, True, False]


def test_facts_arrive_in_all_ways_that_their_delays_allow():
    data = sorted(facts("D(c,d)@4 E(a)@0"))
    assert [[each.arrives for each in way] for way in all_arrivals(PROGRAM, data)] == [[4, 0], [5, 0]]
    assert arrival_times(PROGRAM, data[0]) == range(4, 6)
    assert on_time(data) in all_arrivals(PROGRAM, data)
