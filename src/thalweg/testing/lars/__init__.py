"""LARS straight from the definitions of the LARS paper: streams, windows, entailment, models and answers."""

from thalweg.testing.lars.entailment import entails
from thalweg.testing.lars.stream import Stream, valuation
from thalweg.testing.lars.structure import Structure
from thalweg.testing.lars.windows import window_of

__all__ = ["Stream", "Structure", "entails", "valuation", "window_of"]
