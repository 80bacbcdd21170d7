"""What commands print for programs is JSON, and says the same as what they print for people."""

import json
from importlib.resources import files

import pytest

from cli.calling import call_as_it_is
from thalweg.bench.experiments import EXPERIMENTS

TRAFFIC = [files("thalweg.examples").joinpath(f"traffic.{kind}") for kind in ("rules", "facts")]


def called(*words):
    outcome = call_as_it_is(*words)
    assert outcome.code == 0, outcome.err
    return outcome


def test_check():
    found = json.loads(called("check", TRAFFIC[0], "--json").out)
    assert found["ok"] is True
    assert found["rules"] == 5


def test_query():
    lines = called("query", *TRAFFIC, "Jam(R)", "--json").lines
    assert [json.loads(line)["arguments"] for line in lines] == [{"R": "ring"}]
    assert lines == called("query", *TRAFFIC, "Jam(R)", "--format", "json").lines
    assert json.loads(called("query", *TRAFFIC, "Jam(ring)", "--at", "7", "--json").out) is True


def test_translate(tmp_path):
    (tmp_path / "q.cql").write_text("CREATE STREAM s (id TEXT);\nCREATE VIEW v AS SELECT id FROM s [RANGE 5];\n")
    found = json.loads(called("translate", tmp_path / "q.cql", "--json").out)
    assert found == {"language": "rules", "text": called("translate", tmp_path / "q.cql").out}


@pytest.mark.parametrize("form", ["facts", "parquet"])
def test_generate(form, tmp_path):
    path = tmp_path / ("t.facts" if form == "facts" else "t")
    words = ("generate", "traffic", "--vehicles", "1", "--as", form, "--to", path, "--json")
    found = json.loads(called(*words).out)
    assert (found["kind"], found["path"]) == ("traffic", str(path))
    assert found["facts"] > 0
    assert found["try"][:2] == ["thalweg", "run"]
    if form == "facts":
        assert found["facts"] == len(path.read_text().splitlines())


def test_generate_rules(tmp_path):
    path = tmp_path / "t.rules"
    found = json.loads(called("generate", "trams", "--as", "rules", "--to", path, "--json").out)
    assert found == {"kind": "trams", "facts": None, "path": None, "rules": str(path), "try": None}


def test_generate_to_standard_output_is_the_data_itself():
    outcome = call_as_it_is("generate", "trams", "--json")
    assert (outcome.code, outcome.out) == (2, "")


def test_the_list_of_experiments():
    found = json.loads(called("bench", "--list", "--json").out)
    assert [each["name"] for each in found] == [each.name for each in EXPERIMENTS]


def test_watch(tmp_path):
    facts, rules = tmp_path / "t.facts", tmp_path / "t.rules"
    called("generate", "turbines", "--turbines", "3", "--to", facts)
    words = ("watch", rules, facts, "--query", "Malf")
    found = json.loads(called(*words, "--json").out)
    assert len(found["open"]) == found["counts"]["open"] - found["not_shown"] > 0
    assert {"query", "status", "hypotheses", "deadline"} <= set(found["open"][0])
    counts = found["counts"]
    told = called(*words).lines[-1]
    assert told == (
        f"thalweg: {counts['open']} open, {counts['confirmed']} confirmed, {counts['refuted']} refuted,"
        f" {counts['late']} late, {counts['dropped']} dropped, present {counts['present']}, {counts['facts']} facts"
    )
