"""The generated cases of LARS are well formed, cover the language, and derive something."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings

from oracle.test_strategies import formulas_of, is_recursive, sample
from thalweg.model.binding import bound_by_all
from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Since,
    Some,
    TimeWindow,
    TupleWindow,
    Until,
    Variable,
    Windowed,
    atoms,
    children,
    subformulas,
    variables,
)
from thalweg.model.program import Rule
from thalweg.syntax.ast import AggregateKind, Role
from thalweg.testing import brute_force_answers, naive_materialise
from thalweg.testing.strata import strata
from thalweg.testing.strategies import Case, LarsKnobs, SmallCase, lars_cases, small_lars_cases

few = settings(max_examples=100)


@few
@given(lars_cases())
def test_cases_are_well_formed(case: Case):
    program = case.program
    first, last = program.bounds
    assert 0 == first <= case.start < case.end <= last
    strata(program.rules)
    for rule in program.rules:
        assert_safe(rule)
        for atom in (atom for formula in (rule.head, *rule.body) for atom in atoms(formula)):
            assert program.signatures[atom.predicate].arity == len(atom.arguments)
    for fact in case.facts:
        if program.signatures[fact.atom.predicate].role is not Role.BACKGROUND:
            assert first <= fact.interval.start <= fact.interval.end <= last


def assert_safe(rule: Rule) -> None:
    """All variables have a value, those of an aggregate between its braces."""
    bound = bound_by_all(rule.body)
    assert bound.issuperset(variables(rule.head))
    for literal in rule.body:
        if isinstance(literal, Aggregate):
            inside = bound_by_all(literal.body)
            assert inside.issuperset(v for part in literal.body for v in variables(part) if not v.is_anonymous)
            assert inside.issuperset(term for term in literal.elements if isinstance(term, Variable))
        else:
            assert bound.issuperset(v for v in variables(literal) if not v.is_anonymous)


@few
@given(
    lars_cases(
        LarsKnobs(
            future=False,
            unbounded=False,
            slides=False,
            tuples=False,
            metric=False,
            at=False,
            disjunction=False,
            negation=False,
            background=False,
            values=False,
            aggregates=False,
            recursion=False,
        )
    )
)
def test_every_knob_takes_its_part_out(case: Case):
    parts = [part for rule in case.program.rules for part in formulas_of(rule)]
    out = Metric | BinaryMetric | At | Or | Not | Comparison | Aggregate
    assert not any(isinstance(part, out) for part in parts)
    windows = [part.window for part in parts if isinstance(part, Windowed)]
    assert all(isinstance(each, TimeWindow) and each.next == 0 and each.slide == 1 for each in windows)
    assert all(each.last < math.inf for each in windows)
    assert all(signature.role is Role.PREDICATE for signature in case.program.signatures.values())
    assert not is_recursive(case.program)


def test_cases_derive_something_and_cover_the_language():
    cases = sample(lars_cases(), 200)
    seen = Counter(feature for case in cases for feature in set(features(case)))
    assert seen["derives"] >= len(cases) * 2 / 3
    wanted = {Windowed, Some, All, At, Or, And, Not, Comparison, Aggregate, Since, Until}
    wanted |= {DiamondMinus, DiamondPlus, BoxMinus, BoxPlus, *AggregateKind}
    wanted |= {"recursion", "at head", "box head", "slide", "next", "unbounded window", "tuples", "partition"}
    wanted |= {
        "next tuples",
        "of stream",
        "depth 3",
        "background",
        "group",
        "no group",
        "nested not",
        "metric in window",
    }
    assert wanted <= {feature for feature, count in seen.items() if count >= 2}


def features(case: Case) -> Iterator[object]:
    """What a case has in it."""
    given_atoms = {(fact.atom.predicate, tuple(c.value for c in fact.atom.arguments)) for fact in case.facts}
    if any(atom not in given_atoms for atom in naive_materialise(*case)):
        yield "derives"
    if is_recursive(case.program):
        yield "recursion"
    if any(signature.role is Role.BACKGROUND for signature in case.program.signatures.values()):
        yield "background"
    for rule in case.program.rules:
        yield from (type(part) for part in formulas_of(rule))
        yield {At: "at head", Atom: "plain head"}.get(type(rule.head), "box head")
        for literal in rule.body:
            yield f"depth {depth(literal)}"
            for part in subformulas(literal):
                yield from features_of(part)
            if any(isinstance(part, Not) for child in children(literal) for part in subformulas(child)):
                yield "nested not"


def features_of(part: Formula) -> Iterator[object]:
    if isinstance(part, Aggregate):
        yield part.kind
        yield "group" if part.groups else "no group"
    if not isinstance(part, Windowed):
        return
    yield from ["of stream"] * part.of_stream
    yield from ["metric in window"] * any(isinstance(each, Metric) for each in subformulas(part.operand))
    window = part.window
    if isinstance(window, TupleWindow):
        yield "tuples" if window.per is None else "partition"
        yield from ["next tuples"] * bool(window.next)
    else:
        yield from ["slide"] * (window.slide > 1)
        yield from ["next"] * bool(window.next)
        yield from ["unbounded window"] * (math.inf in (window.last, window.next))


def depth(formula: Formula) -> int:
    """How deep windows and metric operators nest."""
    inner = max(map(depth, children(formula)), default=0)
    return inner + isinstance(formula, Metric | BinaryMetric | Windowed)


@few
@given(small_lars_cases())
def test_small_cases_are_small(case: SmallCase):
    assert case.program.is_windowed
    for rule in case.program.rules:
        assert_safe(rule)
    brute_force_answers(*case, most=6)


def test_small_cases_have_no_one_or_several_answers():
    cases = sample(small_lars_cases(), 150)
    counts = Counter(min(2, len(brute_force_answers(*case))) for case in cases)
    assert all(counts[number] >= 10 for number in (0, 1, 2))
