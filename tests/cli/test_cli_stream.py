"""``thalweg run --stream``: answers as time advances, counts, and what does not go with it."""

import csv
from pathlib import Path

import pytest

from thalweg.cli.main import run_command

RULES = "Near(X) :- diamondminus[0,2] P(X).\n"
FACTS = "P(a)@1\nP(b)@2.5\nP(a)@6\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("near.rules").write_text(RULES)
    Path("near.facts").write_text(FACTS)


def run(capsys, *options):
    code = run_command(["run", "near.rules", "near.facts", "--stream", "--in-process", *options])
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err


def test_answers_come_step_by_step(capsys):
    code, out, err = run(capsys, "--step", "3")
    assert (code, err) == (0, "")
    assert out == ["Near(a)@[1,3]", "Near(b)@[2.5,3]", "Near(a)@[6,6]", "Near(b)@(3,4.5]"]


def test_answers_at_the_data_and_at_every_step(capsys):
    at_data = ["Near(a)@[1,1]", "Near(a)@[2.5,2.5]", "Near(b)@[2.5,2.5]", "Near(a)@[6,6]"]
    assert run(capsys, "--at", "data")[1] == at_data
    assert run(capsys, "--at", "every:2")[1] == ["Near(a)@[2,2]", "Near(a)@[6,6]", "Near(b)@[4,4]"]


def test_time_goes_on_to_the_end_that_is_asked_for(capsys):
    assert run(capsys, "--to", "20")[1][-1] == "Near(a)@(6,8]"


def test_counts_are_written_for_every_step(capsys):
    assert run(capsys, "--stats", "counts.csv")[0] == 0
    rows = list(csv.DictReader(Path("counts.csv").read_text().splitlines()))
    counted = [(row["time"], row["facts_in"], row["answers"]) for row in rows]
    assert counted == [("1", "1", "1"), ("3", "1", "2"), ("6", "1", "2")]
    assert all(int(row["stored_window"]) > 0 and row["stored_history"] == "0" for row in rows)
    assert all(float(row["seconds"]) >= 0 for row in rows)


def test_a_late_fact_stops_the_run_and_is_named(capsys):
    Path("near.facts").write_text("P(a)@5\nP(b)@6\nP(c)@2\n")
    code, _, err = run(capsys)
    assert code == 1
    assert "near.facts:3: error[E450]: P(c) at 2 comes too late: answers up to 5 are out" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at", "noon"], "noon is not an output time"),
        (["--from", "1"], "--from does not go with --stream"),
        (["--format", "csv"], "--stream prints facts to standard output, or JSON; name a folder with --output"),
        (["--step", "0"], "0 is not a positive number"),
        (["--stats", "nowhere/counts.csv"], "cannot write nowhere/counts.csv"),
    ],
)
def test_wrong_calls_are_explained(capsys, options, message):
    try:
        code, _, err = run(capsys, *options)
    except SystemExit as exit_:
        code, err = exit_.code, capsys.readouterr().err
    assert code == 2
    assert message in err


def test_stream_options_without_stream_are_refused(capsys):
    assert run_command(["run", "near.rules", "near.facts", "--step", "1"]) == 2
    assert "--step goes with --stream" in capsys.readouterr().err


def test_a_program_that_no_stream_can_answer_is_refused_by_name(capsys):
    Path("near.rules").write_text("Near(X) :- boxminus[0,inf) P(X).\n")
    code, out, err = run(capsys)
    assert (code, out) == (1, [])
    assert "boxminus without a bound in rule 1 cannot be answered on a stream" in err
