"""A still timeline: a lane for each atom, bars for its intervals and dots for its points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from thalweg.drawing.axis import Axis, axis_of
from thalweg.drawing.markup import Html, element, joined
from thalweg.drawing.palette import LANES, MONOSPACE, SANS
from thalweg.time.interval import Endpoint, Interval

MOST_LANES = 40
MOST_IN_LANE = 300

_WIDTH, _LANE, _BAR, _TOP, _BOTTOM, _RIGHT = 920, 22, 10, 6, 24, 16
_LETTER = 7.3
_LABEL_LETTERS = 34
_DOT = 3.5


@dataclass(frozen=True)
class Lane:
    """An atom and the intervals at which it holds, in the order of time; ``group`` gives the lane its colour."""

    label: str
    intervals: Sequence[Interval]
    group: str = ""


def draw_timeline(
    lanes: Sequence[Lane],
    *,
    most: int = MOST_LANES,
    left_out: int = 0,
    date_unit: Fraction | None = None,
) -> Html:
    """The lanes as an SVG.

    At most ``most`` lanes are shown, and what is missing is counted; ``left_out`` facts were not given at all. With
    ``date_unit``, the length in seconds of the number 1, the axis shows dates.
    """
    shown = lanes[:most]
    hidden = left_out + sum(len(lane.intervals) for lane in lanes[most:])
    hidden += sum(max(len(lane.intervals) - MOST_IN_LANE, 0) for lane in shown)
    if not shown:
        return _note("no facts" if not hidden else f"{hidden:,} facts, none of them shown")
    note = [_note(f"… and {hidden:,} more fact{'s' if hidden > 1 else ''}")] if hidden else []
    return joined((_svg(shown, date_unit), *note))


def _svg(lanes: Sequence[Lane], date_unit: Fraction | None) -> Html:
    left = _LETTER * min(max(len(lane.label) for lane in lanes), _LABEL_LETTERS) + 16
    height = _TOP + _LANE * len(lanes) + _BOTTOM
    shown = (interval for lane in lanes for interval in lane.intervals[:MOST_IN_LANE])
    axis = axis_of(shown, _WIDTH - left - _RIGHT, date_unit)
    groups = list(dict.fromkeys(lane.group for lane in lanes))
    colours = {group: LANES[place % len(LANES)] for place, group in enumerate(groups)}
    rows = (_row(lane, place, left, axis, colours[lane.group]) for place, lane in enumerate(lanes))
    return element(
        "svg",
        element("title", f"timeline of {len(lanes)} lane{'s' if len(lanes) > 1 else ''}"),
        _frame(axis, left, height),
        *rows,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {height}",
        width=_WIDTH,
        height=height,
        role="img",
        font_family=SANS,
        font_size=11,
        fill="currentColor",
        style="max-width:100%;height:auto;display:block",
    )


def _frame(axis: Axis, left: float, height: float) -> Html:
    """The axis, its marks, and a faint line at each mark."""
    bottom = height - _BOTTOM
    base = _line(left, bottom, left + axis.width, bottom, opacity=0.5)
    most = max(2, min(10, int(axis.width / (_LETTER * (_widest(axis) + 3)))))
    day = element("text", axis.day(most), x=left - 10, y=bottom + 16, text_anchor="end", opacity=0.8)
    return joined((base, day, *(part for mark in axis.marks(most) for part in _mark(mark, axis, left, bottom))))


def _widest(axis: Axis) -> int:
    return max((len(text) for _, text in axis.marks()), default=1)


def _mark(mark: tuple[Fraction, str], axis: Axis, left: float, bottom: float) -> Iterator[Html]:
    time, text = mark
    x = left + axis.place(time)
    yield _line(x, _TOP, x, bottom, opacity=0.15)
    yield _line(x, bottom, x, bottom + 4, opacity=0.5)
    yield element("text", text, x=x, y=bottom + 16, text_anchor="middle", opacity=0.8)


def _row(lane: Lane, place: int, left: float, axis: Axis, colour: str) -> Html:
    middle = _TOP + _LANE * (place + 0.5)
    label = lane.label if len(lane.label) <= _LABEL_LETTERS else lane.label[: _LABEL_LETTERS - 1] + "…"
    name = element(
        "text",
        element("title", lane.label),
        label,
        x=left - 10,
        y=middle + 4,
        text_anchor="end",
        font_family=MONOSPACE,
        font_size=12,
    )
    separator = _line(0, middle + _LANE / 2, left + axis.width, middle + _LANE / 2, opacity=0.06)
    drawn = (_interval(lane, each, left, middle, axis) for each in lane.intervals[:MOST_IN_LANE])
    return joined((separator, name, element("g", *drawn, fill=colour, stroke=colour, stroke_width=1.5)))


def _interval(lane: Lane, interval: Interval, left: float, middle: float, axis: Axis) -> Html:
    hint = element("title", f"{lane.label}@{interval}")
    if interval.is_punctual and isinstance(interval.start, Fraction):
        dot = element("circle", cx=left + axis.place(interval.start), cy=middle, r=_DOT, stroke="none")
        return element("g", hint, dot)
    start, end = _x(interval.start, left, axis, at_end=False), _x(interval.end, left, axis, at_end=True)
    bar_start = start + _DOT * _is_hollow(interval.start, interval.start_closed)
    bar_end = max(end - _DOT * _is_hollow(interval.end, interval.end_closed), bar_start + 0.5)
    size = {"x": bar_start, "y": middle - _BAR / 2, "width": bar_end - bar_start, "height": _BAR}
    bar = element("rect", **size, fill_opacity=0.35, stroke="none")
    ends = (
        *_end(interval.start, interval.start_closed, start, middle, -1),
        *_end(interval.end, interval.end_closed, end, middle, 1),
    )
    return element("g", hint, bar, *ends)


def _end(time: Endpoint, closed: bool, x: float, middle: float, direction: int) -> Iterable[Html]:
    """A line where an end is closed, a hollow dot where it is open, and an arrow where there is none."""
    if not isinstance(time, Fraction):
        tip, back = x + direction * 2, x - direction * 4
        yield element("path", d=f"M{back:.6g},{middle - 5} L{tip:.6g},{middle} L{back:.6g},{middle + 5}", fill="none")
    elif closed:
        yield _line(x, middle - _BAR / 2, x, middle + _BAR / 2, stroke=None, stroke_width=2)
    else:
        yield element("circle", cx=x, cy=middle, r=_DOT, fill="none")


def _is_hollow(time: Endpoint, closed: bool) -> bool:
    return isinstance(time, Fraction) and not closed


def _x(time: Endpoint, left: float, axis: Axis, *, at_end: bool) -> float:
    if isinstance(time, Fraction):
        return left + axis.place(time)
    return left + axis.width * at_end


def _line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    *,
    opacity: float | None = None,
    stroke: str | None = "currentColor",
    stroke_width: float | None = None,
) -> Html:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=stroke_width, stroke_opacity=opacity)


def _note(text: str) -> Html:
    return element("div", text, style="opacity:.75;font-size:12px;margin:.25em 0")
