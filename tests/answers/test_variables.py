"""A program with variables has the answers of its grounding."""

import itertools
import re

import pytest
from definitions import answers_by_definition
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from test_by_definition import wrapped

import thalweg
from amount import amount

LAST = 1
DOMAINS = {"X": ("1", "2"), "Y": ("1", "2"), "T": tuple(map(str, range(LAST + 1)))}
ATOMS = st.sampled_from(["A(X)", "B(X)", "A(X)", "B(X)", "P(X)", "not A(_)", "not B(_)"])
RULES = st.builds(
    lambda head, body: f"{head} :- P(X), {', '.join(body)}.",
    st.sampled_from(["A(X)", "B(X)", "bottom"]),
    st.lists(st.recursive(ATOMS, wrapped, max_leaves=3), min_size=1, max_size=2),
)
LOOPS = st.sampled_from(
    [
        ["A(X) :- P(X), not B(X).", "B(X) :- P(X), not A(X)."],
        ["A(X) :- P(X), not B(_).", "B(X) :- P(X), not window[last 1] some A(X)."],
        ["A(X) :- P(X), not diamondminus[1,1] A(_).", "B(Y) :- A(X), P(Y), not B(X)."],
        ["A(X) :- P(X), (B(X) implies A(X)).", "B(X) :- P(X), A(Y), P(Y), not A(X)."],
        ["A(X) :- window[last 1] P(X) at T, not (B(X) at T).", "B(X) at T :- P(X) at T, not A(X)."],
        ["A(X) :- P(X), (A(X) or B(Y)), P(Y), not B(X).", "B(X) :- P(X), (not A(X) or not A(_))."],
    ]
)
PROGRAMS = st.builds(lambda loop, rules: [*loop, *rules], LOOPS, st.lists(RULES, min_size=0, max_size=2))
FACTS = st.sets(st.tuples(st.sampled_from(("1", "2")), st.integers(0, LAST)), min_size=1)


def grounded(rule):
    """The rule for all values of its variables; ``_`` stands for any value."""
    rule = re.sub(r"(\w)\(_\)", r"(\g<1>1 or \g<1>2)", rule)
    names = [name for name in DOMAINS if re.search(rf"\b{name}\b", rule)]
    for values in itertools.product(*(DOMAINS[name] for name in names)):
        text = rule
        for name, value in zip(names, values, strict=True):
            text = re.sub(rf"\({name}\)", value, text)
            text = re.sub(rf"\b{name}\b", value, text)
        yield text


def compare(rules, facts):
    opening = (f"timeline integer from 0 to {LAST}.", "bottom :- some C, not some C.")
    try:
        program = thalweg.parse("\n".join((*opening, *rules)), stratified=False)
    except thalweg.ProgramError:
        reject()  # not every place binds a variable
    ground = thalweg.parse(
        "\n".join((*opening, *(each for rule in rules for each in grounded(rule)))), stratified=False
    )
    expected = answers_by_definition(ground, {(f"P{value}", time) for value, time in facts})
    found = thalweg.answers(program, "\n".join(f"P({value})@{time}" for value, time in sorted(facts)))
    held = {
        frozenset(
            (f"{name}{value}", time)
            for name, value, time in itertools.product("AB", "12", range(LAST + 1))
            if name in answer.predicates and answer.holds(name, int(value), at=time)
        )
        for answer in found
    }
    assert held == expected, "\n".join(rules)
    assert found.count == len(expected)


@settings(max_examples=amount(40))
@given(PROGRAMS, FACTS)
def test_variables_stand_for_all_values(rules, facts):
    compare(rules, facts)


@pytest.mark.soak
@settings(max_examples=3000)
@given(PROGRAMS, FACTS)
def test_variables_stand_for_all_values_at_length(rules, facts):
    compare(rules, facts)
