"""Helpers for tests, users' own included: the naive oracle, a manual clock, a source that is a list.

The strategies that generate programs and facts need hypothesis and are imported by name:
:mod:`thalweg.testing.strategies`.
"""

from thalweg.testing.answers import assert_same_answers
from thalweg.testing.clock import ManualClock
from thalweg.testing.list_source import ListSource
from thalweg.testing.oracle import Inconsistent, naive_materialise

__all__ = ["Inconsistent", "ListSource", "ManualClock", "assert_same_answers", "naive_materialise"]
