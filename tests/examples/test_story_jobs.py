"""The Spark job of every story writes the expected answers, as a batch and as a stream."""

import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from stories import NETWORK, STORIES, TURBINES, Story, tables_below

from spark.cluster import SHORT_LIVED_BELOW

REASONING = [story for story in STORIES if story is not TURBINES]


@pytest.mark.parametrize("story", REASONING, ids=str)
def test_the_batch_job_writes_the_expected_answers(story, spark, tmp_path):
    story.generate(tmp_path / "data")
    story.script("job").main(job_arguments(story, tmp_path))
    found = story.moments_of_tables(tables_below(tmp_path / "answers", story.queries))
    assert found == story.moments(story.expected.splitlines())


@pytest.mark.parametrize("query", TURBINES.queries)
def test_the_batch_job_of_the_turbines_confirms_the_expected_answers(query, spark, tmp_path):
    TURBINES.generate(tmp_path / "data")
    TURBINES.script("job").main([*job_arguments(TURBINES, tmp_path), "--query", query])
    assert confirmed(tmp_path, query) == expected_of_turbines(query)


def test_the_stream_job_of_the_turbines_confirms_the_expected_answers(spark, tmp_path):
    TURBINES.generate(tmp_path / "data")
    TURBINES.script("job").main([*job_arguments(TURBINES, tmp_path), "--stream", "--once"])
    assert confirmed(tmp_path, "Malfunction") == expected_of_turbines("Malfunction")


def test_a_stream_job_as_a_user_runs_it(tmp_path):
    NETWORK.generate(tmp_path / "data")
    command = [sys.executable, NETWORK.folder / "job.py", "--stream", "--once", "--master", "local[2]"]
    environment = {**os.environ, **SHORT_LIVED_BELOW}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    found = NETWORK.moments_of_tables(tables_below(tmp_path / "answers", NETWORK.queries))
    newest = max(pq.read_table(path)["time"].to_numpy().max() for path in (tmp_path / "data").glob("*/*.parquet"))
    expected = NETWORK.moments(NETWORK.expected.splitlines())
    assert found == {(atom, time) for atom, time in expected if time < 2 * newest}
    assert pq.read_table(tmp_path / "answers" / "quarantine").num_rows == 0


def job_arguments(story: Story, folder) -> list[str]:
    places = ["--data", folder / "data", "--output", folder / "answers", "--checkpoint", folder / "checkpoint"]
    until = ["--until", story.until] if story.until is not None else []
    arguments = places if story is TURBINES else [*places, *until]
    return [str(each) for each in arguments]


def confirmed(folder, query):
    rows = pq.read_table(folder / "answers" / query).select(["turbine", "time", "status"]).to_pylist()
    return {(f"{query}({row['turbine']})", 2 * row["time"]) for row in rows if row["status"] == "confirmed"}


def expected_of_turbines(query):
    return TURBINES.moments(line for line in TURBINES.expected.splitlines() if line.startswith(query))
