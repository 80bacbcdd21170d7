"""Programs written by hand for streams with many facts: what generated programs and streams seldom have together."""

from __future__ import annotations

from random import Random

from hypotheses.reading import read
from thalweg.testing.hypotheses import Arrival, arrival_times, input_atoms
from thalweg.testing.strategies import HypothesesCase

POSITIVE = {
    "a chain": """timeline integer. delay A = 2. delay A(a) = 1.
        P(X) at T :- A(X) at T, A(X) at T + 1, A(X) at T + 2.""",
    "two ways": """timeline integer. delay A = 1. delay B = 3.
        P(X) at T :- A(X) at T, A(X) at T + 1.
        P(X) at T :- B(X) at T, A(X) at T + 1.""",
    "a fork": """timeline integer. delay A = 2. delay B = 1.
        P(X) at T :- A(X) at T, B(Y) at T, A(Y) at T + 1.""",
    "ways that share atoms": """timeline integer. delay A = 2. delay B = 1. delay C = 2.
        P at T :- A at T, B at T + 1. P at T :- A at T, C at T, B at T. P at T + 1 :- C at T, A at T.""",
    "one way needs less": """timeline integer. delay A = 1. delay C = 1.
        P at T :- A at T, B at T + 1, C at T + 2. P at T :- A at T, C at T + 2, D at T + 3.""",
    "constants": """timeline integer. delay A = 1. delay D = 1.
        P(X) at T :- A(X) at T, D(Y, a) at T + 1. P(X) at T :- A(X) at T, D(Y, b) at T + 1.""",
    "a row for anyone": """timeline integer. delay A = 1. delay B = 2.
        P(a) at T :- A at T, A at T + 1. P(X) at T :- A at T, B(X) at T + 2.""",
    "two times": """timeline integer. delay A = 1.
        P(X) at 0 :- A(X) at T, B(X) at S, S < T + 2.""",
    "the end of the timeline": """timeline integer from 1 to 3. delay A = 2.
        Q(X) at T - 1 :- A(X) at T. P(X) at T + 2 :- Q(X) at T, B(X) at T + 1.""",
    "metric operators": """timeline integer. delay A = 2. delay B = 1.
        P(X) :- boxminus[0,1] A(X), diamondplus[1,2] B(X).""",
}
PROMPT = {
    "a chain in order": "timeline integer. P(X) at T :- A(X) at T, B(X) at T, A(X) at T + 1, B(X) at T + 2.",
    "a fork in order": "timeline integer. P(X) at T :- A(X) at T, B(Y) at T, A(Y) at T + 1.",
    "two ways in order": """timeline integer.
        P(X) at T :- A(X) at T, B(X) at T + 2. P(X) at T + 1 :- B(X) at T, B(X) at T + 1, A(X) at T + 1.""",
}
NEGATIVE = {
    "one negation": "timeline integer. delay A = 1. delay C = 2. P(X) at T :- A(X) at T, not C(X) at T + 1.",
    "two negations": """timeline integer. delay A = 2. delay B = 1. delay C = 1.
        P(X) at T :- A(X) at T, not B(X) at T + 1, not C(X) at T - 1.""",
    "a derived negation": """timeline integer. delay A = 1. delay C = 1. delay D = 2.
        S(X) at T :- C(X) at T, D(X) at T + 1. P(X) at T :- A(X) at T, not S(X) at T.""",
    "negation below negation": """timeline integer. delay A = 1. delay C = 2. delay D = 1.
        S(X) at T :- C(X) at T, not D(X) at T + 1. P(X) at T :- A(X) at T, not S(X) at T.""",
    "three negations": """timeline integer. delay D = 2.
        R(X) at T :- D(X) at T + 1. S(X) at T :- C(X) at T, not R(X) at T. P(X) at T :- A(X) at T, not S(X) at T.""",
    "one way with a negation": """timeline integer. delay A = 1. delay B = 3. delay C = 2.
        P(X) at T :- A(X) at T, A(X) at T + 1. P(X) at T :- B(X) at T + 1, not C(X) at T + 1.""",
    "two ways with negations": """timeline integer. delay A = 2. delay B = 3. delay C = 3.
        P at T :- A at T, not C at T + 1. P at T :- B at T + 1, not C at T.""",
    "what must come and must not": """timeline integer. delay D = 2. delay A = 1.
        P(X) at T :- A(X, Y) at T, D(X, Y) at T, not D(Y, X) at T.""",
    "no value at all": "timeline integer. delay D = 2. delay A = 1. P(X) at T :- A(X) at T, not D(X, _) at T + 1.",
    "nothing late": "timeline integer. P(X) at T :- A(X) at T, B(X) at T + 1, not A(X) at T + 1.",
    "before the timeline": """timeline integer from 1. delay B = 2.
        Q(X) at T :- A(X) at T, not B(X) at T - 2. P(X) at T + 1 :- Q(X) at T, B(X) at T + 1.""",
    "a box under not": """timeline integer. delay A = 1. delay C = 2.
        P(X) :- A(X), not boxminus[0,1] C(X), not diamondplus[1,1] A(X).""",
}

BUSY = POSITIVE | PROMPT | NEGATIVE


def busy(text: str, seed: int, last: int = 3, most: int = 9) -> HypothesesCase:
    """A stream of many of the facts that there could be, in any order that δ allows."""
    random, program = Random(seed), read(text)
    first = int(program.bounds[0]) if program.bounds[0] != float("-inf") else 0
    constants = ("a", "b")
    atoms = sorted(input_atoms(program, constants, range(first, last + 1)), key=str)
    chosen = random.sample(atoms, min(most, round(len(atoms) * random.choice((0.3, 0.5, 0.7)))))
    arrivals = tuple(Arrival(atom, random.choice(arrival_times(program, atom))) for atom in chosen)
    return HypothesesCase(program, "P", arrivals, constants, range(first, last + 3), text)
