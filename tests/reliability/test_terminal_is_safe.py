"""What data and names say is shown on a terminal and never obeyed by it: no escape sequence gets through."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.calling import call
from thalweg.errors import Diagnostic
from thalweg.null import Null
from thalweg.source import visible
from thalweg.syntax.literals import read_string, write_string

ORDERS = ["\x1b[31mred", "\x1b]0;title\x07", "\x9b2J", "a\rb", "a\bb", "\x00", "\x7f", "\u202etxt.exe", "\u2066x\u2069"]
OBEYED = [*(chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"), "\u202e", "\u2066"]


def is_safe(text):
    return not any(char in text for char in OBEYED)


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text("input P(x). output Q(x). Q(X) :- P(X).")
    Path("P.csv").write_text(
        "x,time\n" + "".join(f'"{order}",{n}\n' for n, order in enumerate(ORDERS) if order != "\x00")
    )


@given(st.text(max_size=30))
def test_a_text_in_quotes_shows_all_and_is_read_back(text):
    written = write_string(text)
    assert is_safe(written)
    assert "\n" not in written
    assert read_string(written) == text


@pytest.mark.parametrize("order", ORDERS)
def test_messages_show_what_a_terminal_would_obey(order):
    assert is_safe(Diagnostic("E401", None, f"what is {order}", f"not {order}").render())
    assert is_safe(str(Null(1, "Z", (order,))))
    assert is_safe(visible(order))


@pytest.mark.parametrize("options", [(), ("--stream",), ("--stream", "--explain"), ("--format", "json")], ids=str)
def test_answers_are_printed_without_orders(options):
    done = call("run", "p.rules", "P.csv", *options)
    assert done.code == 0
    assert len(done.lines) == len(ORDERS) - 1
    plain = done.out.replace("\x7f", "").replace("\x9b", "") if "json" in options else done.out
    assert "\x1b" not in done.out
    assert is_safe(plain.replace("\u202e", "").replace("\u2066", "") if "json" in options else plain)


def test_what_is_printed_is_read_again():
    once = call("run", "p.rules", "P.csv").out
    Path("again.facts").write_text(once.replace("Q(", "P("))
    assert call("run", "p.rules", "again.facts").out == once


def test_hypotheses_are_printed_without_orders():
    Path("h.rules").write_text("timeline integer. input P(x). delay P(_) = 1. Q(X) at T :- P(X) at T, P(X) at T+1.")
    done = call("run", "h.rules", "P.csv", "--hypotheses")
    assert done.code == 0
    assert done.lines
    assert is_safe(done.out)


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "\x00"])
def test_names_of_files_in_messages_are_shown(order):
    assert is_safe(call("run", "p.rules", f"{order}.facts").err)
    Path("bad.facts").write_text(f"P({order}\n", newline="")
    assert is_safe(call("run", "p.rules", "bad.facts").err)
    Path("bad.rules").write_text(f"Q(X) :- {order}.\n", newline="")
    assert is_safe(call("run", "bad.rules", "P.csv").err)


def on_a_terminal(*words):
    """What a command writes to a terminal."""
    master, slave = pty.openpty()
    command = [sys.executable, "-c", "from thalweg.cli.main import main; main()", *words]
    with subprocess.Popen(
        command, stdout=slave, stderr=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "1"}
    ) as running:
        os.close(slave)
        said = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            said += piece
        running.wait(timeout=60)
    os.close(master)
    return said.decode().replace("\r\n", "\n")


def test_tables_on_a_terminal_are_shown_and_in_a_pipe_are_as_they_are():
    words = ("run", "p.rules", "P.csv", "--in-process", "--query", "Q", "--format", "csv")
    shown = on_a_terminal(*words)
    assert "red" in shown
    assert is_safe(shown)
    assert "\x1b[31mred" in call(*words).out


def test_json_on_a_terminal_is_shown():
    assert is_safe(on_a_terminal("run", "p.rules", "P.csv", "--in-process", "--format", "json"))
    piped = call("run", "p.rules", "P.csv", "--format", "json").lines
    arguments = [value for line in piped for value in json.loads(line)["arguments"].values()]
    assert sorted(arguments) == sorted(order for order in ORDERS if order != "\x00")
