"""The result of batch reasoning, as tables and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import reserve
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Value, Values, sort_ranks
from thalweg.engine.memory_limit import DEFAULT_MEMORY, Memory, limited, room_for
from thalweg.errors import UsageError, did_you_mean
from thalweg.model.program import Signature
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval, decimal_places, format_endpoint, format_rational
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline

_TIME_NAMES = ("start", "end", "start_closed", "end_closed")
_RESERVED = (*_TIME_NAMES, "time", "change", "closed")
_MOST_PLACES = 18

_TIMES, _ARGUMENT, _TEXT = 20, 8, 20
"""The words that a row takes while it is decoded: for its times, for an argument, and as a text of its own."""
_OBJECTS = 90
"""The same as an atom with its interval."""


class Materialisation:
    """What holds, predicate by predicate: coalesced, exact, sorted by arguments and time.

    ``divisions_by_zero`` says for how many combinations of values a rule, named by its number, divided by zero;
    ``memory`` limits what tables and texts may take.
    """

    def __init__(
        self,
        relations: Mapping[str, Relation],
        values: Values,
        ticks: Ticks,
        signatures: Mapping[str, Signature],
        divisions_by_zero: Mapping[int, int] | None = None,
        memory: Memory = DEFAULT_MEMORY,
    ) -> None:
        self._relations = dict(relations)
        self._memory = memory
        self.divisions_by_zero = dict(divisions_by_zero or {})
        self._values = values
        self._ticks = ticks
        self._signatures = signatures

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicates answered, in the order in which the program mentions them."""
        return tuple(self._relations)

    @property
    def tick(self) -> Fraction:
        """The step of the time grid on which all ends lie."""
        return self._ticks.tick

    def count(self, predicate: str) -> int:
        """How many facts (maximal intervals) a predicate has."""
        return len(self._relation(predicate))

    def table(self, predicate: str) -> pa.Table:
        """Arguments, ``start``, ``end``, ``start_closed``, ``end_closed``.

        Argument columns are named as declared, otherwise ``arg1``, ``arg2``, …; an infinite end is null. Times
        are integers, or decimals where the tick is a decimal fraction, or texts such as ``1/3`` where it is not.
        """
        with self._room(predicate):
            relation = self._sorted(predicate)
            names = argument_names(self._signatures.get(predicate), relation.arity)
            columns = [self._argument(column) for column in relation.columns]
            return pa.table(dict(zip(names, columns, strict=True)) | self._time_columns(relation))

    def to_text(self, predicate: str | None = None) -> str:
        """One fact a line, such as ``ShortStop(veh21)@[7,7]``; of all predicates when none is named."""
        wanted = self.predicates if predicate is None else (predicate,)
        with ExitStack() as rooms:
            for name in wanted:
                rooms.enter_context(self._room(name, words=_TEXT))
            lines = [line for name in wanted for line in self._lines(name).to_pylist()]
            return "\n".join(lines)

    def lines(self, predicate: str) -> pa.Array:
        """The facts of a predicate as texts, one a row."""
        with self._room(predicate):
            return self._lines(predicate)

    def facts(self) -> dict[tuple[str, tuple[Value, ...]], tuple[Interval, ...]]:
        """Every ground atom with its intervals: convenient in tests, slow on much data."""
        found: dict[tuple[str, tuple[Value, ...]], list[Interval]] = {}
        with limited(self._memory), room_for("all answers as objects"):
            reserve(sum(map(len, self._relations.values())), _OBJECTS)
        for name, relation in self._relations.items():
            arguments = [self._values.decode(column) for column in relation.columns]
            for row in range(len(relation)):
                key = name, tuple(column[row] for column in arguments)
                interval = self._ticks.decode(int(relation.start[row]), int(relation.end[row]))
                found.setdefault(key, []).append(interval)
        return {key: tuple(sorted(held, key=lambda i: i.start)) for key, held in found.items()}

    def first(self, predicate: str, most: int) -> list[tuple[tuple[Value, ...], Interval]]:
        """The first facts of a predicate, at most so many, in the order of arguments and time."""
        relation = self._sorted(predicate)
        rows = range(min(most, len(relation)))
        columns = [self._values.decode(column[: len(rows)]) for column in relation.columns]
        times = (self._ticks.decode(int(relation.start[row]), int(relation.end[row])) for row in rows)
        return [(tuple(column[row] for column in columns), time) for row, time in zip(rows, times, strict=True)]

    def _repr_html_(self) -> str:
        """A timeline, for notebooks."""
        from thalweg.engine.lanes import draw_model  # nothing but a notebook needs it

        return draw_model(self)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """The first facts as text, for notebooks that show no pictures."""
        from thalweg.engine.lanes import first_lines  # nothing but a notebook needs it

        printer.text("\n".join(first_lines(self)))

    @contextmanager
    def _room(self, predicate: str, words: int = 0) -> Iterator[None]:
        """Make sure that there is memory to decode the answers of a predicate: so many words more for a row."""
        relation = self._relation(predicate)
        with limited(self._memory), room_for(f"{len(relation)} answers of {predicate}"):
            reserve(len(relation), words + _TIMES + _ARGUMENT * relation.arity)
            yield

    def _relation(self, predicate: str) -> Relation:
        if predicate not in self._relations:
            hint = did_you_mean(predicate, self._relations)
            raise UsageError(f"there are no answers for {predicate}" + (f"; {hint}" if hint else ""))
        return self._relations[predicate]

    def _sorted(self, predicate: str) -> Relation:
        relation = self._relation(predicate)
        keys = [relation.start, *(self._ranks(column) for column in reversed(relation.columns))]
        return relation.take(np.lexsort(keys), coalesced=False)

    def _ranks(self, column: Ints) -> Ints:
        """Where each code stands in the natural order of values."""
        distinct, inverse = np.unique(column, return_inverse=True)
        ranks = np.array(sort_ranks(self._values.distinct(distinct)), dtype=np.int64)
        return ranks[inverse]

    def _argument(self, column: Ints) -> pa.Array:
        return typed_column(column, self._values)

    def _time_columns(self, relation: Relation) -> dict[str, pa.Array]:
        start, end, start_closed, end_closed = self._bounds(relation)
        starts = self._times(start)
        ends = starts if np.array_equal(start, end) else self._times(end)
        columns = starts, ends, pa.array(start_closed), pa.array(end_closed)
        return dict(zip(_TIME_NAMES, columns, strict=True))

    def _bounds(self, relation: Relation) -> tuple[Ints, Ints, Bools, Bools]:
        """The codes of the points or infinities between which facts hold, and whether they are included."""
        rational = self._ticks.timeline is Timeline.RATIONAL
        starts_open = (relation.start & 1).astype(np.bool_) & rational
        ends_open = (relation.end & 1).astype(np.bool_) & rational
        start_closed = ~starts_open & (relation.start != NEGATIVE_INFINITY)
        end_closed = ~ends_open & (relation.end != POSITIVE_INFINITY)
        return relation.start - starts_open, relation.end + ends_open, start_closed, end_closed

    def _times(self, codes: Ints) -> pa.Array:
        """The times of codes of points; infinities are null."""
        infinite = (codes == NEGATIVE_INFINITY) | (codes == POSITIVE_INFINITY)
        if self._ticks.tick == 1:
            return pa.array(codes // self._codes_per_tick, mask=infinite)
        distinct, inverse = np.unique(np.where(infinite, 0, codes), return_inverse=True)
        places = decimal_places(self._ticks.tick.denominator)
        finite = _numbers([self._time(int(code)) for code in distinct], places).take(pa.array(inverse))
        return pc.if_else(pa.array(infinite), pa.scalar(None, finite.type), finite) if infinite.any() else finite

    def _time_texts(self, codes: Ints) -> pa.Array:
        """The times of codes of points, or ``-inf`` and ``inf``, as texts."""
        infinite = (codes == NEGATIVE_INFINITY) | (codes == POSITIVE_INFINITY)
        if self._ticks.tick == 1:
            finite = pa.array(codes // self._codes_per_tick).cast(pa.string())
        else:
            distinct, inverse = np.unique(np.where(infinite, 0, codes), return_inverse=True)
            finite = pa.array([format_rational(self._time(int(code))) for code in distinct]).take(pa.array(inverse))
        infinities = pa.array(["-inf", "inf"]).take(pa.array((codes > 0).astype(np.int8)))
        return pc.if_else(pa.array(infinite), infinities, finite)

    def _time(self, code: int) -> Fraction:
        return Fraction(code, self._codes_per_tick) * self._ticks.tick

    @property
    def _codes_per_tick(self) -> int:
        return 2 if self._ticks.timeline is Timeline.RATIONAL else 1

    def _lines(self, predicate: str) -> pa.Array:
        relation = self._sorted(predicate)
        if not len(relation):
            return pa.array([], pa.string())
        pieces: list[pa.Array | str] = [predicate]
        for position, column in enumerate(relation.columns):
            pieces += ["(" if position == 0 else ",", self._texts(column)]
        pieces += [")@" if relation.columns else "@", *self._interval_texts(relation)]
        arrays = [pa.scalar(piece) if isinstance(piece, str) else piece for piece in pieces]
        return pc.binary_join_element_wise(*arrays, "")

    def _texts(self, column: Ints) -> pa.Array:
        distinct, inverse = np.unique(column, return_inverse=True)
        return pa.array([format_value(value) for value in self._values.distinct(distinct)]).take(pa.array(inverse))

    def _interval_texts(self, relation: Relation) -> list[pa.Array | str]:
        """The pieces of every interval: a bracket, a time, a comma, a time, a bracket."""
        start, end, start_closed, end_closed = self._bounds(relation)
        left = pa.array(["(", "["]).take(pa.array(start_closed.astype(np.int8)))
        right = pa.array([")", "]"]).take(pa.array(end_closed.astype(np.int8)))
        return [left, self._time_texts(start), ",", self._time_texts(end), right]


def typed_column(column: Ints, values: Values, missing: int | None = None) -> pa.Array:
    """A column of codes as texts, integers or decimals; the code ``missing`` is null."""
    distinct, inverse = np.unique(column, return_inverse=True)
    if missing is None or missing not in distinct:
        return _typed(values.distinct(distinct)).take(pa.array(inverse))
    known = _typed(values.distinct(distinct[distinct != missing]))  # the least of all codes comes first
    return known.take(pa.array(inverse - 1, mask=inverse == 0))


def argument_names(signature: Signature | None, arity: int) -> list[str]:
    """The declared names, unless a table cannot have them: one twice, or one of a time column."""
    numbered = [f"arg{position}" for position in range(1, arity + 1)]
    if signature is None:
        return numbered
    names = [p.name or number for p, number in zip(signature.parameters, numbered, strict=True)]
    return names if len({*names, *_RESERVED}) == arity + len(_RESERVED) else numbered


def _typed(values: list[Value]) -> pa.Array:
    """Texts, integers or decimals as such; nulls, a mixture, or a fraction without decimals, as texts."""
    if not values or any(not isinstance(value, Fraction) for value in values):
        return pa.array([format_endpoint(v) if isinstance(v, Fraction) else str(v) for v in values], pa.string())
    numbers = [value for value in values if isinstance(value, Fraction)]
    places = [decimal_places(number.denominator) for number in numbers]
    return _numbers(numbers, None if None in places else max(p for p in places if p is not None))


def _numbers(numbers: list[Fraction], places: int | None) -> pa.Array:
    """Integers, or decimals with so many places; texts where ``places`` is None or no such type holds them."""
    try:
        if places == 0:
            return pa.array([number.numerator for number in numbers], pa.int64())
        if places is not None and places <= _MOST_PLACES:
            return pa.array([Decimal(format_rational(number)) for number in numbers], pa.decimal128(38, places))
    except (OverflowError, pa.ArrowInvalid):
        pass  # the type is too small for one of them
    return pa.array([format_rational(number) for number in numbers], pa.string())
