"""What stands in the way of a rule that could derive a fact."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.explain.atoms import Binding
from thalweg.explain.shortfall import Shortfall
from thalweg.model.formula import Formula
from thalweg.model.program import Rule
from thalweg.time.interval import Interval


@dataclass(frozen=True)
class Obstacle:
    """The first literal of a rule that cannot be satisfied together with those ``after`` which it is looked at.

    ``place`` and ``after`` count literals from 0, as they are written. ``times`` are those, of the fact in question, at
    which it fails for all values of the variables; ``binding`` are values with which the rule came as far as that.
    """

    rule: Rule
    place: int
    after: tuple[int, ...]
    times: Interval
    binding: Binding
    shortfall: Shortfall

    @property
    def literal(self) -> Formula:
        """The literal itself."""
        return self.rule.body[self.place]


@dataclass(frozen=True)
class Misfit:
    """A rule for the predicate that cannot derive the fact, whatever holds, and why."""

    rule: Rule
    text: str
