"""Data values as 64-bit codes.

An even code 2n is the integer n itself; a positive odd code 2i + 1 is entry i of a table of interned values, which
are texts and the rationals that are not integers; a negative odd code is a null. Equal values have equal codes, so
joins compare codes and never look at values; arithmetic on integers never looks at the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from fractions import Fraction
from typing import Any, cast

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import reserve
from thalweg.columnar.nulls import Nulls, is_null
from thalweg.null import Null

Data = str | Fraction
Value = str | Fraction | Null

INTEGER_LIMIT = 1 << 61
"""Integers up to here fit an even code."""
_ENTRY = 24
"""The words that a value takes as an object, in lists and in the table."""
PART_LIMIT = 1 << 62
"""Numerators and denominators of other rationals stay below this."""


class Values:
    """The table of interned values; it only ever grows, so codes stay valid."""

    def __init__(self) -> None:
        self._entries: list[Data] = []
        self._codes: dict[Data, int] = {}
        self.nulls = Nulls()
        self._numerators = np.empty(0, dtype=np.int64)
        self._denominators = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._entries)

    def view(self) -> Values:
        """The same table, in which nulls stay known that this one may forget."""
        return copy(self)

    def entries(self) -> tuple[Data, ...]:
        """The interned values, in the order of their codes."""
        return tuple(self._entries)

    def code(self, value: Value) -> int:
        """The code of a value, interned when new."""
        if isinstance(value, Null):
            return self._null_code(value)
        if not isinstance(value, str):
            if value.denominator == 1:
                return _integer_code(value.numerator)
            _check_parts(value)
        known = self._codes.get(value)
        if known is None:
            known = self._codes[value] = 2 * len(self._entries) + 1
            self._entries.append(value)
        return known

    def encode(self, values: Iterable[Value]) -> Ints:
        """The codes of many values."""
        values = tuple(values)
        reserve(len(values), _ENTRY)
        if {*map(type, values)} == {str}:
            known = [*map(self._codes.get, cast(tuple[str, ...], values))]
            if None not in known:  # the rule on a stream, where the same names come again and again
                return np.array(known, dtype=np.int64)
        return np.fromiter([self.code(value) for value in values], dtype=np.int64)

    def value(self, code: int) -> Value:
        """The value of a code."""
        if not code & 1:
            return Fraction(code >> 1)
        return self._entries[code >> 1] if code > 0 else self._null(code)

    def distinct(self, codes: Iterable[int]) -> list[Value]:
        """The values of codes, one after another."""
        codes = [*codes]
        reserve(len(codes), _ENTRY)
        return [self.value(int(code)) for code in codes]

    def decode(self, codes: Ints) -> list[Value]:
        """The values of many codes."""
        reserve(len(codes), 5)
        distinct, inverse = np.unique(codes, return_inverse=True)
        values = self.distinct(distinct)
        return [values[i] for i in inverse]

    def rationals(self, codes: Ints) -> tuple[Ints, Ints]:
        """Numerators and denominators; raises TypeError with the first value that is not a number."""
        interned = (codes & 1).astype(np.bool_)
        if not interned.any():
            return codes >> 1, np.ones(len(codes), dtype=np.int64)
        self.refuse_nulls(codes)
        self._fill_parts()
        entry = np.where(interned, codes >> 1, 0)
        numerators = np.where(interned, self._numerators[entry], codes >> 1)
        denominators = np.where(interned, self._denominators[entry], 1)
        if not denominators.all():
            text = self.value(int(codes[np.flatnonzero(denominators == 0)[0]]))
            raise TypeError(f"{text!r} is not a number")
        return numerators, denominators

    def refuse_nulls(self, *columns: Ints) -> None:
        """Raise TypeError with the first null: nothing is calculated from nulls, and they have no order."""
        for codes in columns:
            nulls = is_null(codes)
            if nulls.any():
                raise TypeError(f"{self.value(int(codes[nulls.argmax()]))} is a new value, neither number nor text")

    def is_text(self, codes: Ints) -> Bools:
        """Which codes stand for texts."""
        interned = (codes & 1).astype(np.bool_) & (codes > 0)
        if not interned.any():
            return interned
        self._fill_parts()
        texts: Bools = interned & (self._denominators[np.where(interned, codes >> 1, 0)] == 0)
        return texts

    def intern_rationals(self, numerators: Ints, denominators: Ints) -> Ints:
        """The codes of rationals given as reduced parts, denominators positive."""
        codes = numerators * 2
        proper = np.flatnonzero(denominators != 1)
        if len(proper):
            parts = np.stack((numerators[proper], denominators[proper]))
            distinct, inverse = np.unique(parts, axis=1, return_inverse=True)
            fresh = self.encode(Fraction(int(p), int(q)) for p, q in distinct.T)
            codes[proper] = fresh[inverse.reshape(-1)]
        return codes

    def _null_code(self, null: Null) -> int:
        known: dict[Null, int] = {}
        for each in null.made_from():
            parts = [known[part] if isinstance(part, Null) else self.code(part) for part in each.arguments]
            known[each] = self.nulls.foreign(each.rule, each.variable, parts, each.time)
        return known[null]

    def _null(self, code: int) -> Null:
        known = self.nulls.written
        if code in known:
            return known[code]
        # Not by recursion: nulls may be made from nulls thousands of times over.
        waiting = [code]
        while waiting:
            rule, variable, parts, time = self.nulls.origin(waiting[-1])
            unknown = [part for part in parts if part < 0 and part & 1 and part not in known]
            if unknown:
                waiting += unknown
                continue
            arguments = tuple(known[part] if part in known else self.value(part) for part in parts)
            known[waiting.pop()] = Null(rule, variable, arguments, time)
        return known[code]

    def _fill_parts(self) -> None:
        """Bring the numerator and denominator columns up to date; a denominator of 0 marks a text."""
        done = len(self._numerators)
        if done == len(self._entries):
            return
        parts = [
            (value.numerator, value.denominator) if isinstance(value, Fraction) else (0, 0)
            for value in self._entries[done:]
        ]
        fresh = np.array(parts, dtype=np.int64).reshape(-1, 2)
        self._numerators = np.concatenate((self._numerators, fresh[:, 0]))
        self._denominators = np.concatenate((self._denominators, fresh[:, 1]))


def sort_ranks(values: Sequence[Value]) -> list[int]:
    """The places of values in their natural order: numbers by size, then texts by code points, then nulls as texts."""
    # Most columns have texts only, which sort several times faster by themselves.
    only_texts = all(type(value) is str for value in values)
    keys: Sequence[Any] = values if only_texts else [_sort_key(value) for value in values]
    order = sorted(range(len(values)), key=keys.__getitem__)
    ranks = [0] * len(values)
    for rank, position in enumerate(order):
        ranks[position] = rank
    return ranks


def _sort_key(value: Value) -> tuple[int, Fraction, str]:
    if isinstance(value, Null):
        return 2, Fraction(0), str(value)
    return (1, Fraction(0), value) if isinstance(value, str) else (0, value, "")


def _integer_code(number: int) -> int:
    if abs(number) >= INTEGER_LIMIT:
        raise OverflowError(f"the number {number} is out of range of the 64-bit encoding")
    return 2 * number


def _check_parts(value: Fraction) -> None:
    if abs(value.numerator) >= PART_LIMIT or value.denominator >= PART_LIMIT:
        raise OverflowError(f"the number {value} is out of range of the 64-bit encoding")
