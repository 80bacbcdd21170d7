"""The page towards others: who reaches it, what a request can ask of it, and what a hostile run can show in it."""

import http.client
import json
import socket
import time
from urllib.parse import quote

import pytest
from written_runs import WrittenRun

from thalweg.cli.main import run_command
from thalweg.record.files import FOLDER, RUN
from thalweg.web.server import PageServer
from thalweg.web.shelves import FolderShelf

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
QUOTES = "\"onmouseover=alert(3) x='</script><svg onload=alert(4)>"


@pytest.fixture
def server(tmp_path):
    WrittenRun(tmp_path / "runs" / "live").batch([("p1", 0, 3)])
    with PageServer(FolderShelf([tmp_path / "runs"])) as running:
        running.start()
        yield running
        running.shutdown()


def other_addresses():
    """Addresses of this machine at which the server must not be: on Linux all of 127.0.0.0/8 is the machine itself."""
    named = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return sorted({"127.0.0.2", *named} - {"127.0.0.1"})


@pytest.mark.parametrize("address", other_addresses())
def test_nobody_reaches_it_by_another_address_of_this_machine(address, server):
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((address, server.server_port), timeout=5)
    socket.create_connection(("127.0.0.1", server.server_port), timeout=5).close()


def ask(server, path):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", "9" * 5000, "1/0", "0x10", "nan", "1_000", "١"])
def test_a_number_that_would_take_for_ever_is_refused_at_once(number, server):
    key = ask(server, "/api/runs")[1]["runs"][0]["id"]
    begun = time.monotonic()
    status, said = ask(server, f"/api/runs/{key}/proof?lane=0&start={quote(number, safe='')}&end=1&ends=3")
    assert status == 400
    assert "is not a time" in said["error"]
    assert time.monotonic() - begun < 15


@pytest.mark.parametrize("raw", [b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n", b"GET /\r\n\r\n"])
def test_a_request_that_names_no_host_is_not_served_the_page(raw, server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(raw)
        answered = connection.recv(65536)
    assert b"<!doctype" not in answered.lower()
    assert b"200 OK" not in answered


def hostile_run(folder):
    """A run whose record, answers, evidence and what it set aside are markup wherever they can be."""
    run = WrittenRun(folder / MARKUP.replace("/", "∕"), program=f"% {MARKUP}\nAlarm(P) :- Temp(P).", queries=("Alarm",))
    run.batch([(MARKUP, 0, 3), (QUOTES, 1, 2)])
    path = run.folder / FOLDER / RUN
    said = json.loads(path.read_text())
    said |= {"queries": ["Alarm", MARKUP, QUOTES], "message": MARKUP, "state": "failed", "thalweg": MARKUP}
    said["program"]["name"] = QUOTES
    path.write_text(json.dumps(said))
    quarantine = run.folder / "quarantine" / "batch=000000"
    quarantine.mkdir(parents=True)
    row = {"predicate": MARKUP, "row": QUOTES, "reason": MARKUP}
    (quarantine / "part-0.json").write_text(json.dumps(row) + "\n")
    return run


def test_a_hostile_run_is_text_on_the_page(tmp_path, serve, open_page):
    hostile_run(tmp_path)
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    said = page.locator("#app").inner_text()
    assert "<img src=x onerror=alert(1)>" in said
    for tab in page.get_by_role("tab").all():
        tab.click()
        page.wait_for_timeout(100)
        assert page.locator("#app img, #app script, #app [onmouseover], #app [onload], #app [onerror]").count() == 0
    for mark in page.locator(".mark").all():
        mark.hover(force=True)
    assert page.locator("#app img, #app script, #app [onmouseover]").count() == 0


def test_a_hostile_run_is_text_in_a_report(tmp_path, open_page):
    run, target = hostile_run(tmp_path), tmp_path / "report.html"
    assert run_command(["report", str(run.folder), "-o", str(target)]) == 0
    text = target.read_text()
    policy = text.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert "unsafe" not in policy
    assert text.count("<script") == 2
    page = open_page(target.as_uri(), offline=True)
    page.wait_for_selector(".mark")
    assert "<img src=x onerror=alert(1)>" in page.locator("#app").inner_text()
    assert page.locator("#app img, #app script, #app [onmouseover]").count() == 0
