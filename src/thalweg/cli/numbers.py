"""Numbers on the command line."""

from __future__ import annotations

import argparse
from fractions import Fraction


def positive(text: str) -> int:
    """A positive whole number."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return int(text)


def length(text: str) -> Fraction:
    """A positive exact number, such as 1, 0.5 or 1/3."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def size(text: str) -> int:
    """A positive number of bytes, such as 1000, 500k, 64m or 1g."""
    number, unit = (text[:-1], text[-1].lower()) if text[-1:].isalpha() else (text, "")
    if not (number.isdecimal() and unit in _SIZES and int(number) > 0):
        raise argparse.ArgumentTypeError(f"{text} is not a number of bytes: write 1000, 500k, 64m or 1g")
    return int(number) * _SIZES[unit]


_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return value
