"""The worked examples of the journal paper (Section 4 and 5), window contents included."""

from fractions import Fraction

import thalweg
from thalweg.engine.intake import Intake
from thalweg.engine.read import read_facts_of
from thalweg.engine.stream import StreamReasoner
from thalweg.model.normal_form import normalise

EXAMPLE_1 = """
    Flag(X, Z) :- Monit(X, Z), boxminus[0,4] diamondminus[0,2] Signal(Z).
    boxplus[0,3] Monit(X, Z) :- Flag(Y, Z), Connect(X, Y).
"""

RULES_7_TO_9 = """
    P(Z) :- diamondminus[0,2] Signal(Z).
    P1(Z) :- boxminus[0,4] P(Z).
    Flag(X, Z) :- Monit(X, Z), P1(Z).
"""


def facts(program, text):
    batches, problems = read_facts_of(program, text)
    assert not problems
    return batches


def contents(reasoner):
    return set(reasoner.window().to_text().splitlines())


def test_example_1_flags_spread_through_the_network():
    program = thalweg.parse(EXAMPLE_1)
    reasoner = StreamReasoner(program, ["Flag", "Monit"])
    signals = "\n".join(f"Signal(s1)@{t}" for t in (0, 2, 4, 6))
    stream = facts(program, signals + "\nMonit(n,s1)@[0,5]\nConnect(m,n)@[0,10]")
    answers = reasoner.advance(stream, 10).to_text().splitlines()
    # Signal  •   •   •   •          0 2 4 6
    # ◇[0,2]  ├───────────────┤      [0, 8]
    # ⊟[0,4]          ├───────┤      [4, 8]
    assert answers == ["Flag(m,s1)@[4,8]", "Flag(n,s1)@[4,5]", "Monit(m,s1)@[4,8]", "Monit(n,s1)@[0,5]"]


def test_example_7_normal_form():
    normal = normalise(thalweg.parse(EXAMPLE_1))
    shapes = sorted(type(rule.body[0]).__name__ for rule in normal.rules if len(rule.body) == 1)
    assert len(normal.rules) == 5
    assert shapes == ["BoxMinus", "DiamondMinus", "DiamondMinus"]
    assert all(type(literal).__name__ == "Atom" for rule in normal.rules if len(rule.body) > 1 for literal in rule.body)


def reasoner_with_window(text, now):
    """A reasoner for rules (7) to (9) with the given facts in W, whatever stream may have led there."""
    program = thalweg.parse(RULES_7_TO_9)
    reasoner = StreamReasoner(program, "Flag", algorithm=1)
    batches = facts(program, text)
    reasoner.advance([], now)
    reasoner._fit_tick(batches, Fraction(now))
    window = reasoner._window
    for name, relation in Intake(window.values, window.ticks).relations(batches).items():
        window._relations.set(name, relation)
    return program, reasoner


def test_examples_8_and_9_apply_rules_then_forget():
    window = "Signal(s1)@96.3\nSignal(s1)@98\nSignal(s1)@100\nP(s1)@[97,100]"
    program, reasoner = reasoner_with_window(window, 100)
    assert reasoner.span == 4
    answers = reasoner.advance(facts(program, "Monit(n,s1)@101"), 101)
    # Example 8: P is extended to [97, 101], so that P' and Flag hold at 101.
    assert answers.to_text() == "Flag(n,s1)@[101,101]"
    # Example 9: Signal at 96.3 lies left of [97, 101] and is forgotten; the pieces of P are one.
    assert contents(reasoner) == {
        "Signal(s1)@[98,98]",
        "Signal(s1)@[100,100]",
        "P(s1)@[97,101]",
        "P1(s1)@[101,101]",
        "Monit(n,s1)@[101,101]",
        "Flag(n,s1)@[101,101]",
    }
    assert reasoner.now == Fraction(101)


def test_the_window_of_example_8_as_a_stream_leaves_it():
    # The example's P(s1)@[97,100] leaves out what Signal at 96.3 entails; a run of the algorithm has it.
    program = thalweg.parse(RULES_7_TO_9)
    reasoner = StreamReasoner(program, "Flag", algorithm=1)
    reasoner.advance(facts(program, "Signal(s1)@96.3\nSignal(s1)@98\nSignal(s1)@100"), 100)
    assert contents(reasoner) == {
        "Signal(s1)@[96.3,96.3]",
        "Signal(s1)@[98,98]",
        "Signal(s1)@[100,100]",
        "P(s1)@[96.3,100]",
    }
