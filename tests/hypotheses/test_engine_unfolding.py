"""The pre-processing step against the paper's own, and what becomes of patterns that others make superfluous."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given

from hypotheses.engine_rows import said
from hypotheses.engine_runs import Told, examples, steps, told
from hypotheses.reading import TURBINES, read
from hypotheses.streams import query_pattern
from thalweg.analysis.hypotheses.equations import holds
from thalweg.analysis.hypotheses.terms import Shifted, Value, condition_variables
from thalweg.analysis.hypotheses.unfold import unfold
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.errors import ProgramError
from thalweg.model.formula import Comparison, Constant, Variable, expression_with
from thalweg.testing.hypotheses import (
    Answer,
    GroundAtom,
    Hypothetical,
    Known,
    Pattern,
    Row,
    Sum,
    all_instances,
    minimal,
    without_evidence,
)
from thalweg.testing.hypotheses import unfold as reference
from thalweg.testing.hypotheses.terms import variables_of
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs()
UNBOUNDED = HypothesesKnobs(timelines=False, max_layers=2)
NEGATED = HypothesesKnobs(negation=True, comparisons=True)
FEW_TIMES = range(5)


# patterns as the reference has them


def as_row(pattern):
    """A pattern in the terms of the reference."""
    return Row(as_pattern(pattern.answer), frozenset(map(as_pattern, pattern.atoms)))


def as_pattern(atom):
    *arguments, time = (Known(t.value) if isinstance(t, Value) else Sum(t.variable, t.offset) for t in atom.terms)
    return Pattern(atom.predicate, tuple(arguments), time)


def ground_patterns(case, pattern):
    """All ⟨θ, H⟩ of a pattern with hypotheses at few times."""
    timed = pattern.time_variables
    offsets = {name: [0] for name in timed}
    for atom in pattern.atoms:
        if isinstance(atom.time, Shifted):
            offsets[atom.time.variable].append(atom.time.offset)
    columns = [
        [Fraction(t) for t in range(FEW_TIMES.start - max(offsets[name]), FEW_TIMES.stop - min(offsets[name]))]
        if name in timed
        else case.constants
        for name in pattern.variables
    ]
    for choice in product(*columns):
        values = dict(zip(pattern.variables, choice, strict=True))
        atoms = frozenset(ground(atom, values) for atom in pattern.atoms)
        answer = ground(pattern.answer, values)
        on_time = all(atom.time in FEW_TIMES and within(case.program, atom.time) for atom in atoms)
        if on_time and within(case.program, answer.time) and all(true(each, values) for each in pattern.conditions):
            yield Hypothetical(Answer(*answer[1:]), atoms)


def within(program, time):
    first, last = program.bounds
    return first <= time <= last


def ground(atom, values):
    *arguments, time = (
        t.value
        if isinstance(t, Value)
        else values[t.variable] + (t.offset or "" if isinstance(values[t.variable], str) else t.offset)
        for t in atom.terms
    )
    return GroundAtom(atom.predicate, tuple(arguments), int(time))


def true(condition, values):
    known = {Variable(name): Constant(values[name]) for name in condition_variables(condition)}
    sides = (expression_with(side, known) for side in (condition.left, condition.right))
    return holds(Comparison(condition.operator, *sides))


def check_instances(case):
    """The minimal ground ⟨θ, H⟩ are those of the paper's unfolding."""
    found = unfold(case.program, case.query)
    ours = minimal(each for pattern in found.patterns for each in ground_patterns(case, pattern))
    rows = reference(case.program, query_pattern(case))
    theirs = minimal(map(without_evidence, all_instances(case.program, rows, case.constants, FEW_TIMES)))
    answered = {each for each in theirs if each.answer.time in range(FEW_TIMES.start - 20, FEW_TIMES.stop + 20)}
    assert ours == answered


def check_patterns(case):
    """Where no end of the timeline matters: the minimal sets are the same up to the names of variables."""
    patterns = unfold(case.program, case.query).patterns
    assume(not any(pattern.conditions for pattern in patterns))
    found = [as_row(pattern) for pattern in patterns]
    wanted = cores(reference(case.program, query_pattern(case)))
    for one in found:
        assert any(equivalent(one, other) and len(one.hypotheses) == len(other.hypotheses) for other in wanted), str(
            one
        )
    for other in wanted:
        assert any(equivalent(one, other) for one in found), str(other)
    assert len(found) == len(wanted)


def cores(rows):
    """The rows without redundant atoms, one of those that are equivalent, none that another makes superfluous."""
    kept = []
    for row in map(core, sorted(rows, key=lambda each: len(each.hypotheses))):
        if not any(embeds(other, row) for other in kept):
            kept = [other for other in kept if not embeds(row, other)] + [row]
    return kept


def core(row):
    for atom in row.hypotheses:
        smaller = Row(row.answer, row.hypotheses - {atom})
        if row.answer.variables <= variables_of(smaller.hypotheses) and embeds(row, smaller):
            return core(smaller)
    return Row(row.answer, row.hypotheses)


def equivalent(one, other):
    return embeds(one, other) and embeds(other, one)


def embeds(row, other):
    """Whether a substitution makes the answers equal, and the hypotheses some of the other's."""
    pending = [({}, [(row.answer, [other.answer]), *((atom, [*other.hypotheses]) for atom in row.hypotheses)])]
    while pending:
        found, wanted = pending.pop()
        if not wanted:
            return True
        (atom, candidates), *rest = wanted
        for candidate in candidates:
            extended = matched(atom, candidate, found)
            if extended is not None:
                pending.append((extended, rest))
    return False


def matched(atom, other, found):
    if atom.predicate != other.predicate:
        return None
    found = dict(found)
    for term, goal in zip(atom.terms, other.terms, strict=True):
        if isinstance(term, Known):
            if term != goal:
                return None
            continue
        if isinstance(goal, Known) and isinstance(goal.value, str):
            value = goal if not term.amount else None
        else:
            value = (
                Known(goal.value - term.amount)
                if isinstance(goal, Known)
                else Sum(goal.variable, goal.amount - term.amount)
            )
        if value is None or found.setdefault(term.variable, value) != value:
            return None
    return found


def check_superfluous(case):
    """Streams whose patterns are all kept, minimal or not, confirm the same at the same time."""
    kept = [said(step.answers, "confirmed") for step in steps(case)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(unfold.__globals__, "minimal", lambda patterns: [*dict.fromkeys(patterns)])
        everything = [step.answers for step in steps(case)]
    assert kept == [said(each, "confirmed") for each in everything]
    ours, theirs = Told.of([step.answers for step in steps(case)]), Told.of(everything)
    assert ours.refuted <= theirs.refuted | (ours.refuted - theirs.met)
    assert theirs.refuted & ours.met <= ours.refuted


@examples(17)
@given(hypotheses_cases(PLAIN))
def test_instances_of_the_patterns_are_those_of_the_paper(case):
    check_instances(case)


@examples(22)
@given(hypotheses_cases(UNBOUNDED))
def test_patterns_are_those_of_the_paper_without_superfluous_ones(case):
    check_patterns(case)


@examples(14)
@given(hypotheses_cases(NEGATED))
def test_leaving_superfluous_patterns_out_changes_no_answer(case):
    check_superfluous(case)


# recursion

CHAINS = """
timeline integer. delay A = 1. delay B = 2.
P(X) at T :- A(X) at T.
P(X) at T + 1 :- P(X) at T, B(X, Y) at T.
P(Y) at T + 2 :- P(X) at T, B(X, Y) at T + 1.
"""


def unrolled(depth):
    """The program with a predicate for every depth, and no recursion."""
    start, *rules = CHAINS.strip().splitlines()
    lines = [start]
    for number in range(1, depth + 1):
        for rule in rules:
            head, body = rule.split(" :- ")
            if "P(" not in body or number > 1:
                lines.append(f"{head.replace('P(', f'P{number}(')} :- {body.replace('P(', f'P{number - 1}(')}")
    return "\n".join(lines)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_depth_gives_the_derivations_of_so_many_nested_rules(depth):
    streams = HypothesisStream(read(CHAINS), "P", depth=depth), HypothesisStream(read(unrolled(depth)), f"P{depth}")
    assert streams[0].unfolding.depth == depth
    assert streams[1].unfolding.depth is None
    arrivals = [
        "A(a)@0",
        "B(a,b)@0\nB(a,b)@1",
        "B(b,a)@0\nA(b)@1",
        "B(b,c)@3\nB(a,c)@2",
        "B(c,c)@4\nB(b,c)@2",
        " ",
        " ",
    ]
    confirmed = 0
    for closed, facts in enumerate(arrivals):
        one, other = (stream.advance(facts, closed) for stream in streams)
        assert told(one) == told(other)
        assert told(streams[0].open()) == told(streams[1].open())
        confirmed += len(said(one, "confirmed"))
    assert confirmed > depth


def test_a_depth_that_reaches_everything_is_no_bound():
    assert unfold(read(TURBINES), "Malf", depth=4).depth is None
    assert unfold(read(TURBINES), "Malf", depth=3).depth == 3
    assert not unfold(read(TURBINES), "Malf", depth=3).patterns


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ("P(X) at T + 1 :- P(X) at T, A(X) at T. P(X) at T :- A(X) at T.", "P depends on itself"),
        ("P(X) at T :- Q(X) at T. Q(X) at T :- P(X) at T - 1, A(X) at T.", "P, Q depend on themselves"),
        ("R(X) at T :- P(X) at T. P(X) at T :- A(X) at T. P(X) at T :- P(X) at T - 1.", "P depends on itself"),
        ("R(X) at T :- A(X) at T, not P(X) at T. P(X) at T :- A(X) at T, P(X) at T - 1.", "P depends on itself"),
        ("P :- diamondminus[1,1] P, A.", "P depends on itself"),
    ],
)
def test_recursion_without_a_depth_is_refused_by_name(rules, named):
    query = "R" if rules.startswith("R") else "P"
    with pytest.raises(ProgramError) as refused:
        unfold(read(f"timeline integer. {rules}"), query)
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "E351"
    assert named in diagnostic.message.replace("Q, P", "P, Q")


def test_recursion_that_the_query_does_not_depend_on_is_no_obstacle():
    text = "timeline integer. Q(X) at T :- Q(X) at T - 1. Q(X) at T :- A(X) at T. P(X) at T :- A(X) at T."
    assert len(unfold(read(text), "P").patterns) == 1


@pytest.mark.parametrize(
    "rule",
    [
        "P :- boxminus[0,9] diamondminus[0,9] A.",
        "P :- diamondminus[0,20000] A.",
        "P :- diamondminus[0,99] A, diamondminus[0,99] B, diamondminus[0,99] C.",
        "P :- Q, R. Q :- diamondminus[0,200] A. R :- diamondminus[0,200] B.",
    ],
)
def test_unfoldings_that_are_too_large_are_refused(rule):
    with pytest.raises(ProgramError) as refused:
        unfold(read(f"timeline integer. {rule}"), "P")
    assert [each.code for each in refused.value.diagnostics] == ["E352"]
