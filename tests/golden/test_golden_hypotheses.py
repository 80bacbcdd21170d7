"""Golden cases of hypothetical answers: what changes, and what is open, after each slice of facts.

``NAME.rules`` begins with ``% query P``, which options may follow (``depth=2``). ``NAME.facts`` has the slices: after
``% to 3`` those facts that come until the time point 3 is over, after ``% batch`` facts that come together while the
newest of all is the present. ``NAME.expected`` has under the same headings late facts, changes, and all that is open.
"""

import re
from pathlib import Path

import pytest

import thalweg

FOLDER = Path(__file__).parent / "hypotheses"
NAMES = sorted(path.stem for path in FOLDER.glob("*.rules"))
OPTIONS = {"depth": int, "delay": int, "max_open": int, "min_confidence": float}


def open_stream(name):
    path = FOLDER / f"{name}.rules"
    query, *options = path.read_text().splitlines()[0].removeprefix("% query ").split()
    given = dict(option.split("=") for option in options)
    return thalweg.HypothesisStream(thalweg.load(path), query, **{key: OPTIONS[key](v) for key, v in given.items()})


def slices(name):
    for part in re.split(r"^% ", (FOLDER / f"{name}.facts").read_text(), flags=re.MULTILINE)[1:]:
        heading, _, facts = part.partition("\n")
        yield heading, facts


def happens(name):
    stream = open_stream(name)
    for heading, facts in slices(name):
        yield f"% {heading}"
        answers = stream.advance(facts, int(heading.removeprefix("to ")) if heading != "batch" else None)
        yield from (f"late      {fact}" for fact in answers.late)
        yield from answers.lines()
        yield from stream.open().lines()


def test_there_are_cases():
    assert len(NAMES) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_hypotheses(name):
    assert [*happens(name)] == (FOLDER / f"{name}.expected").read_text().splitlines()
