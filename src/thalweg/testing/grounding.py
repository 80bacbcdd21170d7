"""Which substitutions a formula can be true for: ground(Π, X) of the journal paper, Section 2.

A variable may be any value of the active domain. Most substitutions make some atom false at all times and
with it the whole formula; those are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType

from thalweg.model.formula import (
    And,
    Atom,
    BinaryMetric,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    Expression,
    Formula,
    Metric,
    Not,
    Value,
    Variable,
    expression_variables,
    variables,
)
from thalweg.syntax.ast import ComparisonOperator
from thalweg.testing.cells import Cells
from thalweg.testing.values import Substitution, compare, evaluate
from thalweg.time.timeline import Timeline

Interpretation = dict[str, dict[tuple[Value, ...], Cells]]
"""Where each ground atom holds: by predicate, by arguments. An atom that holds nowhere is left out."""


EMPTY: Substitution = MappingProxyType({})


def ground(atom: Atom, substitution: Substitution) -> tuple[Value, ...]:
    """The arguments of an atom under a substitution."""
    return tuple(term.value if isinstance(term, Constant) else substitution[term.name] for term in atom.arguments)


class Grounding:
    """The substitutions for the variables of some formulas that are to be true together."""

    def __init__(self, formulas: Iterable[Formula], timeline: Timeline) -> None:
        formulas = tuple(formulas)
        needed = [part for formula in formulas for part in _needed(formula, timeline)]
        self.atoms = [part for part in needed if isinstance(part, Atom)]
        self.comparisons = [part for part in needed if isinstance(part, Comparison)]
        self.names = list(dict.fromkeys(name for formula in formulas for name in _names(formula)))
        self.needs_domain = not set(self.names) <= self._bound()

    def substitutions(
        self, known: Interpretation, domain: Callable[[], Iterable[Value]], given: Substitution
    ) -> Iterator[Substitution]:
        """The given substitution, extended in every way that needs no false atom and no false comparison."""
        for matched in _match(self.atoms, known, dict(given)):
            for assigned in self._assign(matched, domain):
                if all(compare(comparison, assigned) for comparison in self.comparisons):
                    yield assigned

    def _bound(self) -> set[str]:
        """The variables that the atoms bind, and the equalities then."""
        bound: dict[str, Value] = {v.name: "" for atom in self.atoms for v in variables(atom)}
        while ready := _next_assignment(self.comparisons, bound):
            bound[ready[0]] = ""
        return set(bound)

    def _assign(self, bound: Substitution, domain: Callable[[], Iterable[Value]]) -> Iterator[dict[str, Value]]:
        """Values for the variables that no atom binds: by an equality, else any value of the domain."""
        assigned = _calculate(self.comparisons, bound)
        if assigned is None:
            return
        missing = next((name for name in self.names if name not in assigned), None)
        if missing is None:
            yield assigned
            return
        for value in domain():
            yield from self._assign({**assigned, missing: value}, domain)


def _names(formula: Formula) -> Iterator[str]:
    """The variables to be given a value; an anonymous one in a negation is bound inside the negation."""
    for variable in variables(formula):
        if not (isinstance(formula, Not) and variable.is_anonymous):
            yield variable.name


def _needed(formula: Formula, timeline: Timeline) -> Iterator[Atom | Comparison]:
    """The parts without which a formula holds nowhere."""
    match formula:
        case Atom() | Comparison():
            yield formula
        case And(operands=operands):
            for operand in operands:
                yield from _needed(operand, timeline)
        case BoxMinus() | BoxPlus() if timeline is Timeline.INTEGER and not formula.interval.to_integers():
            return
        case Metric(operand=operand):
            yield from _needed(operand, timeline)
        case BinaryMetric(right=right):
            # The left operand may be false everywhere and nothing lie between t' and t.
            yield from _needed(right, timeline)


def _match(atoms: list[Atom], known: Interpretation, bound: dict[str, Value]) -> Iterator[dict[str, Value]]:
    """The extensions of a substitution under which every atom is known."""
    if not atoms:
        yield bound
        return
    first, *rest = atoms
    for arguments in list(known.get(first.predicate, ())):
        extended = _match_one(first, arguments, bound)
        if extended is not None:
            yield from _match(rest, known, extended)


def _match_one(atom: Atom, arguments: tuple[Value, ...], bound: dict[str, Value]) -> dict[str, Value] | None:
    if len(atom.arguments) != len(arguments):
        return None
    extended = dict(bound)
    for term, value in zip(atom.arguments, arguments, strict=True):
        wanted = term.value if isinstance(term, Constant) else extended.setdefault(term.name, value)
        if wanted != value:
            return None
    return extended


def _calculate(comparisons: list[Comparison], bound: Substitution) -> dict[str, Value] | None:
    """The substitution with the variables that equalities give a value; None where one has no value."""
    assigned = dict(bound)
    while ready := _next_assignment(comparisons, assigned):
        name, source = ready
        value = evaluate(source, assigned)
        if value is None:
            return None
        assigned[name] = value
    return assigned


def _next_assignment(comparisons: list[Comparison], bound: Substitution) -> tuple[str, Expression] | None:
    """A variable without a value, and an expression with a value that is to equal it."""
    for equality in comparisons:
        if equality.operator is not ComparisonOperator.EQUAL:
            continue
        for target, source in ((equality.left, equality.right), (equality.right, equality.left)):
            if isinstance(target, Variable) and target.name not in bound and _has_value(source, bound):
                return target.name, source
    return None


def _has_value(expression: Expression, bound: Substitution) -> bool:
    return all(variable.name in bound for variable in expression_variables(expression))
