"""``thalweg why OUTPUT ID``: answers of runs, explained from what the run left behind."""

import json
import re
from pathlib import Path

import pytest

import thalweg
from cli.calling import call
from thalweg.errors import UsageError
from thalweg.explain.of_run import RunExplainer, explain_answer
from thalweg.record.fact_id import fact_id
from thalweg.record.folder import RunFolder
from thalweg.testing.proofs import check_proof, check_why_not

RULES = """
Hot(P) :- Temp(P, C), C > 90.
Alarm(P) :- boxminus[0,2] Hot(P), not diamondminus[0,5] Serviced(P).
"""
FACTS = """\
Serviced(p2)@0
Temp(p1,95)@[1,4]
Temp(p2,95.5)@[1,9]
Temp("95",91)@[2,8)
"""


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("hot.rules").write_text(RULES)
    Path("hot.facts").write_text(FACTS)


def stream(*options):
    outcome = call("run", "hot.rules", "hot.facts", "--stream", "--to", "10", "--output", "out", *options)
    assert outcome.code == 0, outcome.err


def names(folder="out", query="Alarm"):
    return [name for _, table in RunFolder(folder).answers(query) for name in table.column("id").to_pylist()]


def check(proof):
    program = thalweg.parse(RULES)
    check_proof(program, thalweg.parse(RULES + FACTS.replace("\n", ".\n")).facts, proof)


@pytest.mark.parametrize("format_", ["parquet", "json", "csv", "facts"])
def test_every_answer_is_explained_by_its_id_whatever_it_was_written_as(format_):
    stream("--explain", "--format", format_)
    explainer = RunExplainer(RunFolder("out"))
    for query in ("Hot", "Alarm"):
        assert names(query=query)
        for name in names(query=query):
            proof = explainer.why(name)
            assert fact_id(proof.text) == name
            check(proof.to_json())


def test_texts_that_look_like_numbers_are_told_from_numbers():
    stream("--explain")
    proofs = [explain_answer(RunFolder("out"), name).text for name in names()]
    assert any(proof.startswith('Alarm("95")@') for proof in proofs)


def test_on_the_command_line_by_id_and_as_a_fact():
    stream("--explain")
    by_id = call("why", "out", names()[0], "--json")
    assert by_id.code == 0
    check(json.loads(by_id.out))
    as_fact = call("why", "out", "Alarm(p2)@7")
    assert as_fact.lines[0] == "Alarm(p2)@[7,7]"
    assert call("why", "out", "Alarm(p2)@5").code == 4
    assert call("why", "out", "Alarm(p2)@7", "--from", "1").err.startswith("thalweg: --from and --to do not go with")


def test_what_is_missing_for_a_fact_that_no_answer_has():
    stream("--explain")
    outcome = call("why-not", "out", "Alarm(p2)@5", "--json")
    assert outcome.code == 0
    answer = json.loads(outcome.out)
    assert [rule["literal"]["number"] for rule in answer["rules"]] == [2]
    check_why_not(thalweg.parse(RULES), thalweg.parse(RULES + FACTS.replace("\n", ".\n")).facts, answer)
    assert call("why-not", "out", "Alarm(p2)@7").code == 4
    assert "later facts may change it" in call("why-not", "out", "Alarm(p2)@11").err


def test_what_is_missing_is_not_told_once_facts_were_dropped():
    stream("--explain", "3")
    outcome = call("why-not", "out", "Alarm(p2)@5")
    assert (outcome.code, outcome.out) == (2, "")
    assert "some facts of the run are no longer kept; raise --explain N" in outcome.err


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("Alarm(p1)@11", "Alarm(p1)@11: the run has answered up to 10 only, and later facts may change it"),
        ("Alarm(p1)", "Alarm(p1): give a time, since the stream has not come to its end"),
        ("Alram(p1)@3", "the program does not mention Alram; did you mean Alarm?"),
    ],
)
def test_questions_that_have_no_answer(asked, message):
    stream("--explain")
    outcome = call("why", "out", asked)
    assert (outcome.code, outcome.err) == (2, f"thalweg: {message}\n")


def test_an_unknown_id_is_told_with_the_newest_answers():
    stream("--explain", "--query", "Alarm")
    outcome = call("why", "out", "0123456789ab")
    said, *newest = outcome.err.splitlines()
    assert (outcome.code, said) == (2, "thalweg: out has no answer with the id 0123456789ab; the newest are")
    assert newest
    assert [line.split()[0] for line in newest] == names()[-len(newest) :]
    assert all(re.fullmatch(r"    [0-9a-f]{12}  Alarm\(\S+\)@\S+", line) for line in newest)


def test_a_run_that_kept_no_facts_says_so():
    stream()
    assert call("why", "out", "Alarm(p1)@4").err == (
        "thalweg: out keeps no facts: run with --explain to have answers explained\n"
    )
    assert call("why", "out", "0123456789ab").err == (
        "thalweg: out has no answer with the id 0123456789ab: answers have ids in runs with --explain\n"
    )


def test_what_depends_on_facts_that_were_dropped_is_refused():
    stream("--explain", "3")
    # Serviced(p2)@0 is gone: who knows what else was serviced then. Hot does not ask.
    with pytest.raises(UsageError, match="no longer kept: raise --explain N\n    facts that held until 0 have been"):
        explain_answer(RunFolder("out"), "Alarm(p1)@4")
    assert explain_answer(RunFolder("out"), "Hot(p1)@4").holds
    assert explain_answer(RunFolder("out"), "Alarm(p2)@8").holds


def test_new_values_are_explained():
    Path("hot.rules").write_text("timeline integer. exists O: Operator(B, O) :- Belt(B). Run(B) :- Operator(B, O).")
    Path("hot.facts").write_text("Belt(b1)@3\n")
    stream("--explain", "--query", "Operator")
    (name,) = names(query="Operator")
    proof = explain_answer(RunFolder("out"), name)
    assert proof.text.startswith("Operator(b1,_:O.1(b1")
    program = thalweg.load("hot.rules")
    check_proof(program, thalweg.parse(Path("hot.rules").read_text() + "Belt(b1)@3.").facts, proof.to_json())


class TestBatches:
    def run(self, *facts):
        outcome = call("run", "hot.rules", *facts, "--format", "parquet", "--output", "out")
        assert outcome.code == 0, outcome.err

    def test_the_facts_are_read_again(self):
        self.run("hot.facts")
        proof = explain_answer(RunFolder("out"), "Alarm(p1)")
        assert [str(root.interval) for root in proof.roots] == ["[3,4]"]
        check(explain_answer(RunFolder("out"), "Alarm(p1)@4").to_json())

    def test_files_that_are_gone_are_named(self):
        self.run("hot.facts")
        Path("hot.facts").unlink()
        with pytest.raises(UsageError, match=r"were in .*/hot\.facts, which is no file any more"):
            explain_answer(RunFolder("out"), "Alarm(p1)")

    def test_folders_and_what_cannot_be_read_again(self, tmp_path):
        self.run("hot.facts")
        Path("in/more").mkdir(parents=True)
        Path("hot.facts").rename("in/more/hot.facts")
        Path("in/.hidden.facts").write_text("Serviced(p1)@1\n")
        said = json.loads(Path("out/_thalweg/run.json").read_text())

        def with_(**changed):
            Path("out/_thalweg/run.json").write_text(json.dumps({**said, **changed}))
            return explain_answer(RunFolder("out"), "Alarm(p1)@4")

        assert with_(facts=[str(tmp_path / "in")]).holds
        assert with_(facts=[str(tmp_path / "in" / "*" / "*.facts")]).holds
        with pytest.raises(UsageError, match="came from kafka://h:1/t, which is not read again"):
            with_(facts=["kafka://h:1/t"])
        with pytest.raises(UsageError, match=r"came from tables \(/t.toml\), which are not read again"):
            with_(tables="/t.toml")
