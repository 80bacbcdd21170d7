"""Instances of rules that derive a fact: the engine's own plans, over the few facts that matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.shift import clip, diamond
from thalweg.engine.bindings import Bindings
from thalweg.engine.derive import Range, body_of, due
from thalweg.explain.atoms import Binding, GroundAtom, value_of
from thalweg.explain.free import free_variables
from thalweg.explain.known import Known
from thalweg.explain.reading import Reader
from thalweg.explain.times import decode_all, encode_around
from thalweg.model.formula import (
    Atom,
    Constant,
    Formula,
    HeadTerm,
    Skolem,
    Value,
    Variable,
)
from thalweg.model.program import Rule
from thalweg.null import Null
from thalweg.plan.build import RulePlan, plan_rule
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.ticks import POSITIVE_INFINITY


@dataclass(frozen=True)
class Instance:
    """Values for a rule's variables, the range of time in which its body holds, and that of its head, as codes."""

    rule: Rule
    binding: Binding
    body: Range
    head: Range


@dataclass(frozen=True)
class HeadValues:
    """What a fact says about the variables of a rule that derives it, and about the time of the body."""

    values: Binding
    time: int | None = None


@dataclass(frozen=True)
class _Found:
    """Rows of bindings, and from when to when heads hold for each."""

    bindings: Bindings
    starts: Ints
    ends: Ints


class Instances:
    """Finds the instances of rules that derive a fact."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._plans: dict[tuple[int, tuple[Formula, ...]], list[RulePlan]] = {}

    def of(self, rule: Rule, atom: GroundAtom, interval: Interval, reader: Reader) -> list[Instance]:
        """The instances of a rule whose head is an atom at some time of an interval."""
        given = head_values(rule, atom)
        return [] if given is None else list(self.of_body(rule, rule.body, given, interval, reader))

    def of_body(
        self, rule: Rule, body: tuple[Formula, ...], given: HeadValues, interval: Interval, reader: Reader
    ) -> Iterator[Instance]:
        """The same for other literals in the place of the rule's, such as the first few of them."""
        for found in self._found(rule, body, given, interval, reader):
            relation = found.bindings.relation
            columns = dict(zip(found.bindings.variables, relation.columns, strict=True))
            for row in range(len(relation)):
                binding = {name: self.known.values.value(int(column[row])) for name, column in columns.items()}
                when = int(relation.start[row]), int(relation.end[row])
                yield Instance(rule, binding, when, (int(found.starts[row]), int(found.ends[row])))

    def head_times(
        self, rule: Rule, body: tuple[Formula, ...], given: HeadValues, interval: Interval, reader: Reader
    ) -> IntervalSet:
        """The times of an interval at which the head of a rule follows from literals in the place of its body."""
        ranges = [(found.starts, found.ends) for found in self._found(rule, body, given, interval, reader)]
        times = coalesce(concat([Relation((), starts, ends) for starts, ends in ranges], 0))
        times = clip(times, *encode_around(interval, self.known.ticks))
        return IntervalSet(decode_all(times.start, times.end, self.known.ticks), self.known.timeline)

    def _found(
        self, rule: Rule, body: tuple[Formula, ...], given: HeadValues, interval: Interval, reader: Reader
    ) -> Iterator[_Found]:
        within = encode_around(interval, self.known.ticks)
        for plan in self._planned(rule, body):
            bindings = self._bindings(plan, body, given, within, reader)
            starts, ends, derives = self._heads(rule, bindings, given)
            derives &= (starts <= within[1]) & (ends >= within[0])
            yield _Found(bindings.where(derives), starts[derives], ends[derives])

    def _bindings(
        self, plan: RulePlan, body: Sequence[Formula], given: HeadValues, within: Range, reader: Reader
    ) -> Bindings:
        """What a body binds for heads inside a range, where head variables have the values given."""
        evaluator = reader.evaluator()
        range_ = due(plan, evaluator, within)
        if range_[0] > range_[1]:
            return Bindings((), empty(0))
        reader.fill(evaluator, body, given.values, range_)
        bindings = body_of(plan, evaluator, within).clipped(*range_)
        for name, value in given.values.items():
            if name in bindings.variables and len(bindings):
                column = bindings.relation.columns[bindings.variables.index(name)]
                bindings = bindings.where(column == self.known.values.code(value))
        return bindings if given.time is None else bindings.clipped(given.time, given.time)

    def _heads(self, rule: Rule, bindings: Bindings, given: HeadValues) -> tuple[Ints, Ints, Bools]:
        """From when to when heads hold, and whether they do at all: a half is no time point."""
        relation, always = bindings.relation, np.ones(len(bindings), dtype=np.bool_)
        match rule.head_time:
            case None:
                reach = self.known.ticks.encode(rule.reach)
                if reach is None:
                    return relation.start, relation.end, ~always
                moved = diamond(relation, *reach, self.known.timeline)
                return moved.start, moved.end, always
            case Variable(name=name) if name in bindings.variables:
                codes = bindings.relation.columns[bindings.variables.index(name)]
            case time:
                value = value_of(time, given.values)
                if value is None:  # it will be bound by literals that are still to come
                    infinite = np.full_like(relation.start, POSITIVE_INFINITY)
                    return -infinite, infinite, always
                codes = np.full(len(bindings), self.known.values.code(value), dtype=np.int64)
        return codes >> 1, codes >> 1, (codes & 1) == 0

    def _planned(self, rule: Rule, body: tuple[Formula, ...]) -> list[RulePlan]:
        key = id(rule), body
        if key not in self._plans:
            # Where the timeline has no end, what the other literals say of a head's time keeps the search finite.
            own = replace(rule, body=body) if self.known.all_time.is_bounded else rule
            self._plans[key] = plans_of(own, body, self.known.program.background)
        return self._plans[key]


def head_values(rule: Rule, atom: GroundAtom) -> HeadValues | None:
    """The values that head variables have when a rule derives an atom; None when it cannot."""
    core = rule.head_core
    assert isinstance(core, Atom)
    if core.predicate != atom.predicate or len(core.arguments) != len(atom.values):
        return None
    values: dict[str, Value] = {}
    times: set[int] = set()
    for term, value in zip(core.arguments, atom.values, strict=True):
        if not _fits(term, value, values, times):
            return None
    return HeadValues(values, times.pop() if times else None) if len(times) < 2 else None


def _fits(term: HeadTerm, value: Value, values: dict[str, Value], times: set[int]) -> bool:
    match term:
        case Constant():
            return term.value == value
        case Variable(name=name):
            return values.setdefault(name, value) == value
        case Skolem(rule=rule, variable=variable, frontier=frontier):
            if not isinstance(value, Null) or (value.rule, value.variable) != (rule, variable):
                return False
            times |= set() if value.time is None else {value.time}
            pairs = zip(frontier, value.arguments, strict=True)
            return all(values.setdefault(each.name, part) == part for each, part in pairs)


def plans_of(rule: Rule, body: Sequence[Formula], background: frozenset[str]) -> list[RulePlan]:
    """Plans for a body that keep all its variables, for heads as far away as the rule's."""
    names = dict.fromkeys(variable.name for literal in body for variable in free_variables(literal))
    whole = replace(rule, head=Atom("#instance", tuple(map(Variable, names))), body=tuple(body))
    return [replace(plan, reach=rule.reach) for plan in plan_rule(whole, background)]
