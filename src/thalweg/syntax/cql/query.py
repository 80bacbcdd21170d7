"""Queries with their names resolved: what the translation starts from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from thalweg.source import Span
from thalweg.syntax.ast import AggregateKind, ArithmeticOperator, ComparisonOperator, Number, Text, TypeName
from thalweg.syntax.cql.schema import Relation
from thalweg.syntax.cql.stream_operators import StreamOperator
from thalweg.syntax.cql.windows import Now, Window

# --- where values come from -----------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """One element of a FROM clause; two are the same only if they are the same element."""

    key: int
    alias: str = field(compare=False)
    relation: Relation = field(compare=False)
    window: Window = field(compare=False, default=Now())
    subquery: Query | None = field(compare=False, default=None, repr=False)
    span: Span | None = field(compare=False, default=None, repr=False)


@dataclass(frozen=True)
class Slot:
    """A column of one FROM item; the position None is the time of its tuple, ``rowtime``."""

    item: Item
    position: int | None

    @property
    def type(self) -> TypeName:
        """The type of its values."""
        return TypeName.TIME if self.position is None else self.item.relation.columns[self.position].type

    @property
    def is_time(self) -> bool:
        """Whether this is the time of the tuple."""
        return self.position is None


@dataclass(frozen=True)
class ComputedSlot:
    """A column that no FROM item has: the WHERE clause gives its value (LARS paper, Example 6: T2)."""

    key: int
    name: str = field(compare=False)
    type: TypeName = field(compare=False, default=TypeName.ANY)
    is_time: bool = field(compare=False, default=False)


AnySlot = Slot | ComputedSlot

# --- expressions ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reference:
    """A column, by name."""

    slot: AnySlot
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Constant:
    """A text or a number."""

    value: Text | Number


@dataclass(frozen=True)
class Calculation:
    """An arithmetic expression."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Minus:
    """A negated expression that is not a number."""

    operand: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class AggregateCall:
    """``COUNT(*)`` (argument None), ``SUM(x)``, ``COUNT(DISTINCT x)``."""

    kind: AggregateKind
    argument: Expression | None
    distinct: bool
    span: Span | None = field(default=None, compare=False, repr=False)


Expression = Reference | Constant | Calculation | Minus | AggregateCall

# --- conditions, without NOT ------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """A comparison of two values."""

    operator: ComparisonOperator
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Existence:
    """``[NOT] EXISTS (SELECT …)``."""

    query: Query
    negated: bool
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Conjunction:
    """All of them; none is true."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Disjunction:
    """One of them."""

    parts: tuple[Condition, ...]


Literal = Comparison | Existence
Condition = Literal | Conjunction | Disjunction

# --- queries --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Selected:
    """An expression of the select list, and its name where it has one."""

    expression: Expression
    name: str | None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Query:
    """SELECT … FROM … WHERE … GROUP BY … HAVING …, with a stream operator on top."""

    name: str
    items: tuple[Item, ...]
    condition: Condition
    selected: tuple[Selected, ...]
    group: tuple[Reference, ...] | None
    having: Condition
    operator: StreamOperator | None
    computed: tuple[ComputedSlot, ...]
    free: tuple[AnySlot, ...]
    """The columns of outer queries that this one refers to."""
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def aggregates(self) -> tuple[AggregateCall, ...]:
        """The different aggregates of the select list and the HAVING clause."""
        expressions = [*(each.expression for each in self.selected), *expressions_of(self.having)]
        found = (part for each in expressions for part in subexpressions(each) if isinstance(part, AggregateCall))
        return tuple(dict.fromkeys(found))


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """An expression and its parts."""
    yield expression
    match expression:
        case Calculation(_, left, right):
            yield from subexpressions(left)
            yield from subexpressions(right)
        case Minus(operand):
            yield from subexpressions(operand)
        case AggregateCall(_, argument) if argument is not None:
            yield from subexpressions(argument)


def literals(condition: Condition) -> Iterator[Literal]:
    """The comparisons and subqueries of a condition."""
    if isinstance(condition, Conjunction | Disjunction):
        for part in condition.parts:
            yield from literals(part)
    else:
        yield condition


def expressions_of(condition: Condition) -> Iterator[Expression]:
    """The expressions that a condition compares."""
    for literal in literals(condition):
        if isinstance(literal, Comparison):
            yield from (literal.left, literal.right)


def slots_of(query: Query) -> set[AnySlot]:
    """The columns that a query or one of its EXISTS subqueries refers to."""
    expressions = [*(each.expression for each in query.selected), *expressions_of(query.condition)]
    expressions += [*expressions_of(query.having), *(query.group or ())]
    own = {part.slot for each in expressions for part in subexpressions(each) if isinstance(part, Reference)}
    below = (literal.query.free for literal in literals(query.condition) if isinstance(literal, Existence))
    return own.union(*below)
