"""Values have the types that declarations, comparisons and arithmetic ask for."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.errors import Diagnostic
from thalweg.model.formula import (
    Aggregate,
    Arithmetic,
    At,
    Atom,
    Comparison,
    Constant,
    Expression,
    Skolem,
    Term,
    Value,
    Variable,
    atoms,
    subformulas,
)
from thalweg.model.program import Program, Rule
from thalweg.source import Span
from thalweg.syntax.ast import AggregateKind, ComparisonOperator, TypeName


class Kind(enum.Enum):
    """What the type of a value comes down to; times are numbers."""

    TEXT = "a text"
    NUMBER = "a number"
    INTEGER = "an integer"
    BOOLEAN = "true or false"


@dataclass(frozen=True)
class _Demand:
    """A term must be of a kind, and why."""

    term: Term
    kind: Kind
    reason: str
    span: Span | None


def check_types(program: Program) -> Iterable[Diagnostic]:
    """No value is asked to be of two types: within a rule, and wherever a declaration gives the type."""
    for rule in program.rules:
        yield from _check_rule(rule, program)
        yield from _check_nulls(rule, program)
    for fact in program.facts:
        for demand in _declared(fact.atom, program):
            yield from _check_constant(demand)


def _check_rule(rule: Rule, program: Program) -> Iterator[Diagnostic]:
    same = _equal_variables(rule)
    first: dict[Variable, _Demand] = {}
    for demand in _demands(rule, program):
        if isinstance(demand.term, Constant):
            yield from _check_constant(demand)
            continue
        earlier = first.setdefault(same.get(demand.term, demand.term), demand)
        if not _agree(earlier.kind, demand.kind):
            place = f" at {earlier.span.place}" if earlier.span else ""
            message = f"{demand.term} must be {demand.kind.value} ({demand.reason}), but it is {earlier.kind.value}"
            hint = f"{earlier.term} is {earlier.kind.value}{place}: {earlier.reason}"
            yield Diagnostic("E207", demand.span, message, hint)


def _check_nulls(rule: Rule, program: Program) -> Iterator[Diagnostic]:
    """New values may stand where texts may, not where a declaration asks for something else."""
    for atom in atoms(rule.head):
        parameters = program.signatures[atom.predicate].parameters
        for position, (term, parameter) in enumerate(zip(atom.arguments, parameters, strict=False), start=1):
            if isinstance(term, Skolem) and parameter.type not in (TypeName.ANY, TypeName.STRING):
                message = f"{term.variable} is a new value, which is not {_KINDS[parameter.type].value}"
                hint = f"argument {position} of {atom.predicate} is declared as {parameter.type.value}; write any"
                yield Diagnostic("E255", term.span, message, hint)


def _check_constant(demand: _Demand) -> Iterator[Diagnostic]:
    assert isinstance(demand.term, Constant)
    if not is_of(demand.term.value, demand.kind):
        written = demand.term.span.text if demand.term.span else str(demand.term.value)
        message = f"{written} is not {demand.kind.value}"
        names_number = demand.kind is Kind.NUMBER and written.isidentifier()
        hint = f"{demand.reason}; to name a number, write const {written} = 5." if names_number else demand.reason
        yield Diagnostic("E207", demand.term.span or demand.span, message, hint)


def _demands(rule: Rule, program: Program) -> Iterator[_Demand]:
    for formula in (rule.head, *rule.body):
        for atom in atoms(formula):
            yield from _declared(atom, program)
    for literal in rule.body:
        for part in subformulas(literal):
            if isinstance(part, Comparison):
                yield from _compared(part)
            elif isinstance(part, At):
                yield _Demand(part.time, Kind.INTEGER, "it is a time point", part.time.span or part.span)
            elif isinstance(part, Aggregate):
                yield from _aggregated(part)
    if rule.head_time is not None:
        yield _Demand(rule.head_time, Kind.INTEGER, "it is a time point", rule.head_time.span or rule.head.span)


def _declared(atom: Atom, program: Program) -> Iterator[_Demand]:
    """What the declaration of a predicate demands of its arguments."""
    parameters = program.signatures[atom.predicate].parameters
    for position, (term, parameter) in enumerate(zip(atom.arguments, parameters, strict=False), start=1):
        if parameter.type is not TypeName.ANY:
            reason = f"argument {position} of {atom.predicate} is declared as {parameter.type.value}"
            if not isinstance(term, Skolem):
                yield _Demand(term, _KINDS[parameter.type], reason, term.span or atom.span)


def _compared(comparison: Comparison) -> Iterator[_Demand]:
    sides = (comparison.left, comparison.right)
    for side in sides:
        yield from _calculated(side)
    if comparison.operator not in (ComparisonOperator.EQUAL, ComparisonOperator.NOT_EQUAL):
        for side in sides:
            if not isinstance(side, Arithmetic):
                reason = f"only numbers are compared with {comparison.operator.value}"
                yield _Demand(side, Kind.NUMBER, reason, side.span or comparison.span)
    elif comparison.operator is ComparisonOperator.EQUAL:
        for side, other in (sides, sides[::-1]):
            if isinstance(other, Constant) and not isinstance(side, Constant):
                kind = Kind.NUMBER if isinstance(other.value, Fraction) else Kind.TEXT
            elif isinstance(other, Arithmetic):
                kind = Kind.NUMBER
            else:
                continue
            if not isinstance(side, Arithmetic):
                yield _Demand(side, kind, f"it is equal to {kind.value}", side.span or comparison.span)


def _aggregated(aggregate: Aggregate) -> Iterator[_Demand]:
    """Only numbers are added up, and numbers come out."""
    kind, value = aggregate.kind, aggregate.elements[0]
    if kind in (AggregateKind.SUM, AggregateKind.AVERAGE):
        yield _Demand(value, Kind.NUMBER, f"{kind.value} is of numbers", value.span or aggregate.span)
    if kind not in (AggregateKind.MIN, AggregateKind.MAX):
        reason = f"{kind.value} gives a number"
        yield _Demand(aggregate.result, Kind.NUMBER, reason, aggregate.result.span or aggregate.span)


def _calculated(expression: Expression) -> Iterator[_Demand]:
    """Arithmetic is for numbers only."""
    if isinstance(expression, Arithmetic):
        for side in (expression.left, expression.right):
            if isinstance(side, Arithmetic):
                yield from _calculated(side)
            else:
                reason = f"only numbers are calculated with {expression.operator.value}"
                yield _Demand(side, Kind.NUMBER, reason, side.span or expression.span)


def _equal_variables(rule: Rule) -> dict[Variable, Variable]:
    """A representative for each variable that an equation X = Y makes the same as another."""
    representative: dict[Variable, Variable] = {}

    def find(variable: Variable) -> Variable:
        while variable in representative:
            variable = representative[variable]
        return variable

    for literal in rule.body:
        match literal:
            case Comparison(operator=ComparisonOperator.EQUAL, left=Variable() as left, right=Variable() as right):
                first, second = find(left), find(right)
                if first != second:
                    representative[second] = first
    return {variable: find(variable) for variable in representative}


def _agree(first: Kind, second: Kind) -> bool:
    numbers = {Kind.NUMBER, Kind.INTEGER}
    return first is second or {first, second} <= numbers or {first, second} == {Kind.TEXT, Kind.BOOLEAN}


def kind_of(type_: TypeName) -> Kind | None:
    """The kind of value that a declared type asks for; None for any."""
    return _KINDS.get(type_)


def is_of(value: Value, kind: Kind) -> bool:
    """Whether a value is of a kind."""
    match value, kind:
        case str(), Kind.TEXT:
            return True
        case str() as text, Kind.BOOLEAN:
            return text in ("true", "false")
        case Fraction() as number, Kind.INTEGER:
            return number.denominator == 1
        case Fraction(), Kind.NUMBER:
            return True
        case _:
            return False


_KINDS = {
    TypeName.STRING: Kind.TEXT,
    TypeName.INTEGER: Kind.INTEGER,
    TypeName.NUMBER: Kind.NUMBER,
    TypeName.BOOLEAN: Kind.BOOLEAN,
    TypeName.TIME: Kind.NUMBER,
}
