"""Rules of one shape: the same up to the names of their variables and of the predicates in families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    Comparison,
    Constant,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    Top,
    Variable,
    Windowed,
    expression_with,
    skolems,
    subformulas,
    variables,
)
from thalweg.model.program import Rule

FAMILY = "#"
"""Names of families begin so; names of users do not."""


@dataclass(frozen=True)
class Shaped:
    """A rule's body in the names of its shape.

    ``members`` are the predicates that stand for ``#P1``, ``#P2``, …, and ``names`` the variables of the rule that
    stand for ``x1``, ``x2``, ….
    """

    body: tuple[Formula, ...]
    timed: bool | None
    members: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """What rules of one shape have in common; nulls depend on time in all of them or in none."""
        return self.body, self.timed


def shape_of(heads: Sequence[Rule]) -> tuple[object, ...] | None:
    """The shape of a rule if all its predicates were in families; None where such rules cannot be one."""

    def in_family(atom: Atom) -> Atom:
        name = f"{FAMILY}{len(atom.arguments)}"
        return replace(atom, predicate=name, arguments=(Constant(atom.predicate), *atom.arguments))

    bodies = [tuple(formula_with(part, in_family) for part in rule.body) for rule in heads]
    shaped = shaped_rule([replace(rule, body=body) for rule, body in zip(heads, bodies, strict=True)])
    return None if shaped is None else shaped.key


def shaped_rule(heads: Sequence[Rule]) -> Shaped | None:
    """The body of a rule over families in the names of its shape; None for what cannot be one with others.

    That is everything with a head at another time than the body's, and with ``not`` or an aggregate. The rule is given
    as one rule for each of its heads.
    """
    rule = heads[0]
    parts = [part for literal in rule.body for part in subformulas(literal)]
    if any(isinstance(part, Not | Aggregate) for part in parts):
        return None
    if any(not isinstance(other.head, Atom) or other.body != rule.body for other in heads):
        return None
    members: list[str] = []
    names = dict.fromkeys(v.name for literal in rule.body for v in variables(literal))
    renamed = {name: Variable(f"x{number}") for number, name in enumerate(names, start=1)}

    def canonical(atom: Atom) -> Atom:
        arguments = atom.arguments
        first = arguments[0] if arguments else None
        if atom.predicate.startswith(FAMILY) and isinstance(first, Constant):
            members.append(str(first.value))
            arguments = (Variable(f"{FAMILY}P{len(members)}"), *arguments[1:])
        terms = (renamed.get(t.name, t) if isinstance(t, Variable) else t for t in arguments)
        return Atom(atom.predicate, tuple(terms))

    body = tuple(formula_with(literal, canonical, renamed) for literal in rule.body)
    first_null = next((null for other in heads for null in skolems(other.head)), None)
    return Shaped(body, None if first_null is None else first_null.timed, tuple(members), tuple(names))


def formula_with(
    formula: Formula, change: Callable[[Atom], Atom], renamed: dict[str, Variable] | None = None
) -> Formula:
    """The formula with other atoms, and with other names for the variables outside of them."""
    names = renamed or {}
    values = {Variable(name): variable for name, variable in names.items()}

    def inside(part: Formula) -> Formula:
        return formula_with(part, change, renamed)

    match formula:
        case Atom():
            return change(formula)
        case At(time=Variable(name=name) as time):
            return replace(formula, operand=inside(formula.operand), time=names.get(name, time))
        case Metric() | Not() | Windowed() | Some() | All() | At():
            return replace(formula, operand=inside(formula.operand))
        case BinaryMetric(left=left, right=right):
            return replace(formula, left=inside(left), right=inside(right))
        case And(operands=operands) | Or(operands=operands):
            return replace(formula, operands=tuple(map(inside, operands)))
        case Comparison(left=left, right=right):
            return replace(formula, left=expression_with(left, values), right=expression_with(right, values))
        case Aggregate(body=body):
            return replace(formula, body=tuple(map(inside, body)))
        case Top() | Bottom():
            return formula
