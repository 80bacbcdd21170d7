"""Terms and atoms of Temporal Datalog (Section 2.1), substitutions and most general unifiers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import Value
from thalweg.testing.hypotheses.atoms import GroundAtom


@dataclass(frozen=True, order=True)
class Sum:
    """T + k; a variable alone, of either sort, is X + 0."""

    variable: str
    amount: int = 0

    def __str__(self) -> str:
        return f"{self.variable}{self.amount:+d}" if self.amount else self.variable


@dataclass(frozen=True)
class Known:
    """A constant of either sort."""

    value: Value

    def __str__(self) -> str:
        return str(self.value)


Term = Sum | Known
Substitution = Mapping[str, Term]


@dataclass(frozen=True)
class Pattern:
    """P(t₁, …, tₙ) with variables; the temporal argument stands apart."""

    predicate: str
    arguments: tuple[Term, ...]
    time: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """All arguments, the temporal one last."""
        return (*self.arguments, self.time)

    @property
    def variables(self) -> frozenset[str]:
        """var(α)."""
        return frozenset(term.variable for term in self.terms if isinstance(term, Sum))

    def under(self, substitution: Substitution) -> Pattern:
        """ασ."""
        *arguments, time = (apply(term, substitution) for term in self.terms)
        return Pattern(self.predicate, tuple(arguments), time)

    def ground(self) -> GroundAtom:
        """The ground atom that a pattern without variables is."""
        *values, time = (_value(term) for term in self.terms)
        assert isinstance(time, Fraction), f"{self} has no time"
        return GroundAtom(self.predicate, tuple(values), int(time))

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(map(str, self.terms))})"


def pattern_of(atom: GroundAtom) -> Pattern:
    """A ground atom as a pattern."""
    return Pattern(atom.predicate, tuple(map(Known, atom.values)), Known(Fraction(atom.time)))


def variables_of(patterns: Iterable[Pattern]) -> frozenset[str]:
    """The variables of some patterns."""
    return frozenset(name for pattern in patterns for name in pattern.variables)


def apply(term: Term, substitution: Substitution) -> Term:
    """tσ, additions of constants carried out."""
    if isinstance(term, Known) or term.variable not in substitution:
        return term
    return plus(substitution[term.variable], term.amount)


def plus(term: Term, amount: int) -> Term:
    """t + k."""
    match term:
        case Sum(variable=variable, amount=own):
            return Sum(variable, own + amount)
        case Known(value=Fraction() as value):
            return Known(value + amount)
        case _ if amount == 0:
            return term
        case _:
            raise ValueError(f"there is no {term} + {amount}")


def compose(first: Substitution, second: Substitution) -> Substitution:
    """σρ: first σ, then ρ."""
    return {**second, **{name: apply(term, second) for name, term in first.items()}}


def unify_atoms(one: Pattern, other: Pattern) -> Substitution | None:
    """An mgu of two atoms, or None."""
    if one.predicate != other.predicate or len(one.arguments) != len(other.arguments):
        return None
    return unify(one.terms, other.terms)


def unify(left: Sequence[Term], right: Sequence[Term]) -> Substitution | None:
    """An mgu of two lists of terms, or None.

    Variables on the left are replaced first: so those of a clause are, and not those of the goal (Section 3.2).
    """
    found: Substitution = {}
    for one, other in zip(left, right, strict=True):
        step = _unify(apply(one, found), apply(other, found))
        if step is None:
            return None
        found = compose(found, step)
    return found


def _unify(one: Term, other: Term) -> Substitution | None:
    if isinstance(one, Known) and isinstance(other, Known):
        return {} if one == other else None
    if isinstance(one, Known):
        one, other = other, one
    assert isinstance(one, Sum)
    if isinstance(other, Sum) and other.variable == one.variable:
        return {} if other.amount == one.amount else None
    if isinstance(other, Known) and one.amount and not isinstance(other.value, Fraction):
        return None
    return {one.variable: plus(other, -one.amount)}


def _value(term: Term) -> Value:
    assert isinstance(term, Known), f"{term} has no value"
    return term.value


def renamed(patterns: Sequence[Pattern], mark: int) -> Iterator[Pattern]:
    """The patterns with variables of their own."""
    fresh = {name: Sum(f"{name}'{mark}") for name in variables_of(patterns)}
    return (pattern.under(fresh) for pattern in patterns)
