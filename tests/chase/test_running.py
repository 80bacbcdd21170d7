"""Running rules that make new values: options, limits, refusals."""

import pytest

import thalweg
from thalweg.cli.main import run_command
from thalweg.engine import window
from thalweg.errors import DataError, ProgramError, ReasoningError, UsageError

ENDLESS = """timeline integer.
input Person(X).
exists Y: Parent(X, Y) :- Human(X).
Human(X) :- Person(X).
Human(Y) :- Parent(X, Y).
"""
BELTS = """timeline integer.
input Belt(B).
input Works(B, O).
Operator(B, O) :- Works(B, O).
exists O: Operator(B, O) :- Belt(B).
"""


def parse(text):
    return thalweg.parse(text, "test")


class TestLimits:
    def test_a_program_that_may_not_end_needs_one(self):
        with pytest.raises(ProgramError, match=r"E345.*Human.1 -\*-> Parent.2"):
            thalweg.materialise(parse(ENDLESS), "Person(ann)@1")
        with pytest.raises(ProgramError, match="E345"):
            thalweg.StreamReasoner(parse(ENDLESS), "Human")

    @pytest.mark.parametrize(
        ("limit", "reason"),
        [({"max_nulls": 7}, "more than 7 new values"), ({"max_depth": 4}, "more than 4 deep")],
        ids=["nulls", "depth"],
    )
    def test_the_rule_that_ran_away_is_named(self, limit, reason):
        with pytest.raises(ReasoningError, match=rf"test:3:1: error\[E506\]: rule 1 ran away: .*{reason}"):
            thalweg.materialise(parse(ENDLESS), "Person(ann)@1", **limit)
        reasoner = thalweg.StreamReasoner(parse(ENDLESS), "Human", **limit)
        with pytest.raises(ReasoningError, match="rule 1 ran away"):
            reasoner.advance("Person(ann)@1", 1)

    def test_a_limit_that_is_not_reached_changes_nothing(self):
        program = parse(BELTS)
        model = thalweg.materialise(program, "Belt(b1)@[1,3]", max_nulls=3, max_depth=1)
        assert model.count("Operator") == 3

    def test_the_limit_is_on_what_a_stream_holds(self):
        reasoner = thalweg.StreamReasoner(parse(BELTS), "Operator", max_nulls=200_000)
        counts = [reasoner.advance(f"Belt(b1)@{time}", time).count("Operator") for time in range(50)]
        assert counts == [1] * 50


class TestEndlessBodies:
    def test_a_new_value_at_each_of_infinitely_many_time_points(self):
        program = parse("timeline integer. background Belt(B). Belt(b1). exists O: Operator(B, O) :- Belt(B).")
        with pytest.raises(ReasoningError, match=r"(?s)E505.*exists … per …"):
            thalweg.materialise(program)
        assert thalweg.materialise(program, end=3).count("Operator") == 4

    def test_on_a_stream_they_come_as_it_advances(self):
        program = parse("timeline integer. background Belt(B). Belt(b1). exists O: Operator(B, O) :- Belt(B).")
        reasoner = thalweg.StreamReasoner(program, "Operator")
        assert [reasoner.advance("", time).count("Operator") for time in (2, 3, 10)] == [3, 1, 7]

    def test_too_many_time_points(self):
        with pytest.raises(ReasoningError, match=r"E505.*too many time points"):
            thalweg.materialise(parse(BELTS), f"Belt(b1)@[0,{10**12}]")


class TestRestricted:
    def test_makes_nothing_where_the_head_holds(self):
        model = thalweg.materialise(parse(BELTS), "Belt(b1)@1\nBelt(b2)@1\nWorks(b1,ann)@1", chase="restricted")
        assert model.to_text("Operator") == "Operator(b1,ann)@[1,1]\nOperator(b2,_:O.2(b2@1))@[1,1]"

    def test_rules_come_in_the_order_of_the_program(self):
        first = "exists Y: R(X, Y) :- A(X)."
        second = "exists Y: R(X, Y), S(Y) :- A(X)."
        for rules, count in (((first, second), 2), ((second, first), 1)):
            program = parse("timeline integer. input A(X).\n" + "\n".join(rules))
            assert thalweg.materialise(program, "A(a)@1", chase="restricted").count("R") == count

    def test_is_no_chase_for_streams_or_spark(self, tmp_path, capsys):
        program, facts = tmp_path / "belts.rules", tmp_path / "belts.facts"
        program.write_text(BELTS)
        facts.write_text("Belt(b1)@1\n")
        for more in ([], ["--in-process", "--stream"]):
            assert run_command(["run", str(program), str(facts), "--chase", "restricted", *more]) == 2
            assert "--chase restricted goes with --in-process, without --stream" in capsys.readouterr().err
        assert run_command(["run", str(program), str(facts), "--chase", "restricted", "--in-process"]) == 0
        assert "Operator(b1,_:O.2(b1@1))@[1,1]" in capsys.readouterr().out

    def test_another_chase_is_none(self):
        with pytest.raises(UsageError, match="skolem or restricted"):
            thalweg.materialise(parse(BELTS), "", chase="oblivious")


class TestInput:
    def test_texts_that_look_like_nulls_are_refused_where_rules_make_nulls(self):
        with pytest.raises(DataError, match=r"E438.*_:x\" looks like a null"):
            thalweg.materialise(parse(BELTS), 'Belt("_:x")@1')
        with pytest.raises(DataError, match="E438"):
            thalweg.materialise(parse(BELTS), {"Belt": {"B": ["_:x"], "time": [1]}})

    def test_elsewhere_they_are_texts(self):
        program = parse("timeline integer. input Belt(B). Seen(B) :- Belt(B).")
        assert thalweg.materialise(program, 'Belt("_:x")@1').to_text("Seen") == 'Seen("_:x")@[1,1]'

    def test_order_and_arithmetic_are_refused(self):
        program = parse(BELTS + "Late(B) :- Operator(B, O), O > 5.")
        with pytest.raises(ReasoningError, match=r"E502.*_:O.2\(b1@1\) is a new value"):
            thalweg.materialise(program, "Belt(b1)@1")

    def test_equality_is_not(self):
        program = parse(BELTS + "Other(B) :- Operator(B, O), Operator(B, P), O != P.")
        assert thalweg.materialise(program, "Belt(b1)@1\nWorks(b1,ann)@1").count("Other") == 1


def test_tables_have_nulls_as_texts():
    table = thalweg.materialise(parse(BELTS), "Belt(b1)@1").table("Operator")
    assert table.column("arg2").to_pylist() == ["_:O.2(b1@1)"]


def test_a_snapshot_holds_the_nulls():
    program = parse(BELTS + "Twice(O) :- window[last 3] some Operator(B, O), not Operator(B, O).")
    one = thalweg.StreamReasoner(program, ["Operator", "Twice"])
    one.advance("Belt(b1)@1", 1)
    other = thalweg.StreamReasoner(program, ["Operator", "Twice"])
    other.restore(one.snapshot())
    assert other.advance("Belt(b1)@2", 2).facts() == one.advance("Belt(b1)@2", 2).facts()


def test_what_lies_ahead_is_deferred_not_lost():
    """Definition 2 (i): a head beyond the present is inferred once the present has come there."""
    program = parse(
        "timeline integer. input Order(X)."
        " exists P: Parcel(X, P), (Due(P) at T + 3) :- Order(X), window[last 0] (top at T)."
    )
    reasoner = thalweg.StreamReasoner(program, ["Parcel", "Due"])
    said = [reasoner.advance("Order(o1)@1" if time == 1 else "", time).to_text() for time in range(1, 6)]
    assert said == ["Parcel(o1,_:P.1(o1,4@1))@[1,1]", "", "", "Due(_:P.1(o1,4@1))@[4,4]", ""]


def test_beyond_the_end_of_the_timeline_nothing_is_inferred():
    program = parse(
        "timeline integer from 0 to 5. input Order(X)."
        " exists P: Parcel(X, P), (Due(P) at T + 3) :- Order(X), window[last 0] (top at T)."
    )
    model = thalweg.materialise(program, "Order(o1)@[1,4]")
    assert model.to_text("Parcel") == "Parcel(o1,_:P.1(o1,4@1))@[1,1]\nParcel(o1,_:P.1(o1,5@2))@[2,2]"
    assert model.to_text("Due") == "Due(_:P.1(o1,4@1))@[4,4]\nDue(_:P.1(o1,5@2))@[5,5]"


def test_answers_keep_nulls_that_the_stream_forgets(monkeypatch):
    monkeypatch.setattr(window, "_FEW_NULLS", 0)
    reasoner = thalweg.StreamReasoner(parse(BELTS), "Operator", step=1)
    said = [reasoner.advance(f"Belt(b{time})@{time}\nBelt(c)@{time + 1}", time + 2) for time in range(0, 30, 3)]
    for time, model in zip(range(0, 30, 3), said, strict=True):
        expected = f"Operator(b{time},_:O.2(b{time}@{time}))@[{time},{time}]\nOperator(c,_:O.2(c@{time + 1}))"
        assert model.to_text() == f"{expected}@[{time + 1},{time + 1}]"


def test_the_groups_of_an_aggregate_are_those_of_all_heads():
    program = parse("timeline integer. input b(X, Y). exists Z: p(X, Z), q(K) :- K = count { Y : b(X, Y) }.")
    model = thalweg.materialise(program, "b(c,d)@1\nb(e,f)@1\nb(e,g)@1")
    assert model.to_text("q") == "q(1)@[1,1]\nq(2)@[1,1]"
