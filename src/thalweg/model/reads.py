"""At which times a formula reads its atoms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from thalweg.model.formula import (
    And,
    Atom,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Not,
    Since,
    Until,
)
from thalweg.time.interval import Interval, point

NOW = point(0)


@dataclass(frozen=True)
class Read:
    """An occurrence of an atom, with the times, relative to the formula's own, at which it matters.

    ``offsets`` is a hull: nothing outside it is read. ``negative`` occurrences stand under ``not``,
    ``left`` ones in a left operand of since or until, where nothing binds a variable.
    """

    atom: Atom
    offsets: Interval
    negative: bool = False
    left: bool = False


def reads(formula: Formula, at: Interval = NOW, *, negative: bool = False, left: bool = False) -> Iterator[Read]:
    """The atoms a formula reads when it is evaluated at the times ``at``; nested intervals add up."""
    match formula:
        case Atom():
            yield Read(formula, at, negative, left)
        case DiamondMinus(interval=interval, operand=operand) | BoxMinus(interval=interval, operand=operand):
            yield from reads(operand, at.minus(interval), negative=negative, left=left)
        case DiamondPlus(interval=interval, operand=operand) | BoxPlus(interval=interval, operand=operand):
            yield from reads(operand, at.plus(interval), negative=negative, left=left)
        case Since():
            yield from reads(formula.left, at.minus(up_to(formula.interval)), negative=negative, left=True)
            yield from reads(formula.right, at.minus(formula.interval), negative=negative, left=left)
        case Until():
            yield from reads(formula.left, at.plus(up_to(formula.interval)), negative=negative, left=True)
            yield from reads(formula.right, at.plus(formula.interval), negative=negative, left=left)
        case And(operands=operands):
            for operand in operands:
                yield from reads(operand, at, negative=negative, left=left)
        case Not(operand=operand):
            yield from reads(operand, at, negative=not negative, left=left)


def up_to(interval: Interval) -> Interval:
    """[0, ϱ⁺]: where the left operand of since or until is read, at most."""
    return Interval(NOW.start, interval.end)
