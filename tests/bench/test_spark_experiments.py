"""The experiments on Spark: what they compare must do the same work."""

import pytest

from thalweg.bench.pipeline.against_hand import differing, hand_batch, hand_stream, our_batch, our_stream
from thalweg.bench.pipeline.by_hand import LONGEST, SHORTEST
from thalweg.bench.pipeline.runs import IDENTITY, kinds_of, run_batch, run_stream
from thalweg.bench.pipeline.shared_session import shared_session
from thalweg.bench.pipeline.sources import lubm_sources, traffic_source
from thalweg.generators.traffic import LONGEST_STOP

SEED = 3


@pytest.fixture(scope="module")
def bench_spark(spark):
    """The session of all tests, with what the experiments send to its workers."""
    assert shared_session() is spark
    return spark


@pytest.fixture(scope="module")
def traffic(tmp_path_factory):
    return traffic_source(tmp_path_factory.mktemp("traffic"), vehicles=12, times=24, files=3, seed=SEED)


def answers(tables):
    return sorted((row["vehicle"], row["time"]) for table in tables for row in table.to_pylist())


def expected(drawn):
    times, vehicles = drawn.short_stops().nonzero()
    return sorted((drawn.names[vehicle], int(time) + 1) for time, vehicle in zip(times, vehicles, strict=True))


def test_a_short_stop_by_hand_is_as_long_as_in_the_rules():
    assert (SHORTEST, LONGEST) == (2, LONGEST_STOP + 1)


@pytest.mark.parametrize("job", [our_batch, hand_batch, our_stream, hand_stream])
def test_rules_and_jobs_by_hand_find_all_short_stops_once(bench_spark, traffic, job):
    source, drawn = traffic
    tables = []
    done = job(bench_spark, source, tables)
    assert answers(tables) == expected(drawn)
    assert done.answers == len(expected(drawn)) > 0
    assert done.seconds > 0


def test_answers_that_only_one_has_are_counted(bench_spark, traffic):
    source, _ = traffic
    tables = []
    hand_batch(bench_spark, source, tables)
    assert differing(tables, tables) == 0
    assert differing(tables, [tables[0].slice(1)]) == 1


@pytest.mark.parametrize("runner", [run_batch, run_stream])
def test_the_identity_hands_on_as_many_rows_as_there_are_answers(bench_spark, traffic, runner):
    source, _ = traffic
    first = runner(bench_spark, source)
    idle = runner(bench_spark, source, kinds_of(first, source)[IDENTITY])
    # A parcel of few rows is rounded: there are two shards, and three tables in each of three batches.
    assert abs(idle.answers - first.answers) <= 2 * 3 * 3
    assert idle.answers > 0
    if first.metrics:
        assert [each.rows for each in idle.metrics] == [each.rows for each in first.metrics]


def test_universities_give_the_same_answers_in_a_batch_and_on_a_stream(bench_spark, tmp_path):
    for source in lubm_sources(tmp_path, facts=20_000, files=2, seed=SEED):
        batch, stream = run_batch(bench_spark, source), run_stream(bench_spark, source)
        assert batch.answers > 0, source.name
        assert batch.answers == stream.answers, source.name
