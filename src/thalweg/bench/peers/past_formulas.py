"""Formulas of past MTL, as a rule and in the languages of monitors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from thalweg.bench.peers.signals import Signals, Stream
from thalweg.time.timeline import Timeline


class Time(Enum):
    """How time is seen: as a line on which inputs change, or as a row of ticks."""

    DENSE = "dense time, an event a change"
    DISCRETE = "discrete time, an event a tick"

    @property
    def timeline(self) -> Timeline:
        return Timeline.RATIONAL if self is Time.DENSE else Timeline.INTEGER

    @property
    def cells(self) -> int:
        """Into how many cells a time unit falls where answers are compared: a point and a gap, or a point."""
        return 2 if self is Time.DENSE else 1

    def facts(self, signals: Signals, stride: int) -> Stream:
        """What Thalweg takes in."""
        return signals.stretches_as_facts(stride) if self is Time.DENSE else signals.ticks_as_facts(stride)

    def events(self, signals: Signals) -> int:
        """How many events the signals are."""
        return signals.change_count if self is Time.DENSE else signals.tick_count


@dataclass(frozen=True)
class PastFormula:
    """``rule`` derives Ok(S) where the formula holds; ``chances`` say how often each of its inputs is on.

    ``times`` are those for which the monitors have it right.
    """

    title: str
    rule: str
    reelay: str
    rtamt: str
    chances: Mapping[str, float]
    times: tuple[Time, ...] = tuple(Time)


HISTORICALLY_ONCE = PastFormula(
    "historically[0,4] once[0,2] p",
    "Ok(S) :- boxminus[0,4] diamondminus[0,2] P(S).",
    "historically[0:4](once[0:2] {p})",
    "historically[0:4](once[0:2](p >= 0.5))",
    {"p": 0.5},
)


def since(start: int, end: int, *times: Time) -> PastFormula:
    """*p* since *q*; monitors ask for *p* at the time of the verdict, too."""
    return PastFormula(
        f"p since[{start},{end}] q",
        f"Ok(S) :- P(S), P(S) since[{start},{end}] Q(S).",
        f"{{p}} since[{start}:{end}] {{q}}",
        f"(p >= 0.5) since[{start}:{end}] (q >= 0.5)",
        {"p": 0.9, "q": 0.2},
        times,
    )


FORMULAS = (HISTORICALLY_ONCE, since(2, 5, Time.DISCRETE), since(0, 5, Time.DENSE))
