"""The window size tΠ (journal paper, Algorithm 1, line 4)."""

from __future__ import annotations

from fractions import Fraction

from thalweg.analysis.dependency import DependencyGraph
from thalweg.model.formula import intervals
from thalweg.model.program import Program


def window_size(normal: Program) -> Fraction:
    """tΠ: the maximal rational endpoint in the intervals of a program in normal form, or 0.

    It must come from the normal form: head boxes add up there, and the predicates that normalisation
    introduces are kept in the window like all others. Without them see :func:`nested_window_size`.
    """
    endpoints = (
        end
        for rule in normal.rules
        for literal in rule.body
        for interval in intervals(literal)
        for end in (interval.start, interval.end)
    )
    return max((end for end in endpoints if isinstance(end, Fraction)), default=Fraction(0))


def nested_window_size(graph: DependencyGraph) -> Fraction:
    """How far into the past a rule looks in one step, nested operators and head boxes added up."""
    starts = (edge.offsets.start for edge in graph.edges)
    return max((-start for start in starts if isinstance(start, Fraction)), default=Fraction(0))
