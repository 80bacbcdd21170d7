"""The rewriting to existential rules, rule by rule (LARS+ paper, Section 3)."""

import pytest

import thalweg
from existential.both_routes import facts_of, lars_plus
from thalweg.analysis.existential.names import at_name, box_name
from thalweg.analysis.existential.readable import readable
from thalweg.analysis.existential.rewriting import rewrite, rewrite_query
from thalweg.analysis.existential.rules import ExistentialRule
from thalweg.analysis.existential.timeline_facts import stream_facts, timeline_facts
from thalweg.source import Source
from thalweg.syntax.parser import parse_program

INPUT = "timeline integer. input p(x). input q(x, y). "


def rewritten(text):
    return rewrite(lars_plus(thalweg.parse(text)))


def first_rule(text):
    return readable(rewritten(INPUT + text)[:1]).splitlines()[1]


def test_example_2():
    rules = rewritten("""\
        timeline integer.
        input beltTmp(belt, tmp).
        input high(tmp).
        warn(X) :- window[last 3] all beltTmp(X, Y), high(Y).
    """)
    assert readable(rules).splitlines() == [
        "% rule 1",
        "box_warn(X, 0, C) :- box_beltTmp(X, Y, 3, C), box_high(Y, 0, C).",
        "box_top(0, C) :- 0 <= C.",
        *operator_rules("top", ""),
        *operator_rules("beltTmp", "X1, X2, "),
        *operator_rules("high", "X1, "),
        *operator_rules("warn", "X1, "),
    ]


def operator_rules(name, values, m=3):
    """Rules (4) to (8) for a predicate."""
    return (
        f"box_{name}({values}{m}, 0) :- box_{name}({values}0, 0).",
        f"box_{name}({values}N, C) :- box_{name}({values}N1, C), N1 = N + 1.",
        f"box_{name}({values}N1, C1) :- box_{name}({values}N, C), N1 = N + 1, N1 <= {m}, C1 = C + 1,"
        f" box_{name}({values}0, C1).",
        f"at_{name}({values}0, C, C) :- box_{name}({values}0, C).",
        f"at_{name}({values}N1, T, C1) :- at_{name}({values}N, T, C), N1 <= {m}, N1 = N + 1, I <= 1, C1 = C + I.",
    )


def test_example_4():
    rules = rewritten("""\
        timeline integer.
        exists Y: q(X, Y) :- window[last 3] all p(X).
        p(Y) at U :- q(X, Y) at T, U = T + 1.
    """)
    assert readable(rules[:3]).splitlines() == [
        "% rule 1",
        "exists Y: box_q(X, Y, 0, C) :- box_p(X, 3, C).",
        "% rule 2",
        "box_p(Y, 0, U) :- box_top(0, C), box_q(X, Y, 0, T), U = T + 1.",
        "box_top(0, C) :- 0 <= C.",
    ]
    assert len(rules) == 2 + 1 + 3 * 5
    assert all(isinstance(rule, ExistentialRule) for rule in rules)
    assert [rule.number for rule in rules[:3]] == [1, 2, 0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    {
        "r(X) :- p(X).": "box_r(X, 0, C) :- box_p(X, 0, C).",
        "r(X) :- window[last 4] p(X).": "box_r(X, 0, C) :- box_p(X, 0, C).",
        "r(X) :- window[last 4, of stream] some p(X).": "box_r(X, 0, C) :- at_p(X, 4, T, C).",
        "r(X) :- window[last 4] some p(X), window[last 2] some p(X).": (
            "box_r(X, 0, C) :- at_p(X, 4, T, C), at_p(X, 2, T1, C)."
        ),
        "r(X) at T :- window[last 4] (p(X) at T).": "box_r(X, 0, T) :- at_p(X, 4, T, C).",
        "r(X) :- window[last 4] all (p(X), q(X, X)).": "box_r(X, 0, C) :- box_p(X, 4, C), box_q(X, X, 4, C).",
        "r(C) :- p(C), q(C, N).": "box_r(C, 0, C1) :- box_p(C, 0, C1), box_q(C, N, 0, C1).",
        "r(X) at 7 :- p(X).": "box_r(X, 0, 7) :- box_p(X, 0, C), V <= 7, 7 <= V.",
        "r(X) at 0 :- p(X) at 7.": "box_r(X, 0, 0) :- box_top(0, C), box_p(X, 0, 7).",
        "r(X) at T + 2 :- p(X) at T.": "box_r(X, 0, T1) :- box_top(0, C), box_p(X, 0, T), T1 = T + 2.",
        "r(X) at T - 2 :- p(X) at T.": "box_r(X, 0, T1) :- box_top(0, C), box_p(X, 0, T), T = T1 + 2.",
        "r(X) :- p(X), q(_, X).": "box_r(X, 0, C) :- box_p(X, 0, C), box_q(V, X, 0, C).",
        "exists Y, Z: r(Y, Z), s(Z) at T :- p(X) at T.": (
            "exists Y, Z: box_r(Y, Z, 0, C), box_s(Z, 0, T) :- box_top(0, C), box_p(X, 0, T)."
        ),
        'r("a b", 1.5) :- top.': 'box_r("a b", 1.5, 0, C) :- box_top(0, C).',
    }.items(),
)
def test_the_rewriting_of_a_rule(rule, expected):
    assert first_rule(rule) == expected


def test_what_cannot_happen_is_left_out():
    rules = rewritten(INPUT + "r(X) at T :- p(X), T = 0 - 3. s(X) :- p(X).")
    assert readable(rules[:1]) == "% rule 2\nbox_s(X, 0, C) :- box_p(X, 0, C).\n"


def test_windows_are_not_longer_than_the_timeline():
    text = INPUT + "r(X) :- window[last 9] all p(X), window[last 2] some p(X). s(X) at T + 7 :- p(X) at T."
    program = lars_plus(thalweg.parse(text)).clipped(5)
    assert readable(rewrite(program)[:2]).splitlines()[1:] == [
        "box_r(X, 0, C) :- box_p(X, 5, C), at_p(X, 2, T, C).",
        "box_top(0, C) :- 0 <= C.",
    ]
    assert program.window == 5


def test_a_query():
    program = lars_plus(thalweg.parse(INPUT + "hit :- window[last 5] all p(X), q(X, Y) at T, T <= 3."))
    assert readable((), rewrite_query(program.rules[0].body, 4)).splitlines() == [
        "box_p(X, 5, C).",
        "box_q(X, Y, 0, T).",
        "T <= 3.",
        "C <= 4.",
        "4 <= C.",
    ]


def test_windows_of_queries_count():
    program = lars_plus(thalweg.parse(INPUT + "r(X) :- window[last 2] all p(X)."))
    query = lars_plus(thalweg.parse(INPUT + "hit :- window[last 5] all p(X).")).rules[0].body
    assert "box_p(X1, 5, 0) :- box_p(X1, 0, 0)." in readable(rewrite(program, [query]))


def test_a_stream():
    program = thalweg.parse("timeline integer. input p(x). background k(x). r(X) :- window[last 1] some p(X), k(X).")
    facts = stream_facts(facts_of(program, "p(a)@[0,1]\np(b)@2\nk(1.5)"), 2)
    assert readable((), facts).splitlines() == [
        "box_p(a, 0, 0).",
        "box_p(a, 0, 1).",
        "box_p(b, 0, 2).",
        "box_k(1.5, 0, 0).",
        "box_k(1.5, 0, 1).",
        "box_k(1.5, 0, 2).",
    ]


def test_a_strict_comparison_of_times_has_a_time_in_between():
    assert first_rule("r(X) at T :- p(X) at T, q(X, X) at S, T < S.").endswith(", V = T + 1, V <= S.")


def test_a_comparison_that_is_true_on_the_whole_timeline_is_left_out():
    assert first_rule("r(X) at T :- p(X) at T, T >= 0.").endswith("box_p(X, 0, T).")
    assert first_rule("r(X) at T :- p(X) at T, T <= 0.").endswith("box_p(X, 0, T), T <= 0.")


def test_a_timeline():
    rules = rewritten(INPUT + "r(X) at T + 1 :- window[last 1] (p(X) at T), q(X, X) at S, S <= T.")
    assert readable((), timeline_facts([rule.body for rule in rules], 2)).splitlines() == [
        "0 <= 0.",
        "0 <= 1.",
        "0 <= 2.",
        "1 <= 1.",
        "1 <= 2.",
        "2 <= 2.",
        "0 = 0 + 0.",
        "1 = 0 + 1.",
        "1 = 1 + 0.",
        "2 = 1 + 1.",
        "2 = 2 + 0.",
    ]


def test_a_timeline_has_no_sums_of_times_that_a_comparison_excludes():
    rule, *_ = rewritten(INPUT + "r(X) at T + 1 :- p(X) at T, 2 <= T, T <= 3.")
    assert readable((), timeline_facts([rule.body], 9)).splitlines() == [
        "2 <= 2.",
        "2 <= 3.",
        "3 <= 3.",
        "3 = 2 + 1.",
        "4 = 3 + 1.",
    ]


def test_a_sum_beyond_the_timeline_is_counted_from_its_end():
    # T + S = 8 on [0, 5]: together they are 2 before the end.
    program = lars_plus(thalweg.parse(INPUT + "r(X) at T :- p(X) at T, q(X, X) at S, T + S = 8."))
    rule, *_ = rewrite(program.clipped(5))
    assert readable([rule]).splitlines()[1].endswith("5 = T + V, 5 = S + V1, 2 = V + V1.")


def test_there_are_not_many_facts_for_a_timeline():
    rules = rewritten(INPUT + "r(X) at T + 1 :- window[last 3] (p(X) at T).")
    assert len(timeline_facts([rule.body for rule in rules], 1000)) < 4100


def test_what_is_printed_can_be_read():
    rules = rewritten(INPUT + 'exists N: a1:r("x", N) at T + 1, s(N) :- window[last 3] (p(X) at T), T <= 5.')
    _, found = parse_program(Source("rewritten", readable(rules)))
    assert found == ()


def test_names_do_not_clash():
    odd = ["p", "a:b", "a_x3a_b", "a_x5f_x3a_b", "_:", "__", "_x", "_x5f_", "top", "_x74_op", "é", "box_p", "at_p", "P"]
    names = [name for predicate in (*odd, None) for name in (box_name(predicate), at_name(predicate))]
    assert len(set(names)) == len(names)
    assert all(name.isascii() and name.isidentifier() for name in names)
    assert box_name("a:b") == "box_a_x3a_b"
