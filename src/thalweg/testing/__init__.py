"""Helpers for tests, users' own included: the naive oracle, a manual clock, a source that is a list.

The strategies that generate programs and facts need hypothesis and are imported by name:
:mod:`thalweg.testing.strategies`.
"""

from thalweg.testing.answers import assert_same_answers
from thalweg.testing.clock import ManualClock
from thalweg.testing.inconsistent import Inconsistent
from thalweg.testing.lars.answer_sets import brute_force_answers, is_minimal_model_of_reduct, is_model
from thalweg.testing.list_source import ListSource
from thalweg.testing.oracle import naive_answer_at, naive_materialise
from thalweg.testing.too_many_nulls import TooManyNulls

__all__ = [
    "Inconsistent",
    "ListSource",
    "ManualClock",
    "TooManyNulls",
    "assert_same_answers",
    "brute_force_answers",
    "is_minimal_model_of_reduct",
    "is_model",
    "naive_answer_at",
    "naive_materialise",
]
