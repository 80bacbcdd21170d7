"""Models (LARS+ paper, Definition 2): every match of a body extends to one of the head, by whatever values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.program import Fact, Program
from thalweg.testing.cells import Grid, cell_numbers
from thalweg.testing.consequence import Consequence
from thalweg.testing.constants import constants
from thalweg.testing.grounding import Interpretation
from thalweg.testing.lars.answer_sets import TimedAtom
from thalweg.testing.lars.meaning import LarsMeanings
from thalweg.testing.lars.timeline import background_predicates
from thalweg.testing.lars_plus.atoms import is_atom, matches, together
from thalweg.testing.lars_plus.rules import WrittenRule, written_rules
from thalweg.testing.lars_plus.stream import GrowingStream, data, timeline
from thalweg.testing.values import Substitution
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Violation:
    """A match of a rule's body at a time that no values extend to the head."""

    rule: WrittenRule
    substitution: Substitution
    time: int


def is_model(program: Program, facts: Iterable[Fact], stream: Iterable[TimedAtom]) -> bool:
    """Whether a stream is a model of a program and a data stream; the program says where its timeline ends.

    Nulls are values like others here. That they are Skolem terms has no say.
    """
    atoms = frozenset(stream)
    return atoms.issuperset(data(program, facts)) and not any(violations(program, atoms))


def violations(program: Program, stream: Iterable[TimedAtom]) -> Iterator[Violation]:
    """Where a stream does not satisfy the rules of a program."""
    growing = GrowingStream(timeline(program), stream)
    meanings = _meanings(program, growing)
    for rule in written_rules(program):
        for substitution, time in _matches(rule, growing, meanings):
            if not is_satisfied(rule, substitution, time, growing):
                yield Violation(rule, substitution, time)


def is_satisfied(rule: WrittenRule, substitution: Substitution, time: int, stream: GrowingStream) -> bool:
    """Whether a match of the body at a time extends to the head, or the head speaks of a time outside T."""
    asked = rule.asked(substitution, time, stream.timeline)
    return asked is None or any(True for _ in together(asked, stream, substitution))


def _matches(rule: WrittenRule, stream: GrowingStream, meanings: LarsMeanings) -> Iterator[tuple[Substitution, int]]:
    """The matches of a body; one that is not of LARS+ alone is left to the meanings that the oracle gives it."""
    if all(map(is_atom, rule.body)):
        for time in stream.timeline:
            yield from ((found, time) for found in matches(rule.body, stream, time))
        return
    for found, cells in Consequence(rule.as_rule, meanings, meanings.grid.everywhere).instances():
        yield from ((found, stream.timeline.start + cell) for cell in cell_numbers(cells))


def _meanings(program: Program, stream: GrowingStream) -> LarsMeanings:
    first = stream.timeline.start
    interpretation: Interpretation = {}
    for predicate, arguments, time in stream:
        relation = interpretation.setdefault(predicate, {})
        relation[arguments] = relation.get(arguments, 0) | 1 << time - first
    grid = Grid(Timeline.INTEGER, Fraction(1), Fraction(first), len(stream.timeline))
    return LarsMeanings(grid, interpretation, constants(program), background_predicates(program))
