"""Theorems 12 and 15: what is stored stays within the bounds, and does not grow with the stream."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thalweg
from amount import amount
from stream.streaming import batches_of, reasoner_for
from thalweg.analysis.report import analyse
from thalweg.engine.stream import StreamReasoner
from thalweg.model.formula import Atom, Constant
from thalweg.model.program import Fact
from thalweg.syntax.facts import Coded, FactBatch
from thalweg.testing.strategies import Knobs, rational_cases
from thalweg.time.interval import point

DEFINITION_4 = Knobs(future=False, since=False, negation=False, values=False, infinite_facts=False)


@settings(max_examples=amount(20))
@given(rational_cases(DEFINITION_4), st.sampled_from([1, None]))
def test_the_count_never_exceeds_the_theorems(case, algorithm):
    reasoner = reasoner_for(case, algorithm=algorithm)
    points = [Fact(fact.atom, point(max(fact.interval.start, Fraction(-3)))) for fact in case.facts]
    times = sorted({fact.interval.start for fact in points})
    domain = len({term for fact in points for term in fact.atom.arguments} | _constants(case.program)) or 1
    tick = Fraction(1, math.lcm(*(time.denominator for time in times)))
    steps = [later - earlier for earlier, later in itertools.pairwise(times)]
    report = analyse(case.program, domain_size=domain, step=max(steps, default=Fraction(1)), tick=tick)
    assert report.memory is not None
    theorem_15 = report.memory.algorithm_6
    bound = report.memory.algorithm_1 if reasoner.algorithm == 1 else (theorem_15 and theorem_15.larger)
    at_once = reasoner_for(case, algorithm=algorithm)
    at_once.advance(batches_of(case.program, points), times[-1])
    for time in times:
        reasoner.advance(batches_of(case.program, [f for f in points if f.interval.start == time]), time)
        assert bound is None or reasoner.stored.total <= bound
    assert bound is None or at_once.stored.total <= bound
    assert at_once.stored == reasoner.stored


def _constants(program):
    formulas = (formula for rule in program.rules for formula in (rule.head, *rule.body))
    return {term for f in formulas for term in getattr(f, "arguments", ()) if isinstance(term, Constant)}


@pytest.mark.parametrize("algorithm", [1, 6])
def test_a_million_time_points_store_no_more_than_a_hundred_thousand(algorithm):
    rules = "Busy(S) :- boxminus[0,4] diamondminus[0,2] Signal(S). Again(S) :- diamondminus[1,3] Busy(S)."
    program = thalweg.parse(rules)
    reasoner = StreamReasoner(program, "Again", algorithm=algorithm)
    counts = []
    for batch in range(100):
        reasoner.advance([_signals(batch * 10_000, 10_000)], (batch + 1) * 10_000)
        counts.append(reasoner.stored.total)
    assert abs(counts[-1] - counts[9]) <= 0.03 * counts[9] + 1
    assert max(counts) < 100


def _signals(first, count):
    """One signal every time unit, from three sources in turn."""
    times = tuple(Fraction(first + i + 1) for i in range(count))
    codes = np.arange(count)
    closed = np.ones(count, dtype=bool)
    sources = Coded(("a", "b", "c"), codes % 3)
    moments = Coded(times, codes)
    return FactBatch("Signal", (sources,), moments, moments, closed, closed, codes + 1, "generated")


def test_only_predicates_under_an_unbounded_diamond_enter_the_history():
    program = thalweg.parse("Seen(X) :- diamondminus[1,inf) P(X). Near(X) :- diamondminus[0,2] Q(X).")
    reasoner = StreamReasoner(program, ["Seen", "Near"])
    facts = [Fact(Atom(name, (Constant(value),)), point(1)) for name in "PQ" for value in ("a", "b")]
    reasoner.advance(batches_of(program, facts), 1)
    for time in range(2, 50):
        answers = reasoner.advance([], time)
    assert answers.to_text("Seen") == "Seen(a)@(48,49]\nSeen(b)@(48,49]"
    assert (reasoner.stored.window, reasoner.stored.history) == (reasoner.stored.window, 2)
    assert reasoner.stored.window <= 2


def test_times_without_a_common_divisor_are_exact():
    program = thalweg.parse("Q(X) :- boxminus[0,1] diamondminus[0,1/2] P(X).")
    reasoner = StreamReasoner(program, "Q")
    times = [Fraction(0), Fraction(1, 3), Fraction(4, 5), Fraction(9, 7), Fraction(17, 11)]
    found = []
    for time in times:
        fact = Fact(Atom("P", (Constant("a"),)), point(time))
        found += reasoner.advance(batches_of(program, [fact]), time).to_text().splitlines()
    assert found == ["Q(a)@[1,9/7]", "Q(a)@(9/7,17/11]"]


def test_the_tick_becomes_coarser_again_when_fine_times_are_forgotten():
    # Together these denominators need a tick far beyond 64 bits; never more than three are in the window.
    program = thalweg.parse("Q(X) :- diamondminus[0,1] P(X).")
    reasoner = StreamReasoner(program, "Q", algorithm=1)
    primes = [p for p in range(101, 400) if all(p % q for q in range(2, 20))]
    for number, prime in enumerate(primes):
        time = number + Fraction(1, prime)
        fact = Fact(Atom("P", (Constant("a"),)), point(time))
        found = reasoner.advance(batches_of(program, [fact]), time).to_text()
        assert found.endswith(f",{time.numerator}/{time.denominator}]")
    assert len(primes) > 40
