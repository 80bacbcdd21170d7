"""The confidence of open rows against the declared model, all outcomes written out."""

import re
from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypotheses.busy_streams import BUSY, busy
from hypotheses.engine_runs import examples, steps, theta
from hypotheses.reading import TURBINES, read
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.syntax.ast import TypeName
from thalweg.testing.hypotheses import input_predicates
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
        futures = [
            _given_silence(each, closed - atom["time"]) for each, atom in zip(known, atoms.values(), strict=True)
        ]
        good = Fraction(0)
        for choice in product(*(each.items() for each in futures)):
            comes = [after is not NEVER for after, _ in choice]
            if all(here != atom["negated"] for here, atom in zip(comes, atoms.values(), strict=True)):
                good += prod((each for _, each in choice), start=Fraction(1))
        return good

    @staticmethod
    def _most_specific(declared, predicate, arguments):
        """The matching declaration with the most constants; the tests have no others as specific."""
        found = [each for each in declared if each.predicate == predicate and _matches(each, arguments)]
        return max(found, key=_fixed, default=None)


def _given_silence(outcomes, passed):
    """The outcomes that are left when an atom has not come by now; one that was sure to does not come."""
    left = {after: each for after, each in outcomes.items() if after is NEVER or after > passed}
    total = sum(left.values())
    return {after: each / total for after, each in left.items()} if total else {NEVER: Fraction(1)}


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

    def with_arrivals(found):
        if random.random() < 0.25:
            return found[0]
        return f"{found[1]} with {', '.join(map(str, distribution(random, int(found[2]) + 1)))}."

    text = re.sub(r"(delay [^=.]+ = (\d+))\.", with_arrivals, case.text)
    for name, arity in input_predicates(case.program).items():
        text += "\n" + "\n".join(probabilities(case.program.signatures[name], name, arity, random))
    return HypothesesCase(read(text), *case[1:-1], text)


def distribution(random, size):
    """Parts of at most 1, in hundredths."""
    marks = sorted(random.choice((100, random.randint(0, 100))) for _ in range(size))
    return [(high - low) / 100 for low, high in zip([0, *marks], marks, strict=False)]


def probabilities(signature, name, arity, random):
    """For all atoms of a predicate, for some of them, or for none."""
    patterns = [["_"] * arity] if random.random() < 0.85 else []
    if arity and random.random() < 0.4:
        is_text = [each.type is not TypeName.INTEGER for each in signature.parameters]
        patterns.append([random.choice(("a", "b")) if each else "1" for each in is_text])
    for pattern in patterns:
        shown = f"({', '.join(pattern)})" if pattern else ""
        yield f"probability {name}{shown} = {random.choice((0, 0.1, 0.35, 0.5, 0.9, 1))}."


@examples(14)
@given(hypotheses_cases(PLAIN), st.integers(0, 1_000_000))
def test_confidence_is_the_probability_of_the_model(case, seed):
    check(case, seed)


@examples(14)
@given(hypotheses_cases(NEGATED), st.integers(0, 1_000_000))
def test_confidence_is_the_probability_of_the_model_with_negation_too(case, seed):
    check(case, seed)


@pytest.mark.parametrize("name", BUSY)
def test_confidence_is_the_probability_of_the_model_where_many_facts_come(name):
    for seed in range(2):
        check(busy(BUSY[name], seed), seed)


@pytest.mark.parametrize(
    ("declarations", "expected"),
    [
        # nothing declared, or not for all that is awaited
        ("", None),
        ("delay Temp = 1. probability Temp(_, low) = 0.5.", None),
        # Temp(a, high)@1 has had one of two chances to come, Temp(a, high)@2 none
        ("delay Temp = 1. probability Temp = 0.5.", Fraction(1, 4) / Fraction(3, 4) * Fraction(1, 2)),
        ("delay Temp = 1 with 0.5, 0.25. probability Temp = 0.5.", Fraction(1, 8) / Fraction(3, 4) * Fraction(3, 8)),
        # what is sure to have come does not come any more
        ("delay Temp = 1 with 1, 0. probability Temp = 1.", 0),
        # what is declared for a part of the atoms counts for that part
        ("delay Temp = 1. probability Temp = 0.9. probability Temp(a, high) = 0.5.", Fraction(1, 6)),
        ("delay Temp = 1. probability Temp = 0.5. probability Temp(b, _) = 0.9.", Fraction(1, 6)),
        ("delay Temp = 3. delay Temp(a, _) = 1. probability Temp = 0.5.", Fraction(1, 6)),
    ],
)
def test_confidence_is_as_computed_by_hand(declarations, expected):
    stream = HypothesisStream(read(f"{TURBINES} {declarations or 'delay Temp = 1.'}"), "Malf")
    stream.advance("Temp(a, high)@0", to=1)
    (row,) = stream.open().table().to_pylist()
    assert len(row["hypotheses"]) == 2
    assert row["confidence"] == (None if expected is None else pytest.approx(float(expected), abs=1e-9))


def test_one_atom_that_two_of_a_rule_stand_for_counts_once():
    text = """timeline integer. delay D = 2. delay C = 2. probability D = 0.5.
    P at T :- D(X, Y) at T, D(Y, X) at T, C(X, Y) at T."""
    stream = HypothesisStream(read(text), "P")
    stream.advance("C(a, a)@0\nC(a, b)@0", to=-1)
    found = {len(row["hypotheses"]): row["confidence"] for row in stream.open().table().to_pylist()}
    assert found == {1: pytest.approx(0.5), 2: pytest.approx(0.25)}


def test_negated_atoms_are_hypotheses_until_their_delay_is_over():
    text = (
        "timeline integer. delay B = 1 with 0.5, 0.25. probability B = 0.8. P(X) at T :- A(X) at T, not B(X) at T + 1."
    )
    stream = HypothesisStream(read(text), "P")
    found = []
    for closed in range(2):
        stream.advance("A(a)@0" if not closed else " ", to=closed)
        found += [row["confidence"] for row in stream.open().table().to_pylist()]
    # P(not B) = 1 - 0.8 * 0.75, and after it has not come at once (1 - 0.8 * 0.75) / (1 - 0.8 * 0.5)
    assert found == [pytest.approx(0.4), pytest.approx(0.4 / 0.6)]
    assert [row["status"] for row in stream.advance(" ", to=2).table().to_pylist()] == ["confirmed"]


def test_of_equally_specific_delays_the_longest_says_when_facts_come():
    longer, shorter = "delay D(_, b) = 2 with 0, 0, 1. ", "delay D(a, _) = 1 with 0.5, 0.5. "
    for delays in (longer + shorter, shorter + longer):
        text = f"timeline integer. {delays} probability D = 0.5. P at T :- A at T, D(a, b) at T."
        stream = HypothesisStream(read(text), "P")
        stream.advance("A@0", to=0)
        (row,) = stream.open().table().to_pylist()
        assert (row["deadline"], row["confidence"]) == (2, pytest.approx(0.5))


def test_confidence_is_right_about_as_often_as_it_says():
    """Of rows that are 40 % sure, 40 % are confirmed, where streams are drawn from the model."""
    arrivals = (0.5, 0.3, 0.15)
    declarations = f"delay Temp = 2 with {', '.join(map(str, arrivals))}. "
    declarations += "probability Temp(_, high) = 0.95. probability Temp(b, high) = 0.5."
    stream, random = HypothesisStream(read(TURBINES + declarations), "Malf"), Random(7)
    pending, sayings, confirmed = defaultdict(list), [], set()
    for now in range(400):
        for device, chance in (("a", 0.95), ("b", 0.5)):
            if random.random() < chance and (delay := drawn(random, arrivals)) is not None:
                pending[now + delay].append(f"Temp({device}, high)@{now}")
        answers = stream.advance("\n".join(pending[now]) or " ", to=now).table().to_pylist()
        confirmed |= {theta(row) for row in answers if row["status"] == "confirmed"}
        sayings += [(row["confidence"], theta(row)) for row in stream.open().table().to_pylist() if row["time"] < 390]
    groups = defaultdict(list)
    for confidence, answer in sayings:
        groups[int(confidence * 5)].append((confidence, answer in confirmed))
    large = [group for group in groups.values() if len(group) > 100]
    assert len(large) > 2
    for group in large:
        assert sum(true for _, true in group) / len(group) == pytest.approx(
            sum(confidence for confidence, _ in group) / len(group), abs=0.1
        )


def drawn(random, parts):
    at, mark = random.random(), 0.0
    for number, part in enumerate(parts):
        mark += part
        if at < mark:
            return number
    return None
