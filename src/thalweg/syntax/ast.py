"""The abstract syntax of the language: what was written, and where.

Every node is frozen and carries the span it came from; spans do not take part in comparison, so two
programs are equal when they say the same thing. Nothing here is resolved: durations keep their units,
constants declared by name are still names, sugar is still sugar. :mod:`thalweg.model` gives meaning.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from fractions import Fraction

from thalweg.source import Source, Span

# --- terms -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variable:
    """A variable, such as ``X``; ``_`` is anonymous, and each ``_`` is a variable of its own."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Text:
    """A constant that is a text: a bare lower-case name or a quoted string (``veh21`` = ``"veh21"``)."""

    value: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Number:
    """An exact rational constant, with a unit where one was written (``5``, ``1.5``, ``3/2``, ``10min``)."""

    value: Fraction
    unit: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


class ArithmeticOperator(enum.Enum):
    """+ − × ÷."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"


@dataclass(frozen=True)
class Arithmetic:
    """An arithmetic expression over values or times."""

    operator: ArithmeticOperator
    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Negative:
    """Unary minus before something that is not a number literal."""

    operand: Term
    span: Span | None = field(default=None, compare=False, repr=False)


Term = Variable | Text | Number | Arithmetic | Negative

# --- intervals and windows ----------------------------------------------------------------------


@dataclass(frozen=True)
class Infinity:
    """An infinite end of an interval or window."""

    negative: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


Bound = Number | Infinity


@dataclass(frozen=True)
class IntervalText:
    """An interval as written: of an operator, or of a fact."""

    start: Bound
    end: Bound
    start_closed: bool = True
    end_closed: bool = True
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class TimeWindow:
    """``window[last 10, next 5, slide 2]``: LARS time-based window (Definition 3)."""

    last: Bound
    next: Bound | None = None
    slide: Number | None = None
    of_stream: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class TupleWindow:
    """``window[last 3 tuples, next 1 tuples]``: LARS tuple-based window."""

    last: Number
    next: Number | None = None
    of_stream: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class PartitionWindow:
    """``window[last 3 tuples per 1, 2]``: LARS partition-based window; positions count from 1."""

    last: Number
    positions: tuple[Number, ...]
    next: Number | None = None
    of_stream: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


Window = TimeWindow | TupleWindow | PartitionWindow

# --- formulas -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Atom:
    """A relational atom P(s); a predicate without arguments is written without parentheses."""

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
class _Metric:
    interval: IntervalText
    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


class DiamondMinus(_Metric):
    """Sometime in the past interval."""


class DiamondPlus(_Metric):
    """Sometime in the future interval."""


class BoxMinus(_Metric):
    """Always in the past interval."""


class BoxPlus(_Metric):
    """Always in the future interval."""


@dataclass(frozen=True)
class _Binary:
    interval: IntervalText
    left: Formula
    right: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


class Since(_Binary):
    """left S right."""


class Until(_Binary):
    """left U right."""


@dataclass(frozen=True)
class Windowed:
    """A window operator before a formula."""

    window: Window
    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Some:
    """◇ without an interval: at some time point of the window."""

    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class All:
    """□ without an interval: at all time points of the window."""

    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class At:
    """``formula at T``: the formula at the time of a time term."""

    operand: Formula
    time: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Not:
    """Negation."""

    operand: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class And:
    """A conjunction in parentheses, inside another formula (a body's own conjunction is a tuple)."""

    operands: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Or:
    """A disjunction."""

    operands: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Implies:
    """left → right, inside a formula."""

    left: Formula
    right: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


class ComparisonOperator(enum.Enum):
    """= ≠ < ≤ > ≥."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="


@dataclass(frozen=True)
class Comparison:
    """A comparison of two terms."""

    operator: ComparisonOperator
    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)


class AggregateKind(enum.Enum):
    """What an aggregate computes from the distinct tuples of a set."""

    COUNT = "count"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    AVERAGE = "avg"


@dataclass(frozen=True)
class Aggregate:
    """``N = count { V, T : body }``: a comparison with a value computed from the distinct tuples of a set.

    The operator is that of ``result operator aggregate``, wherever the aggregate was written.
    """

    operator: ComparisonOperator
    result: Term
    kind: AggregateKind
    elements: tuple[Term, ...]
    body: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Formula = (
    Atom
    | Top
    | Bottom
    | DiamondMinus
    | DiamondPlus
    | BoxMinus
    | BoxPlus
    | Since
    | Until
    | Windowed
    | Some
    | All
    | At
    | Not
    | And
    | Or
    | Implies
    | Comparison
    | Aggregate
)

# --- statements ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Head:
    """``exists Y, Z per X: A(X, Y), B(Y, Z)``; an ordinary head is one formula and no existentials.

    ``per`` is None where it was not written; otherwise it names the frontier explicitly.
    """

    formulas: tuple[Formula, ...]
    existential: tuple[Variable, ...] = ()
    per: tuple[Variable, ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Rule:
    """``head :- body.``"""

    head: Head
    body: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Fact:
    """``P(a, b)@[1, 2)`` or ``P(a)@3``; ``P(a).`` without a time holds always (interval None)."""

    atom: Atom
    interval: IntervalText | None
    span: Span | None = field(default=None, compare=False, repr=False)


class Role(enum.Enum):
    """What a declared predicate is for."""

    PREDICATE = "predicate"
    INPUT = "input"
    BACKGROUND = "background"
    OUTPUT = "output"


class TypeName(enum.Enum):
    """The type of an argument."""

    ANY = "any"
    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"


@dataclass(frozen=True)
class Parameter:
    """One argument of a declared predicate: a name, a type, or both (``vehicle: string``)."""

    name: str | None
    type: TypeName = TypeName.ANY
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class PredicateDeclaration:
    """``input Speed(vehicle: string, kmh: number).``; ``output Jam.`` leaves the arguments open (None)."""

    role: Role
    predicate: str
    parameters: tuple[Parameter, ...] | None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class TimelineDeclaration:
    """``timeline rational.`` or ``timeline integer from 0 to 50.``; None where there is no start or end."""

    name: str
    start: Number | None = None
    end: Number | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class UnitDeclaration:
    """``unit 1s.``: how long the number 1 is when a time is written without a unit."""

    length: Number
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class TickDeclaration:
    """``tick 1/2.``: the finest step of time."""

    length: Number
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class DelayDeclaration:
    """``delay Temp("wt4", _) = 5.`` or ``delay Temp = 5.`` (arguments None).

    ``arrivals`` are the numbers after ``with``: ``delay Temp = 1 with 0.9, 0.1.``; None where they were not written.
    """

    predicate: str
    arguments: tuple[Term, ...] | None
    length: Bound
    arrivals: tuple[Bound, ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ProbabilityDeclaration:
    """``probability Temp(_, high) = 0.1.`` or ``probability Temp = 0.1.`` (arguments None)."""

    predicate: str
    arguments: tuple[Term, ...] | None
    value: Bound
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class LastArgumentDeclaration:
    """``time in last argument.``: ``Temp(X, high, T)`` is read as ``Temp(X, high) at T``."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ConstantDeclaration:
    """``const limit = 50.``; afterwards the bare name stands for the value."""

    name: str
    value: Text | Number
    span: Span | None = field(default=None, compare=False, repr=False)


Statement = (
    Rule
    | Fact
    | PredicateDeclaration
    | TimelineDeclaration
    | UnitDeclaration
    | TickDeclaration
    | DelayDeclaration
    | ProbabilityDeclaration
    | LastArgumentDeclaration
    | ConstantDeclaration
)


@dataclass(frozen=True)
class QueryText:
    """``exists X, Y: body``; the other variables of the body are asked for."""

    existential: tuple[Variable, ...]
    body: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ProgramText:
    """A whole program as written."""

    statements: tuple[Statement, ...]
    source: Source | None = field(default=None, compare=False, repr=False)
