"""Value codes and exact arithmetic on them."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.columnar import arithmetic
from thalweg.columnar.values import Values

numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(Fraction),
    st.fractions(max_denominator=1000).filter(lambda f: abs(f) < 10**6),
    st.integers(-(2**28), 2**28).map(Fraction),
)
pairs = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6)


def test_equal_values_have_equal_codes_and_texts_are_not_numbers():
    values = Values()
    codes = values.encode([Fraction(3, 2), "3/2", Fraction(6, 4), Fraction(3), "3", "a", "a"])
    assert codes[0] == codes[2]
    assert len({int(c) for c in codes}) == 5
    assert values.decode(codes)[:4] == [Fraction(3, 2), "3/2", Fraction(3, 2), Fraction(3)]


@settings(max_examples=amount(120), deadline=None)
@given(pairs)
def test_arithmetic_is_exact(drawn):
    values = Values()
    left, right = values.encode([a for a, _ in drawn]), values.encode([b for _, b in drawn])
    for kernel, plain in (
        (arithmetic.add, operator.add),
        (arithmetic.subtract, operator.sub),
        (arithmetic.multiply, operator.mul),
    ):
        assert values.decode(kernel(left, right, values)) == [plain(a, b) for a, b in drawn]
    rows = np.flatnonzero(~arithmetic.is_zero(right))
    quotients = values.decode(arithmetic.divide(left[rows], right[rows], values)) if len(rows) else []
    assert quotients == [a / b for a, b in drawn if b]


@settings(max_examples=amount(120), deadline=None)
@given(pairs)
def test_order_of_numbers_is_exact(drawn):
    values = Values()
    left, right = values.encode([a for a, _ in drawn]), values.encode([b for _, b in drawn])
    assert arithmetic.order(left, right, values).tolist() == [(a > b) - (a < b) for a, b in drawn]


def test_texts_are_ordered_by_code_points_and_never_against_numbers():
    values = Values()
    left, right = values.encode(["a", "b", "Z"]), values.encode(["b", "b", "a"])
    assert arithmetic.order(left, right, values).tolist() == [-1, 0, -1]
    with pytest.raises(TypeError, match="cannot order"):
        arithmetic.order(values.encode(["a"]), values.encode([Fraction(1)]), values)


def test_numbers_out_of_range_are_refused():
    values = Values()
    with pytest.raises(OverflowError, match="out of range"):
        values.code(Fraction(2**61))
    big = values.encode([Fraction(2**60)])
    with pytest.raises(OverflowError, match="out of range"):
        arithmetic.multiply(big, big, values)


def test_calculating_with_a_text_is_refused_by_name():
    values = Values()
    with pytest.raises(TypeError, match="'veh21' is not a number"):
        arithmetic.add(values.encode(["veh21"]), values.encode([Fraction(1)]), values)
