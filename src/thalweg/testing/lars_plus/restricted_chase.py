"""The restricted chase: rules fire only where their heads do not hold yet, for whatever values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from fractions import Fraction

from thalweg.model.formula import Atom, Value, Variable
from thalweg.model.program import Fact, Program
from thalweg.null import Null
from thalweg.testing.grounding import ground
from thalweg.testing.lars.answer_sets import TimedAtom
from thalweg.testing.lars_plus.atoms import is_atom, matches
from thalweg.testing.lars_plus.model import is_satisfied
from thalweg.testing.lars_plus.rules import WrittenRule, written_rules
from thalweg.testing.lars_plus.stream import GrowingStream, data, timeline
from thalweg.testing.values import Substitution

Invent = Callable[[], Value]
"""Gives a value for an existential variable."""


def restricted_chase(program: Program, facts: Iterable[Fact], invent: Invent | None = None) -> frozenset[TimedAtom]:
    """A model of a program of LARS+ and its facts, with as few new values as come easily.

    The values are fresh nulls, unless ``invent`` gives others: with always the same one, it is a small model. Rules
    that need no new values come first. It ends whenever the skolem chase does.
    """
    for rule in program.rules:
        if not all(map(is_atom, rule.body)):
            raise ValueError(f"{rule.name} is no rule of LARS+")
    numbers = itertools.count(1)
    new = invent or (lambda: Null(0, "new", (Fraction(next(numbers)),)))
    stream = GrowingStream(timeline(program), data(program, facts))
    rules = sorted(written_rules(program), key=lambda rule: rule.is_existential)
    while any(_fires(rule, stream, new) for rule in rules):
        pass
    return frozenset(stream)


def _fires(rule: WrittenRule, stream: GrowingStream, invent: Invent) -> bool:
    """Make a rule hold for the matches that there are; say whether that took anything."""
    fired = False
    for time in stream.timeline:
        for found in list(matches(rule.body, stream, time)):
            if not is_satisfied(rule, found, time, stream):
                _add(rule.asked(found, time, stream.timeline) or [], found, stream, invent)
                fired = True
    return fired


def _add(moments: list[tuple[Atom, int]], found: Substitution, stream: GrowingStream, invent: Invent) -> None:
    values = dict(found)
    for atom, _ in moments:
        for term in atom.arguments:
            if isinstance(term, Variable) and term.name not in values:
                values[term.name] = invent()
    for atom, time in moments:
        stream.add((atom.predicate, ground(atom, values), time))
