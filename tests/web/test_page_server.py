"""The server: what it answers, and what it does not."""

import http.client
import json
import socket

import pytest
from written_runs import WrittenRun

from thalweg.errors import UsageError
from thalweg.web.server import HEADERS, PageServer, is_known_host
from thalweg.web.shelves import FolderShelf


@pytest.fixture
def ask(tmp_path):
    """Asks a server about the runs below a folder; returns the response and its text."""
    WrittenRun(tmp_path / "runs" / "live").batch([("p1", 0, 3), ("p2", 1, 2)])
    server = PageServer(FolderShelf([tmp_path / "runs"]))
    server.start()

    def asked(path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response, response.read().decode()

    yield asked
    server.shutdown()
    server.server_close()


def key(ask):
    return json.loads(ask("/api/runs")[1])["runs"][0]["id"]


def test_it_listens_on_the_loopback_only():
    with PageServer(FolderShelf([])) as server:
        assert server.server_address[0] == "127.0.0.1"
        assert server.address == f"http://127.0.0.1:{server.server_port}/"


def test_it_can_listen_on_an_address_of_the_other_family():
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    try:
        with PageServer(FolderShelf([]), "::1") as server:
            assert server.address == f"http://[::1]:{server.server_port}/"
    except UsageError as error:
        pytest.skip(f"this machine has no IPv6: {error}")


@pytest.mark.parametrize("path", ["/", "/app.js", "/app.css", "/icon.svg", "/api/runs", "/nothing"])
def test_every_answer_has_the_policy_and_its_kin(path, ask):
    response, _ = ask(path)
    assert {name: response.getheader(name) for name in HEADERS} == HEADERS


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere():
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_it_only_reads(method, ask):
    response, _ = ask("/api/runs", method)
    assert response.status == 405
    assert response.getheader("Allow") == "GET, HEAD"


def test_head_has_no_body(ask):
    response, text = ask("/app.js", "HEAD")
    assert response.status == 200
    assert text == ""


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_foreign_names_for_this_machine_are_refused(host, ask):
    response, _ = ask("/api/runs", Host=host)
    assert response.status == 403


@pytest.mark.parametrize(
    ("header", "known"),
    [
        ("127.0.0.1:8000", True),
        ("localhost:8000", True),
        ("[::1]:8000", True),
        ("192.168.1.7:8000", True),
        ("desk.lan:8000", True),
        ("other.lan:8000", False),
        ("", False),
        (None, False),
    ],
)
def test_hosts_are_addresses_or_names_that_were_told(header, known):
    assert is_known_host(header, "desk.lan") is known


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/static/app.js",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/runs/..%2f..%2fetc/facts",
        "/api/runs/../facts",
        "/api/runs/unknown/facts",
        "/api/runs/unknown",
        "/LICENSES.txt",
    ],
)
def test_there_is_nothing_else(path, ask):
    assert ask(path)[0].status == 404


def test_a_cursor_brings_what_is_new_and_nothing_else(ask, tmp_path):
    run = key(ask)
    first = json.loads(ask(f"/api/runs/{run}/facts")[1])
    assert first["reset"] is True
    assert len(first["facts"]) == 2
    again = json.loads(ask(f"/api/runs/{run}/facts?cursor={first['cursor']}")[1])
    assert (again["reset"], again["facts"], again["lanes"]) == (False, [], [])


@pytest.mark.parametrize("cursor", ["x", "1.2", "999999.0.0", "1.2.3.4", "%00", "1.-2.3"])
def test_a_cursor_of_something_else_begins_anew(cursor, ask):
    answered = json.loads(ask(f"/api/runs/{key(ask)}/facts?cursor={cursor}")[1])
    assert answered["reset"] is True
    assert len(answered["facts"]) == 2


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("lane=0&start=0&end=3&ends=3", 200),
        ("lane=7&start=0&end=3&ends=3", 404),
        ("lane=x&start=0&end=3&ends=3", 400),
        ("lane=0&start=zero&end=3&ends=3", 400),
        ("lane=0&start=1/0&end=3&ends=3", 400),
        ("lane=0&start=4&end=3&ends=3", 400),
        ("", 400),
    ],
)
def test_a_proof_is_asked_for_by_lane_and_interval(arguments, status, ask):
    run = key(ask)
    ask(f"/api/runs/{run}/facts")
    assert ask(f"/api/runs/{run}/proof?{arguments}")[0].status == status


def test_an_error_that_nobody_foresaw_is_told_and_ends_nothing(ask, monkeypatch, capsys):
    monkeypatch.setattr("thalweg.web.run_subject.RunSubject.program", lambda _: 1 / 0)
    response, text = ask(f"/api/runs/{key(ask)}/program")
    assert response.status == 500
    assert "ZeroDivisionError" in text
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert ask("/api/runs")[0].status == 200


def test_an_address_that_is_too_long_is_refused(ask):
    assert ask("/api/runs?" + "x" * 9_000)[0].status == 414


def test_a_port_that_is_taken_is_a_mistake_of_the_call(tmp_path):
    with PageServer(FolderShelf([tmp_path])) as first, pytest.raises(UsageError, match="cannot serve on 127"):
        PageServer(FolderShelf([tmp_path]), port=first.server_port)


def test_a_folder_that_is_not_there_is_a_mistake_of_the_call(tmp_path):
    with pytest.raises(UsageError, match="there is no folder"):
        FolderShelf([tmp_path / "none"])


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    WrittenRun(tmp_path / "elsewhere" / "secret").batch([("p1", 0, 3)])
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "elsewhere")
    assert FolderShelf([inside]).runs()["runs"] == []


def test_a_record_cannot_name_answers_outside_its_folder(tmp_path):
    WrittenRun(tmp_path / "elsewhere").batch([("p1", 0, 3)], query="Secret")
    WrittenRun(tmp_path / "inside" / "a", queries=("../../elsewhere/Secret",))
    shelf = FolderShelf([tmp_path / "inside"])
    # The name of a predicate is never a path: %2E%2E%2F…, which is not there.
    (run,) = shelf.runs()["runs"]
    assert len(shelf.find(run["id"]).lanes()) == 0


def test_answers_behind_a_link_out_of_the_folder_are_not_shown(tmp_path):
    WrittenRun(tmp_path / "elsewhere").batch([("p1", 0, 3)], query="Secret")
    WrittenRun(tmp_path / "inside" / "a", queries=("Alarm",))
    (tmp_path / "inside" / "a" / "Alarm").symlink_to(tmp_path / "elsewhere" / "Secret")
    found = FolderShelf([tmp_path / "inside"]).runs()
    assert found["runs"] == []
    assert "outside" in found["problems"][0]["message"]
