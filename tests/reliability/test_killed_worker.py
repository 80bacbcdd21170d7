"""A stream on a cluster of one master and two workers, one of which is killed with the state that it holds."""

import os
import signal
import sys
from pathlib import Path

import pytest

from reliability.killing import PATIENCE, run_to_end, said, started, until
from reliability.near_stream import answers, words, write_stream
from spark.cluster import SHORT_LIVED, cluster
from thalweg.record.folder import RunFolder

FILES = 12
SETTINGS = ("--shards", "2", "--spark-conf", "spark.sql.shuffle.partitions=2")
ON_CLUSTER = (
    *("--spark-conf", f"spark.pyspark.python={sys.executable}"),
    *("--spark-conf", "spark.driver.host=127.0.0.1"),
    *("--spark-conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--spark-conf", f"spark.executor.extraJavaOptions={SHORT_LIVED}"),
    *("--spark-conf", "spark.executor.memory=512m"),
)


def batches(checkpoint):
    return len([name for name in os.listdir(Path(checkpoint) / "spark" / "commits") if name.isdecimal()])


@pytest.mark.soak
def test_a_worker_that_is_killed_costs_no_answer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_stream(FILES)
    with (
        cluster(tmp_path) as running,
        started(words("ck", "out", "--format", "json"), (*SETTINGS, *ON_CLUSTER), running.master) as process,
    ):
        until(lambda: Path("ck/spark/commits/2").exists(), process)
        # Each worker has one core, so each has an executor with one of the two shards.
        executors = [len(list(tmp_path.glob(f"work{worker}/app-*/*/stderr"))) for worker in range(2)]
        assert executors == [1, 1]
        before = batches("ck")
        os.killpg(running.workers[0].pid, signal.SIGKILL)
        assert process.wait(PATIENCE) == 0, said()
        assert before < batches("ck") == FILES + 1
    assert said() == ""
    assert RunFolder("out").record.state == "finished"
    assert run_to_end(words("whole", "expected", "--format", "json"), settings=SETTINGS) == (0, "")
    assert answers("out") == answers("expected")
    assert sum(map(len, answers("expected").values())) > 100
