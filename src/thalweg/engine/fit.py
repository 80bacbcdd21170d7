"""Which facts fit a program, each for itself; the others are set aside, with the reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from thalweg.analysis.types import Kind, is_of, kind_of
from thalweg.columnar.values import INTEGER_LIMIT, PART_LIMIT
from thalweg.engine.intake import NULL_HINT, VALUE_HINT, arguments, time_misfit
from thalweg.engine.on_timeline import off_timeline
from thalweg.errors import Diagnostic
from thalweg.model.program import Program, Signature
from thalweg.null import MARK
from thalweg.source import shortened
from thalweg.syntax.facts import Coded, FactBatch, format_value
from thalweg.time.interval import Interval
from thalweg.time.ticks import FINITE_LIMIT, Ticks
from thalweg.time.timeline import Timeline

_OUT_OF_RANGE = "the number {} is out of range of the 64-bit encoding"


def fit(program: Program, batches: Iterable[FactBatch]) -> tuple[list[FactBatch], list[Diagnostic]]:
    """The facts that fit the program, and for each other fact of a predicate that it knows what is wrong with it.

    That is an arity or a value of another type than declared, a value or a time that has no code, and a time off the
    timeline. Facts of predicates that the program does not know play no part, so nothing is asked of them; those of
    predicates that are declared by name only, and used nowhere, are left out.
    """
    kept: list[FactBatch] = []
    problems: list[Diagnostic] = []
    for batch in batches:
        signature = program.signatures.get(batch.predicate)
        if signature is not None and signature.open:
            continue
        found = _Fitting(program, batch, signature).problems() if signature is not None else {}
        problems += [found[row] for row in sorted(found)]
        if len(found) < len(batch):
            others = np.ones(len(batch), dtype=np.bool_)
            others[list(found)] = False
            kept.append(batch.take(np.flatnonzero(others)) if found else batch)
    return kept, problems


@dataclass
class _Fitting:
    """Looks at a batch: at distinct values, of which there are few, and at rows only where something is wrong."""

    program: Program
    batch: FactBatch
    signature: Signature
    found: dict[int, Diagnostic] = field(default_factory=dict)

    def problems(self) -> dict[int, Diagnostic]:
        """By row, the first thing that is wrong with it."""
        batch, signature = self.batch, self.signature
        if len(batch.arguments) != signature.arity:
            message = f"{batch.predicate} has {arguments(len(batch.arguments))} here, but {signature.arity} elsewhere"
            hint = f"write {batch.predicate} with {arguments(signature.arity)} everywhere"
            self._report(range(len(batch)), "E430", message, hint)
            return self.found
        for position, (parameter, column) in enumerate(zip(signature.parameters, batch.arguments, strict=True), 1):
            kind = kind_of(parameter.type)
            if kind is not None:
                hint = f"argument {position} of {batch.predicate} is declared as {parameter.type.value}"
                self._values(column, misfits(column.values, kind), "E434", f"{{}} is not {kind.value}", hint)
            self._values(column, _without_code(column.values), "E431", _OUT_OF_RANGE, VALUE_HINT)
            if self.program.is_existential:
                self._values(column, _like_nulls(column.values), "E438", "{} looks like a null", NULL_HINT)
        self._times()
        return self.found

    def _values(self, column: Coded, wrong: Sequence[int], code: str, message: str, hint: str) -> None:
        for position in wrong:
            shown = shortened(format_value(column.values[position]), 200)
            self._report(np.flatnonzero(column.codes == position), code, message.replace("{}", shown), hint)

    def _times(self) -> None:
        batch, ticks = self.batch, self._ticks
        for column in (batch.starts,) if batch.ends is batch.starts else (batch.starts, batch.ends):
            for position in _without_place(column.values, ticks, self.program.tick is not None):
                self._each(column, position, lambda place, time: time_misfit(time, self._ticks_of(time), place))
            if batch.predicate not in self.program.background:
                self._on_timeline(column)
        if self.program.timeline is Timeline.INTEGER and not (batch.start_closed.all() and batch.end_closed.all()):
            self._refuse_gaps()

    def _ticks_of(self, time: Fraction) -> Ticks:
        """The declared tick, or else the coarsest that divides a time."""
        is_free = self.program.timeline is Timeline.RATIONAL and self.program.tick is None
        return Ticks(Timeline.RATIONAL, Fraction(1, time.denominator)) if is_free else self._ticks

    @property
    def _ticks(self) -> Ticks:
        if self.program.timeline is Timeline.INTEGER:
            return Ticks(Timeline.INTEGER)
        return Ticks(Timeline.RATIONAL, self.program.tick or Fraction(1))

    def _on_timeline(self, column: Coded) -> None:
        first, last = self.program.bounds
        if isinstance(first, float) and isinstance(last, float):
            return
        outside = (
            i for i, time in enumerate(column.values) if isinstance(time, Fraction) and not first <= time <= last
        )
        timeline, name = Interval(first, last), self.batch.predicate
        for position in outside:
            self._each(column, position, lambda place, time: off_timeline(name, Interval(time, time), timeline, place))

    def _refuse_gaps(self) -> None:
        """Report facts between two time points of the integer timeline."""
        batch = self.batch
        for row in np.flatnonzero(~(batch.start_closed & batch.end_closed)).tolist():
            start, end = batch.starts.values[batch.starts.codes[row]], batch.ends.values[batch.ends.codes[row]]
            first = start if isinstance(start, float) else math.ceil(start) + (not batch.start_closed[row])
            last = end if isinstance(end, float) else math.floor(end) - (not batch.end_closed[row])
            if first > last:
                message = "the fact holds at no time point of the integer timeline"
                self._report([row], "E433", message, "close an end of its interval, or drop the fact")

    def _each(self, column: Coded, position: int, describe: Callable[[str, Any], Diagnostic]) -> None:
        for row in np.flatnonzero(column.codes == position).tolist():
            self.found.setdefault(row, describe(self._place(row), column.values[position]))

    def _report(self, rows: Iterable[int], code: str, message: str, hint: str) -> None:
        for row in map(int, rows):
            self.found.setdefault(row, Diagnostic(code, None, message, hint, self._place(row)))

    def _place(self, row: int) -> str:
        return f"{self.batch.source}:{int(self.batch.lines[row])}"


def misfits(values: Sequence[Any], kind: Kind) -> list[int]:
    """The positions of the values that are not of a kind."""
    types = {*map(type, values)}
    if (types <= {str} and kind is Kind.TEXT) or (types <= {Fraction} and kind is Kind.NUMBER):
        return []
    return [position for position, value in enumerate(values) if not is_of(value, kind)]


def _without_code(values: Sequence[Any]) -> list[int]:
    """The positions of numbers that 64 bits do not hold (:mod:`thalweg.columnar.values`)."""
    if {*map(type, values)} <= {str}:
        return []
    return [position for position, value in enumerate(values) if isinstance(value, Fraction) and _is_far(value)]


def _is_far(value: Fraction) -> bool:
    if value.denominator == 1:
        return not -INTEGER_LIMIT < value.numerator < INTEGER_LIMIT
    return not (-PART_LIMIT < value.numerator < PART_LIMIT and value.denominator < PART_LIMIT)


def _like_nulls(values: Sequence[Any]) -> list[int]:
    return [i for i, value in enumerate(values) if isinstance(value, str) and value.startswith(MARK)]


def _without_place(values: Sequence[Any], ticks: Ticks, is_declared: bool) -> Iterator[int]:
    """The positions of times that have no code: between two ticks, or too far from 0.

    Where no tick is declared, a time is counted in the coarsest that divides it: a finer one may not do, either.
    """
    per_tick = 2 if ticks.timeline is Timeline.RATIONAL else 1
    scale, divisor = ticks.tick.denominator * per_tick, ticks.tick.numerator
    is_free = ticks.timeline is Timeline.RATIONAL and not is_declared
    for position, time in enumerate(values):
        if isinstance(time, float):
            continue
        if is_free:
            code, rest = time.numerator * per_tick, 0
        else:
            code, rest = divmod(time.numerator * scale, time.denominator * divisor)
        if rest or code % per_tick or abs(code) >= FINITE_LIMIT - 1:
            yield position
