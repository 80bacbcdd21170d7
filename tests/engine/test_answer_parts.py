"""Answers of programs that are not stratified: windows over tuples, times that have no name, one answer by guessing."""

import math

import numpy as np
import pytest

import thalweg
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine.answers.decided import Lookup
from thalweg.engine.answers.overestimate import FIRING, overestimate
from thalweg.engine.answers.split import split
from thalweg.engine.answers.tuple_window import tuple_window
from thalweg.engine.answers.window import Window
from thalweg.model.formula import TupleWindow
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY

CHOICE = "timeline integer from 0 to 5.\nA :- P, not B.\nB :- P, not A.\n"


def answers(rules, facts, **options):
    found = thalweg.answers(thalweg.parse(rules, stratified=False), facts, **options)
    return sorted(answer.to_text().replace("\n", " ") for answer in found)


@pytest.mark.parametrize("window", ["window[next 9 tuples]", "window[last 9 tuples]"])
def test_a_window_over_tuples_reaches_the_first_and_the_last_fact(window):
    # Q  │       │   P is between them, and nine tuples are more than there are
    rules = CHOICE + f"C(X) :- P, D(X), (A or {window} some Q(X))."
    facts = "P@2\nQ(a)@0\nQ(b)@5\nD(a)@2\nD(b)@2"
    reached = "b" if "next" in window else "a"
    assert answers(rules, facts, queries=["A", "C"]) == ["A@[2,2] C(a)@[2,2] C(b)@[2,2]", f"C({reached})@[2,2]"]


def test_under_not_a_time_without_a_name_is_any():
    rules = CHOICE + "C :- P, not (A at _)."
    assert answers(rules, "P@[1,2]", queries=["A", "C"]) == ["A@[1,1]", "A@[1,2]", "A@[2,2]", "C@[1,2]"]


def test_one_answer_of_several_that_are_found_by_guessing():
    rules = "timeline integer from 0 to 5.\nA :- P, (B implies A).\nB :- P, (A implies B).\nC :- P, A, B."
    several = answers(rules, "P@[1,2]", queries=["A", "B"])
    (one,) = answers(rules, "P@[1,2]", mode="one", queries=["A", "B"])
    assert len(several) > 1
    assert one in several


def test_where_rules_fire_is_said_by_a_predicate_without_arguments():
    program = thalweg.parse(CHOICE, stratified=False)
    loose, _ = overestimate(program, split(program), guard_all=True)
    assert loose.signatures[FIRING].arity == 0


def test_a_window_over_tuples_counts_those_beyond_the_horizon():
    # Q ──────────────   seen from 3, after which nothing changes: the tuple at 3, and those at 4 and 5
    always = Lookup({"Q": Relation((), np.array([NEGATIVE_INFINITY]), np.array([POSITIVE_INFINITY]))})
    everything = Window(-math.inf, math.inf)
    found = tuple_window(TupleWindow(1, 2), ["Q"], everything, 3, always, Values(), (0, 3))
    assert (found.low, found.high, found.tuples) == (3, 5, {"Q": {(3, ()), (4, ()), (5, ())}})
    found = tuple_window(TupleWindow(3), ["Q"], everything, 0, always, Values(), (0, 3))
    assert (found.low, found.high, found.tuples) == (-2, 0, {"Q": {(-2, ()), (-1, ()), (0, ())}})


def test_a_choice_under_or_binds_variables():
    rules = "timeline integer from 0 to 5.\nA(X) :- P(X), not B(X).\nB(X) :- P(X), not A(X).\nC(X) :- (A(X) or D(X))."
    assert answers(rules, "P(a)@1\nD(d)@2", queries="C") == ["C(a)@[1,1] C(d)@[2,2]", "C(d)@[2,2]"]


@pytest.mark.parametrize(("operator", "time"), [("since", 0), ("until", 4)])
def test_what_is_not_chosen_may_lie_between(operator, time):
    # Q │ or │, and from there to 2 nothing of A
    rules = CHOICE + f"C :- D, (not A) {operator}[2,2] Q."
    assert answers(rules, f"P@[1,3]\nQ@{time}\nD@2", queries="C") == ["", "C@[2,2]"]
