from __future__ import annotations

from fractions import Fraction

import pytest

from thalweg.time.units import UNITS, in_units


@pytest.mark.parametrize(
    ("value", "unit", "base", "expected"),
    [
        (10, "min", 1, "600"),
        (500, "ms", 1, "1/2"),
        (1, "d", 3600, "24"),
        (3, "ns", 1, "3/1000000000"),
        (2, "h", UNITS["min"], "120"),
    ],
)
def test_durations_convert_exactly(value, unit, base, expected):
    assert in_units(Fraction(value), unit, Fraction(base)) == Fraction(expected)


def test_sec_is_another_name_of_s():
    assert UNITS["sec"] == UNITS["s"]


def test_an_unknown_unit_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="there is no unit 'week'; the units are ns, us, ms, s, sec, min, h, d"):
        in_units(Fraction(1), "week", Fraction(1))
