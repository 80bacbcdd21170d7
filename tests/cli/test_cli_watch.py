"""``thalweg watch``."""

import subprocess
import time
from pathlib import Path

import pytest
from calling import call
from terminal import COMMAND, in_terminal, plain

import thalweg
from thalweg.cli.watch_feeds import of_files
from thalweg.cli.watched import MOMENT, Watched
from thalweg.engine.read import read_facts_of

RULES = """timeline integer.
input Temp(device, level).
delay Temp = 1.
probability Temp(_, _) = 0.5.
Malf(X) at T :- Temp(X, high) at T, Temp(X, high) at T + 1.
"""
FACTS = "Temp(a,high)@0\nTemp(b,high)@0\nTemp(a,high)@2\nTemp(a,high)@1\nTemp(c,low)@3\nTemp(b,high)@0\n"
TABLE = """\
answer     awaits                   decided by  confidence  has
Malf(a)@2  Temp(a, high)@3 until 4           4         0.5  Temp(a, high)@2
"""
COUNTS = "1 open, 2 confirmed, 1 refuted, 1 late, 0 dropped, present 3, 6 facts"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)
    Path("p.facts").write_text(FACTS)


def piped(*words, given="", **options):
    return subprocess.run(
        [COMMAND, "watch", "p.rules", *words], input=given, capture_output=True, text=True, check=False, **options
    )


def test_without_a_terminal_the_table_is_printed_once():
    outcome = call("watch", "p.rules", "p.facts", "--query", "Malf")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == f"{TABLE}thalweg: {COUNTS}\n"


def test_lines_from_standard_input():
    done = piped("-", "--query", "Malf", given=FACTS)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{TABLE}thalweg: {COUNTS}\n", "")


def test_nothing_is_open():
    Path("p.facts").write_text("")
    outcome = call("watch", "p.rules", "p.facts", "--query", "Malf")
    assert (
        outcome.out
        == "nothing is open\nthalweg: 0 open, 0 confirmed, 0 refuted, 0 late, 0 dropped, nothing has come, 0 facts\n"
    )


def test_a_bad_line_ends_it_unless_bad_ones_are_skipped():
    done = piped("-", "--query", "Malf", given=f"{FACTS}Temp(a\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("standard input:7:5: error[E408]")
    done = piped("-", "--query", "Malf", "--skip-bad", given=f"{FACTS}Temp(a\n")
    assert done.returncode == 0
    assert done.stdout.endswith("0 dropped, 1 bad, present 3, 6 facts\n")
    assert done.stderr.endswith("thalweg: 1 bad fact skipped\n")


def test_bytes_that_are_not_utf_8_are_never_replaced():
    given = f"{FACTS}Temp(d\udcff,high)@3\n"
    done = piped("-", "--query", "Malf", given=given, encoding="utf-8", errors="surrogateescape")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("standard input:7:7: error[E474]: the line is not UTF-8, at the byte 0xFF")
    done = piped("-", "--query", "Malf", "--skip-bad", given=given, encoding="utf-8", errors="surrogateescape")
    assert done.returncode == 0
    assert done.stdout.endswith("0 dropped, 1 bad, present 3, 6 facts\n")
    assert done.stderr.endswith("thalweg: 1 bad fact skipped\n")


def test_background_comes_from_files_or_first():
    Path("p.rules").write_text(RULES.replace("T + 1.", "T + 1, Turbine(X).") + "background Turbine(device).\n")
    Path("turbines.facts").write_text("Turbine(a)\n")
    assert piped("turbines.facts", "-", "--query", "Malf", given=FACTS).stdout.startswith("answer ")
    assert piped("-", "--query", "Malf", given=f"{FACTS}Turbine(a)\n").stdout.startswith("answer ")


def test_calls_that_make_no_sense():
    assert call("watch", "p.rules", "-", "p.facts", "--query", "Malf").code == 2
    assert call("watch", "p.rules", "-", "--query", "Malf", "--follow").code == 2
    assert call("watch", "p.rules", "p.facts", "--query", "Temp").code == 2
    assert call("watch", "p.rules", "nowhere.facts", "--query", "Malf", "--follow").code == 2


def test_tables_every_so_often():
    done = piped("p.facts", "--query", "Malf", "--rate", "10", "--every", "0.1")
    assert done.returncode == 0
    assert done.stdout.count("decided by") > 1
    assert done.stdout.endswith(f"{TABLE}thalweg: {COUNTS}\n")


def test_in_a_terminal_the_table_is_drawn_again_and_again():
    shown, code = in_terminal("watch", "p.rules", "p.facts", "--query", "Malf", "--rate", "4")
    assert code == 0
    assert shown.count("decided by") > 2
    last = plain(shown[shown.rindex("decided by") :])
    assert "Malf(a)@2" in last
    assert "confirmed Malf(a)@1; has Temp(a, high)@1, Temp(a, high)@2" in last
    assert last.rstrip().endswith(f"thalweg: {COUNTS}")


def test_a_narrow_terminal_is_not_too_narrow():
    shown, code = in_terminal("watch", "p.rules", "p.facts", "--query", "Malf", size=(10, 50))
    assert code == 0
    drawn = plain(shown).splitlines()[:-1]
    assert [line for line in drawn if len(line) > 50] == []
    assert any(line.endswith("…") for line in drawn)
    assert any(line.startswith("Malf(a)@2   Temp(a, hig") for line in drawn)


def test_no_colour_where_none_is_wanted():
    coloured, _ = in_terminal("watch", "p.rules", "p.facts", "--query", "Malf")
    without, _ = in_terminal("watch", "p.rules", "p.facts", "--query", "Malf", NO_COLOR="1")
    assert "\x1b[32m" in coloured
    assert "\x1b[32m" not in without


def test_ctrl_c_ends_a_file_that_is_followed():
    shown, code = in_terminal(
        "watch", "p.rules", "p.facts", "--query", "Malf", "--follow", until="1 late", then=b"\x03"
    )
    assert code == 0
    assert plain(shown).rstrip().endswith(f"thalweg: {COUNTS}")


def test_what_is_added_to_a_followed_file_is_seen():
    command = [COMMAND, "watch", "p.rules", "p.facts", "--query", "Malf", "--follow", "--every", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        _read_until(running.stdout, "Malf(a)@2")
        with Path("p.facts").open("a") as file:
            file.write("Temp(a,high)@3\n")
        _read_until(running.stdout, "Malf(a)@3")
        running.send_signal(2)
        rest = running.stdout.read()
    assert running.returncode == 0
    assert rest.endswith("present 3, 7 facts\n")


def _read_until(lines, text):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if text in lines.readline():
            return
    raise AssertionError(f"{text} has not been shown")


def test_the_rate_is_kept():
    program = thalweg.parse(RULES)
    batches, _ = read_facts_of(program, "".join(f"Temp(a,high)@{t}\n" for t in range(100)))
    now = [0.0]

    def sleep(seconds):
        now[0] += seconds

    sent = [(now[0], sum(map(len, piece.facts))) for piece in of_files(batches, 50.0, sleep, lambda: now[0])]
    assert sum(count for _, count in sent) == 100
    assert now[0] == pytest.approx(1.9, abs=0.15)


def test_what_was_decided_is_shown_for_a_moment_and_the_rate_is_recent():
    program = thalweg.parse(RULES)
    watched = Watched(thalweg.HypothesisStream(program, "Malf"))
    batches, _ = read_facts_of(program, FACTS)
    watched.take(batches, 100.0)
    assert [line.split("; ")[0] for line in watched.recent(100.0 + MOMENT)] == [
        "confirmed Malf(a)@0",
        "confirmed Malf(a)@1",
        "refuted   Malf(b)@0",
        "late      Temp(b,high)@0",
    ]
    assert watched.rate(100.5) == 6.0
    assert watched.recent(101.0 + MOMENT) == []
    assert watched.rate(101.0 + MOMENT) == 0.0
