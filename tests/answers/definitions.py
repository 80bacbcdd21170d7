"""Answers straight from the LARS paper, Definitions 8 and 9, for programs without variables: every set is tried."""

from __future__ import annotations

import itertools

from thalweg.model.formula import At, Atom, Bottom, BoxPlus, Constant, Metric
from thalweg.testing.lars import Stream, Structure, entails, valuation


def answers_by_definition(program, facts, at=None):
    """The answers on a finite timeline, as sets of (predicate, time); rules hold always, or ``at`` one time."""
    first, last = map(int, program.bounds)
    points = range(first, last + 1)
    given = frozenset(facts)
    universe = sorted({(name, time) for name in program.derived_predicates for time in points} - given)
    instances = [(rule, time) for rule in program.rules for time in (points if at is None else (at,))]
    subsets = [
        frozenset(chosen) for size in range(len(universe) + 1) for chosen in itertools.combinations(universe, size)
    ]
    holding = {chosen: _bodies(instances, chosen | given, first, last) for chosen in subsets}
    heads = [_head(rule, time, first, last) for rule, time in instances]

    def satisfies(chosen, reduct):
        """Whether a set is a model of some of the rules, viewed as implications."""
        held = chosen | given
        return all(heads[i] is not None and heads[i] <= held for i in reduct if holding[chosen][i])

    return {
        model
        for model in subsets
        if satisfies(model, reduct := [i for i in range(len(instances)) if holding[model][i]])
        and not any(smaller < model and satisfies(smaller, reduct) for smaller in subsets)
    }


def _bodies(instances, held, first, last):
    stream = Stream(first, last, valuation((time, (name, ())) for name, time in held))
    structure = Structure(stream)
    return [all(entails(structure, stream, time, part) for part in rule.body) for rule, time in instances]


def _head(rule, time, first, last):
    """The atoms that a head asks for; None for ⊥."""
    if isinstance(rule.head_core, Bottom):
        return None
    times, head = {time}, rule.head
    if isinstance(head, At):
        assert isinstance(head.time, Constant)
        times, head = {int(head.time.value)}, head.operand
    while isinstance(head, Metric):
        sign = 1 if isinstance(head, BoxPlus) else -1
        distances = range(int(head.interval.start), int(head.interval.end) + 1)
        times, head = {each + sign * distance for each in times for distance in distances}, head.operand
    assert isinstance(head, Atom)
    return frozenset((head.predicate, each) for each in times if first <= each <= last)
