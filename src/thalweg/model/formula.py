"""Terms and formulas with their meaning settled.

Compared with the syntax tree: intervals are exact (:class:`thalweg.time.interval.Interval`), declared
constants are replaced by their values, an atom's arguments are only variables and constants (arithmetic
among them has become a comparison with a fresh variable), and every anonymous variable has a name of
its own. Comparison ignores spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from thalweg.source import Span
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.time.interval import Interval

Value = str | Fraction
"""A data value: a text or an exact rational."""


@dataclass(frozen=True)
class Variable:
    """A variable. Names with ``#`` in them were made up by a pass and cannot clash with a user's."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def is_anonymous(self) -> bool:
        """Whether the variable was written ``_``."""
        return self.name.startswith("_#")

    def __str__(self) -> str:
        return "_" if self.is_anonymous else self.name


@dataclass(frozen=True)
class Constant:
    """A data value in a rule."""

    value: Value
    span: Span | None = field(default=None, compare=False, repr=False)


Term = Variable | Constant


@dataclass(frozen=True)
class Arithmetic:
    """An arithmetic expression in a comparison."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


Expression = Variable | Constant | Arithmetic


@dataclass(frozen=True)
class Atom:
    """P(s)."""

    predicate: str
    arguments: tuple[Term, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Top:
    """⊤."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Bottom:
    """⊥."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Metric:
    """A unary metric operator with its interval."""

    interval: Interval
    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


class DiamondMinus(Metric):
    """At t iff the operand holds at some t' with t − t' ∈ ϱ."""


class DiamondPlus(Metric):
    """At t iff the operand holds at some t' with t' − t ∈ ϱ."""


class BoxMinus(Metric):
    """At t iff the operand holds at all t' with t − t' ∈ ϱ."""


class BoxPlus(Metric):
    """At t iff the operand holds at all t' with t' − t ∈ ϱ."""


@dataclass(frozen=True)
class BinaryMetric:
    """A binary metric operator with its interval."""

    interval: Interval
    left: Formula
    right: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


class Since(BinaryMetric):
    """At t iff right holds at some t' with t − t' ∈ ϱ and left at all t'' ∈ (t', t)."""


class Until(BinaryMetric):
    """At t iff right holds at some t' with t' − t ∈ ϱ and left at all t'' ∈ (t, t')."""


@dataclass(frozen=True)
class Not:
    """Negation; only in front of a whole body literal."""

    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class And:
    """A conjunction inside another operator."""

    operands: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Comparison:
    """A comparison of two expressions over data values."""

    operator: ComparisonOperator
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


Formula = Atom | Top | Bottom | Metric | BinaryMetric | Not | And | Comparison


def children(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly inside a formula."""
    match formula:
        case Metric(operand=operand) | Not(operand=operand):
            return (operand,)
        case BinaryMetric(left=left, right=right):
            return (left, right)
        case And(operands=operands):
            return operands
        case _:
            return ()


def subformulas(formula: Formula) -> Iterator[Formula]:
    """The formula and everything inside it, outermost first."""
    yield formula
    for child in children(formula):
        yield from subformulas(child)


def atoms(formula: Formula) -> Iterator[Atom]:
    """The relational atoms in a formula."""
    return (part for part in subformulas(formula) if isinstance(part, Atom))


def expression_variables(expression: Expression) -> Iterator[Variable]:
    """The variables of an expression, in order, with repetitions."""
    match expression:
        case Variable():
            yield expression
        case Arithmetic(left=left, right=right):
            yield from expression_variables(left)
            yield from expression_variables(right)


def variables(formula: Formula) -> Iterator[Variable]:
    """The variables of a formula, in order, with repetitions."""
    for part in subformulas(formula):
        if isinstance(part, Atom):
            yield from (term for term in part.arguments if isinstance(term, Variable))
        elif isinstance(part, Comparison):
            yield from expression_variables(part.left)
            yield from expression_variables(part.right)


def intervals(formula: Formula) -> Iterator[Interval]:
    """The intervals of the metric operators in a formula."""
    for part in subformulas(formula):
        if isinstance(part, Metric | BinaryMetric):
            yield part.interval
