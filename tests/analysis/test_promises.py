from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from checking import checked

import thalweg
from thalweg.analysis.dependency import dependency_graph
from thalweg.analysis.forward_propagating import forward_propagation
from thalweg.analysis.granularity import granularity
from thalweg.analysis.memory import (
    Size,
    bound_for_algorithm_1,
    bound_for_algorithm_6,
    program_size,
)
from thalweg.analysis.recursion import Direction, find_recursion, has_positive_cycle
from thalweg.analysis.report import analyse, dialect_of
from thalweg.analysis.window import nested_window_size, window_size
from thalweg.model.normal_form import normalise

PAPER = """
Flag(X, Z) :- Monit(X, Z), boxminus[0,4] diamondminus[0,2] Signal(Z).
boxplus[0,3] Monit(X, Z) :- Flag(Y, Z), Connect(X, Y).
"""

# recursion


@pytest.mark.parametrize(
    ("text", "direction", "bounds"),
    [
        ("P(X) :- Q(X).", Direction.NONE, ()),
        ("P(X) :- Q(X), P(X).", Direction.NOW, ()),
        ("P(X) :- diamondminus[1,1] P(X).", Direction.PAST, ("--to",)),
        ("P(X) :- diamondminus[0,2] P(X).", Direction.PAST, ("--to",)),
        ("P(X) :- diamondminus[0,inf) P(X).", Direction.PAST, ("--to",)),
        ("P(X) :- boxplus[0,1] P(X).", Direction.FUTURE, ("--from",)),
        ("boxplus[1,1] P(X) :- P(X).", Direction.PAST, ("--to",)),
        ("boxminus[1,1] P(X) :- P(X).", Direction.FUTURE, ("--from",)),
        ("P(X) :- A(X) since[0,1] P(X).", Direction.PAST, ("--to",)),
        ("P(X) :- diamondminus[1,1] diamondplus[1,1] P(X).", Direction.NOW, ()),
        ("P(X) :- diamondminus[0,1] diamondplus[0,1] P(X).", Direction.BOTH, ("--from", "--to")),
        ("P(X) :- diamondminus[2,2] Q(X). Q(X) :- diamondplus[1,1] P(X).", Direction.PAST, ("--to",)),
        ("P(X) :- diamondminus[1,1] Q(X). Q(X) :- diamondplus[1,1] P(X).", Direction.NOW, ()),
        ("P(X) :- diamondminus[1,1] Q(X). Q(X) :- diamondplus[1,2] P(X).", Direction.FUTURE, ("--from",)),
    ],
)
def test_recursion_has_a_direction_and_bounds(text: str, direction: Direction, bounds: tuple[str, ...]) -> None:
    last = find_recursion(dependency_graph(checked(text)))[-1]
    assert (last.direction, last.bounds) == (direction, bounds)


def test_positive_cycles_are_those_that_enumeration_finds() -> None:
    random = Random(7)
    for _ in range(300):
        nodes = [str(i) for i in range(random.randint(1, 4))]
        ring = list(zip(nodes, [*nodes[1:], nodes[0]], strict=True))
        extra = [(random.choice(nodes), random.choice(nodes)) for _ in range(random.randint(0, 4))]
        edges = [(tail, head, Fraction(random.randint(-3, 3), 2)) for tail, head in ring + extra]
        assert has_positive_cycle(edges) == any(weight > 0 for weight in simple_cycle_weights(edges))


def simple_cycle_weights(edges: list[tuple[str, str, Fraction]]) -> list[Fraction]:
    heaviest: dict[tuple[str, str], Fraction] = {}
    for tail, head, weight in edges:
        heaviest[tail, head] = max(weight, heaviest.get((tail, head), weight))
    found = []

    def walk(path: list[str]) -> None:
        for tail, head in heaviest:
            if tail == path[-1] and head == path[0]:
                found.append(sum((heaviest[step] for step in pairwise([*path, head])), Fraction(0)))
            elif tail == path[-1] and head not in path:
                walk([*path, head])

    for start in {tail for tail, _ in heaviest}:
        walk([start])
    return found


# forward-propagating programs


def test_the_papers_example_is_forward_propagating() -> None:
    forward = forward_propagation(checked(PAPER))
    assert forward.holds
    assert forward.extensions == ()


@pytest.mark.parametrize(
    ("rule", "construct"),
    [
        ("P(X) :- Q(X), ⊤.", "⊤"),
        ("P(X) :- Q(X), ⊥.", "⊥"),
        ("⊥ :- Q(X).", "⊥ in the head"),
        ("⊤ :- Q(X).", "⊤ in the head"),
        ("P(X) :- A(X) since[0,1] Q(X).", "since"),
        ("P(X) :- A(X) until[0,1] Q(X).", "until"),
        ("P(X) :- boxminus[0,1] diamondplus[0,1] Q(X).", "diamondplus"),
        ("P(X) :- boxplus[0,1] Q(X).", "boxplus"),
        ("boxplus[0,1] boxminus[0,1] P(X) :- Q(X).", "boxminus in the head"),
    ],
)
def test_what_puts_a_program_outside_is_named_with_its_rule(rule: str, construct: str) -> None:
    forward = forward_propagation(checked(f"A(X) :- B(X).\n{rule}"))
    assert [(reason.construct, reason.rule.number) for reason in forward.violations] == [(construct, 2)]
    assert [reason.span.line for reason in forward.violations if reason.span] == [2]


def test_negation_and_comparisons_are_noted_apart() -> None:
    forward = forward_propagation(checked("P(X) :- Q(X), not R(X), X > 3."))
    assert forward.holds
    assert [reason.construct for reason in forward.extensions] == ["not", "a comparison"]
    assert [reason.span.column for reason in forward.extensions if reason.span] == [15, 25]


# window, granularity, memory


def test_window_and_granularity_of_the_papers_example() -> None:
    normal = normalise(checked(PAPER))
    assert (window_size(normal), granularity(normal)) == (4, 2)
    assert nested_window_size(dependency_graph(checked(PAPER))) == 6


def test_head_boxes_add_up_in_the_window_and_in_the_granularity() -> None:
    normal = normalise(checked("boxplus[1,1] boxplus[2,5] P(X) :- Q(X)."))
    assert (window_size(normal), granularity(normal)) == (6, 3)


def test_infinite_endpoints_do_not_count_for_the_window() -> None:
    normal = normalise(checked("P(X) :- diamondminus[2,inf) Q(X)."))
    assert (window_size(normal), granularity(normal)) == (2, math.inf)


def test_without_intervals_the_window_is_0_and_the_granularity_infinite() -> None:
    normal = normalise(checked("P(X) :- Q(X)."))
    assert (window_size(normal), granularity(normal)) == (0, math.inf)


def test_the_size_is_that_of_the_normal_form() -> None:
    size = program_size(normalise(checked(PAPER)))
    assert size == Size(predicates=7, arity=2, rules=5, least_endpoint=Fraction(2))


@pytest.mark.parametrize(
    ("interval", "least"),
    [("[0,1]", Fraction(1)), ("[1/2,3]", Fraction(1, 2)), ("[0,0]", None), ("[0,inf)", None), ("[2,inf)", Fraction(2))],
)
def test_the_least_endpoint_is_finite_and_not_0(interval: str, least: Fraction | None) -> None:
    assert program_size(normalise(checked(f"P(X) :- diamondminus{interval} Q(X)."))).least_endpoint == least


def test_the_size_of_a_program_without_rules() -> None:
    assert program_size(checked("P()@[0,1].")) == Size(predicates=1, arity=0, rules=0, least_endpoint=None)


def test_theorem_12() -> None:
    size = Size(predicates=3, arity=2, rules=4, least_endpoint=Fraction(1))
    bound = bound_for_algorithm_1(Fraction(4), Fraction(1), Fraction(1, 2), size, 10)
    assert bound == (4 * (5 * 2 + 1) ** 2 + 1) * 3 * 10**2


def test_theorem_15_in_both_readings() -> None:
    size = Size(predicates=3, arity=2, rules=4, least_endpoint=Fraction(2))
    bound = bound_for_algorithm_6(Fraction(4), Fraction(2), Fraction(1), size, 10)
    assert bound.as_proved == 9 * (2 * (4 + 2) * 4 * 3) ** 2 * 3 * 10**2
    assert bound.as_printed == 9 * (2 * (4 + 2) * 4**3) ** 2 * 3 * 10**2
    assert bound.larger == bound.as_printed


def test_theorem_15_without_endpoints_or_with_far_too_many_steps() -> None:
    still = Size(predicates=1, arity=1, rules=1, least_endpoint=None)
    assert bound_for_algorithm_6(Fraction(0), Fraction(1), math.inf, still, 2).as_printed == 9 * 4**2 * 2
    many = Size(predicates=1, arity=1, rules=7, least_endpoint=None)
    bound = bound_for_algorithm_6(Fraction(0), Fraction(1), math.inf, many, 2)
    assert (bound.as_proved, bound.as_printed) == (9 * (4 * 7) ** 2 * 2, 9 * 4**2 * 2)
    assert bound.larger == bound.as_proved
    tiny = Size(predicates=1, arity=1, rules=9, least_endpoint=Fraction(1, 10**6))
    bound = bound_for_algorithm_6(Fraction(5), Fraction(1), Fraction(1), tiny, 2)
    assert bound.as_printed is None
    assert bound.larger is None


# the report


@pytest.mark.parametrize(
    ("text", "algorithm"),
    [
        (PAPER, 6),
        ("P(X) :- Q(X).", 1),
        ("P(X) :- diamondminus[1,1] Q(X).", 1),
        ("P(X) :- diamondminus[0,1] Q(X), not R(X).", 1),
        ("P(X) :- diamondminus[0,1] Q(X, S), S > 3.", 1),
        ("timeline integer. P(X) :- diamondminus[0,1] Q(X).", 1),
        ("P(X) :- diamondplus[0,1] Q(X).", None),
        ("P(X) :- boxminus[0,inf) Q(X).", None),
    ],
)
def test_the_report_says_which_algorithm_applies(text: str, algorithm: int | None) -> None:
    report = analyse(checked(text))
    assert report.algorithm == algorithm
    assert bool(report.why_no_algorithm) == (algorithm is None)


def test_the_report_for_people() -> None:
    text = """
    unit 1min. tick 1s.
    input Signal(node: string).
    input Connect(from, to).
    Flag(X, Z) :- Monit(X, Z), boxminus[0,4] diamondminus[0,2] Signal(Z).
    boxplus[0,3] Monit(X, Z) :- Flag(Y, Z), Connect(X, Y).
    """
    assert analyse(checked(text), domain_size=10).to_text() == (
        "dialect      forward-propagating DatalogMTL\n"
        "timeline     rational, the number 1 is 60 s, tick 1/60\n"
        "rules        2\n"
        "predicates\n"
        "  Signal(node: string)  input\n"
        "  Connect(from, to)     input\n"
        "  Flag/2                derived\n"
        "  Monit/2               derived\n"
        "recursion\n"
        "  Flag and Monit into the past: without --to it may derive ever later facts\n"
        "streaming    Algorithm 6: no stream makes it hold more than a fixed number of facts\n"
        "window       4 with the parts of nested formulas kept (6 without)\n"
        "granularity  2\n"
        "memory       at most, for 10 values, steps of 1/60, one time point at a time:\n"
        "  163,979,900 facts if the times are multiples of 1/60 (Theorem 12)\n"
        "  40,656,700 facts for any stream (Theorem 15, as its proof goes)\n"
        "  6,300,000,000 facts for any stream (Theorem 15, as printed)\n"
        "shards       1 stage\n"
        "  1  Flag and Monit by the node of Signal\n"
        "     every shard gets all of Connect (not background: each takes in the whole)\n"
        "  a stage is as slow as its most frequent key; where keys have few values, few shards are busy"
    )


def test_the_report_shows_strata_reasons_and_constraints() -> None:
    text = "P(X) :- A(X), not Q(X). Q(X) :- boxplus[0,1] B(X). ⊥ :- P(X), B(X). Now(X) :- Now(X), P(X)."
    written = analyse(checked(text)).to_text()
    assert "DatalogMTL with stratified negation" in written
    assert "  1  A, Q, B" in written
    assert "boxplus in rule 2 (test.rules:1:25)" in written
    assert "⊥ in the head in rule 3" in written
    assert "Now at one time point: finite" in written


def test_the_report_as_json_has_exact_numbers_as_strings() -> None:
    report = analyse(checked("tick 1/3. P(X) :- diamondminus[1/3,1] P(X)."), domain_size=5)
    data = json.loads(json.dumps(report.to_json()))
    assert (data["tick"], data["window"], data["granularity"]) == ("1/3", "1", "2/3")
    assert data["recursion"][0]["bounds"] == ["--to"]
    assert data["bounds_needed"] == ["--to"]
    assert data["memory"]["theorem_12"] == str(report.memory.algorithm_1)


def test_the_memory_as_json_says_what_it_is_computed_from() -> None:
    report = analyse(checked("tick 1/3. P(X) :- diamondminus[1/3,1] P(X)."), domain_size=5)
    memory = report.to_json()["memory"]
    theorem = report.memory.algorithm_6
    assert memory == {
        "domain_size": 5,
        "step": "1/3",
        "tick": "1/3",
        "theorem_12": str(report.memory.algorithm_1),
        "theorem_15_as_proved": str(theorem.as_proved),
        "theorem_15_as_printed": str(theorem.as_printed),
    }


def test_programs_in_use_get_a_report(shared_data) -> None:
    for path in sorted((shared_data / "programs").glob("*.txt")):
        if path.stem != "meteor-aaai22-w":
            assert analyse(checked(path.read_text())).to_text()


def test_the_papers_programs_have_the_windows_of_the_paper(shared_data) -> None:
    windows = {
        name: analyse(checked((shared_data / "programs" / f"{name}.txt").read_text())).window
        for name in ("short_stop", "meteor_recursive", "meteor_nonrecursive")
    }
    assert windows == {"short_stop": 5, "meteor_recursive": 1, "meteor_nonrecursive": 1}


def test_the_dialect_lists_what_is_beyond_it():
    text = "Q(X, N) :- N = count { Y : P(X, Y) }, N > 2, not R(X)."
    assert (
        analyse(checked(text))
        .to_text()
        .splitlines()[0]
        .endswith("with stratified negation, comparisons and aggregates")
    )


def test_negation_is_called_stratified_where_it_is():
    text = "P(X) :- A(X), not B(X)."
    assert dialect_of(checked(text)) == "Datalog at each time point with stratified negation"
    unstratified = thalweg.parse(text.replace("B", "P"), stratified=False)
    assert dialect_of(unstratified) == "Datalog at each time point with negation"


def test_the_chase_as_json_says_where_its_timeline_comes_from():
    text = "exists Y: Q(X, Y) at T + 1 :- P(X) at T. P(Y) :- Q(X, Y)."
    chase = analyse(checked(f"timeline integer from 0 to 5. {text}")).to_json()["chase"]
    assert (chase["timeline"], chase["timeline_is"]) == ([0, 5], "declared")
    chase = analyse(checked(f"timeline integer. {text}")).to_json()["chase"]
    assert (chase["timeline"], chase["timeline_is"]) == (None, None)


def test_the_report_as_json_says_what_reads_the_future():
    data = analyse(checked("P(X) :- diamondplus[1,2] P(X), not A(X).")).to_json()
    assert data["violations"] == [{"rule": 1, "construct": "diamondplus", "place": "test.rules:1:9"}]
    assert data["extensions"] == [{"rule": 1, "construct": "not", "place": "test.rules:1:32"}]
    assert data["recursion"] == [
        {
            "predicates": ["P"],
            "reads": "future",
            "may_be_infinite": True,
            "bounds": ["--from"],
            "makes_values": False,
        }
    ]


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        ("diamondminus[1,1]", "0, because an interval is a single time point: memory depends on the stream"),
        ("diamondplus[1,1]", "0"),
        ("diamondminus[0,1]", "1"),
    ],
)
def test_why_the_granularity_is_0_is_said_where_memory_depends_on_it(operator, said):
    assert f"granularity  {said}" in analyse(checked(f"P(X) :- {operator} A(X).")).to_text().splitlines()
