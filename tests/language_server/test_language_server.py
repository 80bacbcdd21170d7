"""A real server process, asked as editors ask."""

import json
import socket
import subprocess
import sys
import time
from importlib.resources import files

import pytest

from language_server.speaking import COMMAND, Editor
from thalweg.language_server.meanings import MEANINGS

RULES = "file:///tmp/pumps.rules"
TRAFFIC = files("thalweg.examples").joinpath("traffic.rules").read_text()
PUMPS = """\
input Temp(pump: string, value: number).
input Broken(pump: string).
output Alarm(pump: string).

Hot(P) :- Temp(P, T), T > 90.
Alarm(P) :- boxminus[0,5] Hot(P).
Alarm(P) :- Hot(P), diamondplus[0,3] Broken(P).
"""
HOT_BODY = 5, 27


@pytest.fixture(scope="module")
def editor():
    with Editor() as running:
        yield running
    assert running.code == 0


@pytest.fixture
def pumps(editor):
    assert editor.open(RULES, PUMPS) == []
    return editor


def lines_of(locations):
    return [each["range"]["start"]["line"] for each in locations]


def test_it_says_what_it_can_do(editor):
    able = {name for name, value in editor.abilities.items() if name.endswith("Provider") and value is not False}
    assert able >= {
        "hoverProvider",
        "definitionProvider",
        "referencesProvider",
        "completionProvider",
        "documentSymbolProvider",
    }
    assert "documentFormattingProvider" not in able


def test_mistakes_are_shown_with_code_place_and_hint(editor):
    (found,) = editor.open(RULES, "P(X) :- Q(X).\nR(Y) :- Q(X).\n")
    assert (found["code"], found["severity"], found["source"]) == ("E202", 1, "thalweg")
    assert found["range"] == {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 3}}
    message, hint = found["message"].split("\n")
    assert "Y" in message
    assert hint.startswith("hint: ")


def test_mistakes_go_away_when_they_are_corrected(editor):
    assert editor.open(RULES, "P(X :- Q(X).")
    assert editor.change(RULES, "P(X) :- Q(X).") == []


def test_every_mistake_of_check_is_shown(editor, tmp_path):
    text = "R(Y) :- Q(X).\nS(X) :- Q(X,X).\nbox[0,1 T(X) :- Q(X).\nP(X) :- Q(X) Q(X).\n"
    (tmp_path / "p.rules").write_text(text)
    checked = subprocess.run(
        [COMMAND, "check", tmp_path / "p.rules", "--json"], capture_output=True, text=True, check=False
    )
    expected = [(each["code"], each["place"]["line"] - 1) for each in json.loads(checked.stdout)["diagnostics"]]
    assert len(expected) > 1, expected
    assert [(each["code"], each["range"]["start"]["line"]) for each in editor.open(RULES, text)] == expected


def test_warnings_are_warnings(editor):
    found = editor.open(RULES, "input P(x: number).\nQ(X) :- P(Y), X = Y + 1.\nQ(X) :- Q(Y), X = Y + 1.\n")
    assert [(each["code"], each["severity"]) for each in found] == [("W302", 2)]


def test_what_needs_answers_is_no_mistake(editor):
    (found,) = editor.open(RULES, "A :- P, not B.\nB :- P, not A.\n")
    assert (found["code"], found["severity"]) == ("E310", 3)


def test_places_are_counted_in_the_units_of_the_editor(editor):
    text = "𝒳(X) :- Q(X), R(Y"  # the first letter is two units long in UTF-16
    (found,) = editor.open(RULES, text)
    assert found["range"]["start"]["character"] == text.index("(Y") + 1
    with Editor(encoding="utf-32") as other:
        (found,) = other.open(RULES, text)
        assert found["range"]["start"]["character"] == text.index("(Y")


def test_facts_are_checked_against_the_program_beside_them(editor, tmp_path):
    (tmp_path / "belts.rules").write_text("background Belt(b).\nWarm(B) :- Belt(B), Temp(B, T), T > 50.\n")
    found = editor.open((tmp_path / "belts.facts").as_uri(), "Belt(b1)\nTemp(b1,60)@3\nTemp(b1,60)\n")
    assert [each["range"]["start"]["line"] for each in found] == [2]
    assert found[0]["code"].startswith("E4")


def test_queries_in_cql_are_checked(editor):
    found = editor.open("file:///tmp/q.cql", "CREATE STREAM s (id TEXT);\nSELECT nothing FROM s [RANGE 5];\n")
    assert found
    assert 1 in lines_of(found)


def test_hover_tells_of_a_predicate(pumps):
    shown = pumps.at("hover", RULES, 5, 1)["contents"]["value"]
    assert "Alarm(pump: string)" in shown
    assert "**output**, derived by 2 rules (lines 6, 7)" in shown
    assert "answers come 3 later" in shown
    assert "program: DatalogMTL with comparisons" in shown
    assert "window " in shown
    assert "granularity " in shown


def test_hover_tells_the_memory_that_a_stream_needs(editor):
    editor.open(RULES, TRAFFIC)
    line = next(n for n, text in enumerate(TRAFFIC.splitlines()) if text.startswith("Stuck(V)"))
    shown = editor.at("hover", RULES, line, 2)["contents"]["value"]
    assert "program: forward-propagating DatalogMTL" in shown
    assert "at most " in shown
    assert "facts in memory" in shown


def test_hover_tells_what_an_operator_means(pumps):
    assert pumps.at("hover", RULES, 5, 14)["contents"]["value"] == MEANINGS["BOXMINUS"]
    assert pumps.at("hover", RULES, 0, 2)["contents"]["value"] == MEANINGS["ROLE"]


def test_hover_has_nothing_to_say_of_a_variable(pumps):
    assert pumps.at("hover", RULES, 4, 4) is None


def test_definitions_are_declarations_and_heads(pumps):
    found = pumps.at("definition", RULES, 5, 1)
    assert lines_of(found) == [2, 5, 6]
    assert found[0]["range"] == {"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 12}}
    assert lines_of(pumps.at("definition", RULES, *HOT_BODY)) == [4]


def test_references_are_all_mentions(pumps):
    with_head = pumps.at("references", RULES, *HOT_BODY, context={"includeDeclaration": True})
    without = pumps.at("references", RULES, *HOT_BODY, context={"includeDeclaration": False})
    assert lines_of(with_head) == [4, 5, 6]
    assert lines_of(without) == [5, 6]


def test_symbols_are_declarations_and_rules(pumps):
    found = pumps.ask("textDocument/documentSymbol", textDocument={"uri": RULES})
    assert [(each["name"], each["detail"]) for each in found] == [
        ("Temp", "input"),
        ("Broken", "input"),
        ("Alarm", "output"),
        ("Hot", "rule"),
        ("Alarm", "rule"),
        ("Alarm", "rule"),
    ]
    assert found[3]["range"]["end"]["character"] > found[3]["selectionRange"]["end"]["character"]


def test_completion_knows_predicates_and_words(pumps):
    pumps.change(RULES, PUMPS + "Cold(P) :- Te")
    found = {each["label"]: each for each in pumps.at("completion", RULES, 7, 13)}
    assert found["Temp"]["insertText"] == "Temp(${1:pump}, ${2:value})"
    assert found["Temp"]["detail"] == "Temp(pump: string, value: number), input"
    assert found["Hot"]["insertText"] == "Hot(${1:arg1})"
    assert found["boxminus"]["insertText"] == "boxminus[${1:0},${2:5}] "
    assert found["boxminus"]["detail"] == MEANINGS["BOXMINUS"]
    assert "Te" not in found


def test_completion_knows_types_after_a_colon(pumps):
    pumps.change(RULES, PUMPS + "input Speed(v: ")
    assert {each["label"] for each in pumps.at("completion", RULES, 7, 15)} >= {"string", "number", "integer"}


def test_completion_is_plain_where_the_editor_has_no_snippets():
    with Editor(snippets=False) as plain:
        plain.open(RULES, PUMPS)
        found = {each["label"]: each for each in plain.at("completion", RULES, 7, 0)}
        assert (found["Temp"]["insertText"], found["Temp"]["insertTextFormat"]) == ("Temp", 1)


@pytest.mark.parametrize("text", [TRAFFIC, PUMPS], ids=["traffic", "pumps"])
def test_it_survives_programs_that_are_half_typed(editor, text):
    for length in range(0, len(text), 7):
        part = text[:length]
        editor.open(RULES, part)
        line, character = part.count("\n"), length - (part.rfind("\n") + 1)
        editor.at("completion", RULES, line, character)
        editor.at("hover", RULES, line, max(character - 1, 0))
        editor.at("definition", RULES, line, max(character - 1, 0))
        editor.ask("textDocument/documentSymbol", textDocument={"uri": RULES})
    assert editor.open(RULES, text) == []


def test_it_listens_on_a_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([COMMAND, "language-server", "--tcp", str(port)], stderr=subprocess.PIPE)
    try:
        answer = _ask_over(port)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert answer["result"]["serverInfo"]["name"] == "thalweg"


def _ask_over(port):
    """The answer to a first question, as soon as somebody listens."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
    body = json.dumps(message).encode()
    for _ in range(300):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=30) as line, line.makefile("rb") as heard:
                line.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                length = int(heard.readline().split(b":")[1])
                while heard.readline().strip():
                    pass
                return json.loads(heard.read(length))
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")


def test_it_says_what_to_install_where_pygls_is_missing():
    code = (
        "import sys\n"
        "import importlib.util as u\n"
        "real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'pygls' else real(name, *a)\n"
        "from thalweg.cli.main import main\n"
        "main(['language-server'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thalweg: the language server needs pygls: pip install 'thalweg[editor]'\n"
