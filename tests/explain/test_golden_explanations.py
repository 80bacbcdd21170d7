"""Golden explanations: ``NAME.rules`` and ``NAME.facts``, with what is said in ``NAME.why`` and ``NAME.whynot``.

A question stands after ``?``; the answer follows, to an empty line. The checker accepts all of them.
"""

from pathlib import Path

import pytest

import thalweg
from explain.reading import facts_of
from thalweg.testing.proofs import check_proof, check_why_not

CASES = Path(__file__).parent / "cases"


def questions(kind):
    for path in sorted(CASES.glob(f"*.{kind}")):
        for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
            question, _, answer = block.partition("\n")
            yield pytest.param(path.stem, question.removeprefix("? "), answer, id=f"{path.stem}: {question}")


def load(name, monkeypatch):
    monkeypatch.chdir(CASES)
    return thalweg.load(f"{name}.rules"), f"{name}.facts"


@pytest.mark.parametrize(("name", "question", "answer"), [*questions("why")])
def test_why(name, question, answer, monkeypatch):
    program, facts = load(name, monkeypatch)
    proof = thalweg.why(program, facts, question)
    assert proof.to_text() == answer
    check_proof(program, facts_of(program, facts), proof.to_json())


@pytest.mark.parametrize(("name", "question", "answer"), [*questions("whynot")])
def test_why_not(name, question, answer, monkeypatch):
    program, facts = load(name, monkeypatch)
    found = thalweg.why_not(program, facts, question)
    assert found.to_text() == answer
    check_why_not(program, facts_of(program, facts), found.to_json())


@pytest.mark.parametrize("path", sorted(CASES.glob("*.why*")), ids=lambda path: path.name)
def test_lines_fit_into_a_hundred_columns(path):
    assert [line for line in path.read_text(encoding="utf-8").splitlines() if len(line) > 100] == []
