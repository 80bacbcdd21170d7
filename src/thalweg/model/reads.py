"""At which times a formula reads its atoms, and which times its time variables can stand for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    Arithmetic,
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    DiamondMinus,
    DiamondPlus,
    Expression,
    Formula,
    Not,
    Or,
    Since,
    Some,
    Term,
    TimeWindow,
    Top,
    Until,
    Variable,
    Window,
    Windowed,
)
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.time.interval import ALWAYS, Interval, point

NOW = point(0)


@dataclass(frozen=True)
class Place:
    """Where a formula stands in a body: relative to the body's time, when it is evaluated, and in which window.

    Both are hulls. ``negative`` places lie under ``not``; ``left`` ones in a left operand of since or until, where
    nothing binds a variable; ``counted`` ones in a tuple window or an aggregate, where more can make less true.
    """

    at: Interval = NOW
    within: Interval = ALWAYS
    negative: bool = False
    left: bool = False
    counted: bool = False


@dataclass(frozen=True)
class Read:
    """An occurrence of an atom, with the times, relative to the formula's own, at which it matters.

    ``offsets`` is a hull: nothing outside it is read. The rest is as for :class:`Place`.
    """

    atom: Atom
    offsets: Interval
    negative: bool = False
    left: bool = False
    counted: bool = False


def reads(formula: Formula, at: Interval = NOW) -> Iterator[Read]:
    """The atoms a formula reads when it is evaluated at the times ``at``; nested intervals add up."""
    for part, place in places(formula, Place(at)):
        if isinstance(part, Atom):
            yield Read(part, place.at, place.negative, place.left, place.counted)


def places(formula: Formula, place: Place = Place()) -> Iterator[tuple[Formula, Place]]:  # noqa: B008 -- frozen
    """The formula and everything inside it, each with its place, outermost first."""
    yield formula, place
    for part, inside in _inside(formula, place):
        yield from places(part, inside)


def time_offsets(body: Iterable[Formula], time: Term) -> Interval:
    """How far from a body's time the value of a time term can lie, as a hull.

    A variable lies in the windows of the places where it is the time of an ``at``; equations with a constant shift it.
    """
    body = tuple(body)
    known: dict[str, Interval] = {}
    for literal in body:
        for part, place in places(literal):
            if isinstance(part, At) and isinstance(part.time, Variable) and not place.negative:
                _narrow(known, part.time.name, place.within)
    equations = [each for each in body if isinstance(each, Comparison) and each.operator is ComparisonOperator.EQUAL]
    for _ in equations:
        for equation in equations:
            for left, right in ((equation.left, equation.right), (equation.right, equation.left)):
                shifted = _shifted(right, known)
                if isinstance(left, Variable) and shifted is not None:
                    _narrow(known, left.name, shifted)
    return known.get(time.name, ALWAYS) if isinstance(time, Variable) else ALWAYS


def window_span(window: Window) -> Interval:
    """The times a window can reach, relative to its reference time, as a hull."""
    if isinstance(window, TimeWindow):
        return Interval(-(window.last + window.slide - 1), window.next)
    return Interval(-math.inf if window.last else Fraction(0), math.inf if window.next else Fraction(0))


def up_to(interval: Interval) -> Interval:
    """[0, ϱ⁺]: where the left operand of since or until is read, at most."""
    return Interval(NOW.start, interval.end)


def _inside(formula: Formula, place: Place) -> Iterator[tuple[Formula, Place]]:
    match formula:
        case DiamondMinus(interval=interval, operand=operand) | BoxMinus(interval=interval, operand=operand):
            yield operand, replace(place, at=place.at.minus(interval))
        case DiamondPlus(interval=interval, operand=operand) | BoxPlus(interval=interval, operand=operand):
            yield operand, replace(place, at=place.at.plus(interval))
        case Since():
            yield formula.left, replace(place, at=place.at.minus(up_to(formula.interval)), left=True)
            yield formula.right, replace(place, at=place.at.minus(formula.interval))
        case Until():
            yield formula.left, replace(place, at=place.at.plus(up_to(formula.interval)), left=True)
            yield formula.right, replace(place, at=place.at.plus(formula.interval))
        case And(operands=operands) | Or(operands=operands):
            for operand in operands:
                yield operand, place
        case Not(operand=operand):
            yield operand, replace(place, negative=True)
        case Windowed():
            yield formula.operand, _in_window(formula, place)
        case Some() | All() | At():
            yield formula.operand, replace(place, at=place.within)
        case Aggregate(body=body):
            for part in body:
                yield part, replace(place, counted=True)
        case Atom() | Top() | Bottom() | Comparison():
            pass


def _in_window(formula: Windowed, place: Place) -> Place:
    window = formula.window
    span = place.at.plus(window_span(window))
    within = span if formula.of_stream else span.intersection(place.within) or place.at
    return replace(place, within=within, counted=place.counted or not isinstance(window, TimeWindow))


def _narrow(known: dict[str, Interval], name: str, offsets: Interval) -> None:
    before = known.get(name, ALWAYS)
    known[name] = before.intersection(offsets) or offsets


def _shifted(expression: Expression, known: dict[str, Interval]) -> Interval | None:
    match expression:
        case Variable(name=name):
            return known.get(name)
        case Arithmetic(
            operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT as sign,
            left=Variable(name=name),
            right=Constant(value=Fraction() as amount),
        ) if name in known:
            return known[name].plus(point(amount if sign is ArithmeticOperator.ADD else -amount))
        case Constant() | Arithmetic():
            return None
