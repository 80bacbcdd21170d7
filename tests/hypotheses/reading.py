"""Programs, atoms and patterns of the tests of hypothetical answers, from texts."""

from __future__ import annotations

import re
from fractions import Fraction

from thalweg.model.lower import lower
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.parser import parse_program
from thalweg.testing.hypotheses import Answer, Arrival, GroundAtom, Known, Pattern, Sum

TURBINES = """
timeline integer.
Flag(X) at T     :- Temp(X, high) at T.
Cool(X) at T + 1 :- Flag(X) at T, Flag(X) at T + 1.
Shdn(X) at T + 1 :- Cool(X) at T, Flag(X) at T + 1.
Malf(X) at T - 2 :- Shdn(X) at T.
"""
"""Π_E (paper, Example 1)."""


def read(text: str) -> Program:
    """A program; the checks have no say."""
    tree, found = parse_program(Source("test", text))
    program, more = lower(tree)
    errors = [each for each in (*found, *more) if each.is_error]
    assert not errors, errors
    return program


def fact(text: str) -> GroundAtom:
    """``P(a, 1)@3``."""
    [found] = facts(text)
    return found


def facts(text: str) -> frozenset[GroundAtom]:
    """``P(a, 1)@3 Q@4``."""
    parts = re.findall(r"(\w+)(?:\(([^)]*)\))?@(-?\d+)", text)
    return frozenset(GroundAtom(name, tuple(map(_value, _split(inner))), int(time)) for name, inner, time in parts)


def answer(text: str) -> Answer:
    """``a, 1 @3``."""
    inner, time = text.split("@")
    return Answer(tuple(map(_value, _split(inner))), int(time))


def pattern(text: str) -> Pattern:
    """``P(X, a, T + 1)``: the last argument is the temporal one."""
    name, inner = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
    *arguments, time = map(_term, _split(inner))
    return Pattern(name, tuple(arguments), time)


def patterns(text: str) -> frozenset[Pattern]:
    """Several, with spaces between."""
    return frozenset(map(pattern, re.findall(r"\w+\([^)]*\)", text)))


def arriving(text: str) -> tuple[Arrival, ...]:
    """``P(a)@3:5``: P(a) at 3, which arrives at 5."""
    return tuple(Arrival(fact(part), int(when)) for part, when in re.findall(r"(\S+?@-?\d+):(\d+)", text))


def _split(inner: str) -> list[str]:
    return [part.strip() for part in inner.split(",") if part.strip()]


def _value(text: str) -> str | Fraction:
    return Fraction(text) if re.fullmatch(r"-?\d+", text) else text


def _term(text: str):
    match = re.fullmatch(r"([A-Z]\w*)\s*(?:([+-])\s*(\d+))?", text)
    if not match:
        return Known(_value(text))
    name, sign, amount = match.groups()
    return Sum(name, int(f"{sign or ''}{amount or 0}"))
