"""Terms and atoms of Temporal Datalog, substitutions and most general unifiers (hypotheses paper, Section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import (
    Arithmetic,
    Comparison,
    Constant,
    Data,
    Expression,
    Variable,
    expression_variables,
    expression_with,
)
from thalweg.syntax.ast import ArithmeticOperator
from thalweg.syntax.facts import format_value


@dataclass(frozen=True)
class Shifted:
    """A variable, or a time variable and a whole number: T + k."""

    variable: str
    offset: int = 0

    def __str__(self) -> str:
        if not self.offset:
            return self.variable
        return f"{self.variable} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"


@dataclass(frozen=True)
class Value:
    """A constant of either sort."""

    value: Data

    def __str__(self) -> str:
        return format_value(self.value)


PatternTerm = Shifted | Value


@dataclass(frozen=True)
class TimedAtom:
    """P(t₁, …, tₙ₋₁) at tₙ."""

    predicate: str
    arguments: tuple[PatternTerm, ...]
    time: PatternTerm

    @property
    def terms(self) -> tuple[PatternTerm, ...]:
        """All terms, the time last."""
        return (*self.arguments, self.time)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, once each, in order."""
        return tuple(dict.fromkeys(term.variable for term in self.terms if isinstance(term, Shifted)))

    @property
    def argument_variables(self) -> tuple[str, ...]:
        """The variables of the arguments, once each, in order."""
        return tuple(dict.fromkeys(term.variable for term in self.arguments if isinstance(term, Shifted)))

    def __str__(self) -> str:
        inside = f"({', '.join(map(str, self.arguments))})" if self.arguments else ""
        return f"{self.predicate}{inside} at {self.time}"


Substitution = Mapping[str, PatternTerm]


class NotUnifiable(Exception):  # noqa: N818 -- an outcome, not an error
    """There is no unifier."""


def unify(pairs: Iterable[tuple[PatternTerm, PatternTerm]]) -> dict[str, PatternTerm]:
    """A most general unifier that binds variables of the left sides first; raises :class:`NotUnifiable`."""
    found: dict[str, PatternTerm] = {}
    for left, right in pairs:
        _unify(_resolved(left, found), _resolved(right, found), found)
    return {variable: _resolved(term, found) for variable, term in found.items()}


def _resolved(term: PatternTerm, found: Substitution) -> PatternTerm:
    """The term as far as it is known: what a variable is bound to may hold variables that are bound as well."""
    while isinstance(term, Shifted) and term.variable in found:
        term = shifted(found[term.variable], term.offset)
    return term


def resolve(term: PatternTerm, substitution: Substitution) -> PatternTerm:
    """The term with all variables replaced at once."""
    if isinstance(term, Shifted) and term.variable in substitution:
        return shifted(substitution[term.variable], term.offset)
    return term


def shifted(term: PatternTerm, offset: int) -> PatternTerm:
    """The term plus a whole number; raises :class:`NotUnifiable` for a text."""
    if not offset:
        return term
    if isinstance(term, Shifted):
        return Shifted(term.variable, term.offset + offset)
    if isinstance(term.value, str):
        raise NotUnifiable
    return Value(term.value + offset)


def _unify(left: PatternTerm, right: PatternTerm, found: dict[str, PatternTerm]) -> None:
    match left, right:
        case Value(), Value():
            if left != right:
                raise NotUnifiable
        case Shifted(), Shifted() if left.variable == right.variable:
            if left.offset != right.offset:
                raise NotUnifiable
        case Shifted(), _:
            found[left.variable] = shifted(right, -left.offset)
        case _:
            assert isinstance(right, Shifted)
            found[right.variable] = shifted(left, -right.offset)


def substituted(atom: TimedAtom, substitution: Substitution) -> TimedAtom:
    """The atom under a substitution."""
    arguments = tuple(resolve(term, substitution) for term in atom.arguments)
    return TimedAtom(atom.predicate, arguments, resolve(atom.time, substitution))


def substituted_condition(condition: Comparison, substitution: Substitution) -> Comparison:
    """A comparison under a substitution."""
    known: dict[Variable, Expression] = {
        variable: _expression(resolve(Shifted(variable.name), substitution))
        for side in (condition.left, condition.right)
        for variable in expression_variables(side)
        if variable.name in substitution
    }
    return Comparison(
        condition.operator, expression_with(condition.left, known), expression_with(condition.right, known)
    )


def condition_variables(condition: Comparison) -> Iterator[str]:
    """The names of a comparison's variables."""
    for side in (condition.left, condition.right):
        yield from (variable.name for variable in expression_variables(side))


def _expression(term: PatternTerm) -> Expression:
    if isinstance(term, Value):
        return Constant(term.value)
    if not term.offset:
        return Variable(term.variable)
    operator = ArithmeticOperator.ADD if term.offset > 0 else ArithmeticOperator.SUBTRACT
    return Arithmetic(operator, Variable(term.variable), Constant(Fraction(abs(term.offset))))
