"""Answers of generated programs are those found by trying every set of atoms."""

from dataclasses import replace

import pytest
from hypothesis import given, reject, settings

import thalweg
from amount import amount
from thalweg.engine.answers.find import find_answers
from thalweg.engine.answers.mode import Mode, Reading
from thalweg.engine.answers.request import Request
from thalweg.testing import brute_force_answers
from thalweg.testing.strategies import small_lars_cases


def answers_of(case, mode):
    reading = Reading.ALL_TIMES if case.at is None else Reading.EVALUATION_TIME
    request = Request(mode, case.program.predicates, reading, at=case.at)
    try:
        return find_answers(replace(case.program, facts=case.facts), [], request)
    except thalweg.ProgramError as error:
        if any(diagnostic.code != "E330" for diagnostic in error.diagnostics):
            raise
        reject()  # windows over tuples that depend on a choice


def as_streams(found):
    return [
        frozenset(
            (name, arguments, time)
            for (name, arguments), intervals in answer.facts().items()
            for interval in intervals
            for time in range(int(interval.start), int(interval.end) + 1)
        )
        for answer in found
    ]


def compare(case):
    expected = brute_force_answers(case.program, case.facts, case.at)
    found = as_streams(answers_of(case, Mode.ALL))
    assert len(found) == len(set(found))
    assert set(found) == set(expected)
    if expected:
        assert as_streams(answers_of(case, Mode.CAUTIOUS)) == [frozenset.intersection(*expected)]
        assert as_streams(answers_of(case, Mode.BRAVE)) == [frozenset.union(*expected)]


@settings(max_examples=amount(120))
@given(small_lars_cases())
def test_all_answers_are_found(case):
    compare(case)


@pytest.mark.soak
@settings(max_examples=5_000, derandomize=False)
@given(small_lars_cases())
def test_all_answers_are_found_at_length(case):
    compare(case)
