"""The parts between the brackets of ``window[…]``, put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.source import Span
from thalweg.syntax.ast import Bound, Infinity, Number, PartitionWindow, TimeWindow, TupleWindow, Window
from thalweg.syntax.mistake import Mistake

_EXAMPLES = "window[10], window[last 10s, next 5s, slide 2s] or window[last 3 tuples per 1, 2]"


@dataclass(frozen=True)
class WindowPart:
    """One part: ``last 10``, ``next 3 tuples per 1``, ``slide 2``, ``of stream``, or a bare number.

    ``word`` is the part's first word, None for a bare number.
    """

    word: str | None
    span: Span
    bound: Bound | None = None
    counts_tuples: bool = False
    position: Bound | None = None


def build_window(parts: Sequence[WindowPart], span: Span) -> Window:
    """The window that the parts describe."""
    words, positions = _sort_parts(parts, span)
    ahead, slide = words.get("next"), words.get("slide")
    last = words.get("last") or _none_back(ahead)
    if last is None:
        raise Mistake("E131", span, "the window does not say how far it reaches", f"write {_EXAMPLES}")
    of_stream = "of" in words
    if not last.counts_tuples:
        if ahead and ahead.counts_tuples:
            raise _mixed(ahead)
        return TimeWindow(
            last=_length(last),
            next=_length(ahead) if ahead else None,
            slide=_slide(slide) if slide else None,
            of_stream=of_stream,
            span=span,
        )
    if slide:
        raise Mistake("E131", slide.span, "a window over tuples does not slide", "remove this part")
    if ahead and not ahead.counts_tuples:
        raise _mixed(ahead)
    count, count_ahead = _count(last), _count(ahead) if ahead else None
    if positions:
        return PartitionWindow(count, tuple(map(_position, positions)), count_ahead, of_stream, span)
    return TupleWindow(count, count_ahead, of_stream, span)


def _sort_parts(parts: Sequence[WindowPart], span: Span) -> tuple[dict[str, WindowPart], list[Bound]]:
    """The parts by their word, and the positions after ``per``; a bare number is ``last`` or a position."""
    words: dict[str, WindowPart] = {}
    positions: list[Bound] = []
    for index, part in enumerate(parts):
        word = part.word
        if word is None and index == 0:
            word = "last"
        if word is None and not positions:
            hint = "say what it is: last, next or slide"
            raise Mistake("E131", part.span, "this number does not say what it is for", hint)
        if word is None:
            positions += _bounds((part.bound,))
            continue
        if word in words or (part.position and positions):
            raise Mistake("E131", part.span, f"the window says {word} twice", "keep one of the two")
        words[word] = part
        positions += _bounds((part.position,))
    return words, positions


def _none_back(ahead: WindowPart | None) -> WindowPart | None:
    """``last 0``, which a window that only reaches ahead need not say."""
    return replace(ahead, word="last", bound=Number(Fraction(0))) if ahead else None


def _bounds(bounds: Iterable[Bound | None]) -> list[Bound]:
    return [bound for bound in bounds if bound is not None]


def _length(part: WindowPart) -> Bound:
    bound = part.bound
    assert bound is not None
    if (isinstance(bound, Infinity) and bound.negative) or (isinstance(bound, Number) and bound.value < 0):
        hint = "write how far as a positive number: last looks back, next ahead"
        raise Mistake("E131", bound.span, "a window cannot reach a negative distance", hint)
    return bound


def _slide(part: WindowPart) -> Number:
    if not isinstance(part.bound, Number) or part.bound.value <= 0:
        raise Mistake("E131", part.span, "a window slides by a positive step", "write slide 1, say")
    return part.bound


def _count(part: WindowPart) -> Number:
    if not _is_natural(part.bound):
        hint = "write how many tuples: last 3 tuples"
        raise Mistake("E131", part.span, "a number of tuples is a whole number", hint)
    assert isinstance(part.bound, Number)
    return part.bound


def _position(bound: Bound) -> Number:
    if not _is_natural(bound) or (isinstance(bound, Number) and bound.value < 1):
        message = "after per stand the positions of arguments"
        raise Mistake("E131", bound.span, message, "count the arguments from 1: per 1, 2")
    assert isinstance(bound, Number)
    return bound


def _is_natural(bound: Bound | None) -> bool:
    return isinstance(bound, Number) and bound.unit is None and bound.value >= 0 and bound.value.denominator == 1


def _mixed(part: WindowPart) -> Mistake:
    message = "the window counts tuples in one direction and time in the other"
    return Mistake("E131", part.span, message, "write tuples after both numbers, or after neither")
