"""The generated cases are well formed, can be answered exactly, and are worth answering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from thalweg.model.formula import (
    And,
    Atom,
    BinaryMetric,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Since,
    Top,
    Until,
    atoms,
    children,
    intervals,
    subformulas,
    variables,
)
from thalweg.model.program import Program, Rule
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import Case, Knobs, integer_cases, rational_cases
from thalweg.time.timeline import Timeline

CASES = {"rational": rational_cases(), "integer": integer_cases()}
OPERATORS = (DiamondMinus, DiamondPlus, BoxMinus, BoxPlus, Since, Until)

few = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


@few
@given(rational_cases() | integer_cases())
def test_cases_are_well_formed(case: Case):
    for rule in case.program.rules:
        head = {variable.name for variable in variables(rule.head)}
        assert head <= set(bound_names(rule.body))
        for literal in rule.body:
            named = {v.name for v in variables(literal) if not v.is_anonymous}
            assert named <= set(bound_names(rule.body))
        for formula in (rule.head, *rule.body):
            for atom in atoms(formula):
                assert case.program.signatures[atom.predicate].arity == len(atom.arguments)
    guards = [fact for fact in case.facts if fact.atom.predicate in ("G", "H")]
    assert all(fact.interval.is_bounded for fact in guards)
    assert [rule.number for rule in case.program.rules] == list(range(1, len(case.program.rules) + 1))


@few
@given(rational_cases() | integer_cases())
def test_a_wider_horizon_changes_nothing(case: Case):
    wide = naive_materialise(*case, margin=Fraction(60))
    assert_same_answers(naive_materialise(*case), wide, case.program.timeline)


@few
@given(
    rational_cases(
        Knobs(
            future=False,
            unbounded=False,
            infinite_facts=False,
            since=False,
            recursion=False,
            negation=False,
            values=False,
            head_boxes=False,
        )
    )
)
def test_every_knob_takes_its_part_out(case: Case):
    parts = [part for rule in case.program.rules for part in formulas_of(rule)]
    assert not any(isinstance(part, DiamondPlus | BoxPlus | BinaryMetric | Not | Comparison) for part in parts)
    assert all(interval.is_bounded for rule in case.program.rules for interval in intervals_of(rule))
    assert all(fact.interval.is_bounded for fact in case.facts)
    assert not any(isinstance(rule.head, Metric) for rule in case.program.rules)
    assert not is_recursive(case.program)


@pytest.mark.parametrize("name", CASES)
def test_cases_derive_something_and_cover_the_language(name: str):
    cases = sample(CASES[name], 150)
    seen = Counter(feature for case in cases for feature in set(features(case)))
    assert all(case.program.timeline is Timeline(name) for case in cases)
    assert seen["derives"] >= len(cases) * 2 / 3
    assert seen["recursion or negation"] >= len(cases) * 2 / 5
    wanted = {*OPERATORS, And, Top, Bottom, Not, Comparison, "recursion", "box head", "nested box head"}
    wanted |= {"unbounded operator", "punctual operator", "infinite fact", "negated operator", "depth 3"}
    wanted |= {"repeated variable", "head constant"}
    assert wanted <= {feature for feature, count in seen.items() if count >= 2}


def sample(cases: SearchStrategy[Case], count: int) -> list[Case]:
    """Generated cases, always the same."""
    found: list[Case] = []

    @seed(1)
    @settings(few, max_examples=count, phases=[Phase.generate], database=None)
    @given(cases)
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


def features(case: Case) -> Iterator[object]:
    """What a case has in it."""
    answers = naive_materialise(*case)
    given_atoms = {(fact.atom.predicate, tuple(c.value for c in fact.atom.arguments)) for fact in case.facts}
    if any(atom not in given_atoms for atom in answers):
        yield "derives"
    recursive = is_recursive(case.program)
    if recursive:
        yield "recursion"
    for rule in case.program.rules:
        yield from features_of(rule)
        if recursive or any(isinstance(literal, Not) for literal in rule.body):
            yield "recursion or negation"
    if any(not fact.interval.is_bounded for fact in case.facts):
        yield "infinite fact"


def features_of(rule: Rule) -> Iterator[object]:
    yield from (type(part) for part in formulas_of(rule))
    boxes = sum(isinstance(part, Metric) for part in subformulas(rule.head))
    yield from ["box head"][:boxes]
    yield from ["nested box head"][: boxes - 1]
    for interval in intervals_of(rule):
        yield "unbounded operator" if not interval.is_bounded else "bounded operator"
        yield "punctual operator" if interval.is_punctual else "long operator"
    for literal in rule.body:
        yield f"depth {depth(literal)}"
        if isinstance(literal, Not) and isinstance(literal.operand, Metric | BinaryMetric):
            yield "negated operator"
        for atom in atoms(literal):
            if len(set(variables(atom))) < len(list(variables(atom))):
                yield "repeated variable"
    if isinstance(rule.head_core, Atom) and len(list(variables(rule.head))) < len(rule.head_core.arguments):
        yield "head constant"


def formulas_of(rule: Rule) -> Iterator[Formula]:
    for formula in (rule.head, *rule.body):
        yield from subformulas(formula)


def intervals_of(rule: Rule) -> Iterator:
    for formula in (rule.head, *rule.body):
        yield from intervals(formula)


def depth(formula: Formula) -> int:
    inner = max(map(depth, children(formula)), default=0)
    return inner + isinstance(formula, Metric | BinaryMetric)


def bound_names(body: tuple[Formula, ...]) -> Iterator[str]:
    """The variables with an occurrence in a positive literal that is not in a left operand."""
    for literal in body:
        if not isinstance(literal, Not):
            yield from _bound(literal)


def _bound(formula: Formula) -> Iterator[str]:
    if isinstance(formula, BinaryMetric):
        yield from _bound(formula.right)
    elif isinstance(formula, Atom | Comparison):
        yield from (variable.name for variable in variables(formula))
    else:
        for child in children(formula):
            yield from _bound(child)


def is_recursive(program: Program) -> bool:
    uses: dict[str, set[str]] = {predicate: set() for predicate in program.signatures}
    for rule in program.rules:
        head = rule.head_core
        assert isinstance(head, Atom)
        uses[head.predicate] |= {atom.predicate for literal in rule.body for atom in atoms(literal)}
    for _ in uses:
        for reached in uses.values():
            reached |= {far for near in set(reached) for far in uses[near]}
    return any(predicate in reached for predicate, reached in uses.items())
