"""Golden cases: rules, facts and what follows, through the oracle and the engine.

Each ``NAME.rules`` starts with a line ``% bounds FROM TO``; ``NAME.facts`` holds the facts, ``NAME.expected`` all that
holds of derived predicates.
"""

from fractions import Fraction
from pathlib import Path

import pytest

import thalweg
from thalweg.engine.read import read_facts_of
from thalweg.model.formula import Atom, Constant
from thalweg.model.program import Fact
from thalweg.syntax.facts import format_fact
from thalweg.testing import naive_materialise
from thalweg.time.interval import Interval

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.stem for path in CASES.glob("*.rules"))


def load(name):
    path = CASES / f"{name}.rules"
    start, end = path.read_text().splitlines()[0].removeprefix("% bounds ").split()
    return thalweg.load(path), Fraction(start), Fraction(end)


def expected(name):
    return (CASES / f"{name}.expected").read_text()


def test_there_are_cases():
    assert len(NAMES) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_engine(name):
    program, start, end = load(name)
    model = thalweg.materialise(program, CASES / f"{name}.facts", start=start, end=end)
    derived = [predicate for predicate in model.predicates if predicate in program.derived_predicates]
    assert "".join(f"{line}\n" for p in derived for line in model.lines(p).to_pylist()) == expected(name)


@pytest.mark.parametrize("name", NAMES)
def test_oracle(name):
    program, start, end = load(name)
    answers = naive_materialise(program, facts_of(program, name), start, end, margin=Fraction(30))
    lines = {
        format_fact(predicate, arguments, interval)
        for (predicate, arguments), held in answers.items()
        if predicate in program.derived_predicates
        for interval in held
    }
    assert lines == set(expected(name).splitlines())


def facts_of(program, name):
    """The facts as the oracle takes them."""
    batches, problems = read_facts_of(program, CASES / f"{name}.facts")
    assert not problems
    for batch in batches:
        for row in range(len(batch.lines)):
            arguments = tuple(Constant(column.values[column.codes[row]]) for column in batch.arguments)
            interval = Interval(
                batch.starts.values[batch.starts.codes[row]],
                batch.ends.values[batch.ends.codes[row]],
                bool(batch.start_closed[row]),
                bool(batch.end_closed[row]),
            )
            yield Fact(Atom(batch.predicate, arguments), interval)
