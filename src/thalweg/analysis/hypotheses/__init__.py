"""Hypothetical answers before the data comes: a query unfolded to patterns of input atoms, and what they promise."""

from thalweg.analysis.hypotheses.unfold import unfold

__all__ = ["unfold"]
