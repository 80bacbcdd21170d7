"""Programs that need not be stratified: the answers found by search are those found by trying everything."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

import thalweg
from amount import amount
from thalweg.testing import brute_force_answers
from thalweg.testing.lars.answer_sets import as_answers
from thalweg.testing.strategies import SmallCase, small_lars_cases

COUNTED = "E330"
"""A tuple window that counts what is a choice is refused."""


def compare(case: SmallCase) -> None:
    try:
        answers = found(case)
    except thalweg.ProgramError as error:
        assume([each.code for each in error.diagnostics] != [COUNTED] * len(error.diagnostics))
        raise
    assert answers == tried(case)


def found(case: SmallCase):
    program = replace(case.program, facts=case.facts)
    reading = {"reading": "all-times"} if case.at is None else {"reading": "evaluation-time", "at": case.at}
    answers = thalweg.answers(program, **reading)
    return sorted((comparable(answer.facts()) for answer in answers), key=repr)


def tried(case: SmallCase):
    return sorted((comparable(as_answers(stream)) for stream in brute_force_answers(*case)), key=repr)


def comparable(answers):
    return sorted(((atom, tuple(intervals)) for atom, intervals in answers.items() if intervals), key=repr)


@settings(max_examples=amount(120))
@given(small_lars_cases())
def test_answers(case):
    compare(case)


@pytest.mark.soak
@settings(max_examples=10_000, derandomize=False)
@given(small_lars_cases(most=8))
def test_at_length(case):
    compare(case)
