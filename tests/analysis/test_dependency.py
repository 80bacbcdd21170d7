from __future__ import annotations

import math
from fractions import Fraction

import pytest
from checking import check, checked

from thalweg.analysis.dependency import dependency_graph, strongly_connected
from thalweg.analysis.stratification import require_stratified, strata
from thalweg.analysis.window import nested_window_size
from thalweg.errors import ProgramError
from thalweg.time.interval import Interval, point


def offsets(rule: str, predicate: str = "Q") -> Interval:
    graph = dependency_graph(checked(rule))
    return next(edge.offsets for edge in graph.edges if edge.body == predicate)


def between(start: int, end: int) -> Interval:
    return Interval(Fraction(start), Fraction(end))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("P(X) :- Q(X).", point(0)),
        ("P(X) :- diamondminus[1,3] Q(X).", between(-3, -1)),
        ("P(X) :- boxminus[1,3] Q(X).", between(-3, -1)),
        ("P(X) :- diamondplus[1,3] Q(X).", between(1, 3)),
        ("P(X) :- boxplus[1,3] Q(X).", between(1, 3)),
        ("P(X) :- boxminus[1,3] diamondminus[0,2] Q(X).", between(-5, -1)),
        ("P(X) :- boxminus[1,3] diamondplus[0,2] Q(X).", between(-3, 1)),
        ("P(X) :- A(X) since[1,3] Q(X).", between(-3, -1)),
        ("P(X) :- Q(X) since[1,3] A(X).", between(-3, 0)),
        ("P(X) :- Q(X) until[1,3] A(X).", between(0, 3)),
        ("P(X) :- diamondminus[1,inf) Q(X).", Interval(-math.inf, Fraction(-1))),
        ("boxplus[1,2] P(X) :- Q(X).", between(-2, -1)),
        ("boxminus[1,2] P(X) :- Q(X).", between(1, 2)),
        ("boxplus[1,2] P(X) :- diamondminus[1,3] Q(X).", between(-5, -2)),
        ("P(X) :- diamondminus(1,3) Q(X).", Interval(Fraction(-3), Fraction(-1), False, False)),
    ],
)
def test_offsets_say_when_the_body_predicate_is_read(rule: str, expected: Interval) -> None:
    assert offsets(rule) == expected


def test_edges_know_their_sign() -> None:
    graph = dependency_graph(checked("P(X) :- Q(X), not diamondminus[0,1] R(X)."))
    assert [(edge.body, edge.negative) for edge in graph.edges] == [("Q", False), ("R", True)]


def test_components_come_in_evaluation_order() -> None:
    graph = dependency_graph(checked("R(X) :- P(X). P(X) :- Q(X). Q(X) :- P(X). Q(X) :- A(X)."))
    assert [component.predicates for component in graph.components] == [("A",), ("P", "Q"), ("R",)]
    assert [component.is_recursive for component in graph.components] == [False, True, False]


def test_strata_count_negations() -> None:
    graph = dependency_graph(checked("P(X) :- A(X), not Q(X). Q(X) :- A(X), not B(X). R(X) :- Q(X)."))
    assert strata(graph) == (("A", "B"), ("Q", "R"), ("P",))


def test_constraints_have_no_edges() -> None:
    assert dependency_graph(checked("⊥ :- A(X), B(X).")).edges == ()


def test_components_of_a_long_cycle_are_found_without_recursion() -> None:
    size = 50_000
    cycle = {str(i): (str((i + 1) % size),) for i in range(size)}
    assert [len(component) for component in strongly_connected(cycle)] == [size]


def test_without_rules_there_are_no_strata_beyond_the_facts_and_the_window_is_0() -> None:
    assert strata(dependency_graph(checked(""))) == ()
    assert strata(dependency_graph(checked("P(a)@0."))) == (("P",),)
    assert nested_window_size(dependency_graph(checked("P(a)@0."))) == 0


def test_what_is_not_stratified_is_refused_with_its_diagnostics() -> None:
    program, _ = check("P(X) :- Q(X), not R(X). R(X) :- P(X).")
    with pytest.raises(ProgramError) as refused:
        require_stratified(program)
    assert [each.is_error for each in refused.value.diagnostics] == [True]
    require_stratified(checked("P(X) :- Q(X), not R(X)."))
