"""Definitions 3 to 7, Lemma 1 and Propositions 5 to 10."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypotheses.reading import answer, facts, pattern, patterns, read
from hypotheses.streams import moments, query_of, query_pattern
from thalweg.testing.hypotheses import (
    Arrival,
    Hypothetical,
    Known,
    NotTemporalDatalog,
    Pattern,
    Query,
    Row,
    Sum,
    Supported,
    all_instances,
    arrival_times,
    computed_answers,
    instances,
    is_potentially_future,
    local_mgus,
    minimal,
    next_rows,
    schematic_answers,
    slices,
    stratified_answers,
    unfold,
    without_evidence,
)
from thalweg.testing.hypotheses.terms import Term, apply, compose, pattern_of, unify_atoms, variables_of
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

TEMPORAL = HypothesesKnobs(max_atoms=2, max_facts=6)
CONNECTED = HypothesesKnobs(max_delay=0, several_times=False, named_times=False)
LARGEST = 2


def streams(case, count=2):
    """The query, its pattern, and the last moments of a case."""
    return query_of(case), query_pattern(case), list(moments(case))[-count:]


def schematic(case, moment):
    return schematic_answers(case.program, query_pattern(case), moment.slices, case.times.start)[-1]


def ground(case, rows, moment):
    query = query_of(case)
    times = sorted({atom.time for atom in query.universe})
    return all_instances(case.program, rows, case.constants, times or [0], moment.closed)


def minimal_part(query, found, data):
    """A minimal set among the hypotheses of an answer that are enough for it."""
    kept = found.hypotheses
    for each in sorted(kept):
        if query.entails(data | (kept - {each}), found.answer):
            kept = kept - {each}
    return Hypothetical(found.answer, kept)


# unification


def test_times_unify_up_to_a_distance():
    assert unify_atoms(pattern("p(X, T + 1)"), pattern("p(a, S + 3)")) == {"X": Known("a"), "T": Sum("S", 2)}
    assert unify_atoms(pattern("p(X, T + 1)"), pattern("p(X, T)")) is None
    assert unify_atoms(pattern("p(T + 1)"), pattern("p(3)")) == {"T": Known(Fraction(2))}


# Definition 3


def test_definition_3_open_times_are_potentially_future():
    program = read("timeline integer. delay p(a) = 2. q(X) at T :- p(X) at T.")
    assert is_potentially_future(program, pattern("p(b, T - 9)"), 5)
    assert is_potentially_future(program, pattern("p(a, 4)"), 5)
    assert is_potentially_future(program, pattern("p(X, 4)"), 5)
    assert not is_potentially_future(program, pattern("p(b, 4)"), 5)
    assert not is_potentially_future(program, pattern("p(a, 3)"), 5)


# preprocessing


def test_rules_that_are_not_temporal_datalog_are_refused():
    for body in ("not p at T, r at T", "boxminus[0,1] p", "p at T, T > 1", "q at T - 1"):
        with pytest.raises(NotTemporalDatalog):
            unfold(
                read(f"timeline integer. q at T :- {body}." if "box" not in body else f"q :- {body}."), pattern("q(T)")
            )


def test_a_derivation_through_a_time_before_the_timeline_is_none():
    program = read("timeline integer. r at T - 3 :- p at T. q at T + 3 :- r at T.")
    [row] = unfold(program, pattern("q(T)"))
    assert {each.answer.time for each in instances(program, row, "a", range(6))} == {3, 4, 5}


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_every_instance_of_the_unfolding_entails_its_answer(case):
    query = query_of(case)
    for row in unfold(case.program, query_pattern(case)):
        for each in list(instances(case.program, row, case.constants, range(case.times.start, case.times.start + 3)))[
            :50
        ]:
            assert query.entails(each.hypotheses, each.answer)


# Propositions 5 to 7


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_proposition_5_computed_answers_are_hypothetical(case):
    # Condition (ii) of the paper takes δ of the open atom; it must be that of the instance.
    query, asked, some = streams(case)
    for moment in some:
        rows = computed_answers(case.program, asked, moment.data, moment.closed)
        for found in ground(case, rows, moment):
            assert query.is_hypothetical(minimal_part(query, found, moment.data), moment.data, moment.closed)


def test_proposition_5_needs_the_delay_of_the_instance():
    program = read("timeline integer. delay p(a) = 2. q(X) at T :- p(X) at T.")
    [row] = computed_answers(program, pattern("q(X, T)"), (), 0)
    [atom] = row.hypotheses
    b_at_0 = {"X": Known("b"), "T": Known(Fraction(0))}
    assert is_potentially_future(program, atom.under({"T": Known(Fraction(0))}), 0)
    assert not is_potentially_future(program, atom.under(b_at_0), 0)
    assert not Query(program, "q", "ab", range(3)).is_hypothetical(Hypothetical(answer("b@0"), facts("p(b)@0")), (), 0)


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_proposition_6_hypothetical_answers_are_computed(case):
    query, asked, some = streams(case)
    for moment in some:
        rows = computed_answers(case.program, asked, moment.data, moment.closed)
        computed = set(map(without_evidence, ground(case, rows, moment)))
        assert query.hypothetical(moment.data, moment.closed, LARGEST) <= computed


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_proposition_7_slice_after_slice_computes_the_same(case):
    _, asked, some = streams(case)
    for moment in some:
        at_once = computed_answers(case.program, asked, moment.data, moment.closed)
        assert stratified_answers(case.program, asked, moment.slices, case.times.start) == at_once


# Definition 5 and Lemma 1


def image(gamma, delta, sigma):
    """Γσ ∩ Δ."""
    return frozenset(atom.under(sigma) for atom in gamma) & frozenset(delta)


def factors(theta, sigma):
    """Whether θ = σρ for some ρ; σ gives variables constants, or leaves them as they are."""
    return all(theta.get(name) == value for name, value in sigma.items())


def substitutions(gamma) -> Iterable[dict[str, Term]]:
    """Those that give some variables a constant."""
    times = {atom.time.variable for atom in gamma if isinstance(atom.time, Sum)}
    names = sorted(variables_of(gamma))
    columns = [[None, *(map(Known, map(Fraction, range(-2, 4)) if name in times else "ab"))] for name in names]
    for choice in product(*columns):
        yield {name: value for name, value in zip(names, choice, strict=True) if value is not None}


def by_definition_5(gamma, delta):
    every = list(substitutions(gamma))
    return {
        frozenset(sigma.items())
        for sigma in every
        if all(factors(theta, sigma) for theta in every if image(gamma, delta, theta) == image(gamma, delta, sigma))
    }


def atom_by_atom(gamma, delta):
    """Definition 5 with the same atoms in Δ instead of the same Γσ ∩ Δ."""
    every = list(substitutions(gamma))
    found = set()
    for sigma in every:
        resolved = [atom for atom in gamma if atom.under(sigma) in delta]
        agreeing = (theta for theta in every if all(a.under(theta) == a.under(sigma) for a in resolved))
        if all(factors(theta, sigma) for theta in agreeing):
            found.add(frozenset(sigma.items()))
    return found


VARIABLES = st.sampled_from([Sum("X"), Sum("Y"), Known("a"), Known("b")])
TIMES = st.sampled_from([Sum("T"), Sum("T", 1), Sum("S"), Sum("S", -1), Known(Fraction(1))])
ATOMS = st.builds(Pattern, st.sampled_from("pr"), st.tuples(VARIABLES), TIMES)
FACTS = st.builds(
    Pattern,
    st.sampled_from("pr"),
    st.tuples(st.sampled_from([Known("a"), Known("b")])),
    st.sampled_from([Known(Fraction(0)), Known(Fraction(1))]),
)


@settings(max_examples=20)
@given(st.frozensets(ATOMS, min_size=1, max_size=2), st.frozensets(FACTS, max_size=3))
def test_lemma_1_atom_by_atom_the_nodes_of_sld_trees_are_the_local_mgus(gamma, delta):
    assert local_mgus(gamma, delta) == atom_by_atom(gamma, delta)


@settings(max_examples=20)
@given(st.frozensets(ATOMS, min_size=1, max_size=2), st.frozensets(FACTS, max_size=3))
def test_lemma_1_local_mgus_of_definition_5_are_nodes(gamma, delta):
    found = by_definition_5(gamma, delta)
    assert found <= local_mgus(gamma, delta)
    if all(sum(unify_atoms(atom, each) is not None for atom in gamma) < 2 for each in delta):
        assert found == local_mgus(gamma, delta)


def test_lemma_1_is_wrong_where_two_atoms_match_one_fact():
    # θ = [Y := a] has the same Γθ ∩ Δ as σ = [X := a], but is no instance of it.
    gamma, delta = patterns("p(X, 0) p(Y, 0)"), patterns("p(a, 0)")
    assert by_definition_5(gamma, delta) == {frozenset()}
    x, y = ("X", Known("a")), ("Y", Known("a"))
    assert local_mgus(gamma, delta) == {frozenset(), frozenset({x}), frozenset({y}), frozenset({x, y})}


def test_with_definition_5_to_the_letter_definition_6_would_miss_answers():
    program = read("timeline integer. q at T :- p(X) at T, p(Y) at T.")
    [row] = unfold(program, pattern("q(T)"))
    assert by_definition_5(row.hypotheses, patterns("p(a, 0)")) == {frozenset()}
    assert Query(program, "q", "a", range(1)).answers(facts("p(a)@0")) == {answer("@0")}


# Definition 6, Propositions 8 and 9


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_evidence_of_rows_has_arrived(case):
    for moment in moments(case):
        arrived = frozenset(map(pattern_of, moment.data))
        assert all(row.evidence <= arrived for row in schematic(case, moment))


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_proposition_8_rows_entail_their_answers(case):
    # The paper claims ⟨θσ, H', Eσ⟩ ∈ ℰ(Q, D, τ), which needs Eσ to be minimal, and evidence for H'.
    query, _, some = streams(case)
    for moment in some:
        for found in ground(case, schematic(case, moment), moment):
            assert query.entails(found.evidence | found.hypotheses, found.answer)
            part = minimal_part(query, found, moment.data)
            assert query.is_hypothetical(part, moment.data, moment.closed)
            if part.hypotheses == found.hypotheses and found.evidence:
                evidence = query.evidence(part, found.evidence)
                assert evidence
                assert all(
                    not each or query.is_supported(Supported(*part, each), moment.data, moment.closed)
                    for each in evidence
                )


def test_proposition_8_is_wrong_about_rows_with_more_evidence_than_needed():
    program = read("timeline integer. q at T :- p(X) at T, p(Y) at T.")
    data = facts("p(a)@0 p(b)@0")
    rows = schematic_answers(program, pattern("q(T)"), [data])[-1]
    assert Supported(answer("@0"), frozenset(), data) in all_instances(program, rows, "ab", [0])
    assert not Query(program, "q", "ab", range(1)).is_supported(Supported(answer("@0"), frozenset(), data), data, 0)


def test_proposition_8_is_wrong_about_rows_with_more_hypotheses_than_needed():
    program = read("timeline integer. q at T :- p at T, r at T + 1. q at T :- s at T.")
    data = facts("p@0 s@0")
    rows = schematic_answers(program, pattern("q(T)"), [data])[-1]
    assert Supported(answer("@0"), facts("r@1"), facts("p@0")) in all_instances(program, rows, "a", range(3))
    query = Query(program, "q", "a", range(3))
    assert not any(
        query.is_supported(Supported(answer("@0"), part, facts("p@0")), data, 0) for part in (frozenset(), facts("r@1"))
    )


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_proposition_9_supported_answers_are_instances_of_rows(case):
    query, _, some = streams(case)
    for moment in some:
        supported = query.supported(moment.data, moment.closed, LARGEST)
        assert supported <= ground(case, schematic(case, moment), moment)


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_rows_without_hypotheses_are_the_answers(case):
    query, _, some = streams(case)
    for moment in some:
        rows = [row for row in schematic(case, moment) if not row.hypotheses]
        assert {each.answer for each in ground(case, rows, moment)} == query.answers(moment.data)


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL))
def test_the_minimal_instances_of_rows_are_the_hypothetical_answers(case):
    query, _, some = streams(case)
    for moment in some:
        found = minimal(map(without_evidence, ground(case, schematic(case, moment), moment)))
        small = {each for each in found if len(each.hypotheses) <= LARGEST}
        assert small == query.hypothetical(moment.data, moment.closed, LARGEST)


@settings(max_examples=20)
@given(hypotheses_cases(TEMPORAL), st.data())
def test_the_order_of_arrivals_does_not_matter_in_the_end(case, data):
    asked, first, end = query_pattern(case), case.times.start, case.times.stop + 3
    moved = [Arrival(a, data.draw(st.sampled_from(arrival_times(case.program, a)))) for a, _ in case.arrivals]
    sets = [
        schematic_answers(case.program, asked, slices(each, last=end, first=first), first)[-1]
        for each in (case.arrivals, moved)
    ]
    confirmed = [{(row.answer, row.evidence) for row in rows if not row.hypotheses} for rows in sets]
    assert confirmed[0] == confirmed[1]


# Definition 7 and Proposition 10


def by_earliest_atoms(program, rows: Iterable[Row], delivered, closed):
    """𝒮_τ as Section 2.3 has it: only the atoms with the least time are unified with D|_τ, all of them."""
    delta = frozenset(map(pattern_of, delivered))
    found = set()
    for row in rows:
        sigmas = [{}] if not row.evidence else []
        due = [atom for atom in row.hypotheses if _is_due(atom, row, closed)]
        sigmas += _all_resolved(due, delta)
        for sigma in sigmas:
            instance = row.under(sigma, program)
            if instance and all(is_potentially_future(program, atom, closed) for atom in instance.hypotheses - delta):
                matched = instance.hypotheses & delta
                found.add(
                    Row(instance.answer, instance.hypotheses - delta, instance.evidence | matched, instance.points)
                )
    return frozenset(found)


def _is_due(atom, row, closed):
    if row.evidence:
        return atom.time.value == closed
    return atom.time.amount == min(each.time.amount for each in row.hypotheses)


def _all_resolved(due, delta):
    sigmas = [{}]
    for atom in due:
        steps = [(sigma, unify_atoms(atom.under(sigma), each)) for sigma in sigmas for each in delta]
        sigmas = [compose(sigma, mgu) for sigma, mgu in steps if mgu is not None]
    return sigmas


@settings(max_examples=20)
@given(hypotheses_cases(CONNECTED))
def test_proposition_10_without_delays_the_earliest_atoms_of_a_row_are_enough(case):
    asked, first = query_pattern(case), case.times.start
    delivered = slices(case.arrivals, first=first)
    rows = unfold(case.program, asked)
    for closed, each in enumerate(delivered, first):
        following = next_rows(case.program, rows, each, closed)
        assert following == by_earliest_atoms(case.program, rows, each, closed)
        assert all(isinstance(a.time, Known) for row in following if row.evidence for a in row.hypotheses)
        rows = following


def test_proposition_10_needs_rules_without_time_points():
    # Connected by Definition 7, but there is evidence, and a hypothesis whose time is open.
    program = read("timeline integer. q at T :- p at T, r at 0.")
    rows = schematic_answers(program, pattern("q(T)"), [facts("r@0")])[-1]
    assert any(row.evidence == patterns("r(0)") and row.hypotheses == patterns("p(T)") for row in rows)


def test_substitutions_compose():
    assert apply(Sum("T", 1), compose({"T": Sum("S", 2)}, {"S": Known(Fraction(0))})) == Known(Fraction(3))
