"""A checkpoint made with one number of shards or partitions, run with another: refused, never misread."""

from collections import Counter

import pytest

import thalweg
from cli.calling import call_as_it_is, files_below
from reliability.near_stream import RULES, words, write_stream
from spark.running import Stream
from thalweg.spark.partitions import SETTING
from thalweg.spark.shard_ids import shard_ids, spark_hash


def test_runs_with_any_numbers_of_shards_have_one_in_common():
    for partitions in range(1, 40):
        for shards in range(1, 40):
            ids = shard_ids(shards, partitions)
            assert ids[0] == 0
            assert len({*ids}) == shards
            load = Counter(spark_hash(number) % partitions for number in ids)
            assert max(load.values()) == -(-shards // partitions)


def test_the_command_line_refuses_and_touches_nothing(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_stream(2)
    followed = [word for word in words("ck", "out", "--format", "json") if word != "--final"]
    assert call_as_it_is(*followed).code == 0
    before = files_below(tmp_path)
    for change, says in {
        ("--shards", "3"): "the number of shards was 2, now 3",
        # Where nobody says how many shards, there are as many as before.
        ("--spark-conf", f"{SETTING}=3"): "the number of partitions was 2, now 3",
        ("--shards", "3", "--spark-conf", f"{SETTING}=5"): (
            "the number of shards was 2, now 3; the number of partitions was 2, now 5"
        ),
    }.items():
        try:
            outcome = call_as_it_is(*followed, *change)
        finally:
            spark.conf.set(SETTING, "2")
        assert outcome.code == 1
        assert outcome.err == (
            f"ck: error[E466]: the checkpoint is for another run: {says}\n"
            "    hint: run it as before, or name a new folder with --checkpoint\n"
        )
    assert files_below(tmp_path) == before


# With one shard each, the shards of one and of two partitions would otherwise have nothing in common.
@pytest.mark.parametrize(("before", "after"), [((1, "1"), (1, "2")), ((2, "2"), (3, "2"))])
def test_in_python_the_state_refuses(before, after, spark, tmp_path):
    def make(path):
        return spark.readStream.format("thalweg-facts").load(path)

    try:
        stream = Stream(spark, tmp_path, thalweg.parse(RULES), "Near", make, shards=before[0])
        spark.conf.set(SETTING, before[1])
        stream.feed(lambda path: path.write_text("P(a)@1\nP(b)@2\n"))
        stream.run()
        answered = len(stream.rows)
        spark.conf.set(SETTING, after[1])
        stream.options["shards"] = after[0]
        stream.feed(lambda path: path.write_text("P(a)@5\n"))
        with pytest.raises(Exception, match=r"E477.*the state belongs to another program, query, setting or number of"):
            stream.run()
        assert len(stream.rows) == answered
    finally:
        spark.conf.set(SETTING, "2")
