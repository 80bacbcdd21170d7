"""Moments as people write them: numbers, numbers with a unit, timestamps."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction

from thalweg.time.units import UNITS

_NUMBER = re.compile(r"(?P<number>-?\d+(?:\.\d+|/\d*[1-9]\d*)?)(?P<unit>[a-z]+)?")


def read_moment(text: str, unit: Fraction) -> Fraction | None:
    """A number, a number with a unit, or an ISO timestamp (counted from 1970), in a unit of so many seconds.

    None when the text is nothing of the kind.
    """
    match = _NUMBER.fullmatch(text)
    if match and match["unit"] in (None, *UNITS):
        value = Fraction(match["number"])
        return value if match["unit"] is None else value * UNITS[match["unit"]] / unit
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    passed = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    seconds = Fraction(passed.days * 86400 + passed.seconds) + passed.microseconds * UNITS["us"]
    return seconds / unit
