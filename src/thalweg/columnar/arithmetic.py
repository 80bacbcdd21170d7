"""Exact arithmetic and comparisons on columns of value codes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import reserve
from thalweg.columnar.values import INTEGER_LIMIT, Value, Values

_SAFE = 1 << 30
"""Products of two parts below this, and sums of two such products, fit 64 bits."""

_OBJECTS = 20
"""The words that a row of numbers as objects takes, with those of a result."""

Parts = tuple[Ints, Ints]
"""Numerators and denominators."""


def add(left: Ints, right: Ints, values: Values) -> Ints:
    """left + right."""
    return _combine(left, right, values, lambda a, b: (a[0] * b[1] + b[0] * a[1], a[1] * b[1]))


def subtract(left: Ints, right: Ints, values: Values) -> Ints:
    """left − right."""
    return _combine(left, right, values, lambda a, b: (a[0] * b[1] - b[0] * a[1], a[1] * b[1]))


def multiply(left: Ints, right: Ints, values: Values) -> Ints:
    """left × right."""
    return _combine(left, right, values, lambda a, b: (a[0] * b[0], a[1] * b[1]))


def divide(left: Ints, right: Ints, values: Values) -> Ints:
    """left ÷ right; the divisor must not be 0 (see :func:`is_zero`)."""
    return _combine(left, right, values, lambda a, b: (a[0] * b[1], a[1] * b[0]))


def is_zero(codes: Ints) -> Bools:
    """Which codes are the number 0."""
    zero: Bools = codes == 0
    return zero


def order(left: Ints, right: Ints, values: Values) -> Ints:
    """−1, 0 or 1 as left is smaller, equal or larger: numbers by size, texts by code points.

    Raises TypeError where a number meets a text.
    """
    values.refuse_nulls(left, right)
    texts = values.is_text(left)
    if (texts != values.is_text(right)).any():
        row = int(np.flatnonzero(texts != values.is_text(right))[0])
        one, other = values.value(int(left[row])), values.value(int(right[row]))
        raise TypeError(f"cannot order {_shown(one)} and {_shown(other)}: one is a text, one a number")
    if texts.any():
        return _order_mixed(left, right, values)
    reserve(len(left), 8)
    a, b = values.rationals(left), values.rationals(right)
    if _fits(*a, *b):
        return np.sign(a[0] * b[1] - b[0] * a[1])
    return _exact(a, b, lambda x, y: (x > y) - (x < y))


def _order_mixed(left: Ints, right: Ints, values: Values) -> Ints:
    """Order by rank among the distinct values; all pairs are of one kind."""
    distinct, inverse = np.unique(np.concatenate((left, right)), return_inverse=True)
    decoded = [values.value(int(code)) for code in distinct]
    by_order = sorted(range(len(decoded)), key=lambda i: (isinstance(decoded[i], str), decoded[i]))
    ranks = np.empty(len(decoded), dtype=np.int64)
    ranks[by_order] = np.arange(len(decoded))
    ranked = ranks[inverse]
    signs: Ints = np.sign(ranked[: len(left)] - ranked[len(left) :])
    return signs


def _combine(left: Ints, right: Ints, values: Values, formula: Callable[[Parts, Parts], Parts]) -> Ints:
    reserve(len(left), 12)
    a, b = values.rationals(left), values.rationals(right)
    if not _fits(*a, *b):
        a, b = _as_objects(a), _as_objects(b)
    numerators, denominators = formula(a, b)
    return values.intern_rationals(*reduced(numerators, denominators))


def reduced(numerators: Ints, denominators: Ints) -> Parts:
    """Fractions in lowest terms, denominators positive."""
    divisor = np.gcd(numerators, denominators)
    divisor = np.where(denominators < 0, -divisor, divisor)
    numerators, denominators = numerators // divisor, denominators // divisor
    if numerators.dtype == np.object_:
        parts = zip(numerators, denominators, strict=True)
        beyond = [Fraction(n, d) for n, d in parts if max(abs(n), d) >= INTEGER_LIMIT]
        if beyond:
            raise OverflowError(f"the result {beyond[0]} is out of range of the 64-bit encoding")
    return numerators.astype(np.int64), denominators.astype(np.int64)


def _fits(*parts: Ints) -> bool:
    return all(not len(part) or (part.max() < _SAFE and part.min() > -_SAFE) for part in parts)


def _as_objects(parts: Parts) -> Parts:
    """The same numbers as Python integers, which do not overflow; slow, and rarely needed."""
    reserve(len(parts[0]), _OBJECTS)
    return parts[0].astype(object), parts[1].astype(object)


def _exact(a: Parts, b: Parts, formula: Callable[[Fraction, Fraction], int]) -> Ints:
    pairs = zip(*_as_objects(a), *_as_objects(b), strict=True)
    return np.array([formula(Fraction(p, q), Fraction(r, s)) for p, q, r, s in pairs], dtype=np.int64)


def _shown(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
