"""The comparison of streamed answers with the oracle can fail: each of these bugs must make it do so."""

from dataclasses import replace
from fractions import Fraction

import pytest

import thalweg
from differential.comparison import oracle_answers
from differential.operator_cases import PAST, operator_cases
from differential.planting import differs, planted, some
from stream.streaming import streamed
from thalweg.engine import fixpoint, window
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import ProgramError
from thalweg.plan import reading
from thalweg.plan import stream as stream_plan
from thalweg.testing.strategies import Case, Knobs, rational_cases

CUTS = [Fraction(n, 2) for n in (-4, 1, 2, 4, 5, 8, 10, 13, 14, 16)]

BY_HAND = (
    # The left operand of a since fails at one point only, just where the stream is cut.
    "Q(X) :- A(X) since[0,inf) B(X). A(a)@(0,2). A(a)@(2,5]. B(a)@0.",
    # What an unbounded diamond must remember is derived from what leaves the window before it.
    "Q :- diamondminus[0,inf) diamondminus[1,1] A, B. A@1. B@7.",
)

BUGS = {
    "forget: what the window cannot derive again is not remembered": (
        window.SlidingWindow._forget,
        "edge + self.code(remembered.span)",
        "edge",
    ),
    "forget: the window is too short": (
        window.SlidingWindow._forget,
        "first_kept = self._edge(name, stop)",
        "first_kept = self._edge(name, stop) + 2",
    ),
    "forget: nothing enters the history": (
        window.SlidingWindow._forget,
        "self._relations.add(remembered.name, ever)",
        "pass",
    ),
    "load: what lies after the present is lost": (
        window.SlidingWindow._load,
        "self._pending[name] = later",
        "del self._pending[name]",
    ),
    "answers: the first cell after the present is left out": (
        window.SlidingWindow._stretch,
        "self.now - behind + 1",
        "self.now - behind + 2",
    ),
    "delay: answers do not wait for what they look ahead to": (stream_plan._delays, "+ r.last", "+ 0"),
    "since: not carried beyond the window": (
        stream_plan._Rewriter._still_on,
        "for node in (start, goes_on):",
        "for node in (start,):",
    ),
    "since: carried on without the left operand": (
        stream_plan._Rewriter._still_on,
        "Since(after, left, Join((left, scan)), future=False)",
        "Since(after, left, scan, future=False)",
    ),
    "window: nested operators do not add up": (
        reading.node_readings,
        "first - far, last - interval.start",
        "-far, last - interval.start",
    ),
    "sharp: short facts are dropped while they still go on": (
        window.SlidingWindow._keep_sharp,
        "(relation.end < stop) & (length < gap)",
        "length < gap + 8",
    ),
}


@pytest.fixture(scope="module")
def answered():
    strategies = (
        (operator_cases(operators=PAST, unbounded=True, latest=9), 120),
        (operator_cases(operators=PAST, latest=9), 60),
        (rational_cases(Knobs(future=False)), 120),
        (rational_cases(Knobs(recursion=False)), 50),
        (rational_cases(Knobs(future=False, since=False, negation=False, values=False, punctual=False)), 80),
    )
    cases = [case for strategy, count in strategies for case in some(strategy, count) if _is_answerable(case)]
    return [(case, oracle_answers(case)) for case in (*map(_case, BY_HAND), *cases)]


def test_without_a_bug_nothing_differs(answered):
    assert not differs(answered, _streamed)


@pytest.mark.parametrize("bug", BUGS)
def test_the_comparison_finds(bug, answered, monkeypatch):
    monkeypatch.setattr(fixpoint, "is_certain_to_end", lambda *_: False)
    with planted(*BUGS[bug]):
        assert differs(answered, _streamed)


def _case(text):
    program = thalweg.parse(text)
    return Case(replace(program, facts=()), program.facts, Fraction(0), Fraction(9))


def _is_answerable(case) -> bool:
    try:
        StreamReasoner(case.program, case.program.predicates)
    except ProgramError:
        return False
    return True


def _streamed(case):
    return streamed(StreamReasoner(case.program, case.program.predicates), case, CUTS)
