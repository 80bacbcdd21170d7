"""Short names for building formulas, rules and facts in tests."""

from __future__ import annotations

import math
from fractions import Fraction

from thalweg.model.formula import Atom, Constant, Formula, Term, Variable
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.syntax.ast import Parameter
from thalweg.testing import naive_materialise
from thalweg.time.interval import Interval
from thalweg.time.timeline import Timeline


def interval(text: str) -> Interval:
    """An interval from its text: ``[0,1/2)``, ``(-inf,3]``, ``[2]``."""
    ends = text[1:-1].split(",")
    start, end = _end(ends[0]), _end(ends[-1])
    return Interval(start, end, text[0] == "[", text[-1] == "]")


def _end(text: str) -> Fraction | float:
    return {"inf": math.inf, "-inf": -math.inf}.get(text) or Fraction(text)


def atom(text: str) -> Atom:
    """An atom from its text: ``P``, ``P(X, a, 3, _)``; capitals are variables, each ``_`` is its own."""
    predicate, _, arguments = text.rstrip(")").partition("(")
    words = [word.strip() for word in arguments.split(",") if word.strip()]
    return Atom(predicate, tuple(term(word, place) for place, word in enumerate(words)))


def term(word: str, place: int = 0) -> Term:
    if word == "_":
        return Variable(f"_#{place}")
    if word[0].isupper():
        return Variable(word)
    return Constant(Fraction(word) if word.lstrip("-")[0].isdigit() else word)


def fact(text: str) -> Fact:
    """A fact from its text: ``P(a)@[0,1)``."""
    what, _, when = text.partition("@")
    return Fact(atom(what), interval(when))


def program(*rules: tuple[Formula, list[Formula]], timeline: Timeline = Timeline.RATIONAL) -> Program:
    """A program of (head, body) pairs."""
    numbered = tuple(Rule(head, tuple(body), number) for number, (head, body) in enumerate(rules, 1))
    return Program(numbered, timeline=timeline)


def holds(
    predicate: str, rules: Program, facts: list[str], start: int = 0, end: int = 10, margin: int | None = None
) -> dict[str, str]:
    """When the atoms of a predicate hold inside [start, end], as texts; the key is the arguments."""
    answers = naive_materialise(
        rules,
        [fact(text) for text in facts],
        Fraction(start),
        Fraction(end),
        None if margin is None else Fraction(margin),
    )
    return {
        ",".join(map(str, arguments)): " ".join(map(str, intervals))
        for (name, arguments), intervals in sorted(answers.items())
        if name == predicate
    }


def signatures(*atoms: Atom) -> dict[str, Signature]:
    return {a.predicate: Signature(a.predicate, (Parameter(None),) * len(a.arguments)) for a in atoms}
