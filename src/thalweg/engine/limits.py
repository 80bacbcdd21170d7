"""How far reasoning goes where it is not certain to come to an end."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.columnar.values import Values

DEFAULT_MAX_ROUNDS = 1000
"""Rounds after which a stage that is not certain to end is stopped."""


@dataclass(frozen=True)
class Limits:
    """So many rounds of rules that may not end; so many triggers of nulls, and nulls made from nulls so deep."""

    rounds: int = DEFAULT_MAX_ROUNDS
    nulls: int | None = None
    depth: int | None = None

    def impose(self, values: Values) -> None:
        """Limit the nulls that rules make."""
        values.nulls.most, values.nulls.deepest = self.nulls, self.depth


NO_LIMITS = Limits()
