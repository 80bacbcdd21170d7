"""What is said of hypothetical answers before any data comes."""

import pytest

import thalweg
from thalweg.analysis.hypotheses.report import expects_hypotheses, report_on, to_text

TURBINE = """timeline integer.
input Temp(device, level).
delay Temp(_, _) = 1.
Flag(X) at T :- Temp(X, high) at T.
Cool(X) at T + 1 :- Flag(X) at T, Flag(X) at T + 1.
Shdn(X) at T + 1 :- Cool(X) at T, Flag(X) at T + 1.
Malf(X) at T - 2 :- Shdn(X) at T.
Defective(X) at 0 :- Temp(X, high) at T1, Temp(X, "n/a") at T2.
"""


def lines(text, *queries, depth=None, most=20):
    return to_text(report_on(thalweg.parse(text), queries, depth), most).splitlines()


def test_a_bounded_query():
    assert lines(TURBINE, "Malf") == [
        "hypotheses",
        "  Malf(X) at T waits for: Temp(X, high) at T, Temp(X, high) at T + 1, Temp(X, high) at T + 2",
        "    late facts: Temp(X, high) by 1",
        "    delay: answers for t are decided when t + 3 is over",
        "    window: the evidence of what is open is less than 3 old",
        "    open: at most 4 open rows for each binding of X",
        "    connected, but facts may be late: every partial match is kept as a row",
        "    on Spark: spread by X",
    ]


def test_an_unbounded_query_says_which_time_is_not_fixed():
    assert lines(TURBINE, "Defective") == [
        "hypotheses",
        '  Defective(X) at 0 waits for: Temp(X, high) at T1, Temp(X, "n/a") at T2',
        '    late facts: Temp(X, high) by 1, Temp(X, "n/a") by 1',
        "    delay: unbounded: Defective(X) at 0 does not fix the time of Temp(X, high) at T1",
        '    window: unbounded: Temp(X, high) at T1 does not fix the time of Temp(X, "n/a") at T2',
        "    open: no bound on the rows",
        "    not connected (Definition 7) and facts may be late: every partial match is kept as a row",
        "    on Spark: spread by X",
    ]


def test_without_delays_a_connected_query_is_cheap():
    text = "timeline integer.\ninput Hot(x).\nP(X) :- boxminus[0,2] Hot(X).\n"
    shown = lines(text, "P")
    assert "    late facts: none are expected" in shown
    assert "    delay: answers for t are decided when t is over" in shown
    assert "    connected, nothing late, no not: a time point costs polynomial time (Proposition 10)" in shown


def test_conditions_negation_and_background_are_readable():
    text = """timeline integer.
    input On(x). input Noise(x, y, level). input Key(x, y). background Limit(x, level).
    Quiet(X) :- On(X), not Loud(X), not Key(X, _).
    Loud(X) :- Noise(X, Y, L), Limit(X, M), L > (M + 1) * 2, Y != a.
    """
    shown = lines(text, "Quiet")
    assert shown[1:4] == [
        "  Quiet(X) at T waits for: On(X) at T, not Loud(X) at T, not Key(X, _) at T",
        "  Loud, under not:",
        "    Loud(X) at T waits for: Noise(X, Y, L) at T; given Limit(X, M); where L > (M + 1) * 2, Y != a",
    ]


def test_recursive_rules_need_a_depth_and_then_something_is_missing():
    text = """timeline integer.
    input Hot(x). input Link(x, y).
    Warm(X) at T :- Hot(X) at T.
    Warm(Y) at T + 1 :- Warm(X) at T, Link(X, Y) at T.
    """
    assert lines(text, "Warm") == [
        "hypotheses",
        "  Warm cannot be unfolded to its end: Warm depends on itself (E351: unfold it to a stated depth: --depth N)",
    ]
    assert lines(text, "Warm", depth=2)[1:4] == [
        "  Warm(X) at T waits for: Hot(X) at T",
        "  Warm(X) at T waits for: Hot(X2) at T - 1, Link(X2, X) at T - 1",
        "  derivations of Warm with more than 2 nested rules are missing",
    ]


def test_programs_that_are_not_stratified_are_refused():
    program = thalweg.parse(
        "timeline integer.\ninput A(x).\nP(X) :- A(X), not diamondminus[1,1] P(X).\n", stratified=False
    )
    (found,) = report_on(program, ["P"], depth=2)
    assert [each.code for each in found.refused] == ["E310"]


def test_long_lists_are_cut_unless_all_is_asked_for():
    text = "timeline integer.\ninput Hot(x).\nP(X) :- diamondminus[0,29] Hot(X).\n"
    cut, whole = lines(text, "P"), lines(text, "P", most=None)
    assert sum("waits for" in line for line in cut) == 20
    assert "  and 10 more patterns of P; --all shows them" in cut
    assert sum("waits for" in line for line in whole) == 30


def test_without_queries_the_outputs_are_reported_or_all_that_is_derived():
    text = "timeline integer.\ninput Hot(x).\nP(X) :- Hot(X).\nQ(X) :- P(X).\n"
    assert [each.query for each in report_on(thalweg.parse(text))] == ["P", "Q"]
    assert [each.query for each in report_on(thalweg.parse(f"{text}output Q(x).\n"))] == ["Q"]


def test_the_report_as_json():
    (found,) = report_on(thalweg.parse(TURBINE), ["Malf"])
    assert found.to_json() == {
        "query": "Malf",
        "patterns": [
            {
                "answer": "Malf(X) at T",
                "waits_for": ["Temp(X, high) at T", "Temp(X, high) at T + 1", "Temp(X, high) at T + 2"],
                "given": [],
                "where": [],
                "rules": [4, 3, 2, 1, 1, 1],
            }
        ],
        "under_not": {},
        "depth": None,
        "delays": {"Temp(X, high)": 1},
        "delay": 3,
        "window": 3,
        "connected": True,
        "polynomial": False,
        "rows_per_binding": 4,
        "shards": {"by": 1, "keys": {"Temp": 1}, "reason": None},
        "refused": [],
    }


@pytest.mark.parametrize(
    ("text", "is_expected"),
    [
        ("timeline integer.\ninput P(x).\nQ(X) :- P(X).\n", False),
        ("timeline integer.\ninput P(x).\ndelay P = 1.\nQ(X) :- P(X).\n", True),
        ("timeline integer.\ninput P(x).\nprobability P(_) = 0.5.\nQ(X) :- P(X).\n", True),
        ("timeline integer.\ntime in last argument.\ninput P(x, t).\nP(X, T) -> Q(X, T).\n", True),
        ("input P(x).\ndelay P = 1.\nQ(X) :- P(X).\n", False),
    ],
)
def test_programs_that_declare_how_facts_come_are_reported_on_unasked(text, is_expected):
    assert expects_hypotheses(thalweg.parse(text)) is is_expected
