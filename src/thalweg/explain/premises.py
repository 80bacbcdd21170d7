"""Which facts, over which times, suffice to make a formula hold."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from thalweg.explain.aggregates import MOST_ELEMENTS, elements_of
from thalweg.explain.atoms import Binding, GroundAtom, ground, pattern_of
from thalweg.explain.by_engine import ways_of
from thalweg.explain.evidence import Evidence
from thalweg.explain.free import free_variables
from thalweg.explain.since import since_evidence
from thalweg.explain.times import covering, dilated, hull, nothing, whole
from thalweg.explain.truth import Truth, as_metric, distances_of, seen, time_of
from thalweg.explain.window_walk import WindowWalk
from thalweg.explain.wording import aggregate_text, formula_text
from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Not,
    Or,
    Since,
    Some,
    Until,
    Windowed,
    subformulas,
)
from thalweg.model.reads import reads
from thalweg.time.interval import Interval, point
from thalweg.time.interval_set import IntervalSet


class Premises:
    """Collects evidence for formulas, literal by literal."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.timeline = truth.known.timeline
        self.evidence = Evidence()

    def collect(self, formula: Formula, binding: Binding, times: IntervalSet) -> None:
        """What makes a formula hold at times at which it does."""
        if not times:
            return
        match formula:
            case Atom():
                atom = ground(formula, binding)
                assert atom is not None, "an atom without values was chosen"
                self.evidence.add_fact(atom, times)
            case Comparison():
                self.evidence.add_condition(formula_text(formula, binding))
            case And(operands=operands):
                for operand in operands:
                    self.collect(operand, binding, times)
            case Or(operands=operands):
                self._one_of(operands, binding, times)
            case Not(operand=operand):
                self.evidence.add_absent(formula_text(operand, binding), times)
            case DiamondMinus() | DiamondPlus():
                self._sometime(formula.operand, distances_of(formula), binding, times)
            case BoxMinus() | BoxPlus():
                self.collect(formula.operand, binding, dilated(times, distances_of(formula).reflected()))
            case Since() | Until():
                self._since(formula, binding, times)
            case Aggregate():
                self._aggregate(formula, binding, times)
            case Windowed(operand=operand) if (plain := as_metric(formula)) is not None:
                self._in_window(operand, plain, binding, times)
            case Windowed():
                if not WindowWalk(self.truth, self.evidence).collect(formula, binding, times):
                    self._all_read(formula, binding, times)
            case Some() | All() | At():
                self._in_stream(formula, binding)

    def _all_read(self, formula: Formula, binding: Binding, times: IntervalSet) -> None:
        """All facts that a formula reads at these times, whether or not it needs them all."""
        within = hull(times)
        for read in reads(formula):
            stretch = within.plus(read.offsets)
            name, pattern = read.atom.predicate, pattern_of(read.atom, binding)
            for values in () if read.negative else self.truth.known.matching(name, pattern, stretch):
                held = self.truth.known.times(name, values, stretch, self.truth.before(name))
                self.evidence.add_fact(GroundAtom(name, values), held)
        if any(isinstance(part, Not) for part in subformulas(formula)):
            self.evidence.add_condition(formula_text(formula, binding))

    def _one_of(self, operands: tuple[Formula, ...], binding: Binding, times: IntervalSet) -> None:
        """Few of the operands, with values for the variables that only they have."""
        ways = [(operand, way) for operand in operands for way in self._ways(operand, binding, times)]
        offers = [self.truth.of(operand, way, hull(times)) for operand, way in ways]
        left = times
        for number, share in covering(times, offers):
            self.collect(*ways[number], share)
            left = left.difference(share)
        for operand in operands if left else ():
            self._all_read(operand, binding, left)

    def _ways(self, operand: Formula, binding: Binding, times: IntervalSet) -> Iterator[Binding]:
        if all(variable.name in binding for variable in free_variables(operand)):
            yield binding
        else:
            found = (way for way, _ in ways_of((operand,), binding, hull(times), self.truth))
            yield from (dict(each) for each in dict.fromkeys(tuple(way.items()) for way in found))

    def _sometime(self, operand: Formula, distances: Interval, binding: Binding, times: IntervalSet) -> None:
        """Few of the stretches at which the operand holds: from each time, one of them is seen."""
        within = seen(hull(times), distances)
        held = self.truth.of(operand, binding, within)
        self._witnesses(operand, held.intersection(whole(within, self.timeline)), distances, binding, times)

    def _witnesses(
        self, operand: Formula, held: IntervalSet, distances: Interval, binding: Binding, times: IntervalSet
    ) -> None:
        nearest_first = reversed(held.intervals) if distances.end > 0 else held.intervals
        stretches = [IntervalSet((part,), self.timeline) for part in nearest_first]
        used, left = nothing(self.timeline), times
        for number, share in covering(times, [dilated(part, distances) for part in stretches]):
            looked_at = dilated(share, distances.reflected())
            used = used.union(stretches[number].intersection(looked_at))
            left = left.difference(share)
        self.collect(operand, binding, used)
        if left:
            self._all_read(operand, binding, dilated(left, distances.reflected()))

    def _since(self, formula: Since | Until, binding: Binding, times: IntervalSet) -> None:
        """Witnesses of the right operand, and the stretches of the left one from there on; until runs backwards."""
        back = isinstance(formula, Since)
        reach = Interval(Fraction(0), formula.interval.end)
        within = seen(hull(times), reach if back else reach.reflected())
        inside = whole(within, self.timeline)
        left = self.truth.of(formula.left, binding, within).intersection(inside)
        right = self.truth.of(formula.right, binding, within).intersection(inside)
        if not back:
            left, right, times = left.reflected(), right.reflected(), times.reflected()
        used_left, used_right = since_evidence(left, right, formula.interval, times)
        if not back:
            used_left, used_right = used_left.reflected(), used_right.reflected()
        self.collect(formula.right, binding, used_right)
        self.collect(formula.left, binding, used_left)

    def _in_window(self, operand: Formula, distances: Interval, binding: Binding, times: IntervalSet) -> None:
        timeline = whole(self.truth.known.all_time, self.timeline)
        match operand:
            case Some(operand=inner):
                held = self.truth.of(inner, binding, seen(hull(times), distances))
                held = held.intersection(whole(seen(hull(times), distances), self.timeline))
                self._witnesses(inner, held.intersection(timeline), distances, binding, times)
            case All(operand=inner):
                self.collect(inner, binding, dilated(times, distances.reflected()).intersection(timeline))
            case At(operand=inner, time=term):
                time = time_of(term, binding)
                assert time is not None
                self.collect(inner, binding, whole(point(time), self.timeline))
            case _:
                self.collect(operand, binding, times)

    def _in_stream(self, formula: Some | All | At, binding: Binding) -> None:
        """Some, all and at outside of windows: among all time points there are."""
        known = self.truth.known
        timeline = whole(known.all_time, self.timeline)
        match formula:
            case All():
                self.collect(formula.operand, binding, timeline)
            case Some():
                held = self.truth.of(formula.operand, binding, known.all_time).intersection(timeline)
                self.collect(formula.operand, binding, whole(held.intervals[0], self.timeline))
            case At():
                time = time_of(formula.time, binding)
                assert time is not None
                self.collect(formula.operand, binding, whole(point(time), self.timeline))

    def _aggregate(self, aggregate: Aggregate, binding: Binding, times: IntervalSet) -> None:
        """The facts of the elements, and the value that they have together."""
        elements = elements_of(aggregate, binding, times, self.truth)
        for element in elements[:MOST_ELEMENTS]:
            for literal in aggregate.body:
                self.collect(literal, element.binding, element.times)
        hidden = len(elements) - MOST_ELEMENTS
        text = aggregate_text(aggregate, binding)
        self.evidence.add_condition(f"{text}, {hidden} of {len(elements)} elements not shown" if hidden > 0 else text)
