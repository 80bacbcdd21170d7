"""``thalweg view`` and ``thalweg report`` as commands."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from written_runs import PUMP_FACTS, PUMPS, WrittenRun

from thalweg.cli.main import run_command


@pytest.fixture
def pumps(tmp_path):
    rules, facts = tmp_path / "pumps.rules", tmp_path / "pumps.facts"
    rules.write_text(PUMPS)
    facts.write_text(PUMP_FACTS)
    return str(rules), str(facts)


def test_view_prints_its_address_serves_and_ends_with_control_c(pumps):
    command = [sys.executable, "-c", "from thalweg.cli.main import main; main()", "view", *pumps]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        address = re.fullmatch(r"thalweg: (http://127\.0\.0\.1:\d+/)\n", running.stdout.readline())[1]
        with urllib.request.urlopen(f"{address}api/runs") as response:
            assert b'"answers": 2' in response.read()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=20) == 0
        assert running.stderr.read() == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["view", "nowhere"], "there is no folder nowhere"),
        (["view", "{folder}", "{facts}"], "name the program first"),
        (["report", "{folder}", "-o", "x.html"], "holds no record of a run"),
        (["report", "{folder}", "{folder}", "-o", "x.html"], "a report is about one run"),
        (["report", "{rules}", "{facts}", "-o", "nowhere/x.html"], "there is no folder nowhere"),
        (["view", "{rules}", "{facts}", "--query", "Alrm"], "Alarm"),
    ],
)
def test_wrong_calls_say_what_is_wrong(arguments, said, pumps, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = {"folder": str(tmp_path), "rules": pumps[0], "facts": pumps[1]}
    assert run_command([each.format(**places) for each in arguments]) in (1, 2)
    assert said in capsys.readouterr().err


def test_mistakes_in_a_program_are_told_before_anything_is_served(tmp_path, capsys):
    (tmp_path / "a.rules").write_text("P(X) :- Q(Y).\n")
    assert run_command(["view", str(tmp_path / "a.rules")]) == 1
    assert "E202" in capsys.readouterr().err


def test_serving_to_others_is_warned_of(tmp_path, monkeypatch, capsys):
    from thalweg.web import server

    monkeypatch.setattr(server.PageServer, "serve_forever", lambda *_, **__: None)
    assert run_command(["view", str(tmp_path), "--host", "0.0.0.0"]) == 0
    assert "there is no password" in capsys.readouterr().err
    assert run_command(["view", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def test_open_opens_a_browser(tmp_path, monkeypatch, capsys):
    from thalweg.web import server

    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(server.PageServer, "serve_forever", lambda *_, **__: None)
    run_command(["view", str(tmp_path), "--open"])
    assert capsys.readouterr().out == f"thalweg: {opened[0]}\n"


def test_a_report_names_no_other_place(pumps, tmp_path):
    target = tmp_path / "report.html"
    assert run_command(["report", *pumps, "-o", str(target), "--proofs", "1"]) == 0
    text = target.read_text()
    addresses = set(re.findall(r"https?://[\w./-]+", text)) - {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/XML/1998/namespace",
        "http://www.w3.org/2000/xmlns/",
    }
    assert addresses == set()
    assert "default-src 'none'; script-src 'sha256-" in text
    assert "unsafe" not in re.search(r'content="(default-src[^"]+)"', text)[1]


def test_a_report_has_as_many_proofs_as_are_asked_for(pumps, tmp_path):
    sizes = {}
    for proofs in (0, 1, 2, 50):
        target = tmp_path / f"{proofs}.html"
        run_command(["report", *pumps, "-o", str(target), "--proofs", str(proofs)])
        sizes[proofs] = target.read_text().count("lane=")
    # One more is in the script itself, if at all.
    assert [sizes[n] - sizes[0] for n in (1, 2, 50)] == [1, 2, 2]


def test_the_report_of_a_run_that_kept_nothing_says_so_for_every_answer(tmp_path):
    run = WrittenRun(tmp_path / "a")
    run.batch([("p1", 0, 3)])
    run.writer.end("finished")
    target = tmp_path / "report.html"
    assert run_command(["report", str(tmp_path / "a"), "-o", str(target)]) == 0
    assert "This run keeps no evidence" in target.read_text()
    assert os.path.getsize(target) < 400_000


def test_a_port_that_is_in_use_is_said_in_words(pumps, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run_command(["view", *pumps, "--port", str(port)]) == 2
    said = f"thalweg: cannot serve on 127.0.0.1:{port}: the port is in use; name another one, or leave --port out\n"
    assert capsys.readouterr().err == said
