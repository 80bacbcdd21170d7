"""What generated cases of LARS may contain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LarsKnobs:
    """Each switch takes something out when it is off."""

    max_groups: int = 3
    """Groups of predicates that depend on each other; each has one to three rules."""
    max_depth: int = 3
    """How deep windows and operators nest."""
    shortest: int = 8
    longest: int = 14
    """The last time point; the first is 0."""
    future: bool = True
    """Windows with next, metric operators that look ahead, heads that reach back."""
    unbounded: bool = True
    """Windows and operators without an end."""
    slides: bool = True
    tuples: bool = True
    """Tuple and partition windows."""
    metric: bool = True
    """The operators of DatalogMTL."""
    at: bool = True
    """Time variables, in bodies and in heads."""
    disjunction: bool = True
    negation: bool = True
    background: bool = True
    values: bool = True
    """Comparisons and arithmetic."""
    aggregates: bool = True
    recursion: bool = True
