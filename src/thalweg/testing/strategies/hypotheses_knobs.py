"""What generated cases of hypothetical answers may contain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HypothesesKnobs:
    """Rules of Temporal Datalog (paper, Section 2.1) without recursion and, where asked for, others beside them.

    Each switch takes something out when it is off; those at the end are off unless they are asked for.
    """

    max_layers: int = 3
    """Predicates that are derived from each other."""
    max_rules: int = 4
    max_atoms: int = 3
    """In a body of the first layer; in those above, one less."""
    last: int = 6
    """The last time of a fact."""
    max_facts: int = 9
    max_delay: int = 3
    instance_delays: bool = True
    """Delays that depend on arguments."""
    bare: bool = True
    """Rules without ``at``, whose atoms hold at one time."""
    several_times: bool = True
    """Second time variables."""
    named_times: bool = True
    """Time points in rules."""
    constants: bool = True
    """Constants as arguments."""
    timelines: bool = True
    """Timelines that do not start at 0, or have an end."""
    comparisons: bool = False
    """Comparisons of values and times, and numbers among the values."""
    negation: bool = False
    """Negated atoms, of the input and derived ones."""
    metric: bool = False
    """Rules with metric operators, bounded ones, in bodies and heads."""
