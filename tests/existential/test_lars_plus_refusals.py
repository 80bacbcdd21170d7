"""What LARS+ does not have is refused by name, where it stands."""

import pytest

import thalweg
from thalweg.analysis.existential.read_lars_plus import read_lars_plus
from thalweg.model.formula import Atom
from thalweg.model.program import Program, Rule

INPUT = "timeline integer. input p(x). input q(x, y). input n(x: number). "
RULES = {
    "r(X) :- p(X), not q(X, X).": ("not q(X, X)", "not"),
    "r(X) :- boxminus[0,3] p(X).": ("boxminus[0,3] p(X)", "operators with intervals"),
    "r(X) :- diamondplus[0,3] p(X).": ("diamondplus[0,3] p(X)", "operators with intervals"),
    "r(X) :- p(X) since[0,3] q(X, X).": ("p(X) since[0,3] q(X, X)", "operators with intervals"),
    "r(X) :- (p(X) or q(X, X)).": ("(p(X) or q(X, X))", "or"),
    "r(N) :- N = count { X : p(X) }.": ("N = count { X : p(X) }", "aggregates"),
    "bottom :- p(X).": ("bottom", "bottom"),
    "boxplus[0,3] r(X) :- p(X).": ("boxplus[0,3] r(X)", "operators with intervals"),
    "r(X) :- window[last 3 tuples] some p(X).": ("window[last 3 tuples] some p(X)", "windows over tuples"),
    "r(X) :- window[last 3, next 2] some p(X).": ("window[last 3, next 2] some p(X)", "windows that look ahead"),
    "r(X) :- window[last 3, slide 2] some p(X).": (
        "window[last 3, slide 2] some p(X)",
        "windows that slide by more than 1",
    ),
    "r(X) :- window[last inf] some p(X).": ("window[last inf] some p(X)", "windows without a bound"),
    "r(X) :- window[last 3] some (window[last 2] some p(X)).": (
        "(window[last 2] some p(X))",
        "windows inside windows and under at",
    ),
    "r(X) :- window[last 3] (window[last 2] p(X)).": (
        "(window[last 2] p(X))",
        "windows inside windows and under at",
    ),
    "r(X) :- (window[last 2] some p(X)) at T.": ("(window[last 2] some p(X)) at T", "at around more than an atom"),
    "r(X) :- some p(X).": ("some p(X)", "some and all without a window"),
    "r(X) :- all p(X).": ("all p(X)", "some and all without a window"),
    "r(X) :- window[last 3] some (p(X), q(X, X)).": ("(p(X), q(X, X))", "conjunctions under some"),
    "r(X) :- window[last 3] all (p(X) or q(X, X)).": ("(p(X) or q(X, X))", "or"),
    "r(X) :- p(X), n(Y), Y < 5.": ("Y < 5", "comparisons of values"),
    "r(Y + 1) :- n(Y).": ("Y + 1", "comparisons of values"),
    "r(X) at T + Y :- p(X) at T, n(Y).": ("T + Y", "comparisons of values"),
    "r(X) :- p(X) at T, S = T + 1, S < 5.": ("S = T + 1", "numbers that are no times, such as S"),
    "r(X) :- p(X) at T, q(X, X) at S, T != S.": ("T != S", "this arithmetic"),
    "r(X) :- p(X) at T, q(X, X) at S, T = 3 * S.": ("T = 3 * S", "this arithmetic"),
    "r(X, T) :- p(X) at T.": ("T", "times as values, such as T"),
    "exists Y per X: r(X, Y) :- p(X).": ("Y", "values that depend on some of the head's variables only"),
    "exists Y per Z: r(X, Y) at T :- q(X, Z) at T.": ("Y", "values that depend on some of the head's variables only"),
}


@pytest.mark.parametrize(("rule", "expected"), RULES.items())
def test_a_rule_is_refused(rule, expected):
    found = refusals(INPUT + rule)
    what = f"the rewriting is for LARS+, which does not have {expected[1]}"
    assert (found[0].code, found[0].span.text, found[0].message) == ("E340", expected[0], what)
    assert found[0].hint


@pytest.mark.parametrize("rule", ["r(X) at -1 :- p(X).", "r(X) :- p(X) at -1."])
def test_a_time_before_0_is_refused(rule):
    (found,) = refusals(INPUT + rule)
    assert (found.span.text, found.hint) == ("-1", "its time points are 0, 1, 2, …")


def test_all_times_that_are_values_are_refused_by_name():
    found = refusals(INPUT + "r(X, T, S) :- p(X) at T, q(X, X) at S.")
    assert [each.message.rpartition(" ")[2] for each in found] == ["S", "T"]


def test_everything_is_refused_at_once():
    text = INPUT + "r(X) :- p(X), not q(X, X), some p(X). s(X) :- p(X). t(X), u(X) :- p(X), all p(X)."
    assert [found.span.text for found in refusals(text)] == ["not q(X, X)", "some p(X)", "all p(X)"]


@pytest.mark.parametrize(
    ("timeline", "what"),
    {"rational": "the rational timeline", "integer from 5 to 9": "a timeline that does not begin at 0"}.items(),
)
def test_a_timeline_is_refused(timeline, what):
    found = refusals(f"timeline {timeline}. input p(x). r(X) :- p(X).")
    assert [each.message for each in found] == [f"the rewriting is for LARS+, which does not have {what}"]
    assert found[0].render().startswith("program: error[E340]")


@pytest.mark.parametrize(
    "rule",
    [
        "exists Y per X: r(X, Y) at 3 :- p(X).",
        "exists Y per X, T: r(X, Y) at T :- p(X) at T.",
        "r(X) :- window[last 3] (p(X), (q(X, X), p(X)) at T, T < 5).",
        "r(X) :- p(X) at T, top at S, S = T + 1, S < 5.",
        "r(X), s(X) at T + 1, top :- p(X) at T.",
        "r :- top.",
    ],
)
def test_what_means_the_same_is_not_refused(rule):
    assert refusals(INPUT + rule) == ()


def test_rules_without_numbers_are_rules_of_their_own():
    program = thalweg.parse(INPUT + "r(X) :- p(X). s(X) :- q(X, X).")
    bare = Program(
        tuple(Rule(rule.head, rule.body) for rule in program.rules), (), program.signatures, program.timeline
    )
    found, _ = read_lars_plus(bare)
    assert [[each.atom.predicate for each in rule.head] for rule in found.rules] == [["r"], ["s"]]


def test_heads_of_one_rule_stay_together():
    found, _ = read_lars_plus(thalweg.parse(INPUT + "r(X), s(X) at T + 1 :- p(X) at T."))
    assert [len(rule.head) for rule in found.rules] == [2]
    assert len(found.rules[0].body.arithmetic) == 1
    assert isinstance(found.rules[0].head[0].atom, Atom)


def refusals(text):
    program = thalweg.parse(text, stratified=False)
    return read_lars_plus(program)[1]
