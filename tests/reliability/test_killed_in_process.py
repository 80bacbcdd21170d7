"""A stream without Spark that is killed: whatever a reader sees is whole, and the record of the run can be read."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.calling import call
from reliability.near_stream import RULES, answers
from thalweg.record.files import FOLDER, PROGRESS
from thalweg.record.folder import RunFolder
from thalweg.record.progress import Progress
from thalweg.record.run_record import RunRecord
from thalweg.record.writer import RunWriter
from thalweg.source import Source

STRIDES = 120
PATIENCE = 120.0


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("near.rules").write_text(RULES)
    lines = (f"P(n{n})@{stride}\n" for stride in range(STRIDES) for n in range(40) if (stride + n) % 7 < 3)
    Path("p.facts").write_text("".join(lines))


def words(output, format_):
    return ("run", "near.rules", "p.facts", "--stream", "--output", output, "--format", format_, "--explain")


def killed(output, format_, chance):
    """Run, and be killed at some moment while answers are written."""
    command = Path(sys.executable).with_name("thalweg")
    process = subprocess.Popen([command, *words(output, format_), "--in-process"], stdin=subprocess.DEVNULL)
    batches, deadline = chance.randrange(STRIDES // 2), time.monotonic() + PATIENCE
    while process.poll() is None and len(list(Path(output).glob("Near/batch=*"))) <= batches:
        assert time.monotonic() < deadline
    time.sleep(chance.uniform(0, 0.02))
    process.kill()
    assert process.wait() == -9, "it ended before it could be killed"


def a_fact(output):
    """The number of the last batch, and an answer of the first, as one writes it."""
    found = RunFolder(output).answers("Near")
    (number, _), (_, table) = found[-1], found[0]
    row = table.to_pylist()[0]
    left, right = "[" if row["start_closed"] else "(", "]" if row["end_closed"] else ")"
    return number, f"Near({row['name']})@{left}{row['start']},{row['end']}{right}"


@pytest.mark.parametrize(
    "format_", ["parquet", *(pytest.param(each, marks=pytest.mark.soak) for each in ("json", "csv"))]
)
def test_parts_appear_whole_and_answers_can_be_explained(format_):
    chance = random.Random(format_)
    assert call(*words("expected", format_)).code == 0
    expected = answers("expected")
    for number in range(3):
        output = f"out{number}"
        killed(output, format_, chance)
        found = answers(output)
        assert 0 < len(found) < len(expected)
        assert found == {name: expected[name] for name in found}
        run = RunFolder(output)
        assert run.record.state == "lost"
        batch, fact = a_fact(output)
        # The line of the last batch may not have been written.
        assert [each.batch for each in run.progress()] in ([*range(batch + 1)], [*range(batch)])
        why = call("why", output, fact)
        assert (why.code, why.err) == (0, "")


def test_a_torn_last_line_of_progress_is_no_line():
    assert call(*words("out", "parquet")).code == 0
    path = Path("out") / FOLDER / PROGRESS
    content = path.read_bytes()
    whole = RunFolder("out").progress()
    start = content.rstrip(b"\n").rfind(b"\n") + 1
    _, fact = a_fact("out")
    for cut in random.Random("torn").sample(range(start, len(content) - 1), 5):
        path.write_bytes(content[:cut])
        assert RunFolder("out").progress() == whole[:-1]
        assert call("why", "out", fact).code == 0
        assert call("report", "out", "-o", "report.html", "--proofs", "0").code == 0


def test_a_run_that_goes_on_after_a_torn_line_begins_a_new_one(tmp_path):
    record = RunRecord(Source("x.rules", RULES), ("Near",), "stream", "json", "1", "rational")
    first = RunWriter(tmp_path, record)
    first.begin()
    first.progress(Progress(batch=0))
    with (tmp_path / FOLDER / PROGRESS).open("a") as file:
        file.write(Progress(batch=1).to_json()[:30])
    again = RunWriter(tmp_path, record)
    again.begin()
    again.progress(Progress(batch=1))
    assert [each.batch for each in RunFolder(tmp_path).progress()] == [0, 1]
    assert (tmp_path / FOLDER / PROGRESS).read_bytes().count(b"\n") == 2


def test_a_checkpoint_is_refused_and_not_ignored():
    outcome = call(*words("out", "json"), "--checkpoint", "ck")
    assert (outcome.code, outcome.err) == (2, "thalweg: --checkpoint does not go with --in-process\n")
    assert not os.path.exists("out")


def test_a_folder_that_holds_a_killed_run_is_not_mixed_with_another():
    killed("out", "json", random.Random(1))
    before = answers("out")
    outcome = call(*words("out", "json"))
    refusal = "thalweg: out holds the answers of another run\n    hint: name another folder\n"
    assert (outcome.code, outcome.err) == (2, refusal)
    assert answers("out") == before
