"""Answers of generated programs are those of the definitions."""

import pytest
from definitions import answers_by_definition
from hypothesis import example, given, settings
from hypothesis import strategies as st

import thalweg
from amount import amount

DERIVED = ("A", "B")
INPUT = ("P", "Q")
LAST = 2


def wrapped(inner):
    """Formulas around formulas."""
    unary = st.sampled_from(
        [
            "not {}",
            "diamondminus[0,1] {}",
            "boxminus[1,1] {}",
            "boxminus[0,inf) {}",
            "diamondplus[1,2] {}",
            "boxplus[0,1] {}",
            "window[last 1] some {}",
            "window[last 1, next 1] all {}",
            "window[last 2, slide 2] some {}",
            "window[last 1] (all {})",
            "some {}",
            "all {}",
            "{} at 1",
            "window[last 1, of stream] some {}",
        ]
    )
    binary = st.sampled_from(
        ["({} and {})", "({} or {})", "({} implies {})", "({} since[0,2] {})", "({} until[0,inf) {})"]
    )
    return st.one_of(
        st.builds(lambda operator, part: operator.format(f"({part})"), unary, inner),
        st.builds(lambda operator, left, right: operator.format(left, right), binary, inner, inner),
    )


ATOMS = st.sampled_from([*DERIVED, *DERIVED, *INPUT])
FORMULAS = st.recursive(ATOMS, wrapped, max_leaves=4)
HEADS = st.sampled_from([*DERIVED, *DERIVED, *DERIVED, "boxplus[0,1] A", "B at 1", "bottom"])
RULES = st.builds(lambda head, body: f"{head} :- {', '.join(body)}.", HEADS, st.lists(FORMULAS, min_size=1, max_size=2))
LOOPS = st.sampled_from(
    [
        ["A :- not B.", "B :- not A."],
        ["A :- P, not B.", "B :- not window[last 1] some A."],
        ["A :- not diamondminus[1,1] A."],
        ["A :- not (A and B).", "B :- (A or not Q)."],
        ["A :- (B implies A).", "B :- (A implies B)."],
        ["A :- B, not all A.", "B :- not some A."],
    ]
)
PROGRAMS = st.builds(lambda loop, rules: [*loop, *rules], LOOPS, st.lists(RULES, min_size=1, max_size=3))
FACTS = st.sets(st.tuples(st.sampled_from([*INPUT, *INPUT, "A"]), st.integers(0, LAST)), max_size=5)


def as_sets(found):
    """Answers as sets of (predicate, time)."""
    return {
        frozenset(
            (name, time)
            for name in DERIVED
            if name in answer.predicates
            for time in range(LAST + 1)
            if answer.holds(name, at=time)
        )
        for answer in found
    }


def compare(rules, facts, at=None):
    text = "\n".join((f"timeline integer from 0 to {LAST}.", *rules, "bottom :- some Q, not some Q."))
    program = thalweg.parse(text, stratified=False)
    known = {fact for fact in facts if fact[0] in program.signatures}
    written = "\n".join(f"{name}@{time}" for name, time in sorted(known))
    reading = {} if at is None else {"reading": "evaluation-time", "at": at}
    held = {fact for fact in known if fact[0] in DERIVED}
    expected = {answer | held for answer in answers_by_definition(program, known, at)}
    derived = tuple(name for name in DERIVED if name in program.signatures)
    found = thalweg.answers(program, written, queries=derived, **reading)
    assert as_sets(found) == expected, text
    assert found.count == len(expected)
    if expected:
        cautious = thalweg.answers(program, written, queries=derived, mode="cautious", **reading)
        brave = thalweg.answers(program, written, queries=derived, mode="brave", **reading)
        assert as_sets(cautious) == {frozenset.intersection(*expected)}
        assert as_sets(brave) == {frozenset.union(*expected)}


@settings(max_examples=amount(60))
@given(PROGRAMS, FACTS)
@example(["A :- (A or not A)."], set())
@example(["A :- B, (A or not A).", "B :- (A implies B), (B implies A)."], set())
@example(["A :- not window[last 1] some B.", "B :- not window[last 1] some A."], set())
def test_rules_hold_at_all_times(rules, facts):
    compare(rules, facts)


@settings(max_examples=amount(30))
@given(PROGRAMS, FACTS, st.integers(0, LAST))
def test_rules_hold_at_the_evaluation_time(rules, facts, at):
    compare(rules, facts, at)


@pytest.mark.soak
@settings(max_examples=3000)
@given(PROGRAMS, FACTS, st.sampled_from([None, None, 0, 1, 2]))
def test_rules_hold_at_any_time(rules, facts, at):
    compare(rules, facts, at)
