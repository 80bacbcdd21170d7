"""The comparison that all generated tests share: engine equals oracle."""

from dataclasses import replace

from thalweg.engine.materialise import materialise
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import Case


def engine_answers(case: Case):
    program = replace(case.program, facts=case.facts)
    return materialise(program, [], start=case.start, end=case.end).facts()


def oracle_answers(case: Case):
    return naive_materialise(case.program, case.facts, case.start, case.end)


def compare(case: Case) -> None:
    assert_same_answers(engine_answers(case), oracle_answers(case), case.program.timeline)
