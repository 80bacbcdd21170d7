"""What generated cases may contain."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.testing.strategies.vocabulary import Direction
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Knobs:
    """Each switch takes something out when it is off; those at the end are off unless they are asked for."""

    timeline: Timeline = Timeline.RATIONAL
    max_groups: int = 3
    """Groups of predicates that depend on each other; each has one to four rules."""
    max_depth: int = 3
    """How deep operators nest."""
    future: bool = True
    """Operators that look ahead, heads that reach back, recursion to the future."""
    punctual: bool = True
    """Operator intervals that are a single time point."""
    unbounded: bool = True
    """Operator intervals without an end."""
    infinite_facts: bool = True
    since: bool = True
    """Since and until."""
    recursion: bool = True
    negation: bool = True
    values: bool = True
    """Comparisons and arithmetic."""
    head_boxes: bool = True
    disjunction: bool = False
    nested_negation: bool = False
    aggregates: bool = False

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Where operators may look."""
        return tuple(Direction) if self.future else (Direction.PAST,)
