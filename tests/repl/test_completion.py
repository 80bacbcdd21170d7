"""Scripts for shells."""

import re
import shutil
import subprocess

import pytest

from cli.calling import call_as_it_is
from thalweg.cli.main import make_parser

NAMES = [name for action in make_parser()._actions for name in getattr(action, "choices", None) or ()]


def script(shell):
    outcome = call_as_it_is("completion", shell)
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh", "fish"])
def test_a_script_names_every_command_and_some_options(shell):
    text = script(shell)
    assert len(NAMES) > 8
    assert [name for name in NAMES if name not in text] == []
    assert "in-process" in text
    assert "vehicles" in text or shell == "tcsh"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_shells_can_read_their_scripts(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    (tmp_path / "script").write_text(script(shell))
    done = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["thalweg", "che"], {"check"}),
        (["thalweg", "check", "--js"], {"--json"}),
        (["thalweg", "generate", "tra"], {"traffic", "trams"}),
        (["thalweg", "check", "pum"], {"pumps.rules"}),
    ],
)
def test_bash_completes(line, expected, tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    (tmp_path / "script").write_text(script("bash"))
    (tmp_path / "pumps.rules").write_text("")
    words = " ".join(f"'{word}'" for word in line)
    code = (
        f"source ./script; COMP_WORDS=({words}); COMP_CWORD={len(line) - 1};"
        " $(complete -p thalweg | sed 's/.*-F \\([^ ]*\\) .*/\\1/') thalweg; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert {word.strip() for word in done.stdout.split()} == expected, done.stderr


def test_fish_lines_are_complete():
    lines = script("fish").splitlines()[1:]
    assert all(line.startswith("complete -c thalweg") for line in lines)
    assert all(len(re.findall(r"(?<!\\)'", line)) % 2 == 0 for line in lines)


def test_another_shell_is_refused():
    outcome = call_as_it_is("completion", "powershell")
    assert outcome.code == 2
    assert "invalid choice" in outcome.err
