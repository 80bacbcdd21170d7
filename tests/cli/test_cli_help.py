"""Help, version, demonstration, and the command itself."""

import subprocess
import sys
from pathlib import Path

import pytest
from calling import call

import thalweg
from thalweg.cli.main import main

COMMANDS = ("check", "run", "query", "watch", "translate", "demo")


@pytest.fixture(autouse=True)
def _on_a_narrow_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("words", [(), *((command,) for command in COMMANDS)], ids=str)
def test_help_fits_the_page_and_says_what_it_does(words):
    outcome = call(*words, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"usage: {' '.join(('thalweg', *words))}")
    assert all(len(line) <= 120 for line in outcome.lines)
    assert "None" not in outcome.out
    assert "SUPPRESS" not in outcome.out


def test_help_names_every_command():
    assert all(command in call("--help").out for command in COMMANDS)


@pytest.mark.parametrize(
    "option",
    [
        *("--query", "--from", "--to", "--format", "--output", "--tables", "--skip-bad", "--max-rounds"),
        *("--in-process", "--master", "--spark-conf", "--shards", "--spark-log", "--stream", "--checkpoint"),
        *("--trigger", "--delay", "--final", "--emit", "--at", "--max-files", "--progress", "--step", "--stats"),
    ],
)
def test_help_explains_every_option_of_run(option):
    lines = call("run", "--help").lines
    described = next(index for index, line in enumerate(lines) if line.startswith(f"  {option}"))
    assert len(" ".join(lines[described : described + 2]).split()) > 3


def test_version():
    assert call("--version").out == f"thalweg {thalweg.__version__}\n"


def test_the_demonstration_shows_rules_facts_promises_and_answers():
    outcome = call("demo")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Stuck(V) :- boxminus[0s,4s] diamondminus[0s,2s] Slow(V), not Moving(V)." in outcome.lines
    assert "dialect      forward-propagating DatalogMTL with stratified negation and comparisons" in outcome.lines
    assert "ShortStop(veh21)@[4,4]" in outcome.lines
    assert "Jam(ring)@[6,9)" in outcome.lines


def test_main_exits_with_the_code_of_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["thalweg", "check", "nowhere.rules"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err == "thalweg: there is no file nowhere.rules\n"


def test_the_installed_command(tmp_path):
    (tmp_path / "p.rules").write_text("Q(X) :- P(X).\nP(a)@1.\n")
    command = Path(sys.executable).with_name("thalweg")
    done = subprocess.run(
        [command, "run", "p.rules", "--in-process"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Q(a)@[1,1]\n", "")


def test_a_reader_that_has_had_enough_is_no_error(tmp_path):
    (tmp_path / "p.rules").write_text("Q(X) :- P(X).\n")
    (tmp_path / "p.facts").write_text("".join(f"P(a{n})@1\n" for n in range(20_000)))
    command = Path(sys.executable).with_name("thalweg")
    done = subprocess.run(
        f"{command} run p.rules p.facts --in-process | head -n 1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("Q(a0)@[1,1]\n", "")


def test_without_a_command_there_is_help_and_the_code_of_a_wrong_call():
    outcome = call()
    assert (outcome.code, outcome.out) == (2, "")
    assert "first steps:" in outcome.err


@pytest.mark.parametrize(
    ("word", "said"),
    [("chek", "did you mean check?"), ("zzz", "thalweg --help lists the commands")],
)
def test_a_command_that_there_is_not_is_told_shortly(word, said):
    outcome = call(word, "p.rules")
    assert (outcome.code, outcome.err) == (2, f"thalweg: there is no command {word}; {said}\n")


def test_descriptions_fit_the_terminal_and_examples_stay_as_they_are(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    lines = call("why", "--help").lines
    begin, end = lines.index(""), lines.index("positional arguments:")
    assert all(len(line) < 60 for line in lines[begin:end])
    assert "  thalweg why pumps.rules pumps.facts 'Alarm(p1)@7'            at one time" in lines
