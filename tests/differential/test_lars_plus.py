"""Existential rules: the engine's chase against the oracle's, null by null."""

from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from amount import amount
from differential.comparison import compare
from thalweg.engine.limits import Limits
from thalweg.engine.materialise import materialise
from thalweg.model import fold
from thalweg.plan import merge
from thalweg.testing.lars_plus import homomorphism, is_model, timed_atoms, timeline
from thalweg.testing.strategies import LarsKnobs, LarsPlusKnobs, lars_plus_cases, per_cases

PURE = LarsPlusKnobs()
"""LARS+ as the paper has it."""

MIXED = LarsPlusKnobs(per=True, beyond=LarsKnobs(background=False))
"""With ``per``, and with nearly all that bodies and heads may contain."""


RESTRICTED = Limits(restricted=True)


@contextmanager
def merging():
    """Rules are merged, however few there are of a shape."""
    with patch.object(fold, "FEWEST_RULES", 1), patch.object(merge, "FEWEST_RULES", 1):
        yield


@settings(max_examples=amount(70))
@given(lars_plus_cases(PURE))
def test_programs_of_lars_plus(case):
    compare(case)


@settings(max_examples=amount(50))
@given(lars_plus_cases(MIXED))
def test_programs_beyond_lars_plus(case):
    compare(case)


@settings(max_examples=amount(30))
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED))
def test_rules_of_one_shape_together(case):
    with merging():
        compare(case)


@settings(max_examples=amount(20))
@given(per_cases())
def test_nulls_on_timelines_without_windows(case):
    compare(case)


@settings(max_examples=amount(30))
@given(lars_plus_cases(LarsPlusKnobs(endless=False)))
def test_the_restricted_chase_gives_a_model_that_says_the_same(case):
    program, points = case.program, timeline(case.program)
    restricted = _timed(materialise(_with_facts(case), [], start=case.start, end=case.end, limits=RESTRICTED), points)
    skolem = _timed(materialise(_with_facts(case), [], start=case.start, end=case.end), points)
    assert is_model(program, case.facts, skolem)
    assert is_model(program, case.facts, restricted)
    assert homomorphism(skolem, restricted) is not None
    assert homomorphism(restricted, skolem) is not None


def _with_facts(case):
    return replace(case.program, facts=case.facts)


def _timed(model, points):
    return frozenset(timed_atoms(model.facts(), points))


@pytest.mark.soak
@settings(max_examples=5_000, derandomize=False)
@given(lars_plus_cases(PURE) | lars_plus_cases(MIXED) | per_cases())
def test_at_length(case):
    compare(case)
