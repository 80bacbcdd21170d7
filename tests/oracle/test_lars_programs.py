"""The oracle on whole programs of LARS: what rules derive at all times, and at an evaluation time."""

from fractions import Fraction

import pytest

from oracle.reading import at, derived, read
from thalweg.testing import Inconsistent, naive_materialise

TRAMS = """
    timeline integer from 0 to 50.
    background Line(id, line). background Plan(line, from, to, minutes). background Old(id).
    input Tram(id, stop).

    Rel(L, X) :- Line(Id, L), window[last 10] some Tram(Id, X).
    Exp(Id, Y) at T + Z :- window[last 1 tuples per 1] Tram(Id, X) at T, Line(Id, L), Plan(L, X, Y, Z).
    Gc(I, J, X) :- Exp(I, X) at T, (window[last 0, next 5] some Exp(J, X)) at T, not Old(J).

    Line(a1, l1). Line(a2, l2). Plan(l1, p1, p3, 8). Plan(l2, p2, p3, 3). Old(a1).
    Tram(a1, p1)@36. Tram(a2, p2)@40.
"""
"""Example 5 of the LARS paper."""


def test_trams_at_an_evaluation_time():
    # Example 4 has rel(a1, p1) for rel(l1, p1), and neither rel(l2, p2) nor gc(a2, a2, p3).
    for time in (40, 43, 44):
        assert at(TRAMS, time) == [
            "Exp(a1,p3)@[44,44]",
            "Exp(a2,p3)@[43,43]",
            f"Gc(a2,a2,p3)@[{time},{time}]",
            f"Rel(l1,p1)@[{time},{time}]",
            f"Rel(l2,p2)@[{time},{time}]",
        ]
    assert at(TRAMS, 36) == ["Exp(a1,p3)@[44,44]", "Rel(l1,p1)@[36,36]"]
    assert at(TRAMS, 35) == []


def test_trams_at_all_times():
    assert derived(TRAMS, end=50) == [
        "Exp(a1,p3)@[44,44]",
        "Exp(a2,p3)@[43,43]",
        "Gc(a2,a2,p3)@[0,50]",
        "Rel(l1,p1)@[36,46]",
        "Rel(l2,p2)@[40,50]",
    ]


def test_the_readings_differ_on_derived_atoms_in_windows():
    text = "timeline integer from 0 to 9. P :- window[last 2] some A. Q :- window[last 2] some P. A@3."
    assert derived(text, end=9) == ["P@[3,5]", "Q@[3,7]"]
    assert at(text, 6) == []
    assert at(text, 5) == ["P@[5,5]", "Q@[5,5]"]


def test_recursion_through_a_window():
    text = "timeline integer from 0 to 6. P :- A. P :- window[last 1] all (P or B). A@2. B@3. B@5."
    # A   . . x . . . .
    # B   . . . x . x .
    # P   . . x x . . .     at 4 it would need itself
    assert derived(text, end=6) == ["P@[2,3]"]


def test_heads_outside_the_timeline_or_between_time_points_are_ignored():
    text = "timeline integer from 0 to 6. P at T * 3 :- A at T. Q at T / 2 :- A at T. A@[1,3]."
    assert derived(text, end=6) == ["P@[3,3] [6,6]", "Q@[1,1]"]


def test_boxes_in_heads_are_clipped():
    assert derived("timeline integer from 0 to 6. boxminus[0,3] P :- some A, B. A@0. B@[2,5].", end=6) == ["P@[0,5]"]


def test_facts_are_cut_to_the_timeline():
    assert derived("timeline integer from 0 to 6. P :- window[last 1] some A. A@(-inf,2].", end=6) == ["P@[0,3]"]


def test_without_an_end_the_timeline_goes_on_as_far_as_rules_reach():
    assert derived("timeline integer. P :- window[last 3] some A. A@[0,5].", end=12) == ["P@[0,8]"]
    assert derived("timeline integer. P :- window[last 0, next 3] some A. A@11.", end=10) == ["P@[8,10]"]


def test_a_rule_with_head_bottom_that_fires():
    text = "timeline integer from 0 to 6. bottom :- window[last 2] some A, B. A@2. B@[4,6]."
    with pytest.raises(Inconsistent, match=r"\[4,4\]"):
        derived(text)


FACTS = "A@1. A@3. B(a)@[2,3]. B(b)@[3,4]. C(a)@[0,1]. C(c)@[0,6]. N(a, 2)@1. N(b, 2)@1. N(c, 5)@[1,2]."
# A    . x . x . . .      B(a) . . x x . . .      B(b) . . . x x . .
# C(a) x x . . . . .      C(c) x x x x x x x


@pytest.mark.parametrize("timeline", ["timeline integer from 0 to 6. W :- some A.", "timeline integer.", ""])
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("P :- (A or B(a)).", {"P": "1 2 3"}),
        ("P(X) :- (B(X) or C(X)), A.", {"P(a)": "1 3", "P(b)": "3", "P(c)": "1 3"}),
        ("P :- diamondminus[1,1] (A, not B(a)).", {"P": "2"}),
        ("P :- A, (B(_) implies C(a)).", {"P": "1"}),
        ("P(X) :- A, C(X), not (B(a), not B(X)).", {"P(a)": "1", "P(c)": "1"}),
        ("P(K) :- A, K = count { X : B(X) }.", {"P(0)": "1", "P(2)": "3"}),
        ("P(X, K) :- K = count { Y : B(X), C(Y) }.", {"P(a,1)": "2 3", "P(b,1)": "3 4"}),
        ("P(X, K) :- C(X), A, K = count { Y : B(X), C(Y) }.", {"P(a,0)": "1", "P(c,0)": "1 3"}),
        ("P(K) :- K = sum { V : N(_, V) }, A.", {"P(7)": "1", "P(0)": "3"}),
        ("P(K) :- K = sum { V, X : N(X, V) }, A.", {"P(9)": "1", "P(0)": "3"}),
        ("P(K) :- K = min { V : N(_, V) }, A.", {"P(2)": "1"}),
        ("P(K) :- K = max { V : N(_, V) }.", {"P(5)": "1 2"}),
        ("P(K) :- K = avg { V, X : N(X, V) }.", {"P(3)": "1", "P(5)": "2"}),
        ("P(K) :- K = avg { V : N(_, V) }.", {"P(7/2)": "1", "P(5)": "2"}),
        ("P(X) :- C(X), count { Y : B(Y), Y != X } > 1.", {"P(c)": "3"}),
        ("P(K + 1) :- K = count { Y : B(Y) }, A, not N(_, K + 2).", {"P(3)": "3"}),
        ("P(V) :- V = count { Y : B(Y) }, N(_, V).", {}),
        ("P(V) :- V = count { Y : C(Y) }, N(_, V).", {"P(2)": "1"}),
    ],
)
def test_disjunctions_nested_negations_and_aggregates(timeline, rules, expected):
    assert points(f"{timeline} {rules} {FACTS}") == expected


def points(text):
    """The whole numbers from 0 to 6 at which each atom of P holds."""
    answers = naive_materialise(read(text), (), Fraction(0), Fraction(6))
    return {
        f"P({','.join(map(str, arguments))})".replace("()", ""): " ".join(
            str(time) for time in range(7) if any(Fraction(time) in interval for interval in intervals)
        )
        for (name, arguments), intervals in answers.items()
        if name == "P"
    }


def test_aggregates_over_windows():
    text = """
        timeline integer from 0 to 6.
        P(K) :- A, K = count { X : window[last 2] some B(X) }.
        Q(K, T) :- A, K = count { X, U : window[last 2] B(X) at U }, T = K * 2.
        A@3. A@6. B(a)@[1,2]. B(b)@3.
    """
    assert derived(text, end=6) == ["P(0)@[6,6]", "P(2)@[3,3]", "Q(0,0)@[6,6]", "Q(3,6)@[3,3]"]


def test_time_variables_join():
    text = """
        timeline integer from 0 to 9.
        P(X, T) :- A(X) at T, B(X) at T + 2.
        Q(X) at T :- A(X) at T, not B(X) at T + 2.
        A(a)@[1,3]. B(a)@4. A(b)@8.
    """
    assert derived(text, end=9) == ["P(a,2)@[0,9]", "Q(a)@[1,1] [3,3]", "Q(b)@[8,8]"]
