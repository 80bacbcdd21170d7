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


INPUTS = "timeline integer.\ninput P(x). input R(x, y). input N(x, n).\n"


def first_line(rule):
    return lines(INPUTS + rule, "Q")[1].strip()


def test_a_conjunction_in_an_operator_waits_for_all_its_parts():
    assert lines(f"{INPUTS}Q(X) :- diamondminus[1,2] (P(X), R(X, Y)).", "Q")[1:3] == [
        "  Q(X) at T waits for: P(X) at T - 1, R(X, _) at T - 1",
        "  Q(X) at T waits for: P(X) at T - 2, R(X, _) at T - 2",
    ]


def test_an_equation_that_only_values_can_solve_stays_a_condition():
    assert first_line("Q(X) :- N(X, M), N(Y, L), M = L * 2, P(Y).") == (
        "Q(X) at T waits for: N(X, M) at T, N(Y, L) at T, P(Y) at T; where M = L * 2"
    )


def test_variables_without_a_name_in_the_rules_get_one():
    assert first_line("Q(X) :- N(X, M), N(X, M * 2).") == (
        "Q(X) at T waits for: N(X, M) at T, N(X, V) at T; where V = M * 2"
    )
    assert first_line("Q(X) at 5 :- P(X).") == "Q(X) at 5 waits for: P(X) at T"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Q(X) :- P(X), P(Y).", "P(X) at T"),
        ("Q(X) :- P(X), P(Y), X > 3, Y > 3.", "P(X) at T, P(Y) at T; where X > 3, Y > 3"),
        (
            "Q(X) :- P(X), P(Y), not R(X, X), not R(Y, Y).",
            "P(X) at T, P(Y) at T, not R(X, X) at T, not R(Y, Y) at T",
        ),
    ],
)
def test_an_atom_that_gives_a_condition_its_value_is_not_left_out(rule, said):
    assert first_line(rule) == f"Q(X) at T waits for: {said}"


@pytest.mark.parametrize("at", ["", " at S"])
def test_an_operator_in_a_window_is_refused_also_where_its_time_is_named(at):
    said = first_line(f"Q(X) :- window[last 2] ((diamondminus[0,1] P(X)){at}), P(X), N(X, S).")
    assert "has a metric operator in a window" in said


def test_a_window_in_a_window_is_refused():
    assert "has a window in a window" in first_line("Q(X) :- window[last 2] (window[last 1] some P(X)).")


def test_an_argument_with_the_name_of_another_gets_its_own():
    assert lines(f"{INPUTS}Q(X, X) :- P(X). Q(X, Y) :- R(X, Y).", "Q")[1:3] == [
        "  Q(X2, X2) at T waits for: P(X2) at T",
        "  Q(X, X2) at T waits for: R(X, X2) at T",
    ]


@pytest.mark.parametrize("name", ["X2", "X3"])
def test_a_name_that_is_made_up_is_not_one_that_is_taken(name):
    # Were it taken, Q(a, b) would be waited for only where a is b.
    _, same, other, *_ = lines(f"{INPUTS}Q({name}, {name}) :- P({name}). Q(A, B) :- R(A, B).", "Q")
    made_up = "X3" if name == "X2" else "X2"
    assert same == f"  Q({made_up}, {made_up}) at T waits for: P({made_up}) at T"
    assert other == f"  Q({name}, {made_up}) at T waits for: R({name}, {made_up}) at T"


def test_the_report_as_json_has_what_is_under_not():
    text = f"{INPUTS}Q(X) :- P(X), not S(X).\nS(X) :- R(X, Y), P(Y)."
    (found,) = report_on(thalweg.parse(text), ["Q"])
    below = {"waits_for": ["R(X, Y) at T", "P(Y) at T"], "given": [], "where": [], "rules": [2]}
    assert found.to_json()["under_not"] == {"S": [{"answer": "S(X) at T", **below}]}


@pytest.mark.parametrize("equation", ["T = S + 1", "T = 1 + S", "S = T - 1", "S + 1 = T", "1 + S = T"])
def test_an_equation_between_times_is_solved_however_it_is_written(equation):
    assert first_line(f"Q(X) at T :- P(X) at S, R(X, X) at T, {equation}.") == (
        "Q(X) at T waits for: P(X) at T - 1, R(X, X) at T"
    )


def test_the_time_of_an_answer_has_a_name_of_its_own():
    assert first_line("Q(T, Time) :- R(T, Time).") == "Q(T, Time) at T2 waits for: R(T, Time) at T2"


def test_a_condition_on_a_time_is_one_on_the_time_of_the_answer():
    assert first_line("Q(X) at T + 1 :- N(X, M) at T, M > T.") == (
        "Q(X) at T waits for: N(X, M) at T - 1; where M > T - 1"
    )


def test_the_rule_that_waits_for_nothing_is_named():
    said = first_line("background B(x).\nOther(X) :- P(X).\nQ(X) at 3 :- B(X).\nLast(X) :- P(X).")
    assert said.startswith("Q: no hypotheses: rule 2 (program:5:1) can hold without any fact that arrives")
