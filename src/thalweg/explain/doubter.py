"""Finding the first literal that stands in the way of a rule."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction

from thalweg.explain.atoms import Binding, GroundAtom
from thalweg.explain.body_order import body_order
from thalweg.explain.instances import HeadValues, Instance, Instances, head_values
from thalweg.explain.known import Known
from thalweg.explain.obstacles import Misfit, Obstacle
from thalweg.explain.shortfall import Shortfall, shortfall
from thalweg.explain.times import hull, nothing, whole
from thalweg.explain.truth import Truth
from thalweg.explain.wording import formula_text
from thalweg.model.formula import Formula, Variable
from thalweg.model.program import Rule
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet

_MOST_TRIED = 5
"""So many instances of the literals before are tried to find the one that comes nearest."""


@dataclass
class Doubter:
    """Finds out why facts do not hold."""

    known: Known
    instances: Instances = field(init=False)

    def __post_init__(self) -> None:
        self.instances = Instances(self.known)
        self.truth = Truth(self.known)

    def doubt(self, rule: Rule, atom: GroundAtom, missing: IntervalSet, *, throughout: bool) -> Obstacle | Misfit:
        """The first literal in the way of a rule.

        With ``throughout`` the fact is missing at all these times, and the literal is the first that fails at one of
        them; otherwise it is the first that fails at all of them.
        """
        given = head_values(rule, atom)
        if given is None:
            return Misfit(rule, f"it derives {formula_text(rule.head, {})} only")
        wanted = self._head_times(rule, (), given, missing)
        if not wanted:
            return Misfit(rule, "it derives the fact at other times only")
        order = body_order(rule)
        for number, place in enumerate(order):
            held = self._head_times(rule, tuple(rule.body[each] for each in order[: number + 1]), given, wanted)
            failing = wanted.difference(held) if throughout or not held else nothing(self.known.timeline)
            if failing:
                return self._obstacle(rule, given, order[:number], place, failing.intervals[0])
        raise AssertionError(f"rule {rule.number} derives {atom} at {wanted}")

    def _head_times(self, rule: Rule, body: tuple[Formula, ...], given: HeadValues, wanted: IntervalSet) -> IntervalSet:
        return self.instances.head_times(rule, body, given, hull(wanted), self.truth).intersection(wanted)

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
        time = rule.head_time
        if isinstance(time, Variable) and isinstance(times.start, Fraction) and times.is_punctual:
            binding.setdefault(time.name, times.start)
        body = self._body_times(rule, times, instance)
        is_forced = time is None and rule.reach.is_punctual
        return binding, shortfall(rule.body[place], binding, body, self.truth, at_any=not is_forced)

    def _body_times(self, rule: Rule, times: Interval, instance: Instance | None) -> IntervalSet:
        """The times at which the body could give the head at these times, as far as the literals before go."""
        timeline = whole(self.known.all_time, self.known.timeline)
        held = timeline if instance is None else whole(self.known.ticks.decode(*instance.body), self.known.timeline)
        if rule.head_time is None:
            held = held.intersection(whole(times.minus(rule.reach), self.known.timeline))
        return held.intersection(timeline) or timeline
