"""Parts of the engine by themselves: texts of values, steps at which answers are wanted, limits that are passed on."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import thalweg
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine import window_frames
from thalweg.engine.batch_shard import _wanted_points
from thalweg.engine.csv_file import read_csv
from thalweg.engine.families import of_member
from thalweg.engine.history import History
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.texts import Texts
from thalweg.engine.intake import check_batches, program_batches
from thalweg.engine.output_times import OutputTimes
from thalweg.engine.parquet_file import read_parquet
from thalweg.engine.replay import replay
from thalweg.engine.shard_log import Held, State, compact
from thalweg.engine.tables import read_table
from thalweg.errors import ReasoningError, UsageError
from thalweg.model.fold import fold
from thalweg.time.ticks import POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


def test_texts_of_numbers_names_and_variables_that_are_not_bound():
    values = Values()
    codes = values.encode([Fraction(3), "a", Fraction(1, 2), Fraction(-7)])
    mixed = np.append(codes, UNBOUND)
    assert Texts(values).of(mixed).to_pylist() == ["3", "a", "0.5", "-7", None]
    assert Texts(values).of(np.array([codes[0], UNBOUND])).to_pylist() == ["3", None]
    assert Texts(values).of(codes[1:3]).to_pylist() == ["a", "0.5"]


def test_an_answer_without_an_end_has_no_last_step():
    endless = Relation((), np.array([0]), np.array([POSITIVE_INFINITY]))
    ticks = Ticks(Timeline.INTEGER)
    with pytest.raises(UsageError, match="an answer holds for ever after"):
        _wanted_points(endless, OutputTimes.every(2), ticks, ())
    found = _wanted_points(Relation((), np.array([1]), np.array([5])), OutputTimes.every(2), ticks, ())
    assert found.start.tolist() == [2, 4]


def test_a_stream_of_answers_has_the_limit_that_it_is_given():
    rules = "timeline integer. P(X) :- A(X), not Q(X). Q(X) :- A(X), not P(X)."
    facts = "".join(f"A(a{number})@1\n" for number in range(3000))
    stream = thalweg.AnswerStream(thalweg.parse(rules, stratified=False), mode="one", start=1, max_memory="1m")
    with pytest.raises(ReasoningError) as stopped:
        stream.advance(facts, to=1)
    assert stopped.value.diagnostics[0].code == "E507"


def test_facts_of_one_member_of_a_family_in_any_order():
    # R1 and R2 are one family: its facts have the name of the predicate first.
    values = Values()
    one, other, a, b = values.encode(["R1", "R2", "a", "b"])
    columns = np.array([other, one, one]), np.array([a, b, a]), np.array([b, b, a])
    family = Relation(columns, np.array([1, 5, 2]), np.array([3, 6, 4]))
    folding = replace(fold(thalweg.parse("Q(X) :- P(X).")), family_of={"R1": "#R", "R2": "#R"})
    found = of_member("R1", family, folding, values)
    assert [column.tolist() for column in found.columns] == [[b, a], [b, a]]
    assert (found.start.tolist(), found.end.tolist()) == ([5, 2], [6, 4])
    sorted_found = of_member("R1", coalesce(family), folding, values)
    assert sorted(zip(sorted_found.start.tolist(), sorted_found.end.tolist(), strict=True)) == [(2, 4), (5, 6)]


def test_of_a_predicate_without_facts_nothing_is_numbered():
    relation, numbers = History().numbered("P", 2)
    assert (len(relation), relation.arity, numbers.tolist()) == (0, 2, [])


def test_a_compacted_state_keeps_where_relations_were_cut_and_are_known():
    values = Values()
    _, used = values.encode(["unused", "used"])
    held = Held(Relation((np.array([used]),), np.array([3]), np.array([9]), coalesced=True), edge=2, until=9)
    state = compact(State({"P": held}, values, Fraction(1), {}))
    assert (state.relations["P"].edge, state.relations["P"].until) == (2, 9)
    assert state.values.decode(state.relations["P"].relation.columns[0]) == ["used"]


def test_in_the_restricted_chase_a_rule_that_has_nothing_to_do_does_not_end_the_turn_of_the_others():
    rules = "exists Y: R(X, Y) :- B(X). exists Y: R(X, Y), S(Y) :- A(X)."
    model = thalweg.materialise(thalweg.parse(f"timeline integer. {rules}"), "A(a)@1", chase="restricted")
    assert (model.count("R"), model.count("S")) == (1, 1)


def test_a_value_of_another_type_is_refused_with_its_place():
    program = thalweg.parse("input P(name: string, size: integer). Q(X) :- P(X, Y).")
    sizes = {"name": ["a", "b", "c"], "size": ["x", "y", "x"], "time": [1, 2, 3]}
    (diagnostic,) = check_batches(program, read_table("P", sizes, None).batches)
    assert (diagnostic.code, diagnostic.span, diagnostic.place) == ("E434", None, "table P:1")
    assert diagnostic.hint == "argument 2 of P is declared as integer"


@pytest.mark.parametrize(
    ("times", "refused"),
    [
        (["5", "2020-01-01T00:00:00"], "3"),
        (["2020-01-01T00:00:00", "5", "2020-01-01T00:00:01"], "3"),
        (["x", "y"], "2 3"),
    ],
)
def test_times_are_timestamps_where_more_of_them_are_timestamps_than_numbers(tmp_path, times, refused):
    path = tmp_path / "P.csv"
    path.write_text("name,time\n" + "".join(f"a,{time}\n" for time in times))
    found = read_csv(path, thalweg.parse("unit s. Q(X) :- P(X)."))
    assert " ".join(str(diagnostic.place).rpartition(":")[2] for diagnostic in found.diagnostics) == refused
    assert sum(len(batch.lines) for batch in found.batches) == len(times) - len(refused.split())


def test_an_answer_whose_time_is_open_has_none_in_the_table():
    rules = "timeline integer. delay B = 2. P(X) at T :- A(X) at S, B(X, T) at S, C at T."
    stream = thalweg.HypothesisStream(thalweg.parse(rules), "P")
    (row,) = stream.advance("A(a)@0", 0).table().to_pylist()
    assert (row["status"], row["time"]) == ("opened", None)


@pytest.mark.parametrize("nanoseconds", [1_000, 1_001])
def test_times_in_96_bits_are_read_exactly(tmp_path, nanoseconds):
    path = tmp_path / "P.parquet"
    table = pa.table({"X": ["a", "b"], "time": pa.array([nanoseconds, None], pa.timestamp("ns"))})
    pyarrow.parquet.write_table(table, path, use_deprecated_int96_timestamps=True)
    found = read_parquet(path)
    assert found.column_names == ["X", "time"]
    assert found.column("time").cast(pa.timestamp("ns")).cast(pa.int64()).to_pylist() == [nanoseconds, None]


def test_windows_in_windows_are_looked_at_from_as_many_time_points_as_allowed(monkeypatch):
    program = thalweg.parse("timeline integer. Q(X) :- window[last 2] all window[last 3] some P(X).")
    facts = "P(a)@[1,3]\nP(b)@3"
    # Twelve time points see something, and each of their windows looks 2 back.
    monkeypatch.setattr(window_frames, "MOST_POINTS", 24)
    assert thalweg.materialise(program, facts, start=0, end=6).to_text("Q") == "Q(a)@[3,5]\nQ(b)@[5,5]"
    monkeypatch.setattr(window_frames, "MOST_POINTS", 23)
    with pytest.raises(ReasoningError, match="too many time points"):
        thalweg.materialise(program, facts, start=0, end=6)


def test_a_refuted_answer_is_told_with_the_evidence_of_the_way_that_was_open_last():
    rules = """timeline integer. delay A = 1. delay B = 1. delay D = 9. delay N = 9.
    P(X) at T :- A(X) at T, B(X) at T.
    P(X) at T :- C at T, D(X) at T, not N(X) at T."""
    stream = thalweg.HypothesisStream(thalweg.parse(rules), "P")
    stream.advance("A(a)@0\nC@0", 0)
    stream.advance("", 2)
    stream.advance("N(a)@0", 5)
    assert stream.advance("", 9).lines() == [
        "refuted   P(X)@0; has C@0; lacks D(_)@0 until 9",
        "refuted   P(a)@0; has C@0; lacks D(a)@0 until 9",
    ]


@pytest.mark.parametrize(("until", "times"), [(None, [1, 3, 5]), (3, [1, 3]), (9, [1, 3, 9])])
def test_a_replay_goes_on_after_the_last_fact_as_long_as_answers_lag_behind(until, times):
    program = thalweg.parse("timeline integer. Q(X) :- diamondplus[0,2] P(X).")
    facts = program_batches(thalweg.parse("timeline integer. P(a)@1. P(b)@3."))
    strides = [*replay(thalweg.StreamReasoner(program, "Q"), facts, Fraction(1), until and Fraction(until))]
    assert [stride.to for stride in strides] == times
    assert [stride.facts_in for stride in strides] == [1, 1, 0][: len(times)]
