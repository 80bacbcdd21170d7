"""The windows of the syntax tree, lowered to the model."""

from __future__ import annotations

import math
from fractions import Fraction

from thalweg.model.formula import TimeWindow, TupleWindow, Window
from thalweg.model.resolve import Resolver
from thalweg.syntax import ast
from thalweg.time.interval import Endpoint, format_endpoint


def lower_window(window: ast.Window, resolver: Resolver) -> Window | None:
    """The window that is meant; None when something is wrong with it."""
    match window:
        case ast.TimeWindow():
            return _time_window(window, resolver)
        case ast.TupleWindow():
            return TupleWindow(int(window.last.value), _count(window.next))
        case ast.PartitionWindow():
            positions = tuple(int(position.value) - 1 for position in window.positions)
            return TupleWindow(int(window.last.value), _count(window.next), positions)


def _count(number: ast.Number | None) -> int:
    return 0 if number is None else int(number.value)


def _time_window(window: ast.TimeWindow, resolver: Resolver) -> TimeWindow | None:
    last = _length(window.last, resolver)
    ahead = Fraction(0) if window.next is None else _length(window.next, resolver)
    slide = Fraction(1) if window.slide is None else _length(window.slide, resolver)
    if last is None or ahead is None or slide is None:
        return None
    most = max(Fraction(1), math.inf if math.inf in (last, ahead) else last + ahead)
    if not 1 <= slide <= most:
        message = f"a window slides by at least 1 and at most by its own length, here {format_endpoint(most)}"
        hint = "a longer step would skip time points: slide by less, or let the window reach further"
        resolver.report("E240", window.slide.span if window.slide else window.span, message, hint)
        return None
    return TimeWindow(last, ahead, int(slide))


def _length(bound: ast.Bound, resolver: Resolver) -> Endpoint | None:
    """How far, in whole time points."""
    length = resolver.time(bound)
    if length is None:
        return None
    if length < 0:
        hint = "write how far as a positive number: last looks back, next ahead"
        resolver.report("E240", bound.span, "a window cannot reach a negative distance", hint)
        return None
    if isinstance(length, Fraction) and length.denominator != 1:
        message = "a window reaches whole time points of the integer timeline"
        resolver.report("E226", bound.span, message, "write a whole number, or a smaller unit")
        return None
    return length
