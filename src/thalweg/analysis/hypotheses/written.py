"""Patterns as people read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from thalweg.analysis.hypotheses.patterns import Pattern
from thalweg.analysis.hypotheses.terms import Shifted, TimedAtom, condition_variables, substituted
from thalweg.model.formula import Arithmetic, Comparison, Constant, Expression, Variable
from thalweg.syntax.ast import ArithmeticOperator
from thalweg.syntax.facts import format_value

_SUMS = (ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT)


def written_pattern(pattern: Pattern) -> str:
    """``Malf(X) at T waits for: Temp(X, high) at T, not Off(X) at T; given Turbine(X); where X != wt1``."""
    parts = [f"{pattern.answer} waits for: {', '.join(awaited(pattern)) or 'nothing'}"]
    parts += [f"given {', '.join(given(pattern))}"] if pattern.given else []
    parts += [f"where {', '.join(where(pattern))}"] if where(pattern) else []
    return "; ".join(parts)


def awaited(pattern: Pattern) -> list[str]:
    """The atoms that must come, then those that must not; a variable that nothing else has is ``_``."""
    return [*map(str, _plain(pattern, pattern.atoms)), *(f"not {atom}" for atom in _plain(pattern, pattern.negated))]


def given(pattern: Pattern) -> list[str]:
    """The atoms of background predicates, which have no time."""
    return [str(atom).removesuffix(f" at {atom.time}") for atom in _plain(pattern, pattern.given)]


def where(pattern: Pattern) -> list[str]:
    """The conditions; background holds at all times, so what its own time must be says nothing."""
    known = {term.variable for atom in _timed(pattern) for term in atom.terms if isinstance(term, Shifted)}
    known |= {term.variable for atom in pattern.given for term in atom.arguments if isinstance(term, Shifted)}
    unused = {atom.time.variable for atom in pattern.given if isinstance(atom.time, Shifted)} - known
    return [_condition(each) for each in pattern.conditions if unused.isdisjoint(condition_variables(each))]


def bound_by(pattern: Pattern) -> list[str]:
    """The variables of a pattern that stand for values, not for time points."""
    atoms = (pattern.answer, *pattern.atoms, *pattern.given)
    names = (term.variable for atom in atoms for term in atom.arguments if isinstance(term, Shifted))
    return [name for name in dict.fromkeys(names) if name not in pattern.time_variables]


def _timed(pattern: Pattern) -> tuple[TimedAtom, ...]:
    return (pattern.answer, *pattern.atoms, *pattern.negated)


def _condition(condition: Comparison) -> str:
    return f"{_expression(condition.left)} {condition.operator.value} {_expression(condition.right)}"


def _plain(pattern: Pattern, atoms: tuple[TimedAtom, ...]) -> Iterator[TimedAtom]:
    """Atoms with ``_`` for a variable that occurs once and only as an argument."""
    every = (*_timed(pattern), *pattern.given)
    counts = Counter(term.variable for atom in every for term in atom.terms if isinstance(term, Shifted))
    counts.update(name for condition in pattern.conditions for name in condition_variables(condition))
    for atom in atoms:
        lonely = {term.variable for term in atom.arguments if isinstance(term, Shifted) and counts[term.variable] == 1}
        yield substituted(atom, {name: Shifted("_") for name in lonely})


def _expression(expression: Expression, *, inside: bool = False) -> str:
    match expression:
        case Constant(value=value):
            return format_value(value)
        case Variable(name=name):
            return name
        case Arithmetic(operator=operator, left=left, right=right):
            left_text = _expression(left, inside=operator not in _SUMS)
            text = f"{left_text} {operator.value} {_expression(right, inside=True)}"
            return f"({text})" if inside else text
    raise AssertionError(expression)
