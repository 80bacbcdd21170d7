"""How far reasoning goes where it is not certain to come to an end."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from thalweg.analysis.existential.termination import require_terminating
from thalweg.columnar.values import Values
from thalweg.engine.memory_limit import DEFAULT_MEMORY, Memory, limited
from thalweg.model.program import Program

DEFAULT_MAX_ROUNDS = 1000
"""Rounds after which a stage that is not certain to end is stopped."""


CHASES = ("skolem", "restricted")
"""How rules with existential variables are applied: everywhere, or only where their head does not hold already."""


@dataclass(frozen=True)
class Limits:
    """So many rounds of rules that may not end; so many triggers of nulls, and nulls made from nulls so deep.

    With ``restricted`` nulls are made only where a head does not hold already. ``memory`` is how much may be taken.
    """

    rounds: int = DEFAULT_MAX_ROUNDS
    nulls: int | None = None
    depth: int | None = None
    restricted: bool = False
    memory: Memory = DEFAULT_MEMORY

    def check(self, program: Program) -> None:
        """Raise :class:`ProgramError` if the chase of a program may not end, and no limit would stop it."""
        require_terminating(program, max_nulls=self.nulls, max_depth=self.depth)

    def impose(self, values: Values) -> None:
        """Limit the nulls that rules make."""
        values.nulls.most, values.nulls.deepest = self.nulls, self.depth

    def on_memory(self, base: int | None = None) -> AbstractContextManager[None]:
        """Limit the memory of what is done inside to so much beyond the ``base``, or beyond what there is now."""
        return limited(self.memory, base)


NO_LIMITS = Limits()
