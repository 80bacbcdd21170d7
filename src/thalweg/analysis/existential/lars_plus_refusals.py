"""What LARS+ (LARS+ paper, Definition 1) does not have, and what to write instead."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    BinaryMetric,
    Bottom,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    TimeWindow,
    TupleWindow,
    Window,
    Windowed,
)


class Refusal(NamedTuple):
    """What LARS+ does not have, and what to write instead."""

    what: str
    hint: str

    @property
    def message(self) -> str:
        """The refusal as a sentence."""
        return f"the rewriting is for LARS+, which does not have {self.what}"


_WINDOWS = "write window[last 5] some P(X), window[last 5] all P(X), or window[last 5] (P(X) at T)"
_OWN_RULE = "give it a name with a rule of its own, and use that here"
RATIONAL = Refusal("the rational timeline", "declare timeline integer.")
OTHER_START = Refusal("a timeline that does not begin at 0", "count time from the start of the timeline")
COMPARED_VALUES = Refusal("comparisons of values", "compare time points only, or leave the rule out")
ARITHMETIC = Refusal("this arithmetic", "compare time points as in T2 = T1 + 5, T1 = T2 + T3, T1 <= T2 or T1 < T2 + 5")
NO_TIME_POINT = Refusal("this time point", "its time points are 0, 1, 2, …")
FRONTIER = Refusal(
    "values that depend on some of the head's variables only",
    "leave out per …: the value then depends on all of them, and on the current time where a head atom has no at",
)


def size_of(window: Window) -> int | Refusal:
    """The n of a window ⊞ⁿ, or why it is none."""
    match window:
        case TupleWindow():
            return Refusal("windows over tuples", _WINDOWS)
        case TimeWindow(next=next_) if next_ != 0:
            return Refusal("windows that look ahead", _WINDOWS)
        case TimeWindow(slide=slide) if slide != 1:
            return Refusal("windows that slide by more than 1", _WINDOWS)
        case TimeWindow(last=Fraction(denominator=1) as size):
            return int(size)
        case _:
            return Refusal("windows without a bound", _WINDOWS)


def refusal_of(formula: Formula) -> Refusal:
    """Why a formula is none of the atoms of LARS+."""
    match formula:
        case Not():
            return Refusal("not", "leave out the condition, or the rule")
        case Or():
            return Refusal("or", "write a rule for each alternative")
        case And():
            return Refusal("conjunctions under some", _OWN_RULE)
        case Bottom():
            return Refusal("bottom", "give the head a name of its own, and look whether it ever holds")
        case Aggregate():
            return Refusal("aggregates", "leave out the condition, or the rule")
        case Metric() | BinaryMetric():
            return Refusal("operators with intervals", _WINDOWS)
        case Windowed():
            return Refusal("windows inside windows and under at", _OWN_RULE)
        case Some() | All():
            return Refusal("some and all without a window", _WINDOWS)
        case At():
            return Refusal("at around more than an atom", _OWN_RULE)
        case _:
            return Refusal("comparisons inside operators", "write the comparison beside the operator")
