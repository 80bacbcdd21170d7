"""Answers to why-not questions, to read."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.explain.tree import Line, broken
from thalweg.explain.why_not import Obstacle, WhyNot
from thalweg.explain.wording import formula_text, rule_place, rule_text
from thalweg.syntax.facts import format_value
from thalweg.time.interval import format_endpoint


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
    for number, rule in enumerate(answer.misfits, start=len(answer.obstacles) + 1):
        branches = "└─ " if number == total else "├─ "
        said = f"rule {rule.number}{rule_place(rule)} derives {formula_text(rule.head, {})} only"
        yield Line(branches, ((said, "rule"),))


def _obstacle(obstacle: Obstacle, first: str, rest: str) -> Iterator[Line]:
    values = ", ".join(f"{n} = {format_value(v)}" for n, v in obstacle.binding.items() if "#" not in n)
    name = f"rule {obstacle.rule.number}{rule_place(obstacle.rule)}: {rule_text(obstacle.rule)}"
    yield from broken(name, values, first, rest)
    when = obstacle.times
    at = f"at {format_endpoint(when.start)}" if when.is_punctual else f"in {when}"
    literal = formula_text(obstacle.literal, {})
    yield Line(f"{rest}└─ ", ((literal, "fact"), (f" fails {at}: ", "time"), (obstacle.shortfall.text, "note")))
    if obstacle.shortfall.ask:
        yield Line(f"{rest}   ", ((f"ask on: thalweg why-not … '{obstacle.shortfall.ask}'", "given"),))
