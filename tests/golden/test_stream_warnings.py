"""Golden warnings of what a stream would keep for ever: ``thalweg check`` says them, and so does a stream; no batch."""

import json
from pathlib import Path

import pytest

from thalweg.cli.main import run_command

FOLDER = Path(__file__).parent / "warnings"
NAMES = sorted(path.stem for path in FOLDER.glob("*.rules"))


@pytest.fixture(autouse=True)
def _in_folder(monkeypatch):
    monkeypatch.chdir(FOLDER)


def expected(name):
    return Path(f"{name}.err").read_text()


def facts(tmp_path):
    path = tmp_path / "some.facts"
    path.write_text("".join(f"{fact}@1\n" for fact in ("Slow(a)", "Start(a)", "Speed(a,1)")))
    return str(path)


def err_of(capsys, *arguments):
    assert run_command([*arguments]) == 0
    lines = capsys.readouterr().err.split("warning[W401]")
    return "".join(lines[:1]) if len(lines) == 1 else lines[-1].partition("\n")[2]


@pytest.mark.parametrize("name", NAMES)
def test_check_warns(name, capsys):
    assert run_command(["check", f"{name}.rules"]) == 0
    captured = capsys.readouterr()
    assert captured.err == expected(name)
    assert "refused" not in captured.out


@pytest.mark.parametrize("name", NAMES)
def test_check_warns_in_json(name, capsys):
    assert run_command(["check", f"{name}.rules", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ok"]
    kept = document["stream"]["kept_for_ever"]
    assert [(each["code"], each["message"]) for each in document["diagnostics"]] == [
        (each["code"], each["message"]) for each in kept
    ]
    assert len(kept) == expected(name).count("warning[")


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_warns_when_it_starts_and_a_batch_does_not(name, tmp_path, capsys):
    run = ("run", f"{name}.rules", facts(tmp_path), "--in-process")
    assert err_of(capsys, *run, "--stream").endswith(expected(name))
    assert err_of(capsys, *run).strip() == ""


def test_every_case_has_its_expectation():
    assert {path.stem for path in FOLDER.glob("*.err")} == {*NAMES}
    assert len(NAMES) >= 3
