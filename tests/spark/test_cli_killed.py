"""A stream that is stopped by the user, then killed, then run to its end: every answer is there once."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from cli.calling import call_as_it_is
from spark.cluster import SHORT_LIVED
from thalweg.record.folder import RunFolder

RULES = """
input P(name: string).
Near(X) :- diamondminus[0,2] P(X).
Far(X) :- diamondminus[2,3] Near(X), not Near(X).
"""
FILES = 5
PATIENCE = 180.0


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("near.rules").write_text(RULES)
    Path("in").mkdir()
    for number in range(FILES):
        path = Path("in") / f"{number}.facts"
        path.write_text("".join(f"P(n{n})@{number * 5 + n % 5}.5\n" for n in range(20)))
        os.utime(path, (1_700_000_000 + number,) * 2)


def words(checkpoint, output):
    once = ("--stream", "--trigger", "available-now", "--final", "--max-files", "1", "--format", "json")
    return ("run", "near.rules", "in", *once, "--checkpoint", checkpoint, "--output", output)


def start(*arguments):
    """The command in a process, and a session, of its own, with Spark's among them."""
    command = Path(sys.executable).with_name("thalweg")
    settings = ("--master", "local[2]", "--spark-conf", f"spark.driver.extraJavaOptions={SHORT_LIVED}")
    with Path("said").open("w") as said:
        return subprocess.Popen(
            [command, *arguments, *settings],
            stdout=said,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )


def wait_for(name, process):
    deadline = time.monotonic() + PATIENCE
    while not Path(name).exists():
        assert process.poll() is None, Path("said").read_text()
        assert time.monotonic() < deadline, Path("said").read_text()
        time.sleep(0.01)


def answers(output):
    """The lines of every batch, by query and batch."""
    return {
        str(folder.relative_to(output)): Counter(
            line for path in folder.glob("part-*") for line in path.read_text().splitlines()
        )
        for folder in Path(output).glob("*/batch=*")
    }


def test_stopped_and_killed_it_gives_what_an_undisturbed_run_gives():
    process = start(*words("ck", "out"))
    wait_for("out/Near/batch=000000", process)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    assert Path("said").read_text() == "thalweg: stopped; the same command goes on from here (checkpoint ck)\n"
    assert RunFolder("out").record.state == "stopped"

    process = start(*words("ck", "out"))
    wait_for("out/Near/batch=000001", process)
    assert RunFolder("out").record.state == "running"
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 130
    assert RunFolder("out").record.state == "stopped"

    process = start(*words("ck", "out"))
    wait_for("out/Near/_writing-000003", process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)
    assert not Path("ck/finished").exists()
    assert RunFolder("out").record.state == "lost"

    assert call_as_it_is(*words("ck", "out")).code == 0
    assert RunFolder("out").record.state == "finished"
    assert [each.batch for each in RunFolder("out").progress()] == list(range(FILES + 1))
    assert call_as_it_is(*words("whole", "expected")).code == 0
    assert answers("out") == answers("expected")
    assert sum(map(len, answers("expected").values())) > 100
    finished = "thalweg: ck is finished: everything has been answered to the end\n"
    assert call_as_it_is(*words("ck", "out")).err == finished
