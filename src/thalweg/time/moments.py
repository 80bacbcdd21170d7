"""Moments as people write them: numbers, numbers with a unit, timestamps."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction

from thalweg.time.units import UNITS

NUMBER = re.compile(r"(?P<number>-?\d+(?:\.\d+|/\d*[1-9]\d*)?)(?P<unit>[a-z]+)?")
"""A number, perhaps with a unit: ``12``, ``1.5``, ``3/2``, ``10min``."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def read_moment(text: str, unit: Fraction) -> Fraction | None:
    """A number, a number with a unit, or an ISO timestamp (counted from 1970), in a unit of so many seconds.

    None when the text is nothing of the kind.
    """
    match = NUMBER.fullmatch(text)
    if match and match["unit"] in (None, *UNITS):
        value = Fraction(match["number"])
        return value if match["unit"] is None else value * UNITS[match["unit"]] / unit
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return seconds_since_1970(moment) / unit


def seconds_since_1970(moment: datetime.datetime) -> Fraction:
    """Exact; a moment without a time zone is in UTC."""
    passed = (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)) - _EPOCH
    return passed.days * UNITS["d"] + passed.seconds + passed.microseconds * UNITS["us"]
