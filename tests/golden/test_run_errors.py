"""Golden errors of ``thalweg run``: the exit code and what stands on stderr, to the letter; nothing on stdout.

``NAME.rules`` and ``NAME.facts`` are run with the options in ``NAME.args``; ``NAME.err`` is what must come out.
"""

import shlex
from pathlib import Path

import pytest

from thalweg.cli.main import run_command

FOLDER = Path(__file__).parent / "errors" / "run"
NAMES = sorted(path.stem for path in FOLDER.glob("*.rules"))


def run(name, monkeypatch, capsys):
    monkeypatch.chdir(FOLDER)
    options = shlex.split(Path(f"{name}.args").read_text())
    code = run_command(["run", f"{name}.rules", f"{name}.facts", "--in-process", *options])
    captured = capsys.readouterr()
    return captured.out, f"exit {code}\n{captured.err}"


@pytest.mark.parametrize("name", NAMES)
def test_run_error(name, monkeypatch, capsys):
    out, err = run(name, monkeypatch, capsys)
    assert out == ""
    assert not err.startswith("exit 0")
    assert err == Path(f"{name}.err").read_text()
