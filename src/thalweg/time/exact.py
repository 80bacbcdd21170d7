"""Exact numbers from texts that come from outside: files, state, requests."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from thalweg.time.interval import Endpoint

_NUMBER = re.compile(r"[+-]?[0-9]+(?:/[0-9]+|(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?)", re.ASCII)
_LONGEST = 4_000


def exact(text: str) -> Fraction:
    """The number that is written as ``12``, ``7.5``, ``1/3`` or ``1e-7``; raises ValueError for anything else.

    ``Fraction`` alone would work for hours at a text such as ``1e999999999``.
    """
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a number")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError(f"{text[:40]!r} divides by zero") from None


def exact_ratio(parts: Any) -> Fraction:
    """The number with this numerator and denominator, as JSON has them; raises ValueError for anything else."""
    if not isinstance(parts, list) or [type(part) for part in parts] != [int, int] or not parts[1]:
        raise ValueError("a fraction is two whole numbers")
    return Fraction(*parts)


def exact_endpoint(text: str) -> Endpoint:
    """The same, or one of ``inf`` and ``-inf``."""
    return math.inf if text == "inf" else -math.inf if text == "-inf" else exact(text)
