"""Delays and probabilities: what a program expects of facts to come."""

from __future__ import annotations

from fractions import Fraction

import pytest

from thalweg.model.formula import Constant, Variable
from thalweg.model.lower import lower
from thalweg.model.program import Delay, Probability, Program
from thalweg.source import Source
from thalweg.syntax.parser import parse_program

RULE = "input Temp(device, level). Hot(X) :- Temp(X, high)."


def lowered(text: str) -> tuple[Program, list[str]]:
    tree, unreadable = parse_program(Source("test.rules", f"{RULE}\n{text}"))
    assert not [each.render() for each in unreadable]
    program, found = lower(tree)
    return program, [each.code for each in found]


def test_a_delay_may_say_how_likely_each_delay_is() -> None:
    program, found = lowered('delay Temp("wt4", _) = 2 with 0.6, 0.3, 0.05. delay Temp = 1s.')
    assert not found
    assert program.delays == (
        Delay(
            "Temp",
            (Constant("wt4"), Variable("_#1")),
            Fraction(2),
            arrivals=(Fraction(3, 5), Fraction(3, 10), Fraction(1, 20)),
        ),
        Delay("Temp", None, Fraction(1)),
    )
    assert program.delays[1].arrivals is None


def test_a_probability_is_exact() -> None:
    program, found = lowered("probability Temp(_, high) = 1/3. probability Temp = 0. probability Temp(a, b) = 1.")
    assert not found
    assert program.probabilities == (
        Probability("Temp", (Variable("_#1"), Constant("high")), Fraction(1, 3)),
        Probability("Temp", None, Fraction(0)),
        Probability("Temp", (Constant("a"), Constant("b")), Fraction(1)),
    )


@pytest.mark.parametrize("chances", ["1", "0", "0.3"])
def test_no_delay_has_one_probability(chances: str) -> None:
    program, found = lowered(f"delay Temp = 0 with {chances}.")
    assert not found
    assert program.delays[0].arrivals == (Fraction(chances),)


def test_the_unit_of_time_counts_in_the_delay() -> None:
    program, found = lowered("unit 1min. delay Temp = 2min with 0.5, 0, 1/2.")
    assert not found
    assert program.delays[0].arrivals == (Fraction(1, 2), Fraction(0), Fraction(1, 2))
    assert lowered("unit 1min. delay Temp = 30s with 1.")[1] == ["E275"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("delay Temp = 1 with 0.5.", ["E275"]),
        ("delay Temp = 1 with 0.5, 0.3, 0.2.", ["E275"]),
        ("delay Temp = 1/2 with 0.5.", ["E275"]),
        ("delay Temp = 1 with 0.5, 0.6.", ["E274"]),
        ("delay Temp = 1 with 1.5, 0.", ["E274"]),
        ("delay Temp = 1 with 0.5, -0.1.", ["E274"]),
        ("delay Temp = -1 with 0.5.", ["E228"]),
        ("delay Temp = inf with 0.5.", ["E228"]),
        ("delay Hot = 0 with 0.5.", ["E276"]),
        ("delay Hot = 0.", []),
        ("delay Temp = 1 with 0.5, 0.5. delay Temp = 2.", ["E220"]),
        ("delay Tmp = 0 with 0.5.", ["W202"]),
        ("probability Temp = 1.01.", ["E274"]),
        ("probability Temp = -1.", ["E274"]),
        ("probability Temp = inf.", ["E274"]),
        ("probability Temp = 1s.", ["E274"]),
        ("probability Temp(X, X) = 1.", ["E228"]),
        ("probability Temp(X + 1, _) = 1.", ["E228"]),
        ("probability Hot = 1.", ["E276"]),
        ("background Near(x). Close(X) :- Near(X). probability Near = 1.", ["E276"]),
        ("probability Temp(X, _) = 1. probability Temp(_, Y) = 0.", ["E220"]),
        ("probability Tmp = 1.", ["W202"]),
    ],
)
def test_what_is_wrong_is_said(text: str, codes: list[str]) -> None:
    assert lowered(text)[1] == codes
