"""One shard by itself: what it writes, what it finds again, when it moves."""

from dataclasses import replace
from fractions import Fraction

import pytest

import thalweg
from shards.simulation import Simulation
from thalweg.analysis.sharding import plan_shards
from thalweg.engine.fact_texts import fact_texts
from thalweg.engine.frames import pack, unpack
from thalweg.engine.intake import program_batches
from thalweg.engine.packing import pack_batch, parcels
from thalweg.engine.pipeline import make_pipeline
from thalweg.engine.shard import Shard, starts_before
from thalweg.engine.shard_log import ShardLog
from thalweg.errors import StateError

EVER = "Ever(X) :- diamondminus[0,inf) P(X). Now(X) :- boxminus[0,2] diamondminus[0,1] P(X)."


def pipeline_of(text, query, shards=1, **options):
    program = thalweg.parse(text)
    return make_pipeline(program, plan_shards(program, query), shards, streaming=True, **options)


def facts(text):
    return thalweg.parse(text).facts


def sizes(simulation, batches):
    found = []
    for text in batches:
        simulation.batch(facts(text))
        found.append(len(simulation.shards[0][0].log[-1]))
    return found


class Unmerged(Simulation):
    """Every batch adds a change to the log; there is no new base."""

    def __init__(self, pipeline):
        super().__init__(pipeline)
        for stage in self.shards:
            for shard in stage:
                shard.process = self.only_change(shard)

    @staticmethod
    def only_change(logged):
        def process(parcels):
            outcome = logged.shard.process(parcels)
            logged.log.append(logged.shard.change())
            return outcome

        return process


def test_what_a_batch_writes_does_not_grow_with_the_history():
    simulation = Unmerged(pipeline_of(EVER, ["Ever", "Now"]))
    written = sizes(simulation, (f"P(x{n:06})@{n}. P(y{n:06})@{n}." for n in range(1, 400)))
    early, late = sum(written[20:60]) / 40, sum(written[-40:]) / 40
    assert simulation.shards[0][0].shard.window.stored.history > 700
    assert late < 1.1 * early


def test_what_goes_on_holding_is_not_written_again():
    background = "".join(f"Known(k{n}). " for n in range(2000))
    text = f"background Known(string). input P(string). Held(X) :- Known(X). Mark(X) :- P(X). {background}"
    simulation = Unmerged(pipeline_of(text, ["Held", "Mark"]))
    simulation.shards[0][0].background(simulation._packed([facts(text)], False)[0])
    written = sizes(simulation, (f"P(a)@{n}." for n in range(1, 8)))
    assert simulation.shards[0][0].shard.window.stored.window > 2000
    assert max(written[2:]) < 5000


def test_values_that_are_no_longer_used_leave_the_state():
    simulation = Simulation(pipeline_of("Now(X) :- boxminus[0,2] diamondminus[0,1] P(X).", ["Now"]))
    for n in range(1, 400):
        simulation.batch(facts(f"P(x{n})@{n}."))
    assert len(simulation.shards[0][0].shard.window.values) < 20


def test_a_shard_without_data_advances_with_the_others():
    simulation = Simulation(pipeline_of("Q(X) :- boxplus[0,0] diamondminus[0,5] P(X).", ["Q"], shards=4))
    for second in (1, 4, 7):
        simulation.batch(facts(f"P(only)@{second}."))
    assert {logged.shard.before for logged in simulation.shards[0]} == {Fraction(7)}
    assert {logged.shard.window.now for logged in simulation.shards[0]} == {13}


def test_rows_are_late_when_they_start_before_the_frontier():
    simulation = Simulation(pipeline_of("Q(X) :- P(X).", ["Q"], delay=Fraction(2)))
    simulation.batch(facts("P(a)@10."))
    (outcome,) = simulation.batch(facts("P(a)@[8,9]. P(b)@(8,9]. P(c)@7.5. P(d)@[7,20]. P(e)@(7,20]."))
    (late,) = outcome.late
    assert sorted(late.columns[0].texts().to_pylist()) == ["c", "d", "e"]
    assert outcome.progress.late == 3


def test_a_late_row_that_many_shards_get_is_reported_once():
    text = "Q(X) :- P(X), diamondminus[0,9] Everywhere(Y). Everywhere(Y) :- Given(Y)."
    simulation = Simulation(pipeline_of(text, ["Q"], shards=3))
    simulation.batch(facts("P(a)@10. Given(g)@10."))
    outcomes = simulation.batch(facts("P(a)@3. Given(g)@4."))
    assert sum(outcome.progress.late for outcome in outcomes) == 2


@pytest.mark.parametrize(("time", "late"), [(Fraction(1, 3), [True, True, False]), (Fraction(1), [True, True, False])])
def test_a_gap_that_reaches_beyond_the_frontier_is_late(time, late):
    from thalweg.engine.intake import program_batches
    from thalweg.engine.packing import pack_batch

    program = thalweg.parse("P(a)@0. P(b)@(0,1). P(c)@1.")
    (batch,) = program_batches(program)
    packet = pack_batch(batch, program)
    assert starts_before(packet, time, program.timeline).tolist() == late


def test_state_of_another_version_is_refused():
    pipeline = pipeline_of("Q(X) :- P(X).", ["Q"])
    shard = Shard(pipeline, 0, 0)
    header, tables = unpack("shard", shard.base())
    with pytest.raises(StateError, match="version 99"):
        ShardLog().read([pack("shard", {**header, "version": 99}, tables)])
    with pytest.raises(StateError, match="not a base"):
        ShardLog().read([shard.change()])
    with pytest.raises(StateError):
        ShardLog().read([shard.base()[:-5]])


def test_stages_wait_for_what_earlier_ones_look_ahead_to():
    text = """
    Soon(X) :- diamondplus[0,3] P(X, Y).
    Both(Y) :- P(X, Y), Soon(X).
    Far(Y) :- diamondplus[0,2] Both(Y).
    """
    pipeline = pipeline_of(text, ["Far"], shards=2)
    assert [stage.lag for stage in pipeline.stages] == [0, 3]
    simulation = Simulation(pipeline)
    simulation.batch(facts("P(a,b)@1. P(a,b)@9."))
    # Complete before 9: Soon before 6, and Far, which looks 2 ahead of that, before 4.
    assert str(simulation.answers()["Far", ("b",)][0]) == "[-1,1]"


def test_a_finer_tick_does_not_answer_twice():
    # Slow   ●  ●  ●  ●          0, 1, 2, 2.5: answered before 2.5, in halves
    #                     ●      then a fact at 3.25: counted in quarters
    pipeline = pipeline_of("Near(X) :- diamondminus[0,1] P(X).", ["Near"])
    shard = Shard(pipeline, 0, 0)
    found = []
    for text in ("P(a)@0. P(a)@1. P(a)@2. P(a)@2.5.", "P(a)@3.25."):
        batches = program_batches(replace(pipeline.program, facts=facts(text)))
        packets = [pack_batch(batch, pipeline.program) for batch in batches]
        outcome = shard.process(parcels(pipeline, packets, rows=len(packets)))
        for answers in outcome.answers:
            found += fact_texts(answers.packet, pipeline.program.timeline).to_pylist()
    assert found == ["Near(a)@[0,2.5)", "Near(a)@[2.5,3.25)"]
