"""How programs are split over shards and stages."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from checking import checked

import thalweg
from thalweg.analysis.sharding import Sharding, ShardStage, plan_shards
from thalweg.analysis.sharding.keys import clause_of
from thalweg.analysis.sharding.reasons import ordinal
from thalweg.analysis.sharding.together import Work
from thalweg.model.formula import Atom, Variable
from thalweg.model.program import Program, Rule, Signature
from thalweg.syntax.ast import Parameter

TRAFFIC = Path(thalweg.__file__).parent / "examples" / "traffic.rules"

EXAMPLE_1 = """
    Flag(X, Z) :- Monit(X, Z), boxminus[0,4] diamondminus[0,2] Signal(Z).
    boxplus[0,3] Monit(X, Z) :- Flag(Y, Z), Connect(X, Y).
"""


def plan(text: str, *queries: str, background: tuple[str, ...] = ()) -> Sharding:
    return plan_shards(checked(text), queries or None, background)


def only_stage(text: str, *queries: str, background: tuple[str, ...] = ()) -> ShardStage:
    (stage,) = plan(text, *queries, background=background).stages
    return stage


def reasons(text: str) -> tuple[str, ...]:
    stage = only_stage(text)
    assert not stage.is_split
    return stage.reasons


# programs of the papers and the examples


def test_stops_in_traffic_are_keyed_by_the_vehicle() -> None:
    stage = only_stage(TRAFFIC.read_text(), "ShortStop", "Stuck")
    assert stage.predicates == ("Moving", "Slow", "ShortStop", "Stuck")
    assert stage.keys == {"Moving": 0, "Slow": 0, "ShortStop": 0, "Stuck": 0, "Speed": 0}
    assert (stage.replicated, stage.copied, stage.reasons) == ((), frozenset(), ())
    assert [rule.number for rule in stage.rules] == [1, 2, 3, 4]


def test_jams_are_keyed_by_the_road_in_a_second_stage() -> None:
    first, second = plan(TRAFFIC.read_text()).stages
    assert (first.predicates[-1], first.keys["Stuck"]) == ("Stuck", 0)
    assert second.predicates == ("Jam",)
    assert second.keys == {"Jam": 0, "On": 1, "Closed": 0}
    assert (second.replicated, second.reads) == (("Stuck",), ("On", "Closed", "Stuck"))


def test_example_1_of_the_journal_paper_is_keyed_by_the_signal() -> None:
    # Flags spread from node to node, but each signal is a world of its own.
    stage = only_stage(EXAMPLE_1)
    assert stage.keys == {"Flag": 1, "Monit": 1, "Signal": 0}
    assert stage.replicated == ("Connect",)
    assert not stage.copied


def test_programs_in_use_have_a_plan(shared_data: Path) -> None:
    for path in sorted((shared_data / "programs").glob("*.txt")):
        if path.stem != "meteor-aaai22-w":
            sharding = plan(path.read_text())
            assert sharding.to_text()
            assert all(stage.is_split or stage.reasons for stage in sharding.stages)


# keys


@pytest.mark.parametrize(
    "body",
    [
        "A(X), B(Y, X)",
        "A(X), not B(_, X)",
        "A(X), boxminus[0,1] diamondplus[0,2] B(Y, X)",
        "A(X) since[0,3] B(Y, X)",
        "B(Y, X) until[0,3] A(X)",
        "diamondminus[0,1] (A(X), B(Y, X))",
        "A(X), not (C(Y) since[0,1] B(_, X)), C(Y)",
    ],
)
def test_atoms_count_wherever_they_stand(body: str) -> None:
    stage = only_stage(f"input A(x). input B(x, y). input C(x). P(X) :- {body}.")
    assert {name: stage.keys[name] for name in ("P", "A", "B")} == {"P": 0, "A": 0, "B": 1}


def test_the_key_is_the_argument_with_which_the_least_is_replicated() -> None:
    text = "P(X, Y) :- A(X, Y), B(Y), C(Y), D(X)."
    assert only_stage(text).keys["P"] == 1
    assert only_stage(text, background=("B", "C")).keys["P"] == 0
    assert only_stage(text, background=("B", "C", "D")).keys["P"] == 1


def test_of_equal_keys_the_first_argument_is_taken() -> None:
    assert only_stage("P(X, Y) :- A(Y, X).").keys == {"P": 0, "A": 1}
    assert only_stage("P(X) :- A(X, X).").keys == {"P": 0, "A": 0}


def test_background_is_replicated_rather_than_input() -> None:
    text = "P(X, Y) :- A(X), B(Y)."
    assert only_stage("background A(x). input B(x)." + text).replicated == ("A",)
    assert only_stage("background B(x). input A(x)." + text).replicated == ("B",)


def test_keys_follow_a_recursion_through_changing_places() -> None:
    text = "P(X, Y) :- A(X, Y). P(X, Y) :- Q(Y, Z, X). Q(Y, X, Z) :- P(Z, X), B(Y)."
    stage = only_stage(text)
    assert (stage.keys["P"], stage.keys["Q"], stage.replicated) == (0, 2, ("B",))


def test_a_key_is_found_where_a_variable_occurs_twice() -> None:
    # By Q's first argument the recursion contradicts itself.
    stage = only_stage("P(X, Y) :- A(X, Y). P(X, Y) :- Q(X, Y, Y). Q(Z, X, Y) :- P(X, Y), P(Z, Y).")
    assert (stage.keys["P"], stage.keys["Q"]) == (1, 2)


def test_what_is_not_needed_is_left_out() -> None:
    text = "P(X) :- A(X). Q(X) :- B(X). R(X) :- P(X). ⊤ :- A(X)."
    assert only_stage(text, "R").predicates == ("P", "R")
    assert [rule.number for rule in only_stage(text, "R").rules] == [1, 3]
    assert only_stage(text, "Q").predicates == ("Q",)


# stages


def test_two_recursions_with_the_same_key_share_a_stage() -> None:
    stage = only_stage("P(X, Y) :- A(X, Y). P(X, Y) :- P(X, Z), B(Z, Y). Q(X) :- P(X, Y). Q(X) :- Q(X), C(X).")
    assert (stage.predicates, stage.keys["Q"]) == (("P", "Q"), 0)


def test_of_two_recursions_one_may_have_a_key() -> None:
    first, second = plan("P(X, Y) :- A(X, Y). P(X, Y) :- P(Y, X). Q(X) :- P(X, Y). Q(X) :- Q(X), B(X).").stages
    assert (first.predicates, first.is_split) == (("P",), False)
    assert (second.predicates, second.keys) == (("Q",), {"Q": 0, "P": 0, "B": 0})


def test_the_key_of_a_stage_is_chosen_again_when_a_component_joins() -> None:
    # By itself P would be keyed by its first argument.
    assert only_stage("P(X, Y) :- A(X, Y). Q(Y) :- P(X, Y).").keys == {"P": 1, "Q": 0, "A": 1}
    assert only_stage("P(X, Y) :- A(X, Y). Q(Y) :- A(X, Y).").keys == {"P": 1, "Q": 0, "A": 1}


def test_a_component_that_would_have_more_replicated_gets_a_stage_of_its_own() -> None:
    first, second = plan("P(X) :- A(X, Y). Q(Y) :- A(X, Y).").stages
    assert (first.keys, second.keys) == ({"P": 0, "A": 0}, {"Q": 0, "A": 1})


def test_a_component_joins_the_earliest_stage_that_suits_it() -> None:
    text = "P(X) :- A(X, Y). Q(Y) :- A(X, Y). R(X) :- P(X), B(X). S(X) :- Q(X), B(X)."
    assert [stage.predicates for stage in plan(text).stages] == [("P", "R"), ("Q", "S")]


def test_background_may_be_replicated_to_save_a_stage() -> None:
    stage = only_stage("background On(v, r). input A(v). input B(r). P(V) :- A(V), On(V, R). Q(R) :- B(R), On(V, R).")
    assert (stage.keys, stage.replicated) == ({"P": 0, "A": 0, "Q": 0, "B": 0}, ("On",))


def test_what_has_no_key_shares_one_shard() -> None:
    text = "P :- A(X). Q :- P, B(X). R(X) :- A(X), not Q."
    first, second = plan(text).stages
    assert (first.predicates, first.is_split, first.replicated) == (("P", "Q"), False, ("A", "B"))
    assert (second.predicates, second.keys, second.replicated) == (("R",), {"R": 0, "A": 0}, ("Q",))


def test_stages_come_in_the_order_in_which_they_are_needed() -> None:
    sharding = plan("P(X) :- A(X, Y). Alarm :- P(X). Q(Y) :- A(X, Y), Alarm. R(X) :- Q(X), P(Y).")
    available: set[str] = set()
    for stage in sharding.stages:
        assert set(stage.reads) - {"A"} <= available
        available |= set(stage.predicates)


# one shard, and why


def test_a_predicate_without_arguments_has_no_key() -> None:
    assert reasons("Alarm :- P(X).") == ("rule 1 (test.rules:1:1): Alarm has no arguments",)


def test_a_constant_at_the_key() -> None:
    assert reasons("P(5) :- Q(X).") == ("rule 1 (test.rules:1:1): the constant 5 stands at the key of P",)
    assert reasons("P(X) :- Q(X), P(a).") == (
        "rule 1 (test.rules:1:1): the recursion of P reads P(a) for P(X): P(a) has only constants",
    )


def test_a_recursion_from_one_key_to_another() -> None:
    assert reasons("P(X) :- A(X). P(X) :- E(X, Y), P(Y).") == (
        "rule 2 (test.rules:1:15): the recursion of P reads P(Y) for P(X): no variable is common to both",
    )
    assert reasons("P(X, Y) :- A(X, Y). P(X, Y) :- P(Y, X).") == (
        "rule 2 (test.rules:1:21): the recursion of P reads P(Y, X) for P(X, Y): no variable is at the keys of both",
    )


def test_a_contradiction_between_rules_names_one_for_each_argument() -> None:
    found = reasons("P(X, Y) :- A(X, Y). P(X, Y) :- P(X, Z), B(Z, Y). P(X, Y) :- P(Z, Y), B(Z, X).")
    assert [reason.split(" (")[0] for reason in found] == ["rule 3", "rule 2"]


def test_a_calculated_key() -> None:
    assert reasons("P(Y) :- Q(X), Y = X + 1.") == ("rule 1 (test.rules:1:1): nothing that must hold has the key of P",)
    assert reasons("P(X + 1) :- Q(X).") == ("rule 1 (test.rules:1:1): nothing that must hold has the key of P",)


def test_a_join_of_a_predicate_with_itself() -> None:
    assert reasons("input Speed(v, s). Faster(V, W) :- Speed(V, S), Speed(W, T), S > T.") == (
        "rule 1 (test.rules:1:20): by the key V every shard needs all of Speed, for Speed(W, T)",
        "rule 1 (test.rules:1:20): by the key W every shard needs all of Speed, for Speed(V, S)",
    )


def test_what_is_derived_from_background_alone_is_not_split() -> None:
    text = "background On(v, r). Same(V, W) :- On(V, R), On(W, R)."
    assert reasons(text) == ("only background is read: every shard would derive everything",)


# copies


def test_what_every_shard_derives_is_copied() -> None:
    text = "background On(v, r). input Speed(v). Same(V, W) :- On(V, R), On(W, R). Next(V, W) :- Speed(V), Same(V, W)."
    stage = only_stage(text)
    assert (stage.keys, stage.replicated) == ({"Same": 0, "Next": 0, "Speed": 0}, ("On",))
    assert stage.copied == {"Same"}


def test_copies_are_passed_on_where_nothing_else_is_split() -> None:
    text = (
        "background On(v, r). input Speed(v). Same(V, W) :- On(V, R), On(W, R). Mirror(W, V) :- Same(W, V)."
        "Next(V, W) :- Speed(V), Mirror(V, W)."
    )
    assert only_stage(text).copied == {"Same", "Mirror"}


def test_a_rule_with_a_constant_key_is_applied_by_every_shard() -> None:
    stage = only_stage("P(X) :- A(X). P(3) :- B(X). Q(X) :- P(X), C(X).")
    assert (stage.keys, stage.replicated) == ({"P": 0, "Q": 0, "A": 0, "C": 0}, ("B",))
    assert stage.copied == {"P"}


@pytest.mark.parametrize("doubtful", ["not In(X, Y)", "In(X, Y) since[0,1] Bg(Y)"])
def test_what_need_not_hold_does_not_keep_a_rule_to_one_shard(doubtful: str) -> None:
    # A shard that lacks the facts of In derives P wrongly, of keys that are not its own.
    text = f"background Bg(x). input In(x, y). input Key(x). P(X) :- Key(X). P(X) :- Bg(X), Bg(Y), {doubtful}."
    stage = only_stage(text)
    assert (stage.keys, stage.replicated) == ({"P": 0, "Key": 0, "In": 0}, ("Bg",))
    assert stage.copied == {"P"}


# constraints


def test_a_constraint_is_checked_in_the_stage_that_derives_what_it_reads() -> None:
    stage = only_stage("P(X) :- A(X). ⊥ :- P(X), not B(X).")
    assert [rule.number for rule in stage.rules] == [1, 2]
    assert stage.keys == {"P": 0, "A": 0, "B": 0}


def test_a_constraint_over_two_keys_may_need_replication() -> None:
    stage = only_stage("P(X) :- A(X). ⊥ :- P(X), B(Y), X != Y.")
    assert (stage.keys, stage.replicated) == ({"P": 0, "A": 0}, ("B",))


def test_a_constraint_may_need_a_stage_of_its_own() -> None:
    first, second = plan("P(X, Y) :- A(X, Y), B(X). ⊥ :- P(X, Y), C(Y).").stages
    assert (first.predicates, first.keys) == (("P",), {"P": 0, "A": 0, "B": 0})
    assert (second.predicates, second.keys) == ((), {"P": 1, "C": 0})
    assert [rule.number for rule in second.rules] == [2]


def test_a_constraint_needs_something_that_holds_on_one_shard_only() -> None:
    # With Reg replicated every shard would miss the facts of In that are on the others.
    text = "background Reg(x). input In(x). P(X) :- In(X), Reg(Y). ⊥ :- Reg(X), not In(X)."
    first, second = plan(text).stages
    assert (first.keys, first.replicated) == ({"P": 0, "In": 0}, ("Reg",))
    assert (second.rules[0].number, second.keys) == (2, {"Reg": 0, "In": 0})


def test_a_constraint_stays_on_one_shard_where_everything_is_that_it_reads() -> None:
    stage = only_stage("P(X) :- A(X). P(X) :- E(X, Y), P(Y). ⊥ :- P(X), A(X).")
    assert [rule.number for rule in stage.rules] == [1, 2, 3]


def test_a_constraint_without_variables_needs_one_shard() -> None:
    first, second = plan("P(X) :- A(X). ⊥ :- Alarm.").stages
    assert first.is_split
    assert second.reasons == ("rule 2 (test.rules:1:15): only Alarm must hold, which has no variable for a key",)


def test_constraints_alone_are_planned() -> None:
    assert only_stage("⊥ :- A(X), B(X, Y).").keys == {"A": 0, "B": 0}


# queries on input


def test_a_query_on_input_is_answered_where_it_is_read_by_key() -> None:
    sharding = plan("P(X) :- A(Y, X).", "P", "A")
    assert [stage.keys for stage in sharding.stages] == [{"P": 0, "A": 1}]
    assert (sharding.queries, sharding.stage_of("A")) == (("P", "A"), 0)


def test_a_query_on_input_that_is_not_read_joins_a_stage() -> None:
    stage = only_stage("input A(x). input B(x). P(X) :- A(X).", "P", "B")
    assert (stage.keys, stage.reads) == ({"P": 0, "A": 0, "B": 0}, ("A", "B"))


def test_a_query_on_input_that_is_replicated_gets_a_stage_without_rules() -> None:
    sharding = plan(EXAMPLE_1, "Flag", "Connect")
    assert (sharding.stages[1].rules, sharding.stages[1].keys) == ((), {"Connect": 0})
    assert [sharding.stage_of(name) for name in ("Flag", "Connect")] == [0, 1]


def test_a_program_without_rules_can_be_asked_for_its_input() -> None:
    first, second = plan("input A(x, y). input Alarm.", "A", "Alarm").stages
    assert (first.keys, first.reads, first.is_split) == ({"A": 0}, ("A",), True)
    assert (second.reads, second.is_split, second.reasons) == (("Alarm",), False, ("Alarm has no arguments",))


def test_an_empty_program_has_no_stages() -> None:
    assert plan("% nothing").stages == ()


# large programs

SIZE = 10_000
X, Y = Variable("X"), Variable("Y")
CHAIN = [(Atom(f"P{i}", (X, Y)), Atom(f"P{i + 1}", (X, Y)), Atom("A", (X,))) for i in range(SIZE)]
RING = [(Atom(f"P{i}", (X, Y)), Atom(f"P{(i + 1) % SIZE}", (X, Y)), Atom("A", (X,))) for i in range(SIZE)]
TWICE = [(Atom(f"P{i}", (X, X)), Atom(f"P{(i + 1) % SIZE}", (X, X)), Atom("A", (X,))) for i in range(SIZE)]
ONE_INPUT = [(Atom(f"P{i}", (X, Y)), Atom("A", (X, Y))) for i in range(SIZE)]
CONFLICTS = [(Atom(f"P{i}", (X,)), Atom(f"A{i % 40}", (X, Y)), Atom(f"A{i % 39}", (Y, X))) for i in range(SIZE)]


@pytest.mark.parametrize("rules", [CHAIN, RING, TWICE, ONE_INPUT, CONFLICTS])
def test_ten_thousand_rules_are_planned_in_seconds(rules: list[tuple[Atom, ...]]) -> None:
    signatures = {
        atom.predicate: Signature(atom.predicate, (Parameter(None),) * len(atom.arguments))
        for rule in rules
        for atom in rule
    }
    program = Program(tuple(Rule(head, tuple(body)) for head, *body in rules), signatures=signatures)
    started = time.process_time()
    sharding = plan_shards(program)
    assert time.process_time() - started < 20
    assert sum(len(stage.rules) for stage in sharding.stages) == SIZE


# for people and for programs


def test_the_text_names_stages_keys_replication_and_skew() -> None:
    assert plan(TRAFFIC.read_text()).to_text() == (
        "shards       2 stages\n"
        "  1  Moving, Slow, ShortStop and Stuck by the vehicle of Speed\n"
        "  2  Jam by the road of On and Closed\n"
        "     every shard gets all of Stuck (not background: each takes in the whole)\n"
        "  a stage is as slow as its most frequent key; where keys have few values, few shards are busy"
    )


def test_the_text_gives_positions_where_arguments_have_no_names() -> None:
    lines = plan(EXAMPLE_1, background=("Connect",)).to_text().splitlines()
    assert lines[1:3] == [
        "  1  Flag and Monit by the 1st argument of Signal",
        "     every shard gets all of Connect (background)",
    ]


def test_the_text_tells_of_copies_and_reasons() -> None:
    written = plan("P(X) :- A(X). P(3) :- B(X). Alarm :- P(X).").to_text()
    assert "     derived by several shards, given out by one: P\n" in written
    assert "  2  Alarm on one shard:\n     rule 3 (test.rules:1:29): Alarm has no arguments\n" in written


def test_the_text_keeps_long_lists_short() -> None:
    text = "".join(f"P{i} :- A{i}(X). Q{i}(X) :- A{i}(X), P{i}, Q{i - 1}(Y). " for i in range(1, 12))
    lines = plan("Q0(X) :- A(X)." + text).to_text().splitlines()
    assert len(lines) < 60
    assert any(line.startswith("  and ") for line in lines)


def test_without_rules_the_text_says_that_nothing_is_derived() -> None:
    assert plan("% nothing").to_text() == "shards       none: nothing is derived"


def test_the_json_has_everything() -> None:
    data = json.loads(json.dumps(plan(TRAFFIC.read_text()).to_json()))
    assert data["queries"][:2] == ["ShortStop", "Stuck"]
    assert data["stages"][1] == {
        "predicates": ["Jam"],
        "rules": [5],
        "keys": {
            "Jam": {"argument": 0, "name": "road"},
            "On": {"argument": 1, "name": "road"},
            "Closed": {"argument": 0, "name": "road"},
        },
        "replicated": ["Stuck"],
        "copied": [],
        "split": True,
        "reasons": [],
    }


def test_ordinals() -> None:
    assert [ordinal(place) for place in (0, 1, 2, 3, 10, 20)] == ["1st", "2nd", "3rd", "4th", "11th", "21st"]


def test_work_is_spent_where_there_is_enough_of_it() -> None:
    work = Work(3)
    assert not work.spend(4)
    assert (work.spend(3), work.left) == (True, 0)


def test_a_window_over_tuples_is_keyed_by_what_it_counts_per() -> None:
    for per, key in ((1, 0), (2, 1)):
        stage = only_stage(f"timeline integer. P(X, Y) :- window[last 3 tuples per {per}] some Q(X, Y).")
        assert stage.keys == {"P": key, "Q": key}
    assert not only_stage("timeline integer. P(X, Y) :- window[last 3 tuples] some Q(X, Y).").is_split


@pytest.mark.parametrize(
    ("body", "guards"),
    [
        ("Domain(X), N = count { Y : P(X, Y) }, N < 3", {"Domain"}),
        ("Domain(X), N = sum { Y : P(X, Y) }, N < 3", {"Domain"}),
        ("Domain(X), N = max { Y : P(X, Y) }, N < 3", {"Domain", "P"}),
        ("N = count { Y : P(X, Y) }, N < 3", {"P"}),
    ],
)
def test_an_aggregate_of_what_may_be_nothing_is_no_guard(body: str, guards: set[str]) -> None:
    (rule,) = checked(f"input Domain(x). input P(x, integer). Q(X) :- {body}.").rules
    assert clause_of(rule, 0).guarding == guards


def test_the_stage_of_a_predicate_that_no_stage_gives_is_asked_for_in_vain() -> None:
    with pytest.raises(KeyError, match="Nobody"):
        plan("P(X) :- A(X).").stage_of("Nobody")


def test_where_a_variable_stands_twice_in_all_atoms_of_a_recursion_its_first_argument_is_the_key() -> None:
    stage = only_stage("P(X, X) :- A(X). P(X, X) :- Q(X, X). Q(X, X) :- P(X, X).")
    assert stage.keys == {"P": 0, "Q": 0, "A": 0}


def test_a_constraint_on_background_alone_may_be_checked_by_every_shard() -> None:
    rules = "bottom :- B(X), X > 3. bottom :- A(X), B(Y), Y > 4."
    stage = only_stage(f"background B(n: integer). input A(x). {rules}")
    assert (stage.keys, stage.replicated) == ({"A": 0}, ("B",))


def test_an_aggregate_is_keyed_by_its_groups() -> None:
    assert only_stage("Q(X, N) :- N = count { Y : P(X, Y) }.").keys == {"Q": 0, "P": 0}
    assert not only_stage("Q(N) :- N = count { Y : P(X, Y) }.").is_split


def test_what_needs_one_shard_shares_it() -> None:
    stage = only_stage("Q :- A(X). R :- B.", "Q", "B")
    assert (stage.predicates, stage.replicated) == (("Q",), ("A", "B"))


def test_rules_share_no_stage_in_which_every_shard_would_apply_one_of_them_in_full() -> None:
    first, second = plan("input A(x). input D(x). P(X) :- A(X). Q(Y) :- D(Y), A(X).").stages
    assert (first.predicates, first.keys) == (("P",), {"P": 0, "A": 0})
    assert (second.predicates, second.replicated) == (("Q",), ("A",))
