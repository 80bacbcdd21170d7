"""Rules, facts, signatures and programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from thalweg.model.formula import (
    All,
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Formula,
    Metric,
    Some,
    Term,
    Top,
    Windowed,
    skolems,
    subformulas,
)
from thalweg.model.reads import time_offsets
from thalweg.source import Source, Span
from thalweg.syntax.ast import Parameter, Role
from thalweg.time.interval import Endpoint, Interval, point
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Rule:
    """M' ← M₁ ∧ … ∧ Mₙ (journal paper, Rule (3)).

    The head is an atom, ⊤ or ⊥ under any number of boxes, or an atom at a time (LARS). ``origin`` is the source
    rule, kept by every pass that derives rules from it; ``number`` counts the program's rules from 1.
    """

    head: Formula
    body: tuple[Formula, ...]
    number: int = field(default=0, compare=False)
    origin: Span | None = field(default=None, compare=False, repr=False)

    @cached_property
    def head_core(self) -> Atom | Top | Bottom:
        """What stands under the head's boxes."""
        core: Formula = self.head
        while isinstance(core, Metric | At):
            core = core.operand
        assert isinstance(core, Atom | Top | Bottom)
        return core

    @property
    def head_time(self) -> Term | None:
        """The time term of a head ``P(X) at T``."""
        return self.head.time if isinstance(self.head, At) else None

    @cached_property
    def reach(self) -> Interval:
        """The times at which the head core holds when the body holds at 0 (nested boxes add up).

        For a head at a time it is a hull: how far from the body's time that time can lie.
        """
        if isinstance(self.head, At):
            return time_offsets(self.body, self.head.time)
        total = point(0)
        part: Formula = self.head
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
    """What is known of a predicate: its arity, its role, the names and types of its arguments.

    It is ``open`` where nothing says how many arguments it has: it is declared without, and occurs nowhere.
    """

    predicate: str
    parameters: tuple[Parameter, ...]
    role: Role = Role.PREDICATE
    declared: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    open: bool = False

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
    arrivals: tuple[Fraction, ...] | None = None
    """P(delay = 0), …, P(delay = length), where declared; what they lack to 1 is lost on the way."""


@dataclass(frozen=True)
class Probability:
    """How likely a fact of a predicate holds at a given time point; ``arguments`` as for :class:`Delay`."""

    predicate: str
    arguments: tuple[Term, ...] | None
    value: Fraction
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Program:
    """A finite set of rules with its facts, signatures and timeline.

    ``unit`` is the length in seconds of the number 1 in times written without a unit; ``tick`` is the
    finest step of time, when declared, in those units. ``left_out`` names the head predicates of rules
    that could not be lowered: an error has been reported for each, and later checks do not complain that
    nothing derives them. ``time_is_last`` says that in the text of facts the last argument is the time, as it was in
    the text of the program (Temporal Datalog); rules and facts here have their times apart.
    """

    rules: tuple[Rule, ...]
    facts: tuple[Fact, ...] = ()
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    timeline: Timeline = Timeline.RATIONAL
    timeline_start: Fraction | None = None
    timeline_end: Fraction | None = None
    unit: Fraction = Fraction(1)
    tick: Fraction | None = None
    delays: tuple[Delay, ...] = ()
    probabilities: tuple[Probability, ...] = ()
    time_is_last: bool = False
    left_out: frozenset[str] = frozenset()
    source: Source | None = field(default=None, compare=False, repr=False)

    @cached_property
    def derived_predicates(self) -> frozenset[str]:
        """The predicates in rule heads (intensional)."""
        return frozenset(core.predicate for rule in self.rules if isinstance(core := rule.head_core, Atom))

    @cached_property
    def background(self) -> frozenset[str]:
        """The predicates declared as background: what holds of them holds always, whatever the window."""
        return frozenset(name for name, each in self.signatures.items() if each.role is Role.BACKGROUND)

    @cached_property
    def is_windowed(self) -> bool:
        """Whether a rule speaks of windows or of single time points, as in LARS: by name, or by a null for each."""
        formulas = (formula for rule in self.rules for formula in (rule.head, *rule.body))
        if any(isinstance(p, Windowed | Some | All | At) for formula in formulas for p in subformulas(formula)):
            return True
        return any(null.timed for rule in self.rules for null in skolems(rule.head))

    @cached_property
    def is_existential(self) -> bool:
        """Whether a rule makes up nulls (LARS+)."""
        return any(True for rule in self.rules for _ in skolems(rule.head))

    @property
    def bounds(self) -> tuple[Endpoint, Endpoint]:
        """The timeline's first and last time point.

        A program of LARS has the timeline that it declares, from 0 on by default; nothing holds outside it. Others
        speak of all times.
        """
        if not self.is_windowed:
            return -math.inf, math.inf
        start = Fraction(0) if self.timeline_start is None else self.timeline_start
        return start, math.inf if self.timeline_end is None else self.timeline_end

    @property
    def predicates(self) -> tuple[str, ...]:
        """All predicates, in the order in which they were first mentioned."""
        return tuple(self.signatures)

    def _repr_html_(self) -> str:
        """Its text in colours, for notebooks."""
        from thalweg.model.display import draw_program  # nothing but a notebook needs it

        return draw_program(self)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """Its text, for notebooks that show no colours."""
        printer.text(self.source.text.strip("\n") if self.source else repr(self))

    def rules_for(self, predicate: str) -> Iterator[Rule]:
        """The rules whose head core is an atom of the predicate."""
        return iter(self._rules_by_head.get(predicate, ()))

    @cached_property
    def _rules_by_head(self) -> Mapping[str, Sequence[Rule]]:
        by_head: dict[str, list[Rule]] = {}
        for rule in self.rules:
            if isinstance(core := rule.head_core, Atom):
                by_head.setdefault(core.predicate, []).append(rule)
        return by_head
