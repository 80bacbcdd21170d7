"""Models and answers by brute force (LARS paper, Definitions 8 and 9): minimal models of the FLP reduct."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from amount import amount
from oracle.reading import answer_sets, read
from thalweg.testing import (
    Inconsistent,
    assert_same_answers,
    brute_force_answers,
    is_minimal_model_of_reduct,
    is_model,
    naive_answer_at,
    naive_materialise,
)
from thalweg.testing.lars.answer_sets import as_answers
from thalweg.testing.strata import strata
from thalweg.testing.strategies import small_lars_cases
from thalweg.time.timeline import Timeline

TWO_POINTS = "timeline integer from 0 to 1."


def answers(rules, time=0):
    return answer_sets(f"{TWO_POINTS} {rules}", time)


def test_a_choice():
    assert answers("A :- not B. B :- not A.") == {"A@0", "B@0"}


def test_at_all_times_each_time_point_has_its_own_choice():
    assert answers("A :- not B. B :- not A.", None) == {"A@0 A@1", "A@0 B@1", "A@1 B@0", "B@0 B@1"}


def test_a_choice_for_a_whole_window():
    rules = "A :- not window[last 1, next 1] some B. B :- not window[last 1, next 1] some A."
    assert answers(rules, None) == {"A@0 A@1", "B@0 B@1"}


def test_a_paradox_has_no_answer():
    assert answers("A :- not A.") == set()


def test_a_constraint_rules_answers_out():
    assert answers("A :- not B. B :- not A. bottom :- A.") == {"B@0"}


def test_a_doubly_negated_atom_does_not_support_itself():
    # The reduct keeps the rule for {A}; the smaller ∅ satisfies it, too.
    assert answers("A :- not not A.") == {""}
    assert answers("A :- not (not A, top).") == {""}


def test_an_atom_follows_from_itself_or_its_absence():
    # Split into two rules, A ← A and A ← not A, it would have no answer.
    assert answers("A :- (A or not A).") == {"A@0"}
    assert answers("A :- A. A :- not A.") == set()


def test_implications():
    assert answers("A :- (B implies A).") == {"A@0"}
    assert answers("A :- (B implies A). B :- A.") == set()
    assert answers("A :- (A implies B). B :- (B implies A).") == {"A@0 B@0"}


def test_a_window_in_the_reduct_is_made_anew_in_the_smaller_stream():
    # In {A@0, A@1} the last tuple of A is that at 1, which supports both; without them there is none.
    assert answers("A at 0 :- window[last 1 tuples] some A. A at 1 :- window[last 1 tuples] some A.", 1) == {""}


def test_at_heads_derive_at_other_times():
    assert answers("A at 1 :- not B. B at 1 :- not some A.") == {"A@1"}
    assert answers("A at 1 :- not B at 1. B at 1 :- not A at 1.") == {"A@1", "B@1"}
    assert answers("A at 2 :- not B.") == {""}


def test_data_belong_to_every_answer():
    assert answers("A :- B, not C. B@[0,1].") == {"A@0 B@0 B@1"}


def test_models_and_minimal_models_of_the_reduct():
    program = read(f"{TWO_POINTS} A :- not B. B :- not A.")
    both = {("A", (), 0), ("B", (), 0)}
    assert is_model(program, (), both, 0)
    assert not is_minimal_model_of_reduct(program, (), both, 0)
    assert is_minimal_model_of_reduct(program, (), {("A", (), 0)}, 0)
    assert not is_model(program, (), {("A", (), 0)})
    assert not is_model(program, (), (), 0)


def test_an_interpretation_without_the_data_is_no_model():
    program = read(f"{TWO_POINTS} A :- B, C. B@0.")
    assert not is_model(program, (), (), 0)
    assert is_model(program, (), {("B", (), 0)}, 0)


def test_too_many_atoms_are_refused():
    with pytest.raises(ValueError, match="14 atoms may or may not hold"):
        brute_force_answers(read("timeline integer from 0 to 6. A :- not B. B :- not A."), ())


@settings(max_examples=amount(120))
@given(small_lars_cases())
def test_stratified_programs_have_the_one_answer_that_the_fixpoint_finds(case):
    assume(is_stratified(case.program))
    try:
        expected = [fixpoint(case)]
    except Inconsistent:
        expected = []
    found = [as_answers(stream) for stream in brute_force_answers(*case)]
    assert len(found) == len(expected)
    for actual, wanted in zip(found, expected, strict=True):
        assert_same_answers(actual, wanted, Timeline.INTEGER)


def fixpoint(case):
    if case.at is not None:
        return naive_answer_at(case.program, case.facts, case.at)
    return naive_materialise(case.program, case.facts, Fraction(0), case.program.timeline_end)


def is_stratified(program):
    try:
        strata(program.rules)
    except ValueError:
        return False
    return True
