"""``thalweg translate``."""

import subprocess
import sys

import pytest

from cli.calling import call

QUERY = "CREATE STREAM tram (id TEXT, x TEXT);\nSELECT id FROM tram [RANGE 10];\n"
RULES = [
    "timeline integer.",
    "input tram(id: string, x: string).",
    "output answer(id).",
    "answer(ID) :- window[last 10] some tram(ID, X).",
]


@pytest.fixture
def query(tmp_path):
    path = tmp_path / "query.cql"
    path.write_text(QUERY)
    return path


def test_the_rules_are_printed(query):
    outcome = call("translate", query)
    assert (outcome.code, outcome.err, outcome.lines) == (0, "", RULES)


def test_the_rules_are_written_to_a_file(query, tmp_path):
    outcome = call("translate", query, "--to", "rules", "-o", tmp_path / "query.rules")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert (tmp_path / "query.rules").read_text().splitlines() == RULES


def test_mistakes_are_reported_together_and_nothing_is_written(query, tmp_path):
    query.write_text(f"{QUERY}SELECT idd FROM tram;\nSELECT id FROM trm;\n")
    outcome = call("translate", query, "-o", tmp_path / "query.rules")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[E157]" in outcome.err
    assert "hint: did you mean tram?" in outcome.err
    assert not (tmp_path / "query.rules").exists()


@pytest.mark.parametrize("words", [("nowhere.cql",), ("{query}", "-o", "/nowhere/at/all"), ("{query}", "--to", "sql")])
def test_a_wrong_call_is_refused(words, query):
    outcome = call("translate", *(word.format(query=query) for word in words))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err


def test_the_example_in_the_help_is_true(tmp_path):
    lines = call("translate", "--help").out.partition("example: ")[2].splitlines()
    given, shown = lines[1 : lines.index("becomes")], lines[lines.index("becomes") + 1 :]
    (tmp_path / "trams.cql").write_text("\n".join(given))
    assert call("translate", tmp_path / "trams.cql").lines == [line.strip() for line in shown]


def test_the_command_line_does_not_load_the_parser_of_sql():
    code = "import sys, thalweg.cli.main; print('sqlglot' in sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
