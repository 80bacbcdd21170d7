"""Why a fact does not hold: for each rule that could derive it, the first literal that stands in the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thalweg.drawing.why_not import draw_why_not
from thalweg.explain.as_json import fact_json, rule_json
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.obstacles import Misfit, Obstacle
from thalweg.explain.why_not_text import why_not_lines
from thalweg.explain.wording import formula_text
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval


@dataclass(frozen=True)
class WhyNot:
    """Why a fact does not hold at times asked about.

    ``holds`` are the times asked about at which it does, ``missing`` those at which it does not. ``notes`` say what
    else is to be known: that no rule derives the predicate, or when the fact was given.
    """

    atom: GroundAtom
    asked: Interval | None
    holds: tuple[Interval, ...]
    missing: tuple[Interval, ...]
    obstacles: tuple[Obstacle, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing)

    @property
    def text(self) -> str:
        """What was asked."""
        return str(self.atom) if self.asked is None else f"{self.atom}@{self.asked}"

    def to_text(self) -> str:
        """The answer to read."""
        return "\n".join(map(str, why_not_lines(self)))

    def to_json(self) -> dict[str, Any]:
        """The answer as data."""
        return {
            "fact": fact_json(self.atom, self.asked),
            "holds": [str(interval) for interval in self.holds],
            "missing": [str(interval) for interval in self.missing],
            "rules": [_obstacle_json(each) for each in self.obstacles],
            "misfits": [{**rule_json(each.rule), "reason": each.text} for each in self.misfits],
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        """The rules and what each lacks, for notebooks."""
        return draw_why_not(self.to_json())

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """The text, for notebooks that show no pictures."""
        printer.text(self.to_text())

    def __str__(self) -> str:
        return self.to_text()


def _obstacle_json(obstacle: Obstacle) -> dict[str, Any]:
    named = {name: value for name, value in obstacle.binding.items() if "#" not in name}
    return {
        "rule": rule_json(obstacle.rule),
        "instance": {name: format_value(value) for name, value in named.items()},
        "literal": {
            "number": obstacle.place + 1,
            "text": formula_text(obstacle.literal, {}),
            "ground": formula_text(obstacle.literal, obstacle.binding),
        },
        "after": [place + 1 for place in obstacle.after],
        "time": str(obstacle.times),
        "reason": obstacle.shortfall.text,
        "ask": obstacle.shortfall.ask,
    }
