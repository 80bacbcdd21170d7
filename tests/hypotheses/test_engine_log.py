"""What the engine says of an answer, read from the first word to the last."""

from fractions import Fraction

import pytest
from hypothesis import given

from hypotheses.busy_streams import BUSY, busy
from hypotheses.engine_runs import Step, examples, steps, theta
from thalweg.testing.hypotheses import GroundAtom, has_negation
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs(max_facts=8)
NEGATED = HypothesesKnobs(max_facts=8, negation=True)
METRIC = HypothesesKnobs(max_facts=8, metric=True, negation=True, comparisons=True, max_layers=2)
PROMPT = HypothesesKnobs(max_delay=0, several_times=False, named_times=False)
FAR = 1000


def check(case):
    log = Log(case.program)
    step = None
    for step in steps(case):
        log.read(step)
    last = step.stream.advance(" ", FAR)
    log.read(Step(step.stream, last, step.data, FAR))
    assert all(row["deadline"] is None for row in step.stream.open().table().to_pylist())


class Log:
    """The answers that are open, and those about which all is said."""

    def __init__(self, program):
        self.has_negation = has_negation(program)
        self.open, self.over = set(), set()

    def read(self, step):
        for row in step.rows:
            self._take(theta(row), row["status"])
            assert atoms_of(row["evidence"]) <= step.data, "evidence that has not come"
            if row["status"] != "refuted" or not (self.has_negation or step.stream._reasoner.in_order):
                awaited = [each for each in row["hypotheses"] if not each["negated"]]
                assert not atoms_of(awaited) & step.data, "what has come is awaited"
        shown = step.stream.open().table().to_pylist()
        lapsed = step.stream._reasoner.lapsed
        assert {theta(row) for row in shown} <= self.open
        assert len({theta(row) for row in shown}) + len(lapsed) == len(self.open), "an answer that ended in silence"
        for row in shown:
            assert row["deadline"] is None or row["deadline"] > step.closed, "a row outlives its deadline"
            assert row["evidence"]

    def _take(self, answer, status):
        match status:
            case "opened":
                assert answer not in self.open, "opened twice"
                assert answer not in self.over, "opened after its end"
                self.open.add(answer)
            case "extended":
                assert answer in self.open, "extended, but not open"
            case "confirmed":
                assert answer not in self.over, "confirmed after its end"
                self.open.discard(answer)
                self.over.add(answer)
            case "refuted":
                assert answer in self.open, "refuted, but not open"
                self.open.remove(answer)
                self.over.add(answer)
            case _:
                pytest.fail(f"an answer is {status}, though nothing is given up")


def atoms_of(listed):
    """The ground atoms that a row lists."""
    found = set()
    for each in listed:
        if each["time"] is not None and None not in each["arguments"]:
            values = tuple(Fraction(text) if text.isdigit() else text for text in each["arguments"])
            found.add(GroundAtom(each["predicate"], values, each["time"]))
    return found


@examples(12)
@given(hypotheses_cases(PLAIN))
def test_an_answer_is_opened_once_and_ends_once(case):
    check(case)


@examples(12)
@given(hypotheses_cases(NEGATED))
def test_an_answer_ends_once_with_negation_too(case):
    check(case)


@examples(8)
@given(hypotheses_cases(METRIC))
def test_an_answer_ends_once_with_metric_operators_too(case):
    check(case)


@examples(8)
@given(hypotheses_cases(PROMPT))
def test_an_answer_ends_once_where_nothing_is_late(case):
    check(case)


@pytest.mark.parametrize("name", BUSY)
def test_an_answer_ends_once_where_many_facts_come(name):
    for seed in range(3):
        check(busy(BUSY[name], seed))
