"""A ground program, and which of its atoms are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.engine.answers.ground_rules import GroundRule
from thalweg.engine.answers.proposition import Propositions


@dataclass(frozen=True)
class GroundProgram:
    """Rules over ``atoms``; answers that agree on the atoms ``asked`` for are one."""

    propositions: Propositions
    atoms: tuple[int, ...]
    rules: tuple[GroundRule, ...]
    asked: tuple[int, ...]

    @property
    def is_separable(self) -> bool:
        """Whether every body is a conjunction of monotone formulas and of negated monotone ones."""
        known = self.propositions
        parts = (part for rule in self.rules for part in known.conjuncts(rule.body))
        return all(known.is_monotone(part) or known.is_antimonotone(part) for part in parts)
