"""What can be said of a query before any data comes: its delay, its window, and how much may be open."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.analysis.hypotheses.delays import Delays
from thalweg.analysis.hypotheses.patterns import Pattern, Unfolding
from thalweg.analysis.hypotheses.refusals import never_decided
from thalweg.analysis.hypotheses.terms import PatternTerm, Shifted, TimedAtom, Value


@dataclass(frozen=True)
class Promises:
    """What holds for all runs of a query (hypotheses paper, end of Section 4); None where there is no bound.

    ``delay`` (d): whether an answer for time t is one is settled when t + d is over. ``window`` (w): all evidence of
    what is open when τ is over is later than τ − w. ``polynomial``: Proposition 10 applies. ``delays`` are those of the
    inputs, and of the derived predicates that occur under ``not``.
    """

    delays: Delays
    delay: int | None
    window: int | None
    polynomial: bool

    @property
    def rows_per_binding(self) -> int | None:
        """How many time points one binding of the other variables can have open at a time."""
        return None if self.window is None else self.window + 1


def promises(unfolding: Unfolding, otherwise: int = 0) -> Promises:
    """The promises for a query; raises :class:`ProgramError` for a negation that no time decides."""
    delays = Delays.of(unfolding.program, otherwise)
    for name, below in unfolding.below.items():
        inner = promises(below, otherwise)
        if inner.delay is None:
            raise never_decided(name, unfolding.query)
        delays = delays.also(name, unfolding.program.signatures[name].arity, inner.delay)
    first = unfolding.program.bounds[0]
    patterns = [_without_background(pattern, unfolding.program.background) for pattern in unfolding.patterns]
    return Promises(
        delays,
        _largest(_decided(pattern, delays, first) for pattern in patterns),
        _largest(_span(pattern, delays) for pattern in patterns),
        unfolding.connected and not unfolding.below and _has_no_delays(unfolding, delays),
    )


def _without_background(pattern: Pattern, background: Collection[str]) -> Pattern:
    """The pattern without negated atoms that are known from the start."""
    return replace(pattern, negated=tuple(atom for atom in pattern.negated if atom.predicate not in background))


def _decided(pattern: Pattern, delays: Delays, first: Fraction | float) -> int | None:
    """How long after its time an answer of a pattern is decided at the latest."""
    return _largest((_after(pattern, atom, delays, first) for atom in (*pattern.atoms, *pattern.negated)), 0)


def _after(pattern: Pattern, atom: TimedAtom, delays: Delays, first: Fraction | float) -> int | None:
    later = distance(pattern.answer.time, atom.time)
    if later is None and isinstance(atom.time, Value) and not isinstance(first, float):
        # The answer's time is not before the timeline begins.
        later = int(Fraction(atom.time.value) - first)
    return None if later is None else later + delays.longest(atom)


def _span(pattern: Pattern, delays: Delays) -> int | None:
    """From the oldest evidence to when the last atom can come."""
    if not pattern.atoms:
        return 0
    first = pattern.atoms[0].time
    starts = [distance(first, atom.time) for atom in pattern.atoms]
    ends = [_after_first(first, atom, delays) for atom in _all(pattern)]
    oldest, latest = _largest(None if start is None else -start for start in starts), _largest(ends)
    return None if oldest is None or latest is None else latest + oldest


def _after_first(first: PatternTerm, atom: TimedAtom, delays: Delays) -> int | None:
    after = distance(first, atom.time)
    return None if after is None else after + delays.longest(atom)


def _all(pattern: Pattern) -> Iterator[TimedAtom]:
    yield from pattern.atoms
    yield from pattern.negated


def distance(one: PatternTerm, other: PatternTerm) -> int | None:
    """How much later the other time is, where that is known."""
    match one, other:
        case Shifted(), Shifted() if one.variable == other.variable:
            return other.offset - one.offset
        case Value(value=Fraction() as a), Value(value=Fraction() as b):
            return int(b - a)
        case _:
            return None


def _largest(numbers: Iterable[int | None], least: float = -math.inf) -> int | None:
    found = [*numbers]
    known = [number for number in found if number is not None]
    if len(known) < len(found):
        return None
    largest = max(known, default=0)
    return int(max(largest, least))


def _has_no_delays(unfolding: Unfolding, delays: Delays) -> bool:
    return all(delays.longest(atom) == 0 for pattern in unfolding.patterns for atom in _all(pattern))
