"""Temporal groundings (LARS+ paper, Definitions 4 to 6): rules whose times are time points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from thalweg.analysis.existential.assignments import Budget, projections
from thalweg.analysis.existential.names import box_name
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.analysis.existential.wfree import TimedAtom, WindowFreeRule
from thalweg.analysis.existential.written import existential_rule
from thalweg.model.formula import Constant, Variable

MOST_STEPS = 100_000
"""How many steps a grounding may take by default; each rule is at least one."""


def tgrnd(rules: Iterable[WindowFreeRule], timeline: range, steps: int = MOST_STEPS) -> tuple[ExistentialRule, ...]:
    """tgrnd_T(P), given wfree(P): the rules for all time points at which their arithmetic is true (Definition 5).

    An atom @_t p(s) is ⟦⊞□p⟧(s, 0, t). Raises :class:`TooLargeError` if it takes more steps.
    """
    return tuple(_ground(rules, timeline, _with_time, steps))


def tfgrnd(rules: Iterable[WindowFreeRule], timeline: range, steps: int = MOST_STEPS) -> tuple[ExistentialRule, ...]:
    """tfgrnd_T(P), given wfree(P): the temporal grounding with time points in the names of predicates (Definition 6).

    An atom @_t p(s) is ⟦p⟧_t(s), written ``p@t``. Raises :class:`TooLargeError` if it takes more steps.
    """
    return tuple(_ground(rules, timeline, _named_by_time, steps))


def _with_time(atom: PlainAtom, time: int) -> PlainAtom:
    added = Constant(Fraction(0)), Constant(Fraction(time))
    return PlainAtom(box_name(atom.predicate), (*atom.arguments, *added))


def _named_by_time(atom: PlainAtom, time: int) -> PlainAtom:
    return PlainAtom(f"{atom.predicate}@{time}", atom.arguments)


def _ground(
    rules: Iterable[WindowFreeRule], timeline: range, at: Callable[[PlainAtom, int], PlainAtom], steps: int
) -> Iterator[ExistentialRule]:
    budget = Budget(steps)
    known: dict[tuple[PlainAtom, int], PlainAtom] = {}

    def placed(timed: TimedAtom, values: dict[Variable, int]) -> PlainAtom:
        key = timed.atom, _time(timed, values)
        if key not in known:
            known[key] = at(*key)
        return known[key]

    for rule in rules:
        constants = [each.time for each in (*rule.body, *rule.head) if isinstance(each.time, Constant)]
        if not all(_is_on(time, timeline) for time in constants):
            continue
        wanted = [each.time for each in (*rule.body, *rule.head) if isinstance(each.time, Variable)]
        wanted = list(dict.fromkeys(wanted))
        for points in projections(wanted, rule.arithmetic, timeline, budget):
            values = dict(zip(wanted, points, strict=True))
            body = (placed(each, values) for each in rule.body)
            head = tuple(placed(each, values) for each in rule.head)
            yield existential_rule(body, head, rule.existential, rule.frontier, rule.number, rule.origin)


def _time(timed: TimedAtom, values: dict[Variable, int]) -> int:
    if isinstance(timed.time, Variable):
        return values[timed.time]
    assert isinstance(timed.time.value, Fraction)
    return int(timed.time.value)


def _is_on(time: Constant, timeline: range) -> bool:
    return isinstance(time.value, Fraction) and time.value.denominator == 1 and int(time.value) in timeline
