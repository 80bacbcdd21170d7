"""LARS+ straight from the definitions of its paper: T-matches, models, homomorphisms between them.

What is here does not know that existential variables stand for Skolem terms. So it can tell whether the result of a
chase is a model (:func:`is_model`), and a universal one (:func:`homomorphism` into others, such as those that
:func:`restricted_chase` gives).
"""

from thalweg.testing.lars_plus.homomorphism import homomorphism
from thalweg.testing.lars_plus.model import Violation, is_model, violations
from thalweg.testing.lars_plus.restricted_chase import restricted_chase
from thalweg.testing.lars_plus.stream import data, timed_atoms, timeline

__all__ = [
    "Violation",
    "data",
    "homomorphism",
    "is_model",
    "restricted_chase",
    "timed_atoms",
    "timeline",
    "violations",
]
