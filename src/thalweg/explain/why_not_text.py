"""Answers to why-not questions, to read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from thalweg.explain.obstacles import Obstacle
from thalweg.explain.tree import WIDTH, Line, broken
from thalweg.explain.wording import formula_text, rule_place, rule_text
from thalweg.syntax.facts import format_value
from thalweg.time.interval import ALWAYS, format_endpoint

if TYPE_CHECKING:
    from thalweg.explain.why_not import WhyNot


def why_not_lines(answer: WhyNot) -> list[Line]:
    """The verdict, then every rule with what is missing for it."""
    return [*_verdict(answer), *_rules(answer)]


def _verdict(answer: WhyNot) -> Iterator[Line]:
    held = ", ".join(map(str, answer.holds))
    if not answer.missing:
        when = f" in {held}" if answer.asked is None else ""
        yield Line("", ((str(answer.atom) if answer.asked is None else answer.text, "fact"), (f" holds{when}", "note")))
        yield Line("", ((f"ask for its proof: thalweg why … '{answer.text}'", "note"),))
        return
    missing = ", ".join(map(str, answer.missing))
    if answer.holds:
        yield Line("", ((str(answer.atom), "fact"), (f" holds in {held}, but not in {missing}", "note")))
    else:
        yield Line("", ((answer.text, "fact"), (" does not hold" if answer.asked else " never holds", "note")))
    for note in answer.notes:
        yield Line("", ((note, "note"),))


def _rules(answer: WhyNot) -> Iterator[Line]:
    total = len(answer.obstacles) + len(answer.misfits)
    for number, obstacle in enumerate(answer.obstacles, start=1):
        is_last = number == total
        yield from _obstacle(obstacle, "└─ " if is_last else "├─ ", "   " if is_last else "│  ")
    for number, misfit in enumerate(answer.misfits, start=len(answer.obstacles) + 1):
        branches = "└─ " if number == total else "├─ "
        said = f"rule {misfit.rule.number}{rule_place(misfit.rule)}: {misfit.text}"
        yield Line(branches, ((said, "rule"),))


def _obstacle(obstacle: Obstacle, first: str, rest: str) -> Iterator[Line]:
    values = ", ".join(f"{n} = {format_value(v)}" for n, v in obstacle.binding.items() if "#" not in n)
    name = f"rule {obstacle.rule.number}{rule_place(obstacle.rule)}: {rule_text(obstacle.rule)}"
    yield from broken(name, values, first, rest)
    when = obstacle.times
    at = f"at {format_endpoint(when.start)}" if when.is_punctual else f"in {when}"
    at = "at all times" if when == ALWAYS else at
    literal, reason = formula_text(obstacle.literal, {}), obstacle.shortfall.text
    first = f"{rest}└─ "
    if len(first) + len(literal) + len(at) + len(reason) + len(" fails : ") <= WIDTH:
        yield Line(first, ((literal, "fact"), (f" fails {at}: ", "time"), (reason, "note")))
    else:
        yield Line(first, ((literal, "fact"), (f" fails {at}:", "time")))
        for text in textwrap.wrap(reason, WIDTH - len(rest) - 5, break_long_words=False, break_on_hyphens=False):
            yield Line(f"{rest}     ", ((text, "note"),))
    if obstacle.shortfall.ask:
        yield Line(f"{rest}   ", ((f"ask on: thalweg why-not … '{obstacle.shortfall.ask}'", "given"),))
