"""The fact that a question is about, as a person writes it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.columnar.nulls import is_null
from thalweg.errors import UsageError, did_you_mean
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.known import Known
from thalweg.model.formula import Value
from thalweg.model.program import Program
from thalweg.null import MARK
from thalweg.source import Source
from thalweg.syntax.facts import read_facts
from thalweg.time.interval import Endpoint, Interval, is_valid
from thalweg.time.moments import read_moment
from thalweg.time.timeline import Timeline

_FORMS = "write a fact: P(a,b)@3, P(a,b)@[1,2.5), or P(a,b) without a time"
_PLACEHOLDER = "0"


@dataclass(frozen=True)
class Asked:
    """A fact in question: a predicate, the texts of its arguments, and times, or None for all times."""

    predicate: str
    arguments: tuple[str, ...]
    interval: Interval | None
    text: str

    def atom(self, known: Known) -> GroundAtom:
        """The atom, with nulls as the rules have made them."""
        plain = [_PLACEHOLDER if each.startswith(MARK) else each for each in self.arguments]
        values: list[Value] = list(_values(plain, self.text))
        for place, argument in enumerate(self.arguments):
            if argument.startswith(MARK):
                values[place] = _null(argument, known)
        return GroundAtom(self.predicate, tuple(values))


def read_asked(text: str, program: Program) -> Asked:
    """The fact in a text; raises :class:`UsageError` when it is none, or not one of the program's."""
    atom, time = _apart(text)
    name, arguments = _atom(atom, text)
    if name not in program.signatures:
        hint = did_you_mean(name, program.predicates)
        raise UsageError(f"the program does not mention {name}" + (f"; {hint}" if hint else ""))
    arity = program.signatures[name].arity
    if time is None and program.time_is_last and len(arguments) == arity + 1:
        *arguments, time = arguments
    if len(arguments) != arity:
        raise UsageError(f"{name} has {arity} argument{'' if arity == 1 else 's'}, not {len(arguments)}: {text}")
    return Asked(name, tuple(arguments), None if time is None else _interval(time, program, text), text)


def _apart(text: str) -> tuple[str, str | None]:
    """What stands before the last @ outside brackets and quotes, and what stands after it."""
    place = max((place for place, char in _outside(text) if char == "@"), default=None)
    return (text.strip(), None) if place is None else (text[:place].strip(), text[place + 1 :].strip())


def _atom(atom: str, text: str) -> tuple[str, list[str]]:
    name, opening, rest = atom.partition("(")
    if not opening:
        return name.strip(), []
    if not rest.endswith(")"):
        raise UsageError(f"{text} is not a fact: {_FORMS}")
    inside = rest[:-1]
    if not inside.strip():
        return name.strip(), []
    commas = [place for place, char in _outside(inside) if char == ","]
    ends = zip([-1, *commas], [*commas, len(inside)], strict=True)
    return name.strip(), [inside[before + 1 : after].strip() for before, after in ends]


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """The characters that stand outside brackets and quotes, with their places."""
    depth, quote, escaped = 0, "", False
    for place, char in enumerate(text):
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and not escaped
        elif char in "\"'":
            quote = char
        else:
            depth -= char == ")"
            if depth == 0:
                yield place, char
            depth += char == "("


def _values(arguments: list[str], text: str) -> Iterator[Value]:
    if not arguments:
        return
    found = read_facts(Source("fact", f"p({','.join(arguments)})@0"))
    if found.diagnostics:
        first = found.diagnostics[0]
        raise UsageError(f"{text}: {first.message}" + (f"; {first.hint}" if first.hint else ""))
    for column in found.batches[0].arguments:
        yield column.values[0]


def _null(text: str, known: Known) -> Value:
    """The null that prints so."""
    for predicate in known.history.predicates():
        for column in known.history.relation(predicate, known.arity(predicate)).columns:
            for value in known.values.distinct(dict.fromkeys(column[is_null(column)].tolist())):
                if str(value) == text:
                    return value
    raise UsageError(f"there is no new value {text}: rules have made none that is written so")


def _interval(time: str, program: Program, text: str) -> Interval:
    if time[:1] in ("[", "(") and time[-1:] in ("]", ")"):
        ends = [end.strip() for end in time[1:-1].split(",")]
        if len(ends) > 2:
            raise UsageError(f"{text}: the interval {time} cannot be read; {_FORMS}")
        start, end = (_end(each, program, text) for each in (ends[0], ends[-1]))
        closed = time[0] == "[" and not isinstance(start, float), time[-1] == "]" and not isinstance(end, float)
    else:
        start = end = _end(time, program, text)
        closed = True, True
    if not is_valid(start, end, *closed):
        raise UsageError(f"{text}: {time} contains no time point")
    interval = Interval(start, end, *closed)
    if program.timeline is Timeline.INTEGER and interval.to_integers() is None:
        raise UsageError(f"{text}: {time} contains no time point of the integer timeline")
    return interval.to_integers() or interval if program.timeline is Timeline.INTEGER else interval


def _end(text: str, program: Program, asked: str) -> Endpoint:
    if text in ("inf", "+inf", "-inf", "∞", "-∞"):
        return -math.inf if text.startswith("-") else math.inf
    moment: Fraction | None = read_moment(text, program.unit)
    if moment is None:
        raise UsageError(
            f"{asked}: {text or 'nothing'} is not a time; write a number (12, 1.5, 3/2, 10min) or a timestamp"
        )
    return moment
