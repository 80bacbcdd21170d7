"""Which run a folder belongs to, and how it stands."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from record.runs import RECORD
from thalweg.errors import DataError, Diagnostic, UsageError
from thalweg.record.folder import RunFolder
from thalweg.record.progress import Progress
from thalweg.record.run_record import RunRecord
from thalweg.record.writer import MOST_LINES, RunWriter


def test_a_record_is_read_as_it_was_written():
    record = replace(RECORD, facts=("/a/in", "kafka://h:1/t"), explain=7, delay="1/3", shards=2, tables="/a/t.toml")
    assert RunRecord.of_json(record.to_json(), "run.json") == record
    assert json.loads(record.to_json())["program"] == {"name": "p.rules", "text": "Q(X) :- P(X).\n"}


def test_fields_that_a_later_version_adds_do_no_harm():
    said = {**json.loads(RECORD.to_json()), "weather": "fair"}
    assert RunRecord.of_json(json.dumps(said), "run.json") == RECORD


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expecting property name"),
        ("[]", "it is not a JSON object"),
        ('{"format": 2}', "it has format 2, and this program reads 1"),
        ('{"format": 1, "program": {}}', "name"),
    ],
)
def test_a_record_that_cannot_be_read_is_named(text, reason):
    with pytest.raises(UsageError, match=r"o/run\.json cannot be read: ") as caught:
        RunRecord.of_json(text, "o/run.json")
    assert reason in str(caught.value)


def test_a_run_whose_process_is_gone_is_lost():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert RECORD.as_it_is().state == "running"
    assert replace(RECORD, pid=gone.pid).as_it_is().state == "lost"
    assert replace(RECORD, pid=gone.pid, state="finished").as_it_is().state == "finished"
    assert replace(RECORD, pid=gone.pid, host="elsewhere").as_it_is().state == "running"


class TestWriting:
    def state(self, folder):
        record = RunFolder(folder).record
        return record.state, record.message, record.ended is not None

    def test_a_run_that_ends_is_finished(self, tmp_path):
        with RunWriter(tmp_path, RECORD).running():
            assert self.state(tmp_path) == ("running", None, False)
            assert RunFolder(tmp_path).record.pid == os.getpid()
        assert self.state(tmp_path) == ("finished", None, True)

    def test_a_run_that_is_told_to_stop_is_stopped(self, tmp_path):
        with RunWriter(tmp_path, RECORD).running() as writer:
            writer.is_stopped = True
        assert self.state(tmp_path) == ("stopped", None, True)

    def test_an_interrupted_run_is_stopped(self, tmp_path):
        with pytest.raises(KeyboardInterrupt), RunWriter(tmp_path, RECORD).running():
            raise KeyboardInterrupt
        assert self.state(tmp_path) == ("stopped", None, True)

    def test_a_run_that_fails_says_why(self, tmp_path):
        error = DataError([Diagnostic("E450", None, "too late")])
        with pytest.raises(DataError), RunWriter(tmp_path, RECORD).running():
            raise error
        assert self.state(tmp_path) == ("failed", str(error), True)
        with pytest.raises(ZeroDivisionError), RunWriter(tmp_path, RECORD).running():
            _ = 1 / 0
        assert self.state(tmp_path) == ("failed", "ZeroDivisionError: division by zero", True)

    def test_a_run_that_goes_on_keeps_its_beginning_and_its_progress(self, tmp_path):
        first = replace(RECORD, started="2026-01-01T00:00:00.000+00:00")
        with RunWriter(tmp_path, first).running() as writer:
            writer.progress(Progress(0, rows=5))
        with RunWriter(tmp_path, RECORD).running() as writer:
            writer.progress(Progress(1, rows=6))
        assert RunFolder(tmp_path).record.started == first.started
        assert [each.rows for each in RunFolder(tmp_path).progress()] == [5, 6]

    def test_where_nothing_can_be_written_the_run_goes_on(self, tmp_path):
        (tmp_path / "_thalweg").write_text("in the way")
        with RunWriter(tmp_path, RECORD).running() as writer:
            writer.progress(Progress(0))
        assert (tmp_path / "_thalweg").read_text() == "in the way"

    def test_progress_does_not_grow_without_end(self, tmp_path):
        writer = RunWriter(tmp_path, RECORD)
        writer.begin()
        for number in range(2 * MOST_LINES + 10):
            writer.progress(Progress(number))
        kept = RunFolder(tmp_path).progress()
        assert MOST_LINES <= len(kept) <= 2 * MOST_LINES
        assert kept[-1].batch == 2 * MOST_LINES + 9
        assert [each.batch for each in kept] == list(range(kept[0].batch, kept[-1].batch + 1))

    def test_a_line_that_was_cut_off_does_not_spoil_the_next(self, tmp_path):
        with RunWriter(tmp_path, RECORD).running() as writer:
            writer.progress(Progress(0))
        with (tmp_path / "_thalweg" / "progress.jsonl").open("a") as file:
            file.write('{"batch": 1, "ro')
        assert [each.batch for each in RunFolder(tmp_path).progress()] == [0]
        with RunWriter(tmp_path, RECORD).running() as writer:
            writer.progress(Progress(1))
        assert [each.batch for each in RunFolder(tmp_path).progress()] == [0, 1]
