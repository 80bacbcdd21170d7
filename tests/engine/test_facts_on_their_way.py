"""What goes from shard to shard, and what is written down: packets, parcels, progress, snapshots."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import thalweg
from thalweg.analysis.sharding import plan_shards
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine import snapshot
from thalweg.engine.arrow_messages import is_plain
from thalweg.engine.batch_shard import run_batch
from thalweg.engine.frames import pack, relation_table
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.pipeline import make_hypothesis_pipeline
from thalweg.engine.hypotheses.status_rows import StatusRows
from thalweg.engine.hypotheses.table import EVIDENCE, HYPOTHESIS, AnswerRows
from thalweg.engine.intake import program_batches
from thalweg.engine.output_times import OutputTimes
from thalweg.engine.packets import Column, Packet
from thalweg.engine.packing import pack_batch, parcels
from thalweg.engine.parcels import minimum
from thalweg.engine.pipeline import make_pipeline
from thalweg.errors import StateError

RULES = "Q(X) :- diamondminus[0,1] P(X). P(a)@1. P(b)@[2,3.5]. P(c)@[1,inf)."


def sent(output_times):
    """The pipeline of the rules as one batch, and the one parcel with their facts."""
    program = thalweg.parse(RULES)
    pipeline = make_pipeline(program, plan_shards(program, ["Q"]), 1, streaming=False, output_times=output_times)
    packets = [pack_batch(batch, program) for batch in program_batches(program)]
    return pipeline, parcels(pipeline, packets, rows=3)


def test_parcels_have_the_times_of_the_data_where_answers_are_wanted_at_them():
    _, (parcel,) = sent(OutputTimes.parse("data"))
    assert parcel.times == (1, 2, Fraction(7, 2))
    _, (parcel,) = sent(OutputTimes.parse("intervals"))
    assert parcel.times == ()


def test_a_batch_says_how_far_it_has_come():
    pipeline, given = sent(OutputTimes.parse("intervals"))
    progress = run_batch(pipeline, 0, 0, given).progress
    assert (progress.stage, progress.shard, progress.rows, progress.late, progress.answers) == (0, 0, 3, 0, 3)
    assert (progress.stored_window, progress.stored_history, progress.waiting, progress.values) == (3, 0, 0, 3)
    assert (progress.newest, progress.before, progress.denominator, progress.divisions) == (None, None, 2, {})


def test_of_ends_that_are_not_known_the_earliest_is_not_known():
    assert minimum([Fraction(3), Fraction(2)]) == 2
    assert minimum([Fraction(3), None]) == -math.inf
    assert minimum([]) == -math.inf


def test_a_column_without_rows_is_still_one_of_texts():
    mixed = Column.of_values([Fraction(1, 2), "a"], np.array([1, 0, 1]))
    assert mixed.texts().to_pylist() == ["a", "1/2", "a"]
    assert mixed.take(np.array([], dtype=np.int64)).texts().type == pa.string()


def test_a_packet_with_a_column_too_many_is_refused():
    start, end = np.array([1, 2]), np.array([3, 4])
    packet = Packet("P", (Column.of_values(["a", "b"], np.array([0, 1])),), start, end, Fraction(1))
    table = packet.to_table()
    assert Packet.of_table(packet.header(), table).end.tolist() == [3, 4]
    with pytest.raises(StateError, match="make no sense"):
        Packet.of_table(packet.header(), table.append_column("more", pa.array(end)))


def test_a_relation_of_a_snapshot_has_as_many_columns_as_it_says():
    one = np.array([2])
    table = relation_table(Relation((one,), one, one))
    _, found = snapshot.unpack(pack(snapshot.KIND, {"relations": [["P", 1]]}, [table]))
    assert found["P"].arity == 1
    for arity in (0, 2):
        with pytest.raises(StateError, match="another number of columns"):
            snapshot.unpack(pack(snapshot.KIND, {"relations": [["P", arity]]}, [table]))


def test_bytes_that_are_no_messages_are_not_plain():
    sink = pa.BufferOutputStream()
    table = pa.record_batch([pa.array([1, 2])], ["0"])
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_batch(table)
    stream = sink.getvalue().to_pybytes()
    assert is_plain(stream)
    for broken in (b"", b"no messages", stream[:-8], stream[: len(stream) // 2], stream + b"\0"):
        assert not is_plain(broken)


def test_an_answer_whose_time_is_open_leaves_a_shard_without_one():
    codes = np.array([8, UNBOUND])
    rows = AnswerRows(
        (codes, np.array([UNBOUND, 6])),
        pa.array(["open", "open"]),
        pa.array([[], []], pa.list_(EVIDENCE)),
        pa.array([[], []], pa.list_(HYPOTHESIS)),
        pa.array([None, None], pa.int64()),
        pa.array([None, None], pa.float64()),
    )
    found = StatusRows.of_rows("Q", rows, Values())
    assert found.rest.column("time").to_pylist() == [None, 3]
    assert [column.tolist() for column in found.rows(Values()).answers] == [[8, UNBOUND], [UNBOUND, 6]]


def test_the_stage_of_a_query_for_hypotheses_has_the_rules_without_the_facts():
    program = thalweg.parse("timeline integer. P(X) at T + 1 :- A(X) at T, B(X) at T + 1. A(a)@0.")
    (stage,) = make_hypothesis_pipeline(program, "P", 2).stages
    assert (stage.program.rules, stage.program.facts) == (program.rules, ())
