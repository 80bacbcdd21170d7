"""Colours where a person looks on, and nowhere else."""

import io

import pytest

from cli.calling import call_as_it_is
from cli.terminal import in_terminal, plain
from thalweg.cli.colours import in_colour, paint_code, paint_diagnostics
from thalweg.errors import Diagnostic
from thalweg.source import Source, Span

WRONG = "P(X) :- Q(X.\n"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize(
    ("stream", "environment", "expected"),
    [
        (Terminal(), {}, True),
        (io.StringIO(), {}, False),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "0"}, False),
        (Terminal(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_who_sees_colours(stream, environment, expected, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert in_colour(stream) is expected


@pytest.mark.parametrize("code", ["E101", "W302"])
@pytest.mark.parametrize("hint", [None, "write: this"])
@pytest.mark.parametrize("span", [None, Span(Source("a: b.rules", "x\n  P(X) ^ 2"), 4, 8)])
def test_colours_change_no_letter(code, hint, span):
    text = Diagnostic(code, span, "something: is [odd]", hint).render()
    painted = paint_diagnostics(text)
    assert plain(painted) == text
    assert painted != text


def test_code_caret_and_hint_stand_out():
    span = Span(Source("p.rules", WRONG), 9, 10)
    lines = paint_diagnostics(Diagnostic("E106", span, "this ( is never closed", "write )").render()).splitlines()
    assert "\x1b[1;31merror[E106]\x1b[0m" in lines[0]
    assert lines[1] == "    P(X) :- Q(X."
    assert lines[2].startswith("\x1b[1;31m")
    assert "\x1b[36mhint:\x1b[0m" in lines[3]


def test_other_messages_stay_as_they_are():
    assert paint_diagnostics("thalweg: 3 bad facts skipped") == "thalweg: 3 bad facts skipped"


def test_rules_in_colours_are_the_same_rules():
    text = "Hot(P) :- Temp(P, T), T > 90.  % a comment\n"
    assert plain(paint_code(text)) == text
    assert paint_code(text) != text


def test_a_pipe_gets_none(tmp_path):
    (tmp_path / "p.rules").write_text(WRONG)
    assert "\x1b" not in call_as_it_is("check", tmp_path / "p.rules").err


def test_a_terminal_gets_them(tmp_path):
    (tmp_path / "p.rules").write_text(WRONG)
    shown, code = in_terminal("check", str(tmp_path / "p.rules"))
    assert code == 1
    assert "\x1b[1;31merror[E106]\x1b[0m" in shown


def test_a_terminal_of_somebody_who_wants_none_gets_none(tmp_path):
    (tmp_path / "p.rules").write_text(WRONG)
    shown, _ = in_terminal("check", str(tmp_path / "p.rules"), NO_COLOR="1")
    assert "error[E106]" in shown
    assert "\x1b" not in shown
