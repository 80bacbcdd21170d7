"""Value codes and exact arithmetic on them."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.columnar import arithmetic
from thalweg.columnar.values import INTEGER_LIMIT, Values
from thalweg.null import Null

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


large = st.one_of(
    st.integers(-(2**60), 2**60).map(Fraction),
    st.builds(Fraction, st.integers(-(2**60), 2**60), st.integers(1, 2**60)),
)


@settings(max_examples=amount(120), deadline=None)
@given(st.lists(st.tuples(large | numbers, large | numbers), min_size=1, max_size=6))
def test_numbers_whose_products_leave_64_bits_are_ordered_exactly(drawn):
    values = Values()
    left, right = values.encode([a for a, _ in drawn]), values.encode([b for _, b in drawn])
    assert arithmetic.order(left, right, values).tolist() == [(a > b) - (a < b) for a, b in drawn]


@settings(max_examples=amount(120), deadline=None)
@given(st.lists(st.tuples(large, st.integers(1, 8).map(Fraction)), min_size=1, max_size=6))
def test_sums_and_quotients_of_large_numbers_are_exact(drawn):
    values = Values()
    drawn = [(a, b) for a, b in drawn if max(abs((a + b).numerator), (a / b).denominator, abs(a).numerator) < 2**61]
    left, right = values.encode([a for a, _ in drawn]), values.encode([b for _, b in drawn])
    if drawn:
        assert values.decode(arithmetic.add(left, right, values)) == [a + b for a, b in drawn]
        assert values.decode(arithmetic.divide(left, right, values)) == [a / b for a, b in drawn]


def test_one_large_number_among_small_ones_is_ordered_exactly():
    values = Values()
    small, large = (
        [Fraction(1), Fraction(3), Fraction(-2), Fraction(2**29)],
        [Fraction(1, 3), Fraction(2**60 + 1, 2**59), Fraction(1 - 2**60), Fraction(2**60 + 1, 2**59)],
    )
    for left, right in ((small, large), (large, small), (large, large[::-1]), (large, large)):
        found = arithmetic.order(values.encode(left), values.encode(right), values)
        assert found.tolist() == [(a > b) - (a < b) for a, b in zip(left, right, strict=True)]


def test_the_largest_numbers_have_codes_and_the_next_have_none():
    values = Values()
    largest = [Fraction(2**61 - 1), Fraction(1 - 2**61), Fraction(2**62 - 1, 2), Fraction(1, 2**62 - 1)]
    assert values.decode(values.encode(largest)) == largest
    for beyond in (
        Fraction(2**61),
        Fraction(-(2**61)),
        Fraction(2**62 + 1, 2),
        Fraction(2**62, 3),
        Fraction(-(2**62) - 1, 2),
        Fraction(1, 2**62),
    ):
        with pytest.raises(OverflowError, match="out of range"):
            values.code(beyond)


def test_texts_are_ordered_by_code_points_and_never_against_numbers():
    values = Values()
    left, right = values.encode(["a", "b", "Z"]), values.encode(["b", "b", "a"])
    assert arithmetic.order(left, right, values).tolist() == [-1, 0, -1]
    assert arithmetic.order(left, right, values).dtype == np.int64
    with pytest.raises(TypeError, match='cannot order "a" and 1:'):
        arithmetic.order(values.encode(["a"]), values.encode([Fraction(1)]), values)


def test_numbers_out_of_range_are_refused():
    values = Values()
    with pytest.raises(OverflowError, match="out of range"):
        values.code(Fraction(2**61))
    big = values.encode([Fraction(2**60)])
    with pytest.raises(OverflowError, match="out of range"):
        arithmetic.multiply(big, big, values)


def test_a_null_is_in_no_order_with_anything_on_either_side():
    values = Values()
    null, number = values.encode([Null(1, "Y", ("a",))]), values.encode([Fraction(1)])
    text = values.encode(["a"])
    for left, right in ((null, number), (number, null), (null, null), (null, text), (text, null)):
        with pytest.raises(TypeError, match=r"_:Y.1\(a\) is a new value"):
            arithmetic.order(left, right, values)


def test_a_result_out_of_range_is_named_as_the_fraction_it_is():
    values = Values()
    large, third = values.encode([Fraction(2**60)]), values.encode([Fraction(5, 3)])
    with pytest.raises(OverflowError, match=f"the result {5 * 2**60}/3 is out of range"):
        arithmetic.multiply(large, third, values)


def test_calculating_with_a_text_is_refused_by_name():
    values = Values()
    with pytest.raises(TypeError, match="'veh21' is not a number"):
        arithmetic.add(values.encode(["veh21"]), values.encode([Fraction(1)]), values)


def test_a_sum_at_the_limit_is_refused_and_one_below_it_is_not():
    values = Values()
    largest = values.encode([Fraction(INTEGER_LIMIT - 2)])
    assert values.decode(arithmetic.add(largest, values.encode([Fraction(1)]), values)) == [Fraction(INTEGER_LIMIT - 1)]
    with pytest.raises(OverflowError, match="out of range"):
        arithmetic.add(largest, values.encode([Fraction(2)]), values)


def test_a_small_number_and_one_of_large_parts_are_added_exactly():
    values = Values()
    small, large = Fraction(1, 2**20), Fraction(1, 2**45)
    for one, other in ((small, large), (large, small)):
        found = arithmetic.add(values.encode([one]), values.encode([other]), values)
        assert values.decode(found) == [small + large]


def test_a_negative_divisor_leaves_a_positive_denominator():
    values = Values()
    left, right = values.encode([Fraction(1), Fraction(6), Fraction(1, 3)]), values.encode([Fraction(-2)] * 3)
    quotients = arithmetic.divide(left, right, values)
    assert values.decode(quotients) == [Fraction(-1, 2), Fraction(-3), Fraction(-1, 6)]
    # They have the codes of the same numbers written otherwise.
    assert quotients.tolist() == values.encode([Fraction(-1, 2), Fraction(-3), Fraction(-1, 6)]).tolist()
    assert [part.tolist() for part in arithmetic.reduced(np.array([1, 6]), np.array([-2, -2]))] == [[-1, -3], [2, 1]]
