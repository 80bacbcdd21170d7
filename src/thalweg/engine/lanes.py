"""What holds as lanes of a timeline: some of it, however much there is."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from thalweg.drawing.code import figure
from thalweg.drawing.markup import Html, element
from thalweg.drawing.timeline import MOST_IN_LANE, MOST_LANES, Lane, draw_timeline
from thalweg.syntax.facts import format_value

if TYPE_CHECKING:
    from thalweg.engine.answers.answer import Answers
    from thalweg.engine.materialisation import Materialisation
    from thalweg.engine.query import QueryAnswers

MOST_ANSWERS = 5

_MOST_FACTS = 5_000
_MOST_LINES = 20
_MOST_OF_SEVERAL = 12
"""Lanes of a predicate where there are others."""


def draw_query(answers: QueryAnswers) -> Html:
    """A timeline of the answers to a query."""
    (name,) = answers.predicates
    count = answers.count(name)
    lanes = lanes_of(answers, name, MOST_LANES)
    left_out = count - sum(len(lane.intervals) for lane in lanes)
    drawn = [draw_timeline(lanes, left_out=left_out)] if count else []
    return figure(*drawn, caption=f"{count:,} answer{'s' * (count != 1)}" if count else "no answer")


def draw_model(model: Materialisation) -> Html:
    """A timeline of what holds, with a line that says how much that is."""
    held = [name for name in model.predicates if model.count(name)]
    facts = sum(model.count(name) for name in held)
    if not facts:
        return figure(caption="nothing holds")
    lanes = _fair_share([lanes_of(model, name, MOST_LANES) for name in held], MOST_LANES)
    left_out = facts - sum(len(lane.intervals) for lane in lanes)
    caption = f"{facts:,} fact{'s' * (facts > 1)} of {len(held)} predicate{'s' * (len(held) > 1)}"
    return figure(draw_timeline(lanes, left_out=left_out), caption=caption)


def draw_answers(answers: Answers) -> Html:
    """A timeline for each of the first answers."""
    if not answers.count:
        return figure(caption="no answer")
    name = "answer" if not answers.mode.is_consequences else answers.mode.value
    titles = (f"{name} {number}" for number in range(1, MOST_ANSWERS + 1))
    drawn = [
        element("div", element("strong", title), draw_model(each), style="margin:.5em 0")
        for title, each in zip(titles, answers, strict=False)
    ]
    return figure(*drawn, caption=f"{answers.count} answer{'s' * (answers.count > 1)}")


def first_lines(model: Materialisation) -> list[str]:
    """The first facts of each predicate as text, and how many more there are."""
    lines: list[str] = []
    for name in model.predicates:
        shown: list[str] = model.lines(name).slice(0, _MOST_LINES).to_pylist()
        more = model.count(name) - len(shown)
        lines += [*shown, *([f"… and {more:,} more of {name}"] if more else [])]
    return lines or ["nothing holds"]


def lanes_of(model: Materialisation, predicate: str, most: int) -> list[Lane]:
    """The first lanes of a predicate, in the order of its arguments, each with its first intervals."""
    lanes: list[Lane] = []
    for values, facts in groupby(model.first(predicate, _MOST_FACTS), key=lambda fact: fact[0]):
        if len(lanes) == most:
            break
        label = f"{predicate}({','.join(map(format_value, values))})" if values else predicate
        lanes.append(Lane(label, [interval for _, interval in facts][:MOST_IN_LANE], group=predicate))
    return lanes


def _fair_share(groups: list[list[Lane]], room: int) -> list[Lane]:
    """So many lanes of all groups, in their order: small groups whole, large ones cut to one size."""
    size = room if len(groups) == 1 else _MOST_OF_SEVERAL
    while size > 1 and sum(min(len(group), size) for group in groups) > room:
        size -= 1
    return [lane for group in groups for lane in group[:size]][:room]
