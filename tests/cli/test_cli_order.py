"""Files in the wrong order are noticed before they are read."""

import pytest
from calling import call


@pytest.mark.parametrize(
    "words",
    [
        ("run", "p.facts", "p.rules"),
        ("query", "p.facts", "p.rules", "P(X)"),
        ("why", "p.facts", "p.rules", "P(a)@1"),
        ("view", "p.facts", "p.rules"),
        ("report", "p.facts", "p.rules", "-o", "p.html"),
        ("repl", "p.facts", "p.rules"),
    ],
    ids=lambda words: words[0],
)
def test_facts_in_the_place_of_the_program(words):
    outcome = call(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "thalweg: p.facts holds facts, and p.rules rules: name the program first\n"


def test_facts_alone_are_a_program(tmp_path):
    (tmp_path / "p.facts").write_text("P(a)@1\n")
    assert call("run", tmp_path / "p.facts").code == 0
