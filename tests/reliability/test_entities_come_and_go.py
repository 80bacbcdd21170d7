"""Ever new entities: what is held stays bounded when they leave the window, and grows with them where it must.

Two hundred thousand entities in the normal run, ten million with ``--soak``, where the memory of the process is
measured as well.
"""

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import thalweg
from shards.simulation import Simulation
from thalweg.analysis.sharding import plan_shards
from thalweg.engine.answers.stream import AnswerStream
from thalweg.engine.packets import Column, Packet
from thalweg.engine.packing import parcels
from thalweg.engine.pipeline import make_pipeline
from thalweg.engine.shard import Shard

STEPS, EACH = 100, 2_000
MB = 1 << 20

METRIC = """
timeline integer.
input Reading(sensor: string, level: number).
Hot(S) :- Reading(S, L), L > 60.
Over(S) :- boxminus[0,1] diamondminus[0,1] Hot(S).
Silent(S) :- diamondminus[0,3] Reading(S, _), not diamondminus[0,2] Reading(S, _).
"""
RATIONAL = """
input Reading(sensor: string, level: number).
Over(S) :- boxminus[0,2] diamondminus[0,1] Reading(S, L), L > 60.
Was(S) :- Reading(S, _) since[0,2] Reading(S, _).
"""
WINDOWS = """
timeline integer.
input Reading(sensor: string, level: number).
Many(N) :- N = count { S, L, T : window[last 2] (Reading(S, L) at T) }.
Late(S) :- window[last 10 tuples] some Reading(S, _).
Most(L) :- L = max { X : window[last 2, slide 2] some Reading(_, X) }.
"""
NULLS = """
timeline integer.
input Reading(sensor: string, level: number).
exists I: Incident(S, I) :- Reading(S, L), L > 60.
Followed(S, I) :- diamondminus[0,2] Incident(S, I).
"""
FRACTIONS = """
timeline integer.
input Reading(sensor: string, level: number).
Part(S, L / 7) :- Reading(S, L).
Sum(S, X) :- diamondminus[0,2] Part(S, X).
"""

BOUNDED = {"metric": METRIC, "rational": RATIONAL, "windows": WINDOWS, "nulls": NULLS, "fractions": FRACTIONS}

EVER = "timeline integer. input Reading(sensor: string, level: number). Ever(S) :- diamondminus[0,inf) Reading(S, _)."
STILL = "timeline integer. input Reading(sensor: string, level: number). On(S) :- top since[0,inf) Reading(S, _)."
LAST = """
timeline integer.
input Reading(sensor: string, level: number).
Current(S, L) :- window[last 1 tuples per 1] some Reading(S, L).
"""
ENDLESS = {"diamond": EVER, "since": STILL, "partitions": LAST}


def readings(time, each):
    """The facts of a time point: every entity is new."""
    names = [f"s{time}_{number}" for number in range(each)]
    return {"Reading": {"sensor": names, "level": np.arange(each) % 100, "time": np.full(each, time)}}


def run(text, steps=STEPS, each=EACH):
    """What is held after each step."""
    program = thalweg.parse(text)
    reasoner = thalweg.StreamReasoner(program, sorted(program.derived_predicates))
    for time in range(steps):
        reasoner.advance(readings(time, each), time)
        yield reasoner


def resident():
    """The memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("kind", BOUNDED)
def test_what_is_held_does_not_grow_with_the_entities_that_have_left(kind):
    stored, values, nulls = [], [], []
    for reasoner in run(BOUNDED[kind]):
        stored.append(reasoner.stored.total)
        values.append(reasoner.values_held)
        nulls.append(len(reasoner._window.values.nulls))
    middle = STEPS // 2
    assert max(stored[middle:]) <= max(stored[10:middle])
    # Some fifty thousand values that nothing has any more are let be.
    assert max(values) <= 50_000 + 3 * 6 * EACH < STEPS * EACH
    assert max(nulls) <= 100_000 + 5 * 3 * EACH
    assert reasoner.stored.history == 0
    assert reasoner.warnings == ()
    early = next(each for step, each in enumerate(run(BOUNDED[kind], 10)) if step == 9)
    assert len(_without_slack(reasoner)) < 1.2 * len(_without_slack(early))


def _without_slack(reasoner):
    """A snapshot with no values but those in use."""
    reasoner._window._values_left = -(10**9)
    reasoner._window.forget_values()
    return reasoner.snapshot()


def test_answers_keep_their_values_when_others_are_let_go():
    reasoner = thalweg.StreamReasoner(thalweg.parse(METRIC), ["Hot"])
    given = [reasoner.advance(readings(time, EACH), time) for time in range(60)]
    assert reasoner.values_held < 60 * EACH
    assert all(f"Hot(s{time}_61)@" in answers.to_text() for time, answers in enumerate(given))


def test_letting_values_go_changes_no_answer(monkeypatch):
    def answers():
        program = thalweg.parse(METRIC + "Known(S) :- Reading(S, _), diamondminus[1,4] Reading(S, _).")
        reasoner = thalweg.StreamReasoner(program, sorted(program.derived_predicates))
        for time in range(40):
            names = [f"s{(time + number * 7) % 30}" for number in range(12)]
            levels = [Fraction((time * 13 + number * 29) % 100, 1 + number % 3) for number in range(12)]
            text = "\n".join(f"Reading({name},{level})@{time}" for name, level in zip(names, levels, strict=True))
            yield reasoner.advance(text, time).to_text()

    whole = list(answers())
    monkeypatch.setattr("thalweg.engine.window.is_due", lambda values, left: True)
    assert list(answers()) == whole
    assert any(whole)


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_is_kept_for_ever_grows_with_the_entities_and_is_warned_about(kind):
    stored = [reasoner.stored.total for reasoner in run(ENDLESS[kind], 40)]
    (warning,) = next(run(ENDLESS[kind], 1)).warnings
    assert warning.code == ("W304" if kind == "diamond" else "W305")
    grown = np.diff(stored[10:])
    # One fact that is kept, and one that is derived from it.
    assert grown.min() == grown.max() == 2 * EACH


def test_the_history_is_counted_by_itself():
    *_, reasoner = run(EVER, 20)
    assert reasoner.stored.history == 19 * EACH
    assert reasoner.stored.window == 21 * EACH


def test_the_bytes_of_the_history_grow_in_proportion():
    sizes = {step: len(reasoner.snapshot()) for step, reasoner in enumerate(run(EVER, 61)) if step in (20, 40, 60)}
    first, second = sizes[40] - sizes[20], sizes[60] - sizes[40]
    assert first == pytest.approx(second, rel=0.2)
    assert second / (20 * EACH) < 100, "bytes for an entity of some ten letters"


@pytest.mark.parametrize("kind", BOUNDED)
def test_the_log_of_a_shard_does_not_grow_either(kind):
    shard = _Logged(BOUNDED[kind])
    sizes = [shard.batch(time, EACH) for time in range(60)]
    assert max(sizes[30:]) <= 1.5 * max(sizes[10:30])
    assert len(shard.shard.values) < 30 * EACH


class _Logged:
    """A shard that keeps its log as the stateful operator does: a new base when the changes have grown as large."""

    def __init__(self, text):
        program = thalweg.parse(text)
        queries = sorted(program.derived_predicates)
        self.pipeline = make_pipeline(program, plan_shards(program, queries), 1, streaming=True)
        self.shard, self.base, self.changes = Shard(self.pipeline, 0, 0), 0, 0

    def batch(self, time, each):
        """The bytes of the log after one more batch."""
        names = Column.of_values([f"s{time}_{number}" for number in range(each)], np.arange(each))
        levels = Column.of_values([Fraction(number) for number in range(100)], np.arange(each) % 100)
        per_tick = 1 if "integer" in str(self.pipeline.program.timeline.value) else 2
        at = np.full(each, time * per_tick)
        packet = Packet("Reading", (names, levels), at, at, Fraction(1))
        self.shard.process(parcels(self.pipeline, [packet], rows=each))
        if not self.base or self.changes > max(self.base, 1 << 18):
            self.base, self.changes = len(self.shard.base()), 0
        else:
            self.changes += len(self.shard.change())
        return self.base + self.changes


def test_hypotheses_let_go_of_entities_as_well():
    rules = """
    timeline integer.
    input Temp(turbine: string, level: number).
    delay Temp(_, _) = 1.
    Flag(X) at T :- Temp(X, L) at T, L > 60.
    Malf(X) at T :- Flag(X) at T, Flag(X) at T+1.
    """
    stream = thalweg.HypothesisStream(thalweg.parse(rules), "Malf")
    values, opened = [], []
    for time in range(60):
        names = [f"t{time}_{number}" for number in range(EACH)]
        temps = {"turbine": names, "level": np.arange(EACH) % 100, "time": np.full(EACH, time)}
        stream.advance({"Temp": temps}, time)
        values.append(len(stream._reasoner.values))
        opened.append(stream.open_count)
    assert max(opened[30:]) <= max(opened[5:30])
    assert max(values) <= 50_000 + 3 * 6 * EACH < 60 * EACH


def test_a_search_for_answers_lets_go_of_entities_as_well(monkeypatch):
    monkeypatch.setattr("thalweg.engine.compaction._FEW_VALUES", 100)
    rules = "timeline integer. input Green(string). Go(X) :- Green(X), not Wait(X). Wait(X) :- Green(X), not Go(X)."
    stream = AnswerStream(thalweg.parse(rules, stratified=False), mode="brave", queries="Go", window=2)
    values = []
    for time in range(60):
        stream.advance("\n".join(f"Green(g{time}_{number})@{time}" for number in range(10)), to=time)
        values.append(len(stream._values))
    assert max(values) <= 100 + 3 * 4 * 10 < 600


def test_data_times_survive_the_log_point_by_point():
    """Neighbouring time points must not become an interval in the log: answers are due at each of them."""
    text = "timeline integer. input P(string). input F(string). W(X) :- P(X), not diamondplus[0,5] F(X)."
    program = thalweg.parse(text)
    found = {}
    for memory in ("stays", "lost"):
        shards, times = plan_shards(program, ["W"]), thalweg.engine.output_times.OutputTimes.parse("data")
        simulation = Simulation(make_pipeline(program, shards, 1, streaming=True, output_times=times), memory)
        for time in range(1, 20):
            simulation.batch(thalweg.parse(f"timeline integer. P(a)@{time}.").facts)
        found[memory] = sum(len(answers) for outcome in simulation.outcomes for answers in outcome.answers)
    assert found == {"stays": 13, "lost": 13}


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["metric", "nulls"])
def test_ten_million_entities_take_no_more_memory_than_the_first_two(kind):
    samples = []
    for step, reasoner in enumerate(run(BOUNDED[kind], 1_000, 10_000)):
        if step % 10 == 9:
            samples.append((resident(), reasoner.values_held, reasoner.stored.total))
    _keep(kind, samples)
    memory, values, stored = zip(*samples, strict=True)
    assert max(memory[60:]) <= max(memory[20:60]) + 30 * MB
    assert max(values) <= 50_000 + 3 * 6 * 10_000
    assert max(stored[20:]) <= max(stored[:20])


@pytest.mark.soak
def test_a_million_entities_in_the_history_are_measured():
    samples = []
    for step, reasoner in enumerate(run(EVER, 100, 10_000)):
        if step % 10 == 9:
            samples.append((resident(), reasoner.stored.history, len(reasoner.snapshot())))
    _keep("history", samples)
    size = [sample[2] for sample in samples]
    assert np.diff(size[2:]).max() <= 1.3 * np.diff(size[2:]).min()


def _keep(name, samples):
    folder = os.environ.get("THALWEG_SOAK_FOLDER")
    if folder:
        lines = (",".join(map(str, sample)) for sample in samples)
        (Path(folder) / f"entities_{name}.csv").write_text("\n".join(lines) + "\n")
