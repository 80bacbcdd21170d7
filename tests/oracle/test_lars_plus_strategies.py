"""The generated cases of LARS+ are well formed, cover the language, and make nulls, but not without end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from hypothesis import given, settings

from oracle.reading import read
from oracle.test_lars_strategies import assert_safe
from oracle.test_strategies import formulas_of, is_recursive, sample
from thalweg.model.formula import (
    Aggregate,
    All,
    Arithmetic,
    At,
    Atom,
    BinaryMetric,
    Comparison,
    Constant,
    Metric,
    Not,
    Or,
    Some,
    Top,
    TupleWindow,
    Variable,
    Windowed,
    atoms,
    expression_variables,
    skolems,
    subformulas,
)
from thalweg.model.program import Program
from thalweg.null import Null
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.lars_plus.atoms import is_atom
from thalweg.testing.strata import strata
from thalweg.testing.strategies import Case, LarsKnobs, LarsPlusKnobs, lars_plus_cases, per_cases
from thalweg.testing.strategies.lars_plus_heads import Head, rules_of
from thalweg.time.timeline import Timeline

few = settings(max_examples=80)
MIXED = LarsPlusKnobs(per=True, beyond=LarsKnobs())
FEWEST = LarsPlusKnobs(
    endless=False,
    unbounded=False,
    at_heads=False,
    arithmetic=False,
    recursion=False,
    existential_recursion=False,
)


@few
@given(lars_plus_cases() | lars_plus_cases(MIXED))
def test_cases_are_well_formed(case: Case):
    program = case.program
    assert program.is_windowed
    assert program.bounds[0] == case.start == 0
    assert program.timeline_end in (None, case.end)
    strata(program.rules)
    for rule in program.rules:
        assert_safe(rule)
        for atom in (atom for formula in (rule.head, *rule.body) for atom in atoms(formula)):
            assert program.signatures[atom.predicate].arity == len(atom.arguments)
        for null in skolems(rule.head):
            assert null.rule == rule.number
            assert not {v.name for v in null.frontier} & {"F", "G"}
    for number, rules in by_number(program).items():
        assert len({rule.body for rule in rules}) == 1, number
        nulls = [null for rule in rules for null in skolems(rule.head)]
        assert len({(null.frontier, null.timed) for null in nulls}) <= 1


def by_number(program: Program):
    rules: dict[int, list] = {}
    for rule in program.rules:
        rules.setdefault(rule.number, []).append(rule)
    return rules


@few
@given(lars_plus_cases())
def test_without_further_knobs_they_are_of_lars_plus(case: Case):
    for rule in case.program.rules:
        assert all(map(is_atom, rule.body))
        assert isinstance(rule.head, Atom | At)
        timed = {part.time for literal in rule.body for part in subformulas(literal) if isinstance(part, At)}
        in_heads = {other.head.time for other in case.program.rules if isinstance(other.head, At)}
        for part in rule.body:
            if isinstance(part, Comparison):
                assert is_arithmetic_atom(part) or is_guard(part)
                named = {*expression_variables(part.left), *expression_variables(part.right)}
                # What is calculated for a head is the only time that stands after no ``at`` of the body.
                assert named <= timed | {time for time in in_heads if time.name.startswith("#")}
        for null in skolems(rule.head):
            heads = [other.head for other in by_number(case.program)[rule.number]]
            assert null.timed is any(not isinstance(head, At) for head in heads)


def is_arithmetic_atom(part: Comparison) -> bool:
    if part.operator is ComparisonOperator.EQUAL:
        return isinstance(part.right, Arithmetic) and part.right.operator is ArithmeticOperator.ADD
    return part.operator is ComparisonOperator.LESS_EQUAL


def is_guard(part: Comparison) -> bool:
    """Times of heads lie on the timeline."""
    return part.operator is ComparisonOperator.GREATER_EQUAL and part.right == Constant(Fraction(0))


@few
@given(lars_plus_cases(FEWEST))
def test_every_knob_takes_its_part_out(case: Case):
    parts = [part for rule in case.program.rules for part in formulas_of(rule)]
    assert case.program.timeline_end is not None
    assert not any(isinstance(part, Metric | BinaryMetric | Not | Or | Comparison | Aggregate) for part in parts)
    assert not any(isinstance(rule.head, At) for rule in case.program.rules)
    assert all(is_atom(literal) and not isinstance(literal, At) for rule in case.program.rules for literal in rule.body)
    assert all(null.timed for rule in case.program.rules for null in skolems(rule.head))
    assert not is_recursive(case.program)


@settings(max_examples=40)
@given(lars_plus_cases(LarsPlusKnobs(unbounded=False)))
def test_a_longer_timeline_changes_nothing(case: Case):
    longer = naive_materialise(*case, margin=Fraction(6))
    if case.program.timeline_end is None:
        assert_same_answers(naive_materialise(*case), longer, Timeline.INTEGER)


def test_cases_of_lars_plus_make_nulls_and_cover_the_language():
    cases = sample(lars_plus_cases(), 150)
    seen = Counter(feature for case in cases for feature in set(features(case)))
    assert seen["nulls"] >= len(cases) * 2 / 3
    assert seen["nulls of nulls"] >= len(cases) / 10
    wanted = {Windowed, Some, All, At, Top, Comparison, "recursion", "existential recursion", "at head", "plain head"}
    wanted |= {"head with 2 atoms", "head with 3 atoms", "2 existential variables", "shared null", "joined nulls"}
    wanted |= {"timed", "not timed", "endless", "empty frontier", "frontier of 2", "time in frontier", "guards"}
    assert wanted <= {feature for feature, count in seen.items() if count >= 2}


def test_cases_beyond_lars_plus_cover_more():
    cases = sample(lars_plus_cases(MIXED), 100)
    seen = Counter(feature for case in cases for feature in set(features(case)))
    assert seen["nulls"] >= len(cases) * 2 / 3
    wanted = {Not, Aggregate, Or, Metric, BinaryMetric, TupleWindow, "per", "box head", "background", "numbers"}
    assert wanted <= {feature for feature, count in seen.items() if count >= 2}


def test_cases_without_windows_make_nulls():
    cases = sample(per_cases(), 100)
    seen = Counter(feature for case in cases for feature in set(features(case)))
    assert seen["nulls"] >= len(cases) / 3
    assert seen["timed"] == 0
    assert {case.program.timeline for case in cases} == set(Timeline)
    wanted = {"not timed", "joined nulls", "frontier of 2", "empty frontier", "box head", Metric, BinaryMetric, Not}
    assert wanted <= {feature for feature, count in seen.items() if count >= 2}


def features(case: Case) -> Iterator[object]:
    """What a case has in it."""
    held = naive_materialise(*case)
    nulls = {value for _, arguments in held for value in arguments if isinstance(value, Null)}
    yield from ["nulls"] * bool(nulls) + ["nulls of nulls"] * any(null.depth > 1 for null in nulls)
    if is_recursive(case.program):
        yield "recursion"
    if case.program.timeline_end is None:
        yield "endless"
    if case.program.background:
        yield "background"
    with_nulls = {name for name, arguments in held if any(isinstance(value, Null) for value in arguments)}
    for rules in by_number(case.program).values():
        yield f"head with {len(rules)} atoms"
        yield from features_of_rule(rules, with_nulls)
    for part in (part for rule in case.program.rules for part in formulas_of(rule)):
        yield from (kind for kind in KINDS if isinstance(part, kind))
        if isinstance(part, Windowed):
            yield type(part.window)


KINDS = (Windowed, Some, All, At, Top, Comparison, Not, Aggregate, Or, Metric, BinaryMetric)


def features_of_rule(rules, with_nulls) -> Iterator[object]:
    nulls = [null for rule in rules for null in skolems(rule.head)]
    read = Counter(atom.predicate for literal in rules[0].body for atom in atoms(literal))
    yield from ["joined nulls"] * (sum(count for name, count in read.items() if name in with_nulls) > 1)
    yield from ["guards"] * any(isinstance(part, Comparison) and is_guard(part) for part in rules[0].body)
    for rule in rules:
        yield {At: "at head", Atom: "plain head"}.get(type(rule.head), "box head")
        yield from ["numbers"] * any(isinstance(term, Variable) and term.name in "ST" for term in arguments(rule))
    if not nulls:
        return
    if {rule.head_core.predicate for rule in rules} & read.keys():
        yield "existential recursion"
    heads = [{null.variable for null in skolems(rule.head)} for rule in rules]
    yield from ["shared null"] * any(one & other for i, one in enumerate(heads) for other in heads[:i])
    yield f"{len(set().union(*heads))} existential variables"
    yield "timed" if nulls[0].timed else "not timed"
    yield from ["per"] * (not nulls[0].timed and any(not isinstance(rule.head, At) for rule in rules))
    yield f"frontier of {len(nulls[0].frontier)}" if nulls[0].frontier else "empty frontier"
    yield from ["time in frontier"] * any(v.name[0] in "#UV" for v in nulls[0].frontier)


def arguments(rule):
    return rule.head_core.arguments


def test_heads_are_as_lowering_writes_them():
    text = """
        timeline integer from 0 to 9.
        exists F, G: p(X, F), q(F, G) at T + 1 :- window[last 2] (a(X, Z) at T).
        exists F per Z, X: p(X, F) :- a(X, Z).
    """
    lowered = read(text).rules
    x, z, t, shifted = (Variable(name) for name in ("X", "Z", "T", "#1"))
    f, g = Variable("F"), Variable("G")
    first, later = Atom("p", (x, f)), At(Atom("q", (f, g)), shifted)
    one = Comparison(ComparisonOperator.EQUAL, shifted, Arithmetic(ArithmeticOperator.ADD, t, Constant(Fraction(1))))
    bodies = [rule.body for rule in lowered]
    written = [
        *rules_of(Head((first, later), (one,), ("F", "G")), bodies[0][:1], 1, 9),
        *rules_of(Head((first,), (), ("F",), (z, x)), bodies[2], 2, 9),
    ]
    assert [(rule.head, rule.number) for rule in written] == [(rule.head, rule.number) for rule in lowered]
    assert [set(rule.body) for rule in written] == [set(body) for body in bodies]
