"""Rules, facts, signatures and programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from thalweg.model.formula import Atom, Bottom, BoxMinus, BoxPlus, Formula, Metric, Term, Top
from thalweg.source import Source, Span
from thalweg.syntax.ast import Parameter, Role
from thalweg.time.interval import Endpoint, Interval, point
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Rule:
    """M' ← M₁ ∧ … ∧ Mₙ (journal paper, Rule (3)).

    The head is an atom, ⊤ or ⊥ under any number of boxes. ``origin`` is the source rule, kept by every
    pass that derives rules from it; ``number`` counts the program's rules from 1.
    """

    head: Formula
    body: tuple[Formula, ...]
    number: int = field(default=0, compare=False)
    origin: Span | None = field(default=None, compare=False, repr=False)

    @property
    def head_core(self) -> Atom | Top | Bottom:
        """What stands under the head's boxes."""
        core = self.head
        while isinstance(core, Metric):
            core = core.operand
        assert isinstance(core, Atom | Top | Bottom)
        return core

    @property
    def reach(self) -> Interval:
        """The times at which the head core holds when the body holds at 0 (nested boxes add up)."""
        total, part = point(0), self.head
        while isinstance(part, BoxPlus | BoxMinus):
            total = total.plus(part.interval) if isinstance(part, BoxPlus) else total.minus(part.interval)
            part = part.operand
        return total

    @property
    def name(self) -> str:
        """How messages call the rule."""
        return f"rule {self.number}" + (f" ({self.origin.place})" if self.origin else "")


@dataclass(frozen=True)
class Fact:
    """M@ϱ for a ground relational atom."""

    atom: Atom
    interval: Interval
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Signature:
    """What is known of a predicate: its arity, its role, the names and types of its arguments."""

    predicate: str
    parameters: tuple[Parameter, ...]
    role: Role = Role.PREDICATE
    declared: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.parameters)


@dataclass(frozen=True)
class Delay:
    """How late the facts of a predicate may arrive, at most.

    ``arguments`` narrows it to the facts that match (a variable matches everything); None means all facts
    of the predicate.
    """

    predicate: str
    arguments: tuple[Term, ...] | None
    length: Endpoint
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Program:
    """A finite set of rules with its facts, signatures and timeline.

    ``unit`` is the length in seconds of the number 1 in times written without a unit; ``tick`` is the
    finest step of time, when declared, in those units. ``left_out`` names the head predicates of rules
    that could not be lowered: an error has been reported for each, and later checks do not complain that
    nothing derives them.
    """

    rules: tuple[Rule, ...]
    facts: tuple[Fact, ...] = ()
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    timeline: Timeline = Timeline.RATIONAL
    timeline_start: Fraction | None = None
    unit: Fraction = Fraction(1)
    tick: Fraction | None = None
    delays: tuple[Delay, ...] = ()
    left_out: frozenset[str] = frozenset()
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def derived_predicates(self) -> frozenset[str]:
        """The predicates in rule heads (intensional)."""
        return frozenset(core.predicate for rule in self.rules if isinstance(core := rule.head_core, Atom))

    @property
    def predicates(self) -> tuple[str, ...]:
        """All predicates, in the order in which they were first mentioned."""
        return tuple(self.signatures)

    def rules_for(self, predicate: str) -> Iterator[Rule]:
        """The rules whose head core is an atom of the predicate."""
        for rule in self.rules:
            if isinstance(rule.head_core, Atom) and rule.head_core.predicate == predicate:
                yield rule
