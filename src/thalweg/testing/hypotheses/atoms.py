"""Ground atoms with their times, and finite sets of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from thalweg.model.formula import Value, atoms
from thalweg.model.program import Program
from thalweg.syntax.ast import TypeName


class GroundAtom(NamedTuple):
    """P(t₁, …, tₙ): the last argument, the temporal one, stands apart."""

    predicate: str
    values: tuple[Value, ...]
    time: int

    def __str__(self) -> str:
        arguments = f"({','.join(map(str, self.values))})" if self.values else ""
        return f"{self.predicate}{arguments}@{self.time}"


def input_predicates(program: Program) -> dict[str, int]:
    """The extensional predicates (EDB) that the rules mention, with their arities: streams deliver facts of these."""
    bodies = (formula for rule in program.rules for formula in rule.body)
    arities = {atom.predicate: len(atom.arguments) for formula in bodies for atom in atoms(formula)}
    other = program.derived_predicates | program.background
    return {name: arity for name, arity in sorted(arities.items()) if name not in other}


def input_atoms(program: Program, constants: Iterable[Value], times: Iterable[int]) -> frozenset[GroundAtom]:
    """All ground atoms of input predicates over some constants and times, on the timeline.

    An argument that is declared as a text or as a number gets no other constants.
    """
    constants, times = tuple(dict.fromkeys(constants)), tuple(times)
    start, end = program.bounds
    return frozenset(
        GroundAtom(predicate, values, time)
        for predicate, arity in input_predicates(program).items()
        for values in product(*_columns(program, predicate, arity, constants))
        for time in times
        if start <= time <= end
    )


def _columns(program: Program, predicate: str, arity: int, constants: tuple[Value, ...]) -> Iterator[list[Value]]:
    signature = program.signatures.get(predicate)
    types = [each.type for each in signature.parameters] if signature else [TypeName.ANY] * arity
    for type_ in types:
        yield [value for value in constants if _fits(value, type_)]


def _fits(value: Value, type_: TypeName) -> bool:
    match type_:
        case TypeName.STRING:
            return isinstance(value, str)
        case TypeName.NUMBER:
            return isinstance(value, Fraction)
        case TypeName.INTEGER:
            return isinstance(value, Fraction) and value.denominator == 1
        case _:
            return True
