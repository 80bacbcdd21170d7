"""How far reasoning goes where it is not certain to come to an end."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.analysis.existential.termination import require_terminating
from thalweg.columnar.values import Values
from thalweg.model.program import Program

DEFAULT_MAX_ROUNDS = 1000
"""Rounds after which a stage that is not certain to end is stopped."""


CHASES = ("skolem", "restricted")
"""How rules with existential variables are applied: everywhere, or only where their head does not hold already."""


@dataclass(frozen=True)
class Limits:
    """So many rounds of rules that may not end; so many triggers of nulls, and nulls made from nulls so deep.

    With ``restricted`` nulls are made only where a head does not hold already.
    """

    rounds: int = DEFAULT_MAX_ROUNDS
    nulls: int | None = None
    depth: int | None = None
    restricted: bool = False

    def check(self, program: Program) -> None:
        """Raise :class:`ProgramError` if the chase of a program may not end, and no limit would stop it."""
        require_terminating(program, max_nulls=self.nulls, max_depth=self.depth)

    def impose(self, values: Values) -> None:
        """Limit the nulls that rules make."""
        values.nulls.most, values.nulls.deepest = self.nulls, self.depth


NO_LIMITS = Limits()
