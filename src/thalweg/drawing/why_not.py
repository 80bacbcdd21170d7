"""What is missing for a fact that does not hold.

It is plain data: ``{"fact": {"text": …}, "holds": […], "missing": […], "rules": […], "misfits": […], "notes": […]}``,
with the first thing that is missing of each rule that could have derived the fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from thalweg.drawing.code import FAINT, faint, inline_code
from thalweg.drawing.markup import Html, element
from thalweg.drawing.palette import BLUE, ORANGE
from thalweg.drawing.proof import LEVEL, TREE

MOST_RULES = 50


def draw_why_not(answer: Mapping[str, Any]) -> Html:
    """The rules, and what each of them lacks."""
    parts = [*_heading(answer), *(_rule(each) for each in answer["rules"][:MOST_RULES])]
    more = len(answer["rules"]) - MOST_RULES
    parts += [element("div", faint(f"… and {more:,} more rules"))] if more > 0 else []
    parts += [
        element("div", faint("never this fact: "), inline_code(rule["text"], "inherit")) for rule in answer["misfits"]
    ]
    parts += [element("div", note, style=FAINT) for note in answer["notes"]]
    return element("div", *parts, style=TREE)


def _heading(answer: Mapping[str, Any]) -> Iterator[Html]:
    fact = inline_code(answer["fact"]["text"], BLUE)
    if not answer["missing"]:
        yield element("div", fact, faint(" holds"))
        return
    when = f" at {', '.join(answer['missing'])}" if answer["holds"] else ""
    yield element("div", fact, faint(f" does not hold{when}"))


def _rule(obstacle: Mapping[str, Any]) -> Html:
    rule, literal = obstacle["rule"], obstacle["literal"]
    instance = ", ".join(f"{name} = {value}" for name, value in obstacle["instance"].items())
    notes = [each for each in (rule.get("place"), f"with {instance}" if instance else "") if each]
    return element(
        "div",
        element("div", faint(f"rule {rule['number']} "), inline_code(rule["text"], "inherit")),
        element("div", " · ".join(notes), style=FAINT),
        element("div", inline_code(literal["text"], ORANGE), f" fails at {obstacle['time']}: {obstacle['reason']}"),
        style=LEVEL,
    )
