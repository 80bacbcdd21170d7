"""When a formula holds, for given values of its variables, as far as facts up to a number tell.

Plain interval sets, on the few facts that a proof speaks of; what windows mean is left to the engine, but for those
that are a diamond or a box in other words.
"""

from __future__ import annotations

from fractions import Fraction

from thalweg.explain.atoms import Binding, pattern_of, value_of
from thalweg.explain.by_engine import times_of
from thalweg.explain.reading import Reader
from thalweg.explain.times import dilated, eroded, nothing, whole
from thalweg.explain.values import compare
from thalweg.model.formula import (
    All,
    And,
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Since,
    Some,
    Term,
    TimeWindow,
    Top,
    Until,
    Windowed,
    subformulas,
    variables,
)
from thalweg.time.interval import ALWAYS, Interval, point
from thalweg.time.interval_set import IntervalSet, since, until


class Truth(Reader):
    """Where formulas hold, by the facts that a reader reads."""

    def of(self, formula: Formula, binding: Binding, within: Interval) -> IntervalSet:
        """The time points inside a stretch at which the formula holds; outside it the set means nothing."""
        timeline = self.known.timeline
        match formula:
            case Top():
                return whole(ALWAYS, timeline)
            case Bottom():
                return nothing(timeline)
            case Atom():
                return self._atom(formula, binding, within)
            case Comparison():
                return whole(ALWAYS, timeline) if compare(formula, binding) else nothing(timeline)
            case And(operands=operands):
                held = whole(ALWAYS, timeline)
                for operand in sorted(operands, key=lambda part: isinstance(part, Comparison)):
                    held = held.intersection(self.of(operand, binding, within)) if held else held
                return held
            case Or(operands=operands):
                held = nothing(timeline)
                for operand in operands:
                    held = held.union(self.somehow(operand, binding, within))
                return held
            case Not(operand=operand):
                return self.somehow(operand, binding, within).complement()
            case DiamondMinus() | DiamondPlus():
                distances = distances_of(formula)
                return dilated(self.of(formula.operand, binding, seen(within, distances)), distances)
            case BoxMinus() | BoxPlus():
                distances = distances_of(formula)
                return eroded(self.of(formula.operand, binding, seen(within, distances)), distances)
            case Since() | Until():
                return self._since(formula, binding, within)
            case Windowed(operand=operand) if (plain := as_metric(formula)) is not None:
                return self._in_window(operand, plain, binding, within)
            case Windowed():
                return times_of(formula, binding, within, self)
            case Some(operand=operand) | All(operand=operand):
                return self._in_stream(formula, operand, binding)
            case At(operand=operand, time=term):
                time = time_of(term, binding)
                held = nothing(timeline) if time is None else self.of(operand, binding, point(time))
                return whole(ALWAYS, timeline) if time is not None and time in held else nothing(timeline)
        raise AssertionError(f"{type(formula).__name__} does not hold at times")

    def somehow(self, formula: Formula, binding: Binding, within: Interval) -> IntervalSet:
        """Where the formula holds for some values of the variables that have none."""
        if all(variable.name in binding for variable in variables(formula)):
            return self.of(formula, binding, within)
        return times_of(formula, binding, within, self)

    def _atom(self, atom: Atom, binding: Binding, within: Interval) -> IntervalSet:
        pattern = pattern_of(atom, binding)
        if None in pattern:
            return nothing(self.known.timeline)
        return self.known.times(atom.predicate, pattern, within, self.before(atom.predicate))

    def _since(self, formula: Since | Until, binding: Binding, within: Interval) -> IntervalSet:
        back = isinstance(formula, Since)
        reach = Interval(Fraction(0), formula.interval.end)
        wide = seen(within, reach if back else reach.reflected())
        left, right = self.of(formula.left, binding, wide), self.of(formula.right, binding, wide)
        return (since if back else until)(left, right, formula.interval)

    def _in_window(self, operand: Formula, distances: Interval, binding: Binding, within: Interval) -> IntervalSet:
        """Some, all, at or nothing of these in a window that moves with time."""
        timeline = whole(self.known.all_time, self.known.timeline)
        match operand:
            case Some(operand=inner):
                held = self.of(inner, binding, seen(within, distances))
                return dilated(held.intersection(timeline), distances)
            case All(operand=inner):
                held = self.of(inner, binding, seen(within, distances))
                throughout = eroded(held.union(timeline.complement()), distances)
                return throughout.intersection(dilated(timeline, distances))
            case At(operand=inner, time=term):
                time = time_of(term, binding)
                if time is None:
                    return nothing(self.known.timeline)
                held = self.of(inner, binding, point(time)).intersection(whole(point(time), self.known.timeline))
                return dilated(held.intersection(timeline), distances)
            case _:
                return self.of(operand, binding, within)

    def _in_stream(self, formula: Some | All, operand: Formula, binding: Binding) -> IntervalSet:
        """Some and all outside of windows: at some or all time points there are."""
        timeline = whole(self.known.all_time, self.known.timeline)
        held = self.of(operand, binding, self.known.all_time).intersection(timeline)
        is_true = bool(held) if isinstance(formula, Some) else held == timeline
        return whole(ALWAYS, self.known.timeline) if is_true else nothing(self.known.timeline)


def time_of(term: Term, binding: Binding) -> Fraction | None:
    """The time point that a term stands for; None where it stands for something else."""
    value = value_of(term, binding)
    return value if isinstance(value, Fraction) and value.denominator == 1 else None


def distances_of(formula: Metric) -> Interval:
    """How far the operator looks: t − t' for what it looks at; negative to the future."""
    back = isinstance(formula, DiamondMinus | BoxMinus)
    return formula.interval if back else formula.interval.reflected()


def seen(within: Interval, distances: Interval) -> Interval:
    """The times that are looked at from a stretch."""
    return within.minus(distances)


def as_metric(formula: Windowed) -> Interval | None:
    """The distances at which a window looks, when it moves with time and what it holds looks at single times."""
    window, operand = formula.window, formula.operand
    if not isinstance(window, TimeWindow) or window.slide != 1:
        return None
    inner = operand.operand if isinstance(operand, Some | All | At) else operand
    if not all(isinstance(part, Atom | And | Or | Not | Comparison | Top | Bottom) for part in subformulas(inner)):
        return None
    return Interval(-window.next, window.last)
