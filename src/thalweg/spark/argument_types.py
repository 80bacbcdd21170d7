"""Which Spark types the arguments of answers have, before anything runs."""

from __future__ import annotations

import enum
from collections.abc import Container, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
from pyspark.sql import types

from thalweg.columnar.values import Data, Value
from thalweg.engine.packets import Column
from thalweg.errors import DataError, Diagnostic
from thalweg.model.formula import (
    Arithmetic,
    Atom,
    Comparison,
    Constant,
    Expression,
    HeadTerm,
    Skolem,
    Variable,
    atoms,
)
from thalweg.model.program import Program, Rule
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator, TypeName
from thalweg.time.interval import format_endpoint, format_rational

PLACES = 18
"""Decimal places of answers that are numbers and may not be whole."""


class ArgumentType(enum.Enum):
    """The types that an argument column can have; ANY holds texts and numbers, and is written as text."""

    STRING = "string"
    BOOLEAN = "boolean"
    INTEGER = "bigint"
    DOUBLE = "double"
    DECIMAL = "decimal"
    ANY = "any"

    @property
    def spark(self) -> types.DataType:
        """The type of an output column."""
        return {
            ArgumentType.BOOLEAN: types.BooleanType(),
            ArgumentType.INTEGER: types.LongType(),
            ArgumentType.DOUBLE: types.DoubleType(),
            ArgumentType.DECIMAL: types.DecimalType(38, PLACES),
        }.get(self, types.StringType())

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type of an output column."""
        return {
            ArgumentType.BOOLEAN: pa.bool_(),
            ArgumentType.INTEGER: pa.int64(),
            ArgumentType.DOUBLE: pa.float64(),
            ArgumentType.DECIMAL: pa.decimal128(38, PLACES),
        }.get(self, pa.string())


def argument_type_of(kind: types.DataType) -> ArgumentType | None:
    """The argument type of a Spark column; None if it cannot be an argument."""
    match kind:
        case types.StringType() | types.VarcharType() | types.CharType():
            return ArgumentType.STRING
        case types.BooleanType():
            return ArgumentType.BOOLEAN
        case types.ByteType() | types.ShortType() | types.IntegerType() | types.LongType():
            return ArgumentType.INTEGER
        case types.FloatType() | types.DoubleType():
            return ArgumentType.DOUBLE
        case types.DecimalType():
            return ArgumentType.DECIMAL if kind.scale else ArgumentType.INTEGER
        case _:
            return None


def infer_types(program: Program, given: Mapping[str, Sequence[ArgumentType]]) -> dict[str, list[ArgumentType]]:
    """The argument types of every predicate, from the tables given, through the rules, to their heads.

    A declared type settles the matter; a predicate that nothing is known of has arguments of any type.
    """
    known: dict[str, list[ArgumentType | None]] = {
        name: [None] * signature.arity for name, signature in program.signatures.items()
    }
    for name, found in given.items():
        for position, kind in enumerate(found):
            known[name][position] = _either(known[name][position], kind)
    for fact in program.facts:
        for position, term in enumerate(fact.atom.arguments):
            assert isinstance(term, Constant)
            kinds = known[fact.atom.predicate]
            kinds[position] = _either(kinds[position], _type_of_value(term.value))
    declared = _impose_declared(program, known)
    changed = True
    while changed:
        changed = sum(_derive(rule, known, declared) for rule in program.rules) > 0
    return {name: [kind or ArgumentType.ANY for kind in kinds] for name, kinds in known.items()}


def write_column(column: Column, kind: ArgumentType, place: str) -> pa.Array:
    """A column of answers in its Spark type; raises :class:`DataError` for a value that the type cannot hold."""
    if column.kind == "integer" and kind is ArgumentType.INTEGER:
        return column.array
    if column.kind == "text" and kind in (ArgumentType.STRING, ArgumentType.ANY):
        return column.array.dictionary.take(column.array.indices)
    values, indices = _distinct(column)
    try:
        written = [_written(value, kind) for value in values]
        return pa.array(written, kind.arrow).take(pa.array(indices))
    except (ValueError, OverflowError, pa.ArrowInvalid) as error:
        shown = next((format_endpoint(v) for v in values if isinstance(v, Fraction)), "")
        message = f"{place}: a value cannot be written as {kind.value}: {error or shown}"
        hint = "declare the argument in the program, with a type that holds all its values (string holds any)"
        raise DataError([Diagnostic("E464", None, message, hint)]) from error


_DECLARED = {
    TypeName.STRING: ArgumentType.STRING,
    TypeName.INTEGER: ArgumentType.INTEGER,
    TypeName.BOOLEAN: ArgumentType.BOOLEAN,
}


def _impose_declared(program: Program, known: dict[str, list[ArgumentType | None]]) -> set[tuple[str, int]]:
    """Set the declared types; returns the positions that they settle."""
    settled = set()
    for name, signature in program.signatures.items():
        for position, parameter in enumerate(signature.parameters):
            if parameter.type in _DECLARED:
                known[name][position] = _DECLARED[parameter.type]
                settled.add((name, position))
            elif parameter.type in (TypeName.NUMBER, TypeName.TIME) and known[name][position] is None:
                known[name][position] = ArgumentType.DECIMAL
    return settled


def _either(one: ArgumentType | None, other: ArgumentType | None) -> ArgumentType | None:
    """The type that holds the values of both."""
    if one is None or other is None or one is other:
        return one or other
    numbers = {ArgumentType.INTEGER, ArgumentType.DECIMAL, ArgumentType.DOUBLE}
    return ArgumentType.DECIMAL if {one, other} <= numbers else ArgumentType.ANY


def _derive(rule: Rule, known: dict[str, list[ArgumentType | None]], settled: Container[tuple[str, int]]) -> bool:
    """Carry the types of a rule's body to its head; whether anything new came of it."""
    head = rule.head_core
    if not isinstance(head, Atom):
        return False
    variables = _variables(rule, known)
    kinds, changed = known[head.predicate], False
    for position, term in enumerate(head.arguments):
        kind = _type_of_term(term, variables)
        if (head.predicate, position) in settled:
            continue
        joined = _either(kinds[position], kind)
        changed |= joined is not kinds[position]
        kinds[position] = joined
    return changed


def _type_of_term(term: HeadTerm, variables: Mapping[str, ArgumentType]) -> ArgumentType | None:
    match term:
        case Constant(value=value):
            return _type_of_value(value)
        case Skolem():
            return ArgumentType.STRING
        case Variable(name=name):
            return variables.get(name)


def _variables(rule: Rule, known: Mapping[str, Sequence[ArgumentType | None]]) -> dict[str, ArgumentType]:
    """What the body says of its variables: a variable in several atoms has the narrowest of their types."""
    found: dict[str, ArgumentType] = {}
    for atom in (atom for literal in rule.body for atom in atoms(literal)):
        for position, term in enumerate(atom.arguments):
            kind = known[atom.predicate][position] if atom.predicate in known else None
            if isinstance(term, Variable) and kind is not None:
                found[term.name] = _both(found.get(term.name), kind)
    equations = list(_equations(rule))
    for _ in equations:
        for variable, expression in equations:
            kind = _type_of(expression, found)
            if kind is not None:
                found.setdefault(variable.name, kind)
    return found


def _both(one: ArgumentType | None, other: ArgumentType) -> ArgumentType:
    order = list(ArgumentType)
    return other if one is None else min(one, other, key=order.index)


def _equations(rule: Rule) -> Iterator[tuple[Variable, Expression]]:
    for literal in rule.body:
        if isinstance(literal, Comparison) and literal.operator is ComparisonOperator.EQUAL:
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(side, Variable):
                    yield side, other


def _type_of(expression: Expression, found: Mapping[str, ArgumentType]) -> ArgumentType | None:
    match expression:
        case Variable(name=name):
            return found.get(name)
        case Constant(value=value):
            return _type_of_value(value)
        case Arithmetic(operator=operator, left=left, right=right):
            one, other = _type_of(left, found), _type_of(right, found)
            if one is None or other is None:
                return None
            whole = one is other is ArgumentType.INTEGER and operator is not ArithmeticOperator.DIVIDE
            return ArgumentType.INTEGER if whole else ArgumentType.DECIMAL
    return None


def _type_of_value(value: Data) -> ArgumentType:
    if isinstance(value, str):
        return ArgumentType.STRING
    return ArgumentType.INTEGER if value.denominator == 1 else ArgumentType.DECIMAL


def _distinct(column: Column) -> tuple[list[Value], np.ndarray]:
    if column.kind != "integer":
        return column.distinct(), np.asarray(column.array.indices)
    distinct, indices = np.unique(np.asarray(column.array), return_inverse=True)
    return [Fraction(int(number)) for number in distinct], indices


def _written(value: Value, kind: ArgumentType) -> object:
    if kind in (ArgumentType.STRING, ArgumentType.ANY):
        return format_rational(value) if isinstance(value, Fraction) else str(value)
    if kind is ArgumentType.BOOLEAN:
        if value in ("true", "false"):
            return value == "true"
        raise ValueError(f"{value} is not true or false")
    if not isinstance(value, Fraction):
        raise ValueError(f"{str(value)!r} is not a number")
    if kind is ArgumentType.INTEGER:
        if value.denominator != 1:
            raise ValueError(f"{format_rational(value)} is not whole")
        return value.numerator
    if kind is ArgumentType.DOUBLE:
        return float(value)
    scaled = value * 10**PLACES
    if scaled.denominator != 1:
        raise ValueError(f"{format_rational(value)} has more than {PLACES} decimal places")
    return Decimal(scaled.numerator).scaleb(-PLACES)
