"""Which programs are called Temporal Datalog."""

import pytest

import thalweg
from thalweg.analysis.report import analyse

INPUTS = "timeline integer. input p(x). input r(x)."


def dialect(rules):
    return analyse(thalweg.parse(f"{INPUTS} {rules}")).dialect


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ("q(X) at T - 2 :- p(X) at T.", "Temporal Datalog"),
        ("q(X) at T :- p(X) at T, r(Y) at T + 1, r(X) at S.", "Temporal Datalog"),
        ("q(X) at 0 :- p(X) at T.", "Temporal Datalog"),
        ("q(X) at T :- p(X) at T, not r(X) at T + 1.", "Temporal Datalog with stratified negation"),
        ("q(X) at T :- p(X) at T, r(Y) at S, X < Y.", "Temporal Datalog with comparisons"),
        ("q(X) :- p(X), r(X).", "Datalog at each time point"),
        ("q(X) at T :- window[last 2] (p(X) at T).", "LARS"),
    ],
)
def test_atoms_at_times_of_their_own_are_temporal_datalog(rules, name):
    assert dialect(rules) == name


def test_the_form_with_the_time_as_last_argument_is_temporal_datalog():
    program = thalweg.parse("time in last argument. input p(x, t). q(X, T + 1) :- p(X, T).")
    assert analyse(program).dialect == "Temporal Datalog"


def test_rules_that_make_values_and_the_rational_timeline_are_not_temporal_datalog():
    assert dialect("exists Y: q(X, Y) at T + 1 :- p(X) at T.") != "Temporal Datalog"
    rational = thalweg.parse("input p(x). q(X) :- p(X), diamondminus[1,1] p(X).")
    assert "Temporal Datalog" not in analyse(rational).dialect
