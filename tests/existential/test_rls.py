"""Files for Nemo and Rulewerk."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thalweg
from existential.both_routes import lars_plus
from existential.lars_plus_texts import random_case
from existential.rls_reader import read_rls
from thalweg.analysis.existential.rewriting import rewrite
from thalweg.analysis.existential.rls import RATIONAL, rls
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.analysis.existential.timeline_facts import timeline_facts
from thalweg.model.formula import Constant, Variable


def test_a_program():
    rules = rewrite(
        lars_plus(thalweg.parse("timeline integer. input p(x). exists Y: q(X, Y) :- window[last 3] all p(X)."))
    )
    assert rls(rules, timeline_facts([rules[0].body, rules[1].body], 1)).splitlines() == [
        "% rule 1",
        "box_q(?X, !Y, 0, ?C) :- box_p(?X, 3, ?C) .",
        "box_top(0, ?C) :- leq(0, ?C) .",
        "box_top(3, 0) :- box_top(0, 0) .",
        "box_top(?N, ?C) :- box_top(?N1, ?C), plus(?N1, ?N, 1) .",
        "box_top(?N1, ?C1) :- box_top(?N, ?C), plus(?N1, ?N, 1), leq(?N1, 3), plus(?C1, ?C, 1), box_top(0, ?C1) .",
        "at_top(0, ?C, ?C) :- box_top(0, ?C) .",
        "at_top(?N1, ?T, ?C1) :- at_top(?N, ?T, ?C), leq(?N1, 3), plus(?N1, ?N, 1), leq(?I, 1), plus(?C1, ?C, ?I) .",
        *operator_rules("p", "?X1, "),
        *operator_rules("q", "?X1, ?X2, "),
        "leq(0, 0) .",
        "leq(0, 1) .",
    ]


def operator_rules(name, values):
    """Rules (4) to (8)."""
    box, at = f"box_{name}", f"at_{name}"
    return [
        f"{box}({values}3, 0) :- {box}({values}0, 0) .",
        f"{box}({values}?N, ?C) :- {box}({values}?N1, ?C), plus(?N1, ?N, 1) .",
        f"{box}({values}?N1, ?C1) :- {box}({values}?N, ?C), plus(?N1, ?N, 1), leq(?N1, 3), plus(?C1, ?C, 1),"
        f" {box}({values}0, ?C1) .",
        f"{at}({values}0, ?C, ?C) :- {box}({values}0, ?C) .",
        f"{at}({values}?N1, ?T, ?C1) :- {at}({values}?N, ?T, ?C), leq(?N1, 3), plus(?N1, ?N, 1), leq(?I, 1),"
        f" plus(?C1, ?C, ?I) .",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("b1", ("string", "b1")),
        ("Main Street", ("string", "Main Street")),
        ("", ("string", "")),
        ('say "x"', ("string", "say _x22_x_x22_")),
        ("a\\b\n", ("string", "a_x5c_b_xa_")),
        ("% no comment", ("string", "_x25_ no comment")),
        ("a_x22_", ("string", "a_x5f_x22_")),
        ("é ☃", ("string", "é ☃")),
        (Fraction(5), ("integer", 5)),
        (Fraction(-5), ("integer", -5)),
        (Fraction(2**61), ("integer", 2**61)),
        (Fraction(3, 2), ("literal", "3/2", RATIONAL)),
    ],
)
def test_a_value(value, expected):
    (((_, terms), _),) = read_rls(rls((), [PlainAtom("p", (Constant(value),))]))
    assert terms == [expected]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=4))
def test_texts_can_be_told_apart_and_read_back(texts):
    found = [terms[0][1] for (_, terms), _ in read_rls(rls((), [PlainAtom("p", (Constant(t),)) for t in texts]))]
    assert [re.sub(r"_x([0-9a-f]+)_", lambda match: chr(int(match[1], 16)), text) for text in found] == texts


def test_odd_variables():
    names = ["Été", "_X", "V_X", "A1:X", "_x5f_X"]
    odd = tuple(Variable(name) for name in names)
    rule = ExistentialRule((PlainAtom("p", odd),), (PlainAtom("q", (*odd, Variable("Ω"))),), (Variable("Ω"),))
    (((_, head),), ((_, body),)) = read_rls(rls([rule]))[0]
    assert len(set(body)) == len(names)
    assert head[:-1] == body
    assert head[-1][0] == "existential"


@pytest.mark.parametrize("seed", range(20))
def test_generated_programs_can_be_read(seed):
    case = random_case(seed)
    rules = rewrite(lars_plus(thalweg.parse(case.program)).clipped(case.horizon))
    facts = timeline_facts([rule.body for rule in rules], case.horizon)
    statements = read_rls(rls(rules, facts))
    assert len(statements) == len(rules) + len(facts)
    for rule, (head, body) in zip(rules, statements[: len(rules)], strict=True):
        assert shapes(rule.head) == [(name, len(terms)) for name, terms in head]
        assert shapes(rule.body) == [(name, len(terms)) for name, terms in body]
        made = {name for _, terms in head for kind, name in terms if kind == "existential"}
        assert made == {variable.name for variable in rule.existential}


def shapes(atoms):
    return [(atom.predicate, len(atom.arguments)) for atom in atoms]
