"""The confidence of open rows against the declared model, all outcomes written out."""

from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypotheses.engine_runs import examples, steps
from hypotheses.reading import TURBINES, read
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.testing.strategies import HypothesesCase, HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs(max_facts=8, max_layers=2)
NEGATED = HypothesesKnobs(max_facts=8, max_layers=2, negation=True)
NEVER = None
"""An atom that is false, or whose fact is lost."""


class Model:
    """Probabilities and distributions of delays, by predicate and arguments."""

    def __init__(self, program):
        self.program = program

    def outcomes(self, predicate, arguments):
        """When the fact of an atom comes, in time points after its time, each with its probability."""
        truth = self._most_specific(self.program.probabilities, predicate, arguments)
        if truth is None:
            return None
        delay = self._most_specific(self.program.delays, predicate, arguments)
        length = int(delay.length) if delay else 0
        arrivals = (delay and delay.arrivals) or (Fraction(1, length + 1),) * (length + 1)
        found = {number: truth.value * each for number, each in enumerate(arrivals)}
        return {**found, NEVER: 1 - sum(found.values())}

    def confidence(self, hypotheses, closed):
        """P(all that is awaited comes, nothing negated does | nothing has come by now); None if it is not declared."""
        atoms = {(each["predicate"], *each["arguments"], each["time"]): each for each in hypotheses}
        known = [self.outcomes(each["predicate"], each["arguments"]) for each in atoms.values()]
        if None in known:
            return None
        all_in_all, good = Fraction(0), Fraction(0)
        for choice in product(*(each.items() for each in known)):
            probability = prod((each for _, each in choice), start=Fraction(1))
            comes = [after is not NEVER for after, _ in choice]
            times = [each["time"] + after for each, (after, _) in zip(atoms.values(), choice) if after is not NEVER]
            if any(time <= closed for time in times):
                continue
            all_in_all += probability
            if all(here != each["negated"] for here, each in zip(comes, atoms.values(), strict=True)):
                good += probability
        return good / all_in_all if all_in_all else Fraction(0)

    @staticmethod
    def _most_specific(declared, predicate, arguments):
        """The matching declaration with the most constants; the tests have no others as specific."""
        found = [each for each in declared if each.predicate == predicate and _matches(each, arguments)]
        return max(found, key=_fixed, default=None)


def _matches(declared, arguments):
    pairs = zip(declared.arguments or (), arguments, strict=False)
    return all(getattr(term, "value", None) in (None, value) for term, value in pairs)


def _fixed(declared):
    return sum(hasattr(term, "value") for term in declared.arguments or ())


def check(case, seed):
    case = declared(case, Random(seed))
    model = Model(case.program)
    for step in steps(case):
        for row in [*step.stream.open().table().to_pylist(), *step.rows]:
            check_row(row, model, step.closed)


def check_row(row, model, closed):
    if row["status"] in ("confirmed", "refuted"):
        assert row["confidence"] == (row["status"] == "confirmed")
    elif all(each["time"] is not None and None not in each["arguments"] for each in row["hypotheses"]):
        expected = model.confidence(row["hypotheses"], closed)
        if expected is None:
            assert row["confidence"] is None
        else:
            assert row["confidence"] == pytest.approx(float(expected), abs=1e-9)


def declared(case, random):
    """The case with probabilities for most of its predicates, and distributions for most of its delays."""
    lines = []
    for line in case.text.splitlines():
        if line.startswith("delay ") and random.random() < 0.75:
            length = int(line.rstrip(".").rpartition("=")[2])
            line = f"{line.rstrip('.')} with {', '.join(map(str, distribution(random, length + 1)))}."
        lines.append(line)
    for line in case.text.splitlines():
        if line.startswith("input "):
            lines += probabilities(line.removeprefix("input ").rstrip("."), random)
    text = "\n".join(lines)
    return HypothesesCase(read(text), *case[1:-1], text)


def distribution(random, size):
    """Parts of at most 1, in hundredths."""
    marks = sorted(random.choice((100, random.randint(0, 100))) for _ in range(size))
    return [(high - low) / 100 for low, high in zip([0, *marks], marks, strict=False)]


def probabilities(signature, random):
    name, _, inside = signature.rstrip(")").partition("(")
    kinds = [part.rpartition(" ")[2] for part in inside.split(",")] if inside else []
    patterns = [["_"] * len(kinds)] if random.random() < 0.85 else []
    if kinds and random.random() < 0.4:
        patterns.append([random.choice(("a", "b")) if kind == "string" else "1" for kind in kinds])
    for pattern in patterns:
        shown = f"({', '.join(pattern)})" if pattern else ""
        yield f"probability {name}{shown} = {random.choice((0, 0.1, 0.35, 0.5, 0.9, 1))}."


@examples(60)
@given(hypotheses_cases(PLAIN), st.integers(0, 1_000_000))
def test_confidence_is_the_probability_of_the_model(case, seed):
    check(case, seed)


@examples(60)
@given(hypotheses_cases(NEGATED), st.integers(0, 1_000_000))
def test_confidence_is_the_probability_of_the_model_with_negation_too(case, seed):
    check(case, seed)
