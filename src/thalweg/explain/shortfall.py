"""How near a formula comes to holding where it does not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.explain.aggregates import aggregate_value, elements_of
from thalweg.explain.atoms import Binding, ground
from thalweg.explain.by_engine import ways_of
from thalweg.explain.times import dilated, hull, whole
from thalweg.explain.truth import Truth, as_metric, distances_of, time_of
from thalweg.explain.values import evaluate
from thalweg.explain.wording import formula_text, value_text
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
    variables,
)
from thalweg.syntax.facts import format_value
from thalweg.time.interval import ALWAYS, Interval, format_endpoint, point
from thalweg.time.interval_set import IntervalSet

_MOST_EXTENSIONS = 50
_MOST_SHOWN = 3


@dataclass(frozen=True)
class Shortfall:
    """What is missing, in words; a fact to ask about next, where rules could derive it; and how far off it is."""

    text: str
    ask: str | None = None
    rank: Fraction = Fraction(0)


def shortfall(
    formula: Formula, binding: Binding, times: IntervalSet, truth: Truth, *, at_any: bool = False
) -> Shortfall:
    """Why a formula fails at some of the times; with ``at_any`` at all of them, and any would have done."""
    if not at_any or isinstance(formula, Comparison | Not):
        return _Finder(truth, times).of(formula, binding)
    if isinstance(formula, Atom):
        return _Finder(truth, times).sometime(formula, binding, times)
    last = times.intervals[-1]
    some = point(last.end) if isinstance(last.end, Fraction) and last.end_closed else last
    found = _Finder(truth, whole(some, times.timeline)).of(formula, binding)
    return replace(found, text=f"for one, {found.text}") if some != last else found


@dataclass(frozen=True)
class _Finder:
    truth: Truth
    times: IntervalSet

    def of(self, formula: Formula, binding: Binding) -> Shortfall:
        match formula:
            case Comparison():
                return _comparison(formula, binding)
            case Not(operand=operand):
                return self._present(operand, binding)
            case BoxMinus() | BoxPlus():
                needed = dilated(self.times, distances_of(formula).reflected())
                return self._throughout(formula.operand, binding, needed)
            case DiamondMinus() | DiamondPlus():
                needed = dilated(self.times, distances_of(formula).reflected())
                return self.sometime(formula.operand, binding, needed)
            case Since() | Until():
                return self._since(formula, binding)
            case Windowed(operand=operand) if (plain := as_metric(formula)) is not None:
                return self._in_window(operand, plain, binding)
            case Aggregate():
                return self._aggregate(formula, binding)
            case Or(operands=operands):
                texts = [self.of(operand, binding).text for operand in operands]
                return Shortfall(f"all alternatives fail: {'; '.join(texts)}")
            case And(operands=operands):
                return next(
                    (self.of(o, binding) for o in operands if self._fails(o, binding)), self._plain(formula, binding)
                )
            case Atom():
                return self.sometime(formula, binding, self.times, at_all=len(self.times.intervals) > 0)
            case _:
                return self._plain(formula, binding)

    def _plain(self, formula: Formula, binding: Binding) -> Shortfall:
        return Shortfall(f"needs {formula_text(formula, binding)} {_when(self.times)}")

    def _fails(self, formula: Formula, binding: Binding) -> bool:
        held = self.truth.somehow(formula, binding, hull(self.times))
        return bool(self.times.difference(held))

    def _present(self, operand: Formula, binding: Binding) -> Shortfall:
        """A negation fails where its operand holds."""
        held = self.truth.somehow(operand, binding, hull(self.times)).intersection(self.times)
        text = formula_text(operand, binding)
        return Shortfall(f"needs no {text}, but it holds {_when(held)}" if held else f"needs no {text}")

    def _throughout(self, operand: Formula, binding: Binding, needed: IntervalSet) -> Shortfall:
        """What is missing of a formula that should hold all the time, for the values that come nearest."""
        best: Shortfall | None = None
        for extended in self._extensions(operand, binding):
            held = self.truth.of(operand, extended, hull(needed))
            missing = needed.difference(held)
            text = f"needs {formula_text(operand, extended)} throughout {needed}, missing {_listed(missing)}"
            ask = self._ask(operand, extended, missing)
            found = Shortfall(text, ask, _length(missing))
            best = found if best is None or found.rank < best.rank else best
        if best is not None:
            return best
        return Shortfall(f"needs {formula_text(operand, binding)} throughout {needed}, and it never holds")

    def sometime(self, operand: Formula, binding: Binding, needed: IntervalSet, at_all: bool = False) -> Shortfall:
        """Where a formula holds nearest to where it should hold sometime."""
        text = f"needs {formula_text(operand, binding)} {_when(needed) if at_all else _sometime(needed)}"
        held = self.truth.somehow(operand, binding, ALWAYS)
        ask = self._ask(operand, binding, needed)
        if not held:
            return Shortfall(f"{text}, and it never holds", ask, Fraction(10**9))
        wanted = needed.difference(held) if at_all else needed
        near, distance = _nearest(held, hull(wanted or needed))
        shown = f"missing {_listed(wanted)}" if at_all and wanted != needed else f"nearest {_listed(near)}"
        return Shortfall(f"{text}, {shown}", ask, distance)

    def _since(self, formula: Since | Until, binding: Binding) -> Shortfall:
        back = isinstance(formula, Since)
        distances = formula.interval if back else formula.interval.reflected()
        looked_at = dilated(self.times, distances.reflected())
        right = self.truth.somehow(formula.right, binding, hull(looked_at)).intersection(looked_at)
        if not right:
            return self.sometime(formula.right, binding, looked_at)
        left, anchor = formula_text(formula.left, binding), formula_text(formula.right, binding)
        word = "from then on" if back else "until then"
        held = self.truth.somehow(formula.left, binding, hull(right.union(self.times)))
        between = whole(hull(right.union(self.times)), self.times.timeline).difference(held)
        missing = f", missing {_listed(between)}" if between else ""
        return Shortfall(f"{anchor} holds {_when(right)}, and {left} does not hold {word}{missing}")

    def _in_window(self, operand: Formula, distances: Interval, binding: Binding) -> Shortfall:
        timeline = whole(self.truth.known.all_time, self.times.timeline)
        needed = dilated(self.times, distances.reflected()).intersection(timeline)
        match operand:
            case Some(operand=inner):
                return self.sometime(inner, binding, needed)
            case All(operand=inner):
                return self._throughout(inner, binding, needed)
            case At(operand=inner, time=term):
                moment = time_of(term, binding)
                if moment is None:
                    return self.sometime(inner, binding, needed)
                if moment not in needed:
                    text = f"{format_endpoint(moment)} is not in the window, {_listed(needed)}"
                    return Shortfall(f"needs {formula_text(inner, binding)} at {format_endpoint(moment)}, but {text}")
                return self.sometime(inner, binding, whole(point(moment), needed.timeline))
            case _:
                return self.of(operand, binding)

    def _aggregate(self, aggregate: Aggregate, binding: Binding) -> Shortfall:
        """The value that an aggregate has at the first of the times, where its group is known."""
        if any(variable.name not in binding for variable in aggregate.groups):
            return self._plain(aggregate, binding)
        first = whole(_beginning(self.times.intervals[0]), self.times.timeline)
        value = aggregate_value(aggregate.kind, elements_of(aggregate, binding, first, self.truth))
        shown = "nothing" if value is None else format_value(value)
        return Shortfall(f"needs {formula_text(aggregate, binding)}, but it is {shown} {_when(first)}")

    def _extensions(self, formula: Formula, binding: Binding) -> Iterator[Binding]:
        if all(variable.name in binding for variable in variables(formula)):
            return iter([binding])
        ways = ways_of((formula,), binding, ALWAYS, self.truth)
        return (extended for extended, _ in itertools.islice(ways, _MOST_EXTENSIONS))

    def _ask(self, formula: Formula, binding: Binding, missing: IntervalSet) -> str | None:
        """The fact to ask about next: an atom that rules derive."""
        if not isinstance(formula, Atom) or formula.predicate not in self.truth.known.program.derived_predicates:
            return None
        atom = ground(formula, binding)
        if atom is None or not missing:
            return None
        return str(atom) if missing.intervals[0] == ALWAYS else f"{atom}@{_time(missing.intervals[0])}"


def _beginning(interval: Interval) -> Interval:
    """The first time point of an interval, where it has one."""
    return point(interval.start) if isinstance(interval.start, Fraction) and interval.start_closed else interval


def _comparison(comparison: Comparison, binding: Binding) -> Shortfall:
    """What both sides are, and how far apart."""
    known = [f"{v} = {value_text(v, binding)}" for v in dict.fromkeys(variables(comparison)) if not v.is_anonymous]
    left, right = evaluate(comparison.left, binding), evaluate(comparison.right, binding)
    distance = abs(left - right) if isinstance(left, Fraction) and isinstance(right, Fraction) else Fraction(10**9)
    said = f", but {', '.join(known)}" if known else ""
    return Shortfall(f"needs {formula_text(comparison, {})}{said}", None, distance)


def _nearest(held: IntervalSet, wanted: Interval) -> tuple[IntervalSet, Fraction]:
    """The stretches before and after an interval that come nearest to it, and how far off the nearer is."""
    before = [part for part in held.intervals if part.end <= wanted.start]
    after = [part for part in held.intervals if part.start >= wanted.end]
    near = [*before[-1:], *after[:1]] or [*held.intervals[:1]]
    gaps = [Fraction(wanted.start) - Fraction(part.end) for part in before[-1:] if not isinstance(wanted.start, float)]
    gaps += [Fraction(part.start) - Fraction(wanted.end) for part in after[:1] if not isinstance(wanted.end, float)]
    return IntervalSet(tuple(near), held.timeline), min(gaps, default=Fraction(0))


def _length(times: IntervalSet) -> Fraction:
    lengths = [part.length for part in times.intervals]
    return sum((Fraction(10**9) if isinstance(length, float) else length for length in lengths), Fraction(0))


def _when(times: IntervalSet) -> str:
    if times == whole(ALWAYS, times.timeline):
        return "at some time"
    if len(times.intervals) == 1 and times.intervals[0].is_punctual:
        return f"at {format_endpoint(times.intervals[0].start)}"
    return f"in {_listed(times)}"


def _sometime(times: IntervalSet) -> str:
    is_point = len(times.intervals) == 1 and times.intervals[0].is_punctual
    return _when(times) if is_point or times == whole(ALWAYS, times.timeline) else f"sometime in {_listed(times)}"


def _listed(times: IntervalSet) -> str:
    shown = [_time(part) for part in times.intervals[:_MOST_SHOWN]]
    more = len(times.intervals) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _time(interval: Interval) -> str:
    return format_endpoint(interval.start) if interval.is_punctual else str(interval)
