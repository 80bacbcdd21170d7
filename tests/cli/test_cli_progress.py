"""What a person sees of long work on a terminal, and nobody else."""

import subprocess
from pathlib import Path

import pytest
from terminal import COMMAND, in_terminal, plain

RULES = "Near(X) :- diamondminus[0,2] P(X).\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("near.rules").write_text(RULES)
    for number in range(3):
        facts = "".join(f"P(p{n})@{number * 100 + n // 10}\n" for n in range(1000))
        Path(f"{number}.facts").write_text(facts)


FACTS = ("0.facts", "1.facts", "2.facts")


def test_reading_and_deriving_are_shown_on_a_terminal_and_gone_afterwards():
    shown, code = in_terminal("run", "near.rules", *FACTS, "--in-process", "--output", "out.facts")
    assert code == 0
    assert "reading facts" in shown
    assert "kB" in shown
    assert "deriving: stage 1 of 1, round 1" in shown
    # The line is cleared: nothing follows that would be left on the screen.
    assert shown.rstrip().endswith("\x1b[2K")
    assert len(Path("out.facts").read_text().splitlines()) == 3000


def test_a_stream_into_a_folder_shows_its_rate_and_what_is_left():
    shown, code = in_terminal("run", "near.rules", *FACTS, "--in-process", "--stream", "--output", "out")
    assert code == 0
    assert "3,000/3,000 facts, " in shown
    assert "/s" in shown


def test_answers_on_the_same_terminal_are_not_disturbed():
    shown, code = in_terminal("run", "near.rules", "0.facts", "--in-process", "--stream")
    assert code == 0
    assert "answering" not in shown
    assert "Near(p0)@[0,0]" in plain(shown)


def test_without_colours_there_are_none():
    words = ("run", "near.rules", *FACTS, "--in-process", "--stream", "--output")
    with_colours, _ = in_terminal(*words, "one")
    without, _ = in_terminal(*words, "two", NO_COLOR="1")
    assert "\x1b[38;" in with_colours or "\x1b[3" in with_colours
    assert "\x1b[38;" not in without
    assert "\x1b[3" not in without


def test_where_nobody_watches_it_is_quiet():
    words = ("run", "near.rules", *FACTS, "--in-process", "--stream", "--output", "out")
    done = subprocess.run([COMMAND, *words], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
