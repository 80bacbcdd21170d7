"""Times on the command line."""

from __future__ import annotations

import argparse
import math
from fractions import Fraction

from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.time.interval import Endpoint
from thalweg.time.moments import NUMBER, read_moment
from thalweg.time.units import UNITS


def parse_time(text: str | None, option: str, program: Program, default: Endpoint) -> Endpoint:
    """A number, a number with a unit, or an ISO timestamp (counted from 1970), in the program's unit."""
    if text is None:
        return default
    moment = read_moment(text, program.unit)
    if moment is None:
        raise UsageError(f"{option} {text}: write a number (12, 1.5, 3/2, 10min) or a timestamp")
    return moment


def parse_stretch(options: argparse.Namespace, program: Program) -> tuple[Endpoint, Endpoint]:
    """The stretch of time that ``--from`` and ``--to`` name."""
    start = parse_time(options.start, "--from", program, -math.inf)
    end = parse_time(options.end, "--to", program, math.inf)
    if start > end:
        raise UsageError(f"--from {options.start} is after --to {options.end}")
    return start, end


def parse_length(text: str, option: str, unit: Fraction | None) -> Fraction:
    """A length of time in a unit of so many seconds: a number of them, or a number with a unit of its own.

    Without a unit the length is in seconds, and the text must say its own.
    """
    match = NUMBER.fullmatch(text)
    known = match is not None and match["unit"] in (*UNITS, *(() if unit is None else (None,)))
    if match is None or not known or Fraction(match["number"]) < 0:
        example = "10s, 500ms" if unit is None else "10s, 500ms, or a number of units of the program"
        raise UsageError(f"{option} {text}: write a length of time ({example})")
    value = Fraction(match["number"])
    return value if match["unit"] is None else value * UNITS[match["unit"]] / (unit or 1)
