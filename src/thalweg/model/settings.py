"""The declarations that hold for a whole program: timeline, unit, tick, constants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from thalweg.errors import Diagnostic, did_you_mean
from thalweg.model.formula import Data
from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.time.interval import Endpoint
from thalweg.time.timeline import Timeline
from thalweg.time.units import UNITS, in_units

_Single = TypeVar(
    "_Single",
    ast.TimelineDeclaration,
    ast.UnitDeclaration,
    ast.TickDeclaration,
    ast.LastArgumentDeclaration,
)


@dataclass(frozen=True)
class Settings:
    """What numbers, times and names mean in a program."""

    timeline: Timeline = Timeline.RATIONAL
    timeline_start: Fraction | None = None
    timeline_end: Fraction | None = None
    unit: Fraction = Fraction(1)
    tick: Fraction | None = None
    constants: Mapping[str, Data] = field(default_factory=dict)
    time_is_last: bool = False

    @property
    def bounds(self) -> tuple[Endpoint, Endpoint]:
        """The first and last time point of a program of LARS: from 0 on, unless it declares others."""
        start = Fraction(0) if self.timeline_start is None else self.timeline_start
        return start, math.inf if self.timeline_end is None else self.timeline_end


def read_settings(statements: Iterable[ast.Statement], found: list[Diagnostic]) -> Settings:
    """The settings a program declares; what is wrong with them is added to ``found``."""
    statements = tuple(statements)
    timeline = _only([s for s in statements if isinstance(s, ast.TimelineDeclaration)], "timeline", found)
    unit = _only([s for s in statements if isinstance(s, ast.UnitDeclaration)], "unit", found)
    tick = _only([s for s in statements if isinstance(s, ast.TickDeclaration)], "tick", found)
    last = _only([s for s in statements if isinstance(s, ast.LastArgumentDeclaration)], "place of times", found)

    unit_length = _read_unit(unit, found)
    line, start, end = _read_timeline(timeline, unit_length, found)
    if last is not None:
        line = _integers(last, timeline, found)
    return Settings(
        timeline=line,
        timeline_start=start,
        timeline_end=end,
        unit=unit_length,
        tick=_read_tick(tick, unit_length, line, found),
        constants=_read_constants(statements, unit_length, found),
        time_is_last=last is not None,
    )


def length_of(number: ast.Number, unit: Fraction, found: list[Diagnostic]) -> Fraction | None:
    """A number's value in the program's unit of time; None, and a diagnostic, if its own unit is unknown."""
    if number.unit is None:
        return number.value
    if number.unit not in UNITS:
        hint = did_you_mean(number.unit, UNITS) or f"write one of {', '.join(UNITS)}"
        found.append(Diagnostic("E231", number.span, f"{number.unit} is not a unit of time", hint))
        return None
    return in_units(number.value, number.unit, unit)


def at_place(span: Span | None) -> str:
    """`` at file:line:column``, or nothing where the place is not known."""
    return f" at {span.place}" if span else ""


def _only(declarations: list[_Single], word: str, found: list[Diagnostic]) -> _Single | None:
    for again in declarations[1:]:
        hint = f"keep this one or the one{at_place(declarations[0].span)}"
        found.append(Diagnostic("E220", again.span, f"the {word} is declared twice", hint))
    return declarations[0] if declarations else None


def _read_unit(declaration: ast.UnitDeclaration | None, found: list[Diagnostic]) -> Fraction:
    if declaration is None:
        return Fraction(1)
    seconds = length_of(declaration.length, Fraction(1), found)
    if seconds is None:
        return Fraction(1)
    if seconds <= 0:
        hint = "write how long the number 1 is, such as unit 1s. or unit 5min."
        found.append(Diagnostic("E223", declaration.span, "the unit must be longer than 0", hint))
        return Fraction(1)
    return seconds


def _read_timeline(
    declaration: ast.TimelineDeclaration | None, unit: Fraction, found: list[Diagnostic]
) -> tuple[Timeline, Fraction | None, Fraction | None]:
    if declaration is None:
        return Timeline.RATIONAL, None, None
    names = {line.value: line for line in Timeline}
    if declaration.name not in names:
        hint = did_you_mean(declaration.name, names) or "write timeline rational. or timeline integer."
        found.append(Diagnostic("E221", declaration.span, f"there is no timeline {declaration.name}", hint))
        return Timeline.RATIONAL, None, None
    line = names[declaration.name]
    start = _read_timeline_end(declaration.start, "start", line, unit, found)
    end = _read_timeline_end(declaration.end, "end", line, unit, found)
    if end is not None and end < (start or 0):
        message = "the timeline ends before it starts"
        found.append(
            Diagnostic("E222", declaration.span, message, "write the earlier time after from; without, it is 0")
        )
        return line, start, None
    return line, start, end


def _integers(
    last: ast.LastArgumentDeclaration, timeline: ast.TimelineDeclaration | None, found: list[Diagnostic]
) -> Timeline:
    """The integer timeline, on which alone an argument can be a time point."""
    if timeline is not None and timeline.name == Timeline.RATIONAL.value:
        message = f"a time that is an argument is a whole number, but the timeline{at_place(timeline.span)} is rational"
        found.append(Diagnostic("E270", last.span, message, "declare timeline integer., or leave one of the two out"))
    return Timeline.INTEGER


def _read_timeline_end(
    number: ast.Number | None, word: str, line: Timeline, unit: Fraction, found: list[Diagnostic]
) -> Fraction | None:
    if number is None:
        return None
    if line is Timeline.RATIONAL:
        message, hint = f"the rational timeline has no {word}", "write timeline rational."
        found.append(Diagnostic("E222", number.span, message, hint))
        return None
    time = length_of(number, unit, found)
    if time is not None and time.denominator != 1:
        message, hint = f"the integer timeline cannot {word} between two integers", f"{word} it at an integer"
        found.append(Diagnostic("E222", number.span, message, hint))
        return None
    return time


def _read_tick(
    declaration: ast.TickDeclaration | None, unit: Fraction, line: Timeline, found: list[Diagnostic]
) -> Fraction | None:
    if declaration is None:
        return None
    tick = length_of(declaration.length, unit, found)
    if tick is None:
        return None
    if tick <= 0:
        hint = "write the finest step of time, such as tick 1/2. or tick 100ms."
        found.append(Diagnostic("E224", declaration.span, "the tick must be longer than 0", hint))
        return None
    if line is Timeline.INTEGER and tick != 1:
        message = "the tick of the integer timeline is 1"
        hint = "leave the tick out, or declare timeline rational."
        found.append(Diagnostic("E224", declaration.span, message, hint))
        return None
    return tick


def _read_constants(statements: Iterable[ast.Statement], unit: Fraction, found: list[Diagnostic]) -> Mapping[str, Data]:
    """The values of the declared names; a name may stand for one declared before it."""
    values: dict[str, Data] = {}
    places: dict[str, Span | None] = {}
    for statement in statements:
        if not isinstance(statement, ast.ConstantDeclaration):
            continue
        name = statement.name
        if name in values:
            hint = f"keep this one or the one{at_place(places[name])}"
            found.append(Diagnostic("E227", statement.span, f"the constant {name} is defined twice", hint))
            continue
        places[name] = statement.span
        if isinstance(statement.value, ast.Text):
            values[name] = values.get(statement.value.value, statement.value.value)
        else:
            number = length_of(statement.value, unit, found)
            values[name] = statement.value.value if number is None else number
    return values
