"""From facts as read to relations: values to codes, times to ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.analysis.types import is_of, kind_of
from thalweg.columnar.arrays import Ints
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.values import Values
from thalweg.engine.on_timeline import off_timeline
from thalweg.errors import DataError, Diagnostic
from thalweg.model.formula import Constant, Metric, intervals
from thalweg.model.program import Program, Signature
from thalweg.null import MARK
from thalweg.syntax.facts import Coded, FactBatch, format_value
from thalweg.time.interval import Endpoint, Interval, format_endpoint, format_rational
from thalweg.time.ticks import FINITE_LIMIT, NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


def choose_ticks(program: Program, batches: Sequence[FactBatch], bounds: Iterable[Endpoint]) -> Ticks:
    """The declared tick, or the coarsest 1/n that divides every time in the program, the facts and the bounds."""
    if program.timeline is Timeline.INTEGER:
        return Ticks(Timeline.INTEGER)
    if program.tick is not None:
        return Ticks(Timeline.RATIONAL, program.tick)
    denominators = {end.denominator for end in program_ends(program) if isinstance(end, Fraction)}
    denominators |= {end.denominator for end in bounds if isinstance(end, Fraction)}
    for batch in batches:
        for column in (batch.starts, batch.ends):
            denominators |= {end.denominator for end in column.values if isinstance(end, Fraction)}
    return Ticks(Timeline.RATIONAL, Fraction(1, math.lcm(*denominators)))


def program_batches(program: Program) -> list[FactBatch]:
    """The facts written in the program itself, as batches."""
    rows: dict[tuple[str, int], list[int]] = {}
    for number, fact in enumerate(program.facts):
        rows.setdefault((fact.atom.predicate, len(fact.atom.arguments)), []).append(number)
    return [_program_batch(program, predicate, arity, numbers) for (predicate, arity), numbers in rows.items()]


def check_batches(program: Program, batches: Iterable[FactBatch]) -> list[Diagnostic]:
    """What is wrong with facts as a whole: an arity that clashes with the program's, values of another type."""
    found, arities = [], {name: signature.arity for name, signature in program.signatures.items()}
    for batch in batches:
        arity = arities.setdefault(batch.predicate, len(batch.arguments))
        if arity != len(batch.arguments):
            found.append(
                Diagnostic(
                    "E430",
                    None,
                    f"{batch.predicate} has {arguments(len(batch.arguments))} here, but {arity} elsewhere",
                    f"write {batch.predicate} with {arguments(arity)} everywhere",
                    _place(batch, 0),
                )
            )
        elif batch.predicate in program.signatures:
            found += _misfits(batch, program.signatures[batch.predicate])
            if program.is_existential:
                found += _nulls(batch)
            if batch.predicate not in program.background:
                found += _outside(batch, program.bounds)
    return found


def _outside(batch: FactBatch, bounds: tuple[Endpoint, Endpoint]) -> Iterator[Diagnostic]:
    """The first fact that begins before the timeline or ends after it."""
    first, last = bounds
    for column in (batch.starts, batch.ends):
        for position, time in enumerate(column.values):
            if isinstance(time, Fraction) and not first <= time <= last:
                row = _first_row(column, position)
                yield off_timeline(batch.predicate, Interval(time, time), Interval(first, last), _place(batch, row))
                return


def _misfits(batch: FactBatch, signature: Signature) -> Iterator[Diagnostic]:
    """The first value in each column that is not of the declared type."""
    columns = zip(signature.parameters, batch.arguments, strict=True)
    for position, (parameter, column) in enumerate(columns, start=1):
        kind = kind_of(parameter.type)
        misfit = None if kind is None else next((v for v in column.values if not is_of(v, kind)), None)
        if kind is not None and misfit is not None:
            message = f"{format_value(misfit)} is not {kind.value}"
            hint = f"argument {position} of {batch.predicate} is declared as {parameter.type.value}"
            yield Diagnostic(
                "E434", None, message, hint, _place(batch, _first_row(column, column.values.index(misfit)))
            )


def _nulls(batch: FactBatch) -> Iterator[Diagnostic]:
    """The first value in each column that looks like a null: rules make them, and they must stay apart."""
    for column in batch.arguments:
        for position, value in enumerate(column.values):
            if isinstance(value, str) and value.startswith(MARK):
                message = f"{value} looks like a null, which only rules make"
                yield Diagnostic("E438", None, message, NULL_HINT, _place(batch, _first_row(column, position)))
                break


@dataclass(frozen=True)
class Intake:
    """Turns batches of facts into relations, with one table of values and one tick."""

    values: Values
    ticks: Ticks

    def relations(self, batches: Iterable[FactBatch]) -> dict[str, Relation]:
        """The relations of all batches, by predicate; not coalesced."""
        parts: dict[str, list[Relation]] = {}
        for batch in batches:
            parts.setdefault(batch.predicate, []).append(self._relation(batch))
        return {name: concat(relations, relations[0].arity) for name, relations in parts.items()}

    def _relation(self, batch: FactBatch) -> Relation:
        columns = tuple(self._value_codes(batch, column) for column in batch.arguments)
        return Relation(columns, *self.times(batch))

    def times(self, batch: FactBatch) -> tuple[Ints, Ints]:
        """The ranges of codes of a batch."""
        start_codes = self._codes(batch, batch.starts)
        end_codes = start_codes if batch.ends.values is batch.starts.values else self._codes(batch, batch.ends)
        start, end = start_codes[batch.starts.codes], end_codes[batch.ends.codes]
        start = start + (~batch.start_closed & (start != NEGATIVE_INFINITY))
        end = end - (~batch.end_closed & (end != POSITIVE_INFINITY))
        if (start > end).any():
            row = int(np.flatnonzero(start > end)[0])
            message = "the fact holds at no time point of the integer timeline"
            hint = "close an end of its interval, or drop the fact"
            raise DataError([Diagnostic("E433", None, message, hint, _place(batch, row))])
        return start, end

    def _value_codes(self, batch: FactBatch, column: Coded) -> Ints:
        try:
            codes: Ints = self.values.encode(column.values)[column.codes]
        except OverflowError:
            raise DataError([self._out_of_range(batch, column)]) from None
        return codes

    def _out_of_range(self, batch: FactBatch, column: Coded) -> Diagnostic:
        """Which value of a column does not fit, and where it first stands."""
        for position, value in enumerate(column.values):
            try:
                self.values.code(value)
            except OverflowError as error:
                return Diagnostic("E431", None, str(error), VALUE_HINT, _place(batch, _first_row(column, position)))
        raise AssertionError("some value did not fit")

    def _codes(self, batch: FactBatch, column: Coded) -> Ints:
        """The codes of the distinct times of a column."""
        codes: list[int] = []
        per_tick = 2 if self.ticks.timeline is Timeline.RATIONAL else 1
        scale, divisor = self.ticks.tick.denominator * per_tick, self.ticks.tick.numerator
        for position, time in enumerate(column.values):
            if isinstance(time, float):
                codes.append(POSITIVE_INFINITY if time > 0 else NEGATIVE_INFINITY)
                continue
            code, rest = divmod(time.numerator * scale, time.denominator * divisor)
            if rest or code % per_tick or abs(code) >= FINITE_LIMIT - 1:
                raise DataError([time_misfit(time, self.ticks, _place(batch, _first_row(column, position)))])
            codes.append(code)
        return np.array(codes, dtype=np.int64)


def time_misfit(time: Fraction, ticks: Ticks, place: str) -> Diagnostic:
    """Why a time has no code."""
    shown, tick = format_endpoint(time), format_rational(ticks.tick)
    if (time / ticks.tick).denominator == 1:
        message = f"the time {shown} is too far from 0 to be counted in 64 bits with the tick {tick}"
        return Diagnostic("E431", None, message, _TIME_HINT, place)
    if ticks.timeline is Timeline.INTEGER:
        message = f"the time {shown} is not on the integer timeline"
        return Diagnostic("E432", None, message, "use whole numbers, or declare timeline rational.", place)
    message = f"the time {shown} is not a multiple of the tick {tick}"
    hint = f"declare a finer tick than {tick}, or leave the declaration out"
    return Diagnostic("E432", None, message, hint, place)


NULL_HINT = "give the unknown a name that does not begin with _:"
_TIME_HINT = "times go up to 2^59 ticks from 0, and all times must be multiples of one tick"
VALUE_HINT = "integers go up to 2^61, numerators and denominators to 2^62; put quotes around a longer code"


def arguments(count: int) -> str:
    """So many arguments, in words."""
    return f"{count} argument{'' if count == 1 else 's'}"


def _first_row(column: Coded, position: int) -> int:
    """The first row with the value at a position."""
    return int(np.flatnonzero(column.codes == position)[0])


def _place(batch: FactBatch, row: int) -> str:
    return f"{batch.source}:{int(batch.lines[row])}"


def program_ends(program: Program) -> Iterable[Endpoint]:
    """The ends of all operator intervals."""
    for rule in program.rules:
        head = rule.head
        while isinstance(head, Metric):
            yield from (head.interval.start, head.interval.end)
            head = head.operand
        for literal in rule.body:
            for interval in intervals(literal):
                yield from (interval.start, interval.end)


def _program_batch(program: Program, predicate: str, arity: int, numbers: list[int]) -> FactBatch:
    facts = [program.facts[number] for number in numbers]
    identity = np.arange(len(facts))
    arguments = []
    for position in range(arity):
        terms = [fact.atom.arguments[position] for fact in facts]
        arguments.append(Coded(tuple(term.value for term in terms if isinstance(term, Constant)), identity))
    return FactBatch(
        predicate=predicate,
        arguments=tuple(arguments),
        starts=Coded(tuple(fact.interval.start for fact in facts), identity),
        ends=Coded(tuple(fact.interval.end for fact in facts), identity),
        start_closed=np.array([fact.interval.start_closed for fact in facts]),
        end_closed=np.array([fact.interval.end_closed for fact in facts]),
        lines=np.array([fact.span.line if fact.span else 0 for fact in facts]),
        source=program.source.name if program.source else "program",
    )
