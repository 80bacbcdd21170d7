"""What generated cases of LARS+ may contain."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.testing.strategies.lars_knobs import LarsKnobs


@dataclass(frozen=True)
class LarsPlusKnobs:
    """Rules of LARS+ (paper, Definition 1) and, where they are asked for, others beside them.

    Each switch takes something out when it is off; those at the end are off unless they are asked for.
    """

    max_groups: int = 3
    """Groups of predicates that depend on each other; each has one to four rules."""
    shortest: int = 5
    longest: int = 9
    """The last time point; the first is 0."""
    endless: bool = True
    """Now and then a timeline without an end: then nothing looks ahead, and ``at`` stands in windows only."""
    unbounded: bool = True
    """``at`` outside windows, which looks at the whole timeline; ⊤ at another time than the body's."""
    at_heads: bool = True
    """Heads at a time."""
    arithmetic: bool = True
    """Arithmetic atoms."""
    recursion: bool = True
    """Recursion that carries nulls on, but makes none."""
    existential_recursion: bool = True
    """Recursion that makes nulls: at ever later times, or from a frontier that input atoms bound."""
    per: bool = False
    """Frontiers that ``per`` names."""
    beyond: LarsKnobs | None = None
    """What bodies and heads may contain beyond LARS+."""
