"""Beyond which time points nothing changes any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from thalweg.model.formula import Formula, TimeWindow, TupleWindow, Windowed, intervals, subformulas
from thalweg.model.program import Rule
from thalweg.time.interval import Endpoint


def horizon(rules: Iterable[Rule], ends: Iterable[int]) -> tuple[int, int]:
    """Two time points outside which the truth of any formula in the rules is as at the point.

    Atoms do not change beyond the first and last of ``ends``; a formula made of others can change as much further out
    as its own operator reaches, and since and until one more, as their left operand does not count where they stand.
    """
    known = (*ends, 0)
    depth = sum((_reach(formula) for rule in rules for formula in (rule.head, *rule.body)), Fraction(1))
    return min(known) - int(depth), max(known) + int(depth)


def _reach(formula: Formula) -> Fraction:
    return sum((abs(end) for end in _ends(formula) if not isinstance(end, float)), Fraction(0))


def _ends(formula: Formula) -> Iterator[Endpoint]:
    for interval in intervals(formula):
        yield from (interval.start, interval.end, Fraction(1))
    for part in subformulas(formula):
        if isinstance(part, Windowed):
            match part.window:
                case TimeWindow(last=last, next=following, slide=slide):
                    yield from (last, following, Fraction(slide))
                case TupleWindow(last=last, next=following):
                    yield from (Fraction(last), Fraction(following))
