"""Why a fact does not hold: for each rule that could derive it, the first literal that stands in the way."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from thalweg.explain.as_json import fact_json, rule_json
from thalweg.explain.atoms import Binding, GroundAtom
from thalweg.explain.body_order import body_order
from thalweg.explain.instances import HeadValues, Instance, Instances, head_values
from thalweg.explain.known import Known
from thalweg.explain.shortfall import Shortfall, shortfall
from thalweg.explain.times import nothing, whole
from thalweg.explain.truth import Truth
from thalweg.explain.wording import formula_text
from thalweg.model.formula import Atom, Formula
from thalweg.model.program import Rule
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet

_MOST_TRIED = 5
"""So many instances of the literals before are tried to find the one that comes nearest."""


@dataclass(frozen=True)
class Obstacle:
    """The first literal of a rule that cannot be satisfied together with those ``after`` which it is looked at.

    ``place`` and ``after`` count literals from 0, as they are written. ``times`` are those, of the fact in question, at
    which it fails for all values of the variables; ``binding`` are values with which the rule came as far as that.
    """

    rule: Rule
    place: int
    after: tuple[int, ...]
    times: Interval
    binding: Binding
    shortfall: Shortfall

    @property
    def literal(self) -> Formula:
        """The literal itself."""
        return self.rule.body[self.place]


@dataclass(frozen=True)
class WhyNot:
    """Why a fact does not hold at times asked about.

    ``holds`` are the times asked about at which it does. ``misfits`` are rules for the predicate whose heads are never
    the fact. ``notes`` say what else is to be known: that no rule derives the predicate, or when the fact was given.
    """

    atom: GroundAtom
    asked: Interval | None
    holds: tuple[Interval, ...]
    missing: tuple[Interval, ...]
    obstacles: tuple[Obstacle, ...] = ()
    misfits: tuple[Rule, ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing)

    @property
    def text(self) -> str:
        """What was asked."""
        return str(self.atom) if self.asked is None else f"{self.atom}@{self.asked}"

    def to_text(self) -> str:
        """The answer to read."""
        from thalweg.explain.why_not_text import why_not_lines

        return "\n".join(map(str, why_not_lines(self)))

    def to_json(self) -> dict[str, Any]:
        """The answer as data."""
        return {
            "fact": fact_json(self.atom, self.asked),
            "holds": [str(interval) for interval in self.holds],
            "missing": [str(interval) for interval in self.missing],
            "rules": [_obstacle_json(each) for each in self.obstacles],
            "misfits": [rule_json(rule) for rule in self.misfits],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return self.to_text()


@dataclass
class Doubter:
    """Finds out why facts do not hold."""

    known: Known
    instances: Instances = field(init=False)

    def __post_init__(self) -> None:
        self.instances = Instances(self.known)
        self.truth = Truth(self.known)

    def obstacle(self, rule: Rule, atom: GroundAtom, missing: Interval, *, throughout: bool) -> Obstacle | None:
        """The first literal in the way of a rule; None when the head does not fit, or the rule derives the fact after all.

        With ``throughout`` the fact is missing at all times of the interval, and the literal is the first that fails at
        one of them; otherwise it is the first that fails at all of them.
        """
        given = head_values(rule, atom)
        if given is None:
            return None
        order = body_order(rule)
        wanted = whole(missing, self.known.timeline)
        for number, place in enumerate(order):
            body = tuple(rule.body[each] for each in order[: number + 1])
            held = self.instances.head_times(rule, body, given, missing, self.truth).intersection(wanted)
            failing = wanted.difference(held) if throughout or not held else nothing(self.known.timeline)
            if failing:
                return self._obstacle(rule, given, order[:number], place, failing.intervals[0])
        return None

    def _obstacle(self, rule: Rule, given: HeadValues, before: list[int], place: int, times: Interval) -> Obstacle:
        body = tuple(rule.body[each] for each in before)
        found = self.instances.of_body(rule, body, given, times, self.truth)
        ways = [self._way(rule, given, place, times, each) for each in itertools.islice(found, _MOST_TRIED)]
        ways = ways or [self._way(rule, given, place, times, None)]
        binding, best = min(ways, key=lambda way: way[1].rank)
        return Obstacle(rule, place, tuple(before), times, binding, best)

    def _way(
        self, rule: Rule, given: HeadValues, place: int, times: Interval, instance: Instance | None
    ) -> tuple[Binding, Shortfall]:
        """How near the literal comes for an instance of those before it, at the times when it should hold."""
        binding = {**given.values, **(instance.binding if instance else {})}
        body = self._body_times(rule, times, instance)
        return binding, shortfall(rule.body[place], binding, body, self.truth)

    def _body_times(self, rule: Rule, times: Interval, instance: Instance | None) -> IntervalSet:
        timeline = whole(self.known.all_time, self.known.timeline)
        held = timeline if instance is None else whole(self.known.ticks.decode(*instance.body), self.known.timeline)
        if rule.head_time is None:
            held = held.intersection(whole(times.minus(rule.reach), self.known.timeline))
        return held.intersection(timeline) or timeline


def head_text(rule: Rule) -> str:
    """The head of a rule."""
    return formula_text(rule.head, {})


def is_for(rule: Rule, predicate: str) -> bool:
    """Whether a rule derives a predicate."""
    return isinstance(rule.head_core, Atom) and rule.head_core.predicate == predicate


def _obstacle_json(obstacle: Obstacle) -> dict[str, Any]:
    named = {name: value for name, value in obstacle.binding.items() if "#" not in name}
    return {
        "rule": rule_json(obstacle.rule),
        "instance": {name: format_value(value) for name, value in named.items()},
        "literal": {
            "number": obstacle.place + 1,
            "text": formula_text(obstacle.literal, {}),
            "ground": formula_text(obstacle.literal, obstacle.binding),
        },
        "after": [place + 1 for place in obstacle.after],
        "time": str(obstacle.times),
        "reason": obstacle.shortfall.text,
        "ask": obstacle.shortfall.ask,
    }
