"""Units of time."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

UNITS: Mapping[str, Fraction] = MappingProxyType(
    {
        "ns": Fraction(1, 10**9),
        "us": Fraction(1, 10**6),
        "ms": Fraction(1, 10**3),
        "s": Fraction(1),
        "sec": Fraction(1),
        "min": Fraction(60),
        "h": Fraction(60 * 60),
        "d": Fraction(24 * 60 * 60),
    }
)
"""How many seconds a unit has."""


def in_units(value: Fraction, unit: str, base: Fraction) -> Fraction:
    """A duration given in a unit, as a number of stretches of ``base`` seconds: exact, never rounded."""
    if unit not in UNITS:
        raise ValueError(f"there is no unit {unit!r}; the units are {', '.join(UNITS)}")
    return Fraction(value) * UNITS[unit] / base
