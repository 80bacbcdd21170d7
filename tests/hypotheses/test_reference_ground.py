"""Entailment over finitely many atoms: by hand, and against the oracle of all programs."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from hypotheses.reading import fact, facts, read
from thalweg.model.formula import Atom, Constant
from thalweg.model.program import Fact
from thalweg.testing import naive_materialise
from thalweg.testing.hypotheses import Ground, GroundAtom, input_atoms, input_predicates, stretch
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases
from thalweg.time.interval import point

EVERYTHING = HypothesesKnobs(comparisons=True, negation=True, metric=True)


def consequences(text: str, given_facts: str, predicate: str = "Q", times: range = range(9)) -> str:
    program, data = read(f"timeline integer. {text}"), facts(given_facts)
    holds = Ground(program, data, times).consequences(data)
    return " ".join(sorted(str(each) for each in holds if each.predicate == predicate))


def test_atoms_at_times():
    assert consequences("Q(X) at T + 1 :- P(X) at T, P(X) at T + 2.", "P(a)@1 P(a)@3 P(b)@3 P(b)@4") == "Q(a)@2"


def test_bare_atoms_hold_at_one_time():
    assert consequences("Q(X) :- P(X), R(X).", "P(a)@1 R(a)@1 P(b)@1 R(b)@2") == "Q(a)@1"


def test_constants_as_times():
    assert consequences("Q(X) at 0 :- P(X) at 3.", "P(a)@3 P(b)@2") == "Q(a)@0"


def test_several_time_variables():
    assert consequences("Q at S :- P at T, R at S, S < T.", "P@3 R@1 R@5") == "Q@1"


def test_a_head_without_a_time_of_its_own_holds_always():
    assert consequences("Q :- P at T.", "P@3", times=range(3)) == ""
    assert consequences("Q :- P at T.", "P@1", times=range(3)) == "Q@0 Q@1 Q@2"


def test_nothing_holds_before_the_timeline_not_even_in_between():
    program = "R at T - 3 :- P at T. Q at T + 3 :- R at T."
    assert consequences(program, "P@2 P@3", times=range(-5, 9)) == "Q@3"


def test_a_time_variable_may_lie_before_the_timeline_if_no_atom_does():
    assert consequences("Q at T + 1 :- P at T + 1.", "P@0", times=range(-5, 9)) == "Q@0"


def test_without_at_time_has_no_start():
    assert consequences("Q :- diamondplus[3,3] P.", "P@1", times=range(-5, 9)) == "Q@-2"


def test_arithmetic_makes_new_values():
    assert consequences("Q(X + 1) at T :- P(X) at T, X > 1.", "P(1)@0 P(2)@0") == "Q(3)@0"
    assert consequences("Q(X, S - T) at S :- P(X) at T, R(X) at S.", "P(a)@1 R(a)@4") == "Q(a,3)@4"


def test_texts_and_numbers_have_no_order():
    assert consequences("Q(X) at T :- P(X) at T, X > 1.", "P(a)@0 P(2)@0") == "Q(2)@0"


def test_negation_is_stratified():
    program = "R at T :- P at T. Q at T :- S at T, not R at T + 1."
    assert consequences(program, "S@1 S@2 P@2") == "Q@2"


def test_anonymous_variables_under_not_stand_for_anything():
    assert consequences("Q(X) :- P(X), not R(X, _).", "P(a)@1 P(b)@1 R(a,c)@1") == "Q(b)@1"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        # P  ●   ●   ●       ●      at 1, 2, 3 and 5
        ("diamondminus[1,2] P", "2 3 4 5 6 7"),
        ("boxminus[1,2] P", "3 4"),
        ("diamondplus[1,2] P", "-1 0 1 2 3 4"),
        ("boxplus[1,2] P", "0 1"),
        ("P since[2,2] R", "2"),
        ("P until[1,3] R", "-1 4"),
        ("boxminus[0,1] diamondminus[0,1] P", "2 3 4 5 6"),
        ("P or R", "0 1 2 3 5"),
    ],
)
def test_operators_point_by_point(formula, expected):
    # R at 0 and 5; times from −2 to 8
    text = f"Q :- ({formula})."
    holds = consequences(text, "P@1 P@2 P@3 P@5 R@0 R@5", times=range(-2, 9))
    assert holds == " ".join(sorted(f"Q@{time}" for time in expected.split()))


def test_boxes_in_heads():
    assert consequences("boxplus[0,1] boxminus[2,2] Q :- P.", "P@3") == "Q@1 Q@2"


def test_facts_of_the_program_always_count():
    assert consequences("P@2. Q at T :- P at T, R at T.", "R@1 R@2") == "Q@2"


def test_inputs_are_what_no_rule_derives():
    program = read("timeline integer. background K(string). R(X) at T :- P(X, Y) at T, K(X). Q at T :- R(X) at T.")
    assert input_predicates(program) == {"P": 2}


def test_input_atoms_have_the_declared_types_and_lie_on_the_timeline():
    program = read("timeline integer from 1. input P(x: string, n: integer). Q at T :- P(X, Y) at T.")
    found = input_atoms(program, ["a", Fraction(1), Fraction(1, 2)], range(3))
    assert found == facts("P(a,1)@1 P(a,1)@2")


def test_a_cone_has_the_inputs_that_an_atom_depends_on():
    program = read("timeline integer. R(X) at T :- P(X) at T. Q(X) at T :- R(X) at T, not S(X) at T + 1.")
    ground = Ground(program, input_atoms(program, "ab", range(4)), range(5))
    assert ground.about(fact("Q(a)@1")).inputs == facts("P(a)@1 S(a)@2")


@settings(max_examples=70)
@given(hypotheses_cases(EVERYTHING))
def test_all_that_the_oracle_derives_follows_and_nothing_else(case):
    data = frozenset(arrival.atom for arrival in case.arrivals)
    around = stretch(case.program, case.times)
    ground = Ground(case.program, data, stretch(case.program, around))
    start, end = Fraction(around.start), Fraction(around.stop - 1)
    oracle = naive_materialise(case.program, map(_as_fact, data), start, end, margin=Fraction(len(around)))
    expected = {
        GroundAtom(predicate, values, time)
        for (predicate, values), intervals in oracle.items()
        for time in around
        if any(Fraction(time) in interval for interval in intervals)
    }
    assert {atom for atom in ground.consequences(data) if atom.time in around} == expected


def _as_fact(atom: GroundAtom) -> Fact:
    return Fact(Atom(atom.predicate, tuple(map(Constant, atom.values))), point(atom.time))
