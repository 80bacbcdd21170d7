"""Forward-propagating programs (journal paper, Definition 4)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from thalweg.model.formula import (
    Aggregate,
    All,
    At,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondPlus,
    Formula,
    Not,
    Or,
    Since,
    Some,
    Top,
    Until,
    Windowed,
    subformulas,
)
from thalweg.model.program import Program, Rule
from thalweg.source import Span


@dataclass(frozen=True)
class Reason:
    """A construct in a rule that a definition does not allow, or does not know."""

    construct: str
    rule: Rule = field(repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.construct} in {self.rule.name}"


@dataclass(frozen=True)
class ForwardPropagation:
    """How a program relates to Definition 4.

    ``violations`` put it outside. ``extensions`` are what the definition does not speak of: negation and
    comparisons. ``unbounded_boxes`` are inside the definition but not inside the algorithms' proofs, which
    take a box-minus in a body to be bounded.
    """

    violations: tuple[Reason, ...]
    extensions: tuple[Reason, ...]
    unbounded_boxes: tuple[Reason, ...]

    @property
    def holds(self) -> bool:
        """Whether the program is forward-propagating."""
        return not self.violations

    @property
    def negates(self) -> bool:
        """Whether the program uses negation."""
        return any(reason.construct == "not" for reason in self.extensions)


def forward_propagation(program: Program) -> ForwardPropagation:
    """What in the program is outside Definition 4, and what the definition does not know."""
    return ForwardPropagation(
        violations=tuple(reason for rule in program.rules for reason in _violations(rule)),
        extensions=tuple(reason for rule in program.rules for reason in _extensions(rule)),
        unbounded_boxes=tuple(reason for rule in program.rules for reason in _unbounded_boxes(rule)),
    )


def _violations(rule: Rule) -> Iterator[Reason]:
    for part in subformulas(rule.head):
        if isinstance(part, BoxMinus):
            yield Reason("boxminus in the head", rule, part.span)
        elif isinstance(part, Top | Bottom | At):
            yield Reason(f"{_WORDS[type(part)]} in the head", rule, part.span)
    for part in _body(rule):
        if type(part) in _WORDS:
            yield Reason(_WORDS[type(part)], rule, part.span)


def _extensions(rule: Rule) -> Iterator[Reason]:
    for part in _body(rule):
        if isinstance(part, Not | Comparison):
            yield Reason("not" if isinstance(part, Not) else "a comparison", rule, part.span)


def _unbounded_boxes(rule: Rule) -> Iterator[Reason]:
    for part in _body(rule):
        if isinstance(part, BoxMinus) and part.interval.end == math.inf:
            yield Reason("an unbounded boxminus", rule, part.span)


def _body(rule: Rule) -> Iterator[Formula]:
    for literal in rule.body:
        yield from subformulas(literal)


_WORDS: dict[type[Formula], str] = {
    Top: "⊤",
    Bottom: "⊥",
    Since: "since",
    Until: "until",
    DiamondPlus: "diamondplus",
    BoxPlus: "boxplus",
    Windowed: "a window",
    Some: "some",
    All: "all",
    At: "at",
    Or: "or",
    Aggregate: "an aggregate",
}
