"""Comparisons of times, as t₁ ≤ t₂ and t₁ = t₂ + t₃: true of the same time points, on every timeline."""

from itertools import count, product

import pytest

import thalweg
from thalweg.analysis.existential.time_arithmetic import AtMost, Sum, arithmetic_atoms, within
from thalweg.model.formula import Comparison, Constant, Variable, variables
from thalweg.testing.values import compare

EXPRESSIBLE = """
T = S
T = S + 3
T = S - 3
S + 2 = T
T - S = 3
T - S = 0 - 1
T = 4
T = 0 - 1
4 = T + S
9 = T + S
T = S + R
T - R = S
T = 2 * S
T + S = R
T + T = 6
T = 7 - S
T <= S
T <= S + 2
T <= S - 2
T < S
T > S
T >= S + 1
T < S + 4
T <= 3
T < 3
T >= 3
T > 8
T > 0 - 2
T < 0
T <= S + R
T + S <= R
T + S >= 5
T >= 7 - S
T - S <= R
T <= T
T < T
1 < 2
2 < 1
T = T + 1
"""

NOT_EXPRESSIBLE = """
T != S
T + S = R + 1
T + S <= 7
T + S <= R + 1
T = 3 * S
T = S / 2
T = S * R
T <= S + R + 1
T = 1/2
T = a
"""


def comparison(text):
    program, _ = thalweg.api.diagnose(thalweg.source.Source("rules", f"timeline integer. p :- {text}."))
    return next(literal for literal in program.rules[0].body if isinstance(literal, Comparison))


@pytest.mark.parametrize("horizon", [0, 1, 4, 6])
@pytest.mark.parametrize("text", EXPRESSIBLE.split("\n")[1:-1])
def test_atoms_are_true_of_the_same_time_points(text, horizon):
    literal = comparison(text)
    fresh = fresh_variables()
    atoms = arithmetic_atoms(literal, fresh)
    clipped = [part for atom in atoms for part in within(atom, horizon, fresh)]
    assert max((number for atom in clipped for number in numbers(atom)), default=0) <= max(horizon, 1)
    times = sorted({variable.name for variable in variables(literal)})
    for values in product(range(horizon + 1), repeat=len(times)):
        match = dict(zip(times, values, strict=True))
        expected = compare(literal, match)
        assert are_true(atoms, match, horizon) is expected, match
        assert are_true(clipped, match, horizon) is expected, match


@pytest.mark.parametrize("text", NOT_EXPRESSIBLE.split("\n")[1:-1])
def test_what_cannot_be_expressed(text):
    assert arithmetic_atoms(comparison(text), fresh_variables()) is None


def fresh_variables():
    numbers = count(1)
    return lambda: Variable(f"V{next(numbers)}")


def numbers(atom):
    return (int(term.value) for term in vars(atom).values() if isinstance(term, Constant))


def are_true(atoms, match, horizon):
    """Whether values of the timeline for all other variables make the atoms true, by trying them."""
    if not atoms:
        return True
    first, *others = atoms
    terms = list(vars(first).values())
    missing = {term.name for term in terms if isinstance(term, Variable)} - match.keys()
    for values in product(range(horizon + 1), repeat=len(missing)):
        extended = {**match, **dict(zip(sorted(missing), values, strict=True))}
        numbers = [term.value if isinstance(term, Constant) else extended[term.name] for term in terms]
        if is_true(first, numbers) and are_true(others, extended, horizon):
            return True
    return False


def is_true(atom, numbers):
    match atom, numbers:
        case AtMost(), (left, right):
            return left <= right
        case Sum(), (result, left, right):
            return result == left + right
