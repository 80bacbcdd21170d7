from __future__ import annotations

from fractions import Fraction

import pytest
from random_programs import RandomPrograms

from thalweg.analysis.safety import check_safety
from thalweg.analysis.stratification import check_stratified
from thalweg.model.formula import Atom, BinaryMetric, Bottom, Comparison, Metric, Not, Top, children
from thalweg.model.normal_form import normalise
from thalweg.model.program import Program
from thalweg.time.timeline import Timeline

testing = pytest.importorskip("thalweg.testing")

START, END, MARGIN = Fraction(-4), Fraction(14), Fraction(24)
PROGRAMS = 150


@pytest.mark.parametrize("timeline", Timeline)
def test_a_program_and_its_normal_form_have_the_same_answers(timeline: Timeline) -> None:
    compared = seed = 0
    while compared < PROGRAMS:
        seed += 1
        drawn = RandomPrograms(seed, timeline)
        program, facts = drawn.program(), drawn.facts()
        if list(check_safety(program)):
            continue
        compared += 1
        normal = normalise(program)
        assert is_normal(normal)
        assert not list(check_stratified(normal))
        expected = testing.naive_materialise(program, facts, START, END, MARGIN)
        actual = testing.naive_materialise(normal, facts, START, END, MARGIN)
        visible = {atom: times for atom, times in actual.items() if "#" not in atom[0]}
        assert visible == expected, f"seed {seed}"


def is_normal(program: Program) -> bool:
    """Whether every rule has one of the three forms."""
    return all(isinstance(rule.head, Atom | Bottom) and has_normal_body(rule.body) for rule in program.rules)


def has_normal_body(body: tuple[object, ...]) -> bool:
    if len(body) == 1 and isinstance(body[0], Metric | BinaryMetric):
        return all(isinstance(operand, Atom) for operand in children(body[0]))
    cores = [literal.operand if isinstance(literal, Not) else literal for literal in body]
    return all(isinstance(core, Atom | Comparison | Top) for core in cores)
