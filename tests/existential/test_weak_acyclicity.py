"""Weak acyclicity of existential rules (LARS+ paper, Definition 7)."""

import time
from pathlib import Path
from random import Random

import pytest
from acyclicity_helpers import (
    critical,
    edges_by_the_book,
    ends,
    has_bad_cycle,
    rule,
    rules,
    shortest_bad_cycle,
)

from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.analysis.existential.weak_acyclicity import PositionGraph, is_weakly_acyclic, offending_cycle
from thalweg.analysis.existential.written import PerRule
from thalweg.model.formula import Variable

DEEP = Path(__file__).parents[3] / "shared" / "data" / "chasebench-deep-100" / "dependencies"


def edges(text):
    """The edges of the graph, as they are written."""
    found = PositionGraph.of(rules(text)).rules
    return {f"{source} {'-*->' if special else '->'} {target}" for source, target, special in found}


# Definition 7 by hand


def test_a_frontier_variable_flows_to_its_positions_in_the_head():
    assert edges("p(X, Y) -> q(Y, Y)") == {"p.2 -> q.1", "p.2 -> q.2"}


def test_a_null_depends_on_the_frontier_of_the_whole_head():
    # X ─┬─> q.1           Z ──> r.1
    #    └─*─> q.2 <─*─────┘
    assert edges("p(X, U), s(Z) -> q(X, Y), r(Z)") == {
        "p.1 -> q.1",
        "s.1 -> r.1",
        "p.1 -*-> q.2",
        "s.1 -*-> q.2",
    }


def test_a_variable_of_the_body_alone_has_no_edges():
    assert edges("p(X) -> q(Y)") == set()


def test_all_positions_of_a_variable_in_the_body_count():
    assert edges("p(X), r(a, X) -> q(X, Y)") == {"p.1 -> q.1", "r.2 -> q.1", "p.1 -*-> q.2", "r.2 -*-> q.2"}


def test_constants_have_no_edges():
    assert edges("p(a, X) -> q(a, X)") == {"p.2 -> q.2"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("p(X) -> q(X, Y)", True),
        ("p(X, Y) -> p(Y, X)", True),
        ("p(X) -> q(X, Y)\nq(X, Y) -> r(Y)", True),
        ("p(X) -> q(X, Y)\nq(X, Y) -> p(X)", True),
        ("p(X) -> q(X, Y)\nq(X, Y) -> p(Y)", False),
        ("p(X, Y) -> p(Y, Z)", False),
        ("p(X) -> p(Y)", True),
        ("p(X) -> q(Y), r(X)\nq(X) -> p(X)", False),
        ("p(X), e(X) -> q(X, Y)\nq(X, Y) -> p(Y)", False),
    ],
)
def test_which_rules_are_weakly_acyclic(text, expected):
    assert is_weakly_acyclic(rules(text)) is expected
    assert (offending_cycle(rules(text)) is None) is expected


def test_the_cycle_names_its_edges_and_their_rules():
    found = offending_cycle(rules("p(X) -> q(X, Y)\nq(X, Y) -> r(Y)\nr(X) -> p(X)"))
    assert str(found) == "p.1 -*-> q.2 (rule 1), q.2 -> r.1 (rule 2), r.1 -> p.1 (rule 3)"
    assert found.maker.number == 1


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", "p.1 -*-> q.2 (rule 1), q.2 -> r.1 (rule 2), r.1 -> s.1 (rule 3), s.1 -> p.1 (rule 4)"),
        ("r(X) -> p(X)", "p.1 -*-> q.2 (rule 1), q.2 -> r.1 (rule 2), r.1 -> p.1 (rule 5)"),
        ("t(X) -> u(X, Y)\nu(X, Y) -> t(Y)", "t.1 -*-> u.2 (rule 5), u.2 -> t.1 (rule 6)"),
        ("t(X, Y) -> t(Y, Z)", "t.2 -*-> t.2 (rule 5)"),
    ],
)
def test_the_cycle_is_a_shortest_one(more, expected):
    long = "p(X) -> q(X, Y)\nq(X, Y) -> r(Y)\nr(X) -> s(X)\ns(X) -> p(X)\n"
    assert str(offending_cycle(rules(long + more))) == expected


def test_a_cycle_may_go_through_several_special_edges():
    found = offending_cycle(rules("p(X) -> q(X, Y)\nq(X, Y) -> r(Y, Z)\nr(Y, Z) -> p(Z)"))
    assert str(found) == "p.1 -*-> q.2 (rule 1), q.2 -*-> r.2 (rule 2), r.2 -> p.1 (rule 3)"


# per


def test_nulls_depend_on_no_more_than_per_says():
    x, y, z = map(Variable, "XYZ")
    body, head = (PlainAtom("p", (x, z)),), (PlainAtom("q", (x, z, y)),)
    back = rule("q(X, Z, Y) -> p(X, Y)", 2)
    assert not is_weakly_acyclic([ExistentialRule(body, head, (y,), 1), back])
    assert is_weakly_acyclic([PerRule(body, head, (y,), 1, None, (x,)), back])
    assert not is_weakly_acyclic([PerRule(body, head, (y,), 1, None, (z,)), back])


def test_per_may_name_a_variable_that_the_head_does_not_have():
    x, y, z = map(Variable, "XYZ")
    made = PerRule((PlainAtom("p", (x, z)),), (PlainAtom("q", (y,)),), (y,), 1, None, (z,))
    assert set(PositionGraph.of([made]).rules) == {("p.2", "q.1", True)}


# Generated rules


def random_rules(seed):
    """Few predicates, so that there are many cycles."""
    random = Random(seed)
    arities = {"p": 1, "q": 2, "r": 2}

    def atom(names):
        predicate = random.choice(list(arities))
        return f"{predicate}({', '.join(random.choice(names) for _ in range(arities[predicate]))})"

    def line():
        body = ", ".join(atom("XXYZ") for _ in range(random.choice([1, 1, 2])))
        return f"{body} -> {', '.join(atom('XYZVW') for _ in range(random.choice([1, 1, 2])))}"

    return [rule(line(), number) for number in range(1, random.randint(2, 5))]


@pytest.mark.parametrize("seed", range(300))
def test_it_is_as_the_definition_says(seed):
    some = random_rules(seed)
    expected = edges_by_the_book(some)
    assert is_weakly_acyclic(some) is not has_bad_cycle(expected)
    found = offending_cycle(some)
    assert (len(found.edges) if found else None) == shortest_bad_cycle(expected)
    if found:
        check_cycle(found, some)


def check_cycle(cycle, some):
    assert cycle.edges[0].special
    for edge, following in zip(cycle.edges, (*cycle.edges[1:], cycle.edges[0]), strict=True):
        assert edge.target == following.source
        assert (edge.source, edge.target, edge.special) in PositionGraph.of([some[edge.rule.number - 1]]).rules


@pytest.mark.parametrize("seed", range(300))
def test_the_chase_of_weakly_acyclic_rules_ends(seed):
    some = random_rules(seed)
    if is_weakly_acyclic(some):
        assert ends(*critical(some), max_facts=2000)


def test_there_are_rules_of_both_kinds():
    seen = {(is_weakly_acyclic(some), ends(*critical(some), max_facts=60)) for some in map(random_rules, range(60))}
    assert {(True, True), (False, False)} <= seen


# Speed


@pytest.mark.skipif(not DEEP.exists(), reason="the ChaseBench data are not here")
def test_the_rules_of_deep_100_are_checked_quickly():
    lines = [line for path in sorted(DEEP.iterdir()) for line in path.read_text().splitlines() if "->" in line]
    some = [rule(line, number) for number, line in enumerate(lines, start=1)]
    assert len(some) == 1100
    begun = time.perf_counter()
    assert is_weakly_acyclic(some)
    assert time.perf_counter() - begun < 2


def test_a_hundred_thousand_rules_take_time_linear_in_their_number():
    x, y, z = map(Variable, "XYZ")

    def ring(size):
        # One long cycle, with the special edge at its end.
        steps = [(PlainAtom(f"p{n}", (x, y)), PlainAtom(f"p{n + 1}", (y, x))) for n in range(size)]
        closing = ExistentialRule((PlainAtom(f"p{size}", (x, y)),), (PlainAtom("p0", (y, z)),), (z,), size)
        return [*(ExistentialRule((body,), (head,), (), n) for n, (body, head) in enumerate(steps)), closing]

    taken = []
    for size in (10_000, 100_000):
        some = ring(size)
        begun = time.perf_counter()
        found = offending_cycle(some)
        taken.append(time.perf_counter() - begun)
        assert len(found.edges) == size + 1
    assert taken[1] < 30 * taken[0] + 1
