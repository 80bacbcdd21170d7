"""Terms and formulas with their meaning settled.

Compared with the syntax tree: intervals are exact (:class:`thalweg.time.interval.Interval`), declared
constants are replaced by their values, an atom's arguments are only variables and constants (arithmetic
among them has become a comparison with a fresh variable), and every anonymous variable has a name of
its own. Comparison ignores spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from thalweg.null import Null
from thalweg.source import Span
from thalweg.syntax.ast import AggregateKind, ArithmeticOperator, ComparisonOperator
from thalweg.time.interval import Endpoint, Interval

Data = str | Fraction
"""A value that can be written: a text or an exact rational."""
Value = str | Fraction | Null
"""A data value: what can be written, or a null that a rule has made up."""


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

    value: Data
    span: Span | None = field(default=None, compare=False, repr=False)


Term = Variable | Constant


@dataclass(frozen=True)
class Skolem:
    """The null that stands for an existential variable of a rule: a function of the rule's frontier.

    With ``timed`` it also depends on the time at which the body holds. Only in heads.
    """

    rule: int
    variable: str
    frontier: tuple[Variable, ...]
    timed: bool
    span: Span | None = field(default=None, compare=False, repr=False)


HeadTerm = Variable | Constant | Skolem


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
    """P(s); nulls stand only in heads."""

    predicate: str
    arguments: tuple[HeadTerm, ...] = ()
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


AnyMetric = DiamondMinus | DiamondPlus | BoxMinus | BoxPlus
"""The unary metric operators."""


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


AnyBinaryMetric = Since | Until
"""The binary metric operators."""


@dataclass(frozen=True)
class TimeWindow:
    """The time-based window (ℓ, u, d) (LARS paper, Definition 3).

    At t it spans [t' − last, t' + next], clipped to the timeline, around the pivot t' = ⌊t/slide⌋ · slide.
    """

    last: Endpoint
    next: Endpoint = Fraction(0)
    slide: int = 1


@dataclass(frozen=True)
class TupleWindow:
    """The tuple-based window (ℓ, u), or the partition-based one when ``per`` has argument positions (from 0).

    It counts the tuples of each predicate it is applied to by themselves.
    """

    last: int
    next: int = 0
    per: tuple[int, ...] | None = None


Window = TimeWindow | TupleWindow


@dataclass(frozen=True)
class Windowed:
    """⊞ before a formula (LARS paper, Definition 4): the formula in a window of the current window (ch₂).

    With ``of_stream`` it is a window of the whole stream (ch₁).
    """

    window: Window
    operand: Formula
    of_stream: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Some:
    """◇ of LARS: at some time point of the current window."""

    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class All:
    """□ of LARS: at all time points of the current window, of which there is at least one."""

    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class At:
    """@ of LARS: at the time point that a term stands for, which lies in the current window."""

    operand: Formula
    time: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Or:
    """A disjunction."""

    operands: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Not:
    """Negation."""

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


@dataclass(frozen=True)
class Aggregate:
    """result = kind { elements : body }, over the distinct values of the elements; only as a body literal.

    A variable of the body that also occurs outside the braces is a group variable. ``groups`` are those.
    """

    kind: AggregateKind
    result: Variable
    elements: tuple[Term, ...]
    body: tuple[Formula, ...]
    groups: tuple[Variable, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


Formula = (
    Atom
    | Top
    | Bottom
    | AnyMetric
    | AnyBinaryMetric
    | Windowed
    | Some
    | All
    | At
    | Not
    | And
    | Or
    | Comparison
    | Aggregate
)


def children(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly inside a formula."""
    match formula:
        case Metric() | Not() | Windowed() | Some() | All() | At():
            return (formula.operand,)
        case BinaryMetric(left=left, right=right):
            return (left, right)
        case And(operands=operands) | Or(operands=operands):
            return operands
        case Aggregate(body=body):
            return body
        case Atom() | Top() | Bottom() | Comparison():
            return ()


def looks_back(operator: AnyMetric | AnyBinaryMetric) -> bool:
    """Whether a metric operator speaks of the past; otherwise it speaks of the future."""
    match operator:
        case DiamondMinus() | BoxMinus() | Since():
            return True
        case DiamondPlus() | BoxPlus() | Until():
            return False


def is_box(operator: AnyMetric) -> bool:
    """Whether a metric operator speaks of all times of its interval; otherwise it speaks of some time."""
    match operator:
        case BoxMinus() | BoxPlus():
            return True
        case DiamondMinus() | DiamondPlus():
            return False


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
        case Constant():
            pass


def expression_with(expression: Expression, values: Mapping[Variable, Expression]) -> Expression:
    """The expression with other expressions in place of some variables."""
    match expression:
        case Variable():
            return values.get(expression, expression)
        case Arithmetic(left=left, right=right):
            return replace(expression, left=expression_with(left, values), right=expression_with(right, values))
        case Constant():
            return expression


def term_variables(term: HeadTerm) -> tuple[Variable, ...]:
    """The variables of a term: those of its frontier, for a null."""
    match term:
        case Variable():
            return (term,)
        case Skolem(frontier=frontier):
            return frontier
        case Constant():
            return ()


def skolems(formula: Formula) -> Iterator[Skolem]:
    """The nulls in a head."""
    for atom in atoms(formula):
        yield from (term for term in atom.arguments if isinstance(term, Skolem))


def variables(formula: Formula) -> Iterator[Variable]:
    """The variables of a formula, in order, with repetitions."""
    for part in subformulas(formula):
        match part:
            case Atom(arguments=arguments):
                for term in arguments:
                    yield from term_variables(term)
            case Comparison(left=left, right=right):
                yield from expression_variables(left)
                yield from expression_variables(right)
            case At(time=time):
                yield from term_variables(time)
            case Aggregate(result=result, elements=elements):
                yield result
                yield from (term for term in elements if isinstance(term, Variable))
            case Top() | Bottom() | Metric() | BinaryMetric() | Windowed() | Some() | All() | Not() | And() | Or():
                pass


def intervals(formula: Formula) -> Iterator[Interval]:
    """The intervals of the metric operators in a formula."""
    for part in subformulas(formula):
        if isinstance(part, Metric | BinaryMetric):
            yield part.interval
