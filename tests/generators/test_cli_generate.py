"""``thalweg generate``: what it writes can be run, and it writes over nothing."""

import tomllib
from fractions import Fraction
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from cli.calling import call, call_as_it_is, files_below
from thalweg.cli import generate
from thalweg.generators.catalogue import CATALOGUE
from thalweg.generators.traffic import Traffic
from thalweg.generators.write import write_facts

SMALL = {
    "lubm": ("--facts", 2_000),
    "traffic": ("--vehicles", 10, "--times", 20),
    "belts": ("--belts", 5, "--times", 15, "--hot", 0.5),
    "turbines": ("--turbines", 5, "--times", 15, "--loss", 0),
    "trams": ("--trams", 10, "--times", 60),
    "network": ("--hosts", 8, "--times", 300),
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def slept(monkeypatch):
    """How long somebody would have waited, on a clock that moves by nothing else."""
    naps = []
    # Not in the module ``time`` itself: threads of Spark's sleep, too.
    monkeypatch.setattr(generate, "time", SimpleNamespace(monotonic=lambda: sum(naps), sleep=naps.append))
    return naps


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
def test_the_command_that_is_shown_finds_answers(kind):
    made = call("generate", kind.name, *SMALL[kind.name], "--to", "x.facts")
    assert (made.code, made.err) == (0, "")
    *_, shown = made.lines
    assert shown.startswith("try: thalweg run x.rules x.facts --in-process ")
    outcome = call_as_it_is(*shown.removeprefix("try: thalweg ").split())
    assert outcome.code == 0
    assert any(kind.query in line for line in outcome.lines)


def test_facts_are_those_of_the_generator(tmp_path):
    call("generate", "traffic", "--vehicles", 9, "--times", 7, "--seed", 4, "--to", "x.facts")
    count = write_facts(Traffic(9, 7, 4), tmp_path / "expected.facts")
    assert (tmp_path / "x.facts").read_text() == (tmp_path / "expected.facts").read_text()
    printed = call("generate", "traffic", "--vehicles", 9, "--times", 7, "--seed", 4)
    assert printed.out == (tmp_path / "x.facts").read_text()
    assert len(printed.lines) == count


def test_parquet_comes_with_rules_and_tables(tmp_path):
    made = call("generate", "turbines", *SMALL["turbines"], "--as", "parquet", "--stretch", 5, "--to", "out/data")
    assert made.lines == [
        "out/data: 75 facts as Parquet, a folder a predicate",
        "out/data/turbines.rules: a program for them",
        "try: thalweg run out/data/turbines.rules --tables out/data/tables.toml --hypotheses",
    ]
    assert tomllib.loads((tmp_path / "out" / "data" / "tables.toml").read_text()).keys() == {"Temp"}
    assert files_below(tmp_path / "out" / "data" / "Temp") == [f"part-00000{n}.parquet" for n in range(4)]


def test_tables_are_only_those_that_the_rules_mention(tmp_path):
    call("generate", "lubm", "--facts", 2_000, "--as", "parquet", "--stretch", 300, "--to", "u")
    assert tomllib.loads((tmp_path / "u" / "tables.toml").read_text()).keys() == {
        *("University", "Lecturer", "doctoralDegreeFrom")
    }
    assert (tmp_path / "u" / "UndergraduateStudent").is_dir()


def test_live_lines_come_at_their_speed(slept):
    live = call("generate", "traffic", *SMALL["traffic"], "--as", "stream", "--speed", "1/2")
    assert live.out == call("generate", "traffic", *SMALL["traffic"]).out
    assert sum(slept) == 19 * 2


def test_live_parquet_says_how_to_follow_it_first(slept, tmp_path):
    live = call("generate", "traffic", *SMALL["traffic"], "--as", "stream", "--speed", 10, "--to", "in")
    assert live.lines[2] == (
        "follow it in another terminal: thalweg run in/traffic.rules --tables in/tables.toml --stream --query ShortStop"
    )
    assert live.lines[3] == f"all {Traffic(10, 20).facts:,} facts are there"
    assert sum(slept) == pytest.approx(1.9)
    found = sum(pq.read_table(path).num_rows for path in (tmp_path / "in").glob("*/*.parquet"))
    assert found == Traffic(10, 20).facts


def test_rules_alone(tmp_path):
    printed = call("generate", "belts", "--as", "rules").out
    assert "exists Z: incId(Z, X)" in printed
    assert call("generate", "belts", "--as", "rules", "--to", "b.rules").out == "b.rules: a program for belts\n"
    assert (tmp_path / "b.rules").read_text() == printed
    assert call("check", "b.rules").code == 0


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "x.facts").write_text("P(a)@1\n")
    refused = call("generate", "trams", "--to", "x.facts")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "thalweg: x.facts is there already: remove it first, or name another with --to\n"
    assert (tmp_path / "x.facts").read_text() == "P(a)@1\n"
    assert files_below(tmp_path) == ["x.facts"]


def test_rules_of_another_stream_are_not_written_over(tmp_path):
    (tmp_path / "x.rules").write_text("Q(X) :- P(X).\n")
    refused = call("generate", "trams", "--to", "x.facts")
    assert (refused.code, refused.err) == (
        2,
        "thalweg: x.rules is there already: remove it first, or name another with --to\n",
    )
    assert files_below(tmp_path) == ["x.rules"]


def test_the_same_rules_may_be_there(tmp_path):
    call("generate", "trams", "--to", "x.facts")
    (tmp_path / "x.facts").unlink()
    assert call("generate", "trams", "--to", "x.facts").code == 0


@pytest.mark.parametrize("form", ["parquet", "stream"])
def test_a_folder_must_be_empty(form, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "note.txt").write_text("mine")
    refused = call("generate", "trams", "--as", form, "--to", "in")
    assert (refused.code, refused.err) == (
        2,
        "thalweg: in is a folder with something in it: name a new one, or empty it first\n",
    )
    assert files_below(tmp_path) == ["in/note.txt"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--speed", 2), "--speed is for a live stream: add --as stream"),
        (("--stretch", 2), "--stretch is for Parquet files: add --as parquet"),
        (("--as", "parquet"), "--as parquet needs a folder: add --to FOLDER"),
        (
            ("--to", "nowhere/x.facts"),
            "cannot generate traffic: [Errno 2] No such file or directory: 'nowhere/x.rules'",
        ),
        (("--to", "x.rules"), "x.rules is what the rules would be called: name the facts otherwise, or add --as rules"),
        (("--to", "."), ". is a folder; facts go into a file"),
    ],
)
def test_calls_that_make_no_sense(words, said):
    refused = call("generate", "traffic", *words)
    assert (refused.code, refused.err) == (2, f"thalweg: {said}\n")


def test_parquet_does_not_go_into_a_file(tmp_path):
    (tmp_path / "f").write_text("")
    refused = call("generate", "traffic", "--as", "parquet", "--to", "f")
    assert refused.err == "thalweg: f is a file; Parquet goes into a folder\n"


@pytest.mark.parametrize(
    "words", [("--vehicles", "0"), ("--times", "many"), ("--seed", "-1"), ("--facts", "5"), ("--as", "csv")]
)
def test_values_that_are_not_possible(words):
    refused = call("generate", "traffic", *words)
    assert refused.code == 2
    assert words[0] in refused.err


def test_more_facts_than_there_can_be_are_refused():
    refused = call("generate", "lubm", "--facts", 10**12, "--to", "x.facts")
    assert refused.code == 2
    assert "universities" in refused.err


@pytest.mark.parametrize("words", [(), *((kind.name,) for kind in CATALOGUE)], ids=str)
def test_help_says_what_can_be_chosen(words):
    outcome = call("generate", *words, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert all(len(line) <= 120 for line in outcome.lines)
    for kind in CATALOGUE:
        names = (kind.name,) if not words else [f"--{p.name}" for p in kind.parameters] if words == (kind.name,) else ()
        assert all(name in outcome.out for name in names)


def test_a_stretch_may_be_any_number():
    assert (
        call("generate", "traffic", "--times", 3, "--as", "parquet", "--stretch", Fraction(3, 2), "--to", "t").code == 0
    )
