"""Thalweg, the oracle and MeTeoR on small generated programs.

Thalweg and the oracle agree on all predicates; Thalweg and MeTeoR on all but those that
``thalweg.bench.peers.meteor_defects`` calls doubtful.
"""

from fractions import Fraction

import pytest

import thalweg
from meteor.generated import generate
from thalweg.bench.peers import meteor
from thalweg.bench.peers.meteor_defects import doubtful_predicates
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.time.interval import Interval

SEEDS = range(100)
ASKED_FOR = Interval(Fraction(-30), Fraction(40))
"""Generated facts have their ends between -3 and 10."""


@pytest.mark.parametrize("seed", SEEDS)
def test_thalweg_the_oracle_and_meteor_agree(seed):
    compare(seed)


@pytest.mark.soak
def test_they_agree_at_length():
    for seed in range(1000, 6000):
        compare(seed)


def test_much_is_compared_with_meteor():
    programs = [thalweg.parse("\n".join(generate(seed).rules)) for seed in SEEDS]
    derived = sum(len(program.derived_predicates) for program in programs)
    doubtful = sum(len(doubtful_predicates(program)) for program in programs)
    assert doubtful < derived / 2


def compare(seed):
    rules, facts = generate(seed)
    program = thalweg.parse("\n".join([*rules, *(f"{fact}." for fact in facts)]))
    ours = thalweg.materialise(program, start=ASKED_FOR.start, end=ASKED_FOR.end).facts()
    right = naive_materialise(program, (), ASKED_FOR.start, ASKED_FOR.end)
    assert_same_answers(ours, right)
    for mode in ("seminaive", "naive"):
        sure = program.derived_predicates - doubtful_predicates(program, mode)
        theirs = meteor.answers_to(rules, facts, mode)
        assert_same_answers(of_predicates(ours, sure), clipped(of_predicates(theirs, sure)))


def of_predicates(answers, predicates):
    return {atom: intervals for atom, intervals in answers.items() if atom[0] in predicates}


def clipped(answers):
    inside = {atom: [i.intersection(ASKED_FOR) for i in intervals] for atom, intervals in answers.items()}
    return {atom: [i for i in intervals if i] for atom, intervals in inside.items()}
