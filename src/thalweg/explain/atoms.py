"""Ground atoms, and what formulas are for given values of their variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thalweg.model.formula import Atom, Constant, HeadTerm, Value, Variable
from thalweg.syntax.facts import format_value

Binding = Mapping[str, Value]
"""The values of variables, by their names."""


@dataclass(frozen=True)
class GroundAtom:
    """A predicate and the values of its arguments."""

    predicate: str
    values: tuple[Value, ...] = ()

    def __str__(self) -> str:
        arguments = ",".join(map(format_value, self.values))
        return f"{self.predicate}({arguments})" if self.values else self.predicate


def pattern_of(atom: Atom, binding: Binding) -> tuple[Value | None, ...]:
    """The values of an atom's arguments; None where a variable has none."""
    return tuple(value_of(term, binding) for term in atom.arguments)


def value_of(term: HeadTerm, binding: Binding) -> Value | None:
    """The value of a term in a body; None where a variable has none."""
    match term:
        case Constant(value=value):
            return value
        case Variable(name=name):
            return binding.get(name)
        case _:
            raise AssertionError("nulls stand only in heads")


def ground(atom: Atom, binding: Binding) -> GroundAtom | None:
    """The atom with values for its variables; None where one has none."""
    values = [value for value in pattern_of(atom, binding) if value is not None]
    return GroundAtom(atom.predicate, tuple(values)) if len(values) == len(atom.arguments) else None
