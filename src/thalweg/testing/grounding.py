"""Which substitutions a formula can be true for: ground(Π, X) of the journal paper, Section 2.

A variable may be any value of the active domain. Most substitutions make some atom false at all times and
with it the whole formula; those are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from thalweg.model.formula import (
    Atom,
    Comparison,
    Constant,
    Expression,
    Formula,
    HeadTerm,
    Skolem,
    Value,
    Variable,
    expression_variables,
)
from thalweg.null import Null
from thalweg.syntax.ast import ComparisonOperator
from thalweg.testing.cells import Cells
from thalweg.testing.needs import Known, Need, Needs, TimePoint, named_in, needs_of_all
from thalweg.testing.scope import free_names
from thalweg.testing.values import Substitution, compare, evaluate
from thalweg.time.timeline import Timeline

Interpretation = dict[str, dict[tuple[Value, ...], Cells]]
"""Where each ground atom holds: by predicate, by arguments. An atom that holds nowhere is left out."""


EMPTY: Substitution = MappingProxyType({})


class Knowledge(Protocol):
    """What is known to hold, sometime."""

    def arguments(self, predicate: str) -> Collection[tuple[Value, ...]]:
        """Those of the atoms of a predicate that hold sometime."""

    def times(self, predicate: str, arguments: tuple[Value, ...]) -> Iterable[Fraction]:
        """The time points at which an atom holds; asked for on the timeline of LARS only."""

    def points(self) -> Iterable[Fraction]:
        """All time points; asked for on the timeline of LARS only."""

    def domain(self) -> Iterable[Value]:
        """The active domain, and a value in any case."""


def ground(atom: Atom, substitution: Substitution, time: int | None = None) -> tuple[Value, ...]:
    """The arguments of an atom under a substitution; the time is that of the body, for the nulls that depend on it."""
    return tuple(value_of(term, substitution, time) for term in atom.arguments)


def value_of(term: HeadTerm, substitution: Substitution, time: int | None = None) -> Value:
    """The value of a term under a substitution; that of an existential variable is its null (LARS+ paper, App. B)."""
    match term:
        case Constant(value=value):
            return value
        case Variable(name=name):
            return substitution[name]
        case Skolem(rule=rule, variable=variable, frontier=frontier, timed=timed):
            assert (time is not None) or not timed, "a null that depends on time is made at a time"
            return Null(rule, variable, tuple(substitution[each.name] for each in frontier), time if timed else None)


class Grounding:
    """The substitutions for the variables of some formulas that are to be true together."""

    def __init__(self, formulas: Iterable[Formula], timeline: Timeline, names: Iterable[str] | None = None) -> None:
        """Without names, for all variables that the formulas do not give a value to themselves."""
        formulas = tuple(formulas)
        self.alternatives = [_Alternative(each) for each in needs_of_all(formulas, timeline)]
        self.names = free_names(formulas) if names is None else list(names)

    def bound(self, given: frozenset[str] = frozenset()) -> frozenset[str]:
        """The variables that get a value, whichever alternative is taken, when those given have one."""
        bound = [alternative.bound(given) for alternative in self.alternatives]
        return frozenset.intersection(*bound) if bound else frozenset(self.names)

    def substitutions(self, known: Knowledge, given: Substitution) -> Iterator[Substitution]:
        """The given substitution, extended in every way that needs no false atom and no false comparison."""
        seen = set()
        for alternative in self.alternatives:
            for found in alternative.substitutions(known, given, self.names):
                key = tuple(found[name] for name in self.names)
                if key not in seen:
                    seen.add(key)
                    yield {**given, **dict(zip(self.names, key, strict=True))}


class _Alternative:
    """One way in which some formulas can be true together."""

    def __init__(self, needs: Needs) -> None:
        # Atoms with a time last: what binds their arguments leaves fewer of them.
        self.atoms = sorted((need for need in needs if isinstance(need, Known)), key=lambda need: need.when is not None)
        self.times = [need.time for need in needs if isinstance(need, TimePoint)]
        self.comparisons = [need for need in needs if isinstance(need, Comparison)]

    def bound(self, given: frozenset[str]) -> frozenset[str]:
        """The variables that the atoms and the times bind, and the equalities then."""
        needs: list[Need] = [*self.atoms, *map(TimePoint, self.times)]
        named = (name for need in needs for name in named_in(need))
        bound: dict[str, Value] = dict.fromkeys((*given, *named), "")
        while ready := _next_assignment(self.comparisons, bound):
            bound[ready[0]] = ""
        return frozenset(bound)

    def substitutions(self, known: Knowledge, given: Substitution, names: Iterable[str]) -> Iterator[dict[str, Value]]:
        for matched in _match(self.atoms, known, dict(given)):
            for timed in self._timed(matched, known):
                for assigned in self._assign(timed, known, names):
                    if all(compare(each, assigned) for each in self.comparisons if _is_ground(each, assigned)):
                        yield assigned

    def _timed(self, bound: Substitution, known: Knowledge) -> Iterator[dict[str, Value]]:
        """Time points for the time variables that no atom binds."""
        assigned = calculate(self.comparisons, bound)
        if assigned is None:
            return
        missing = next((t.name for t in self.times if isinstance(t, Variable) and t.name not in assigned), None)
        if missing is None:
            yield assigned
            return
        for time in known.points():
            yield from self._timed({**assigned, missing: time}, known)

    def _assign(self, bound: Substitution, known: Knowledge, names: Iterable[str]) -> Iterator[dict[str, Value]]:
        """Values for the variables that nothing binds: by an equality, else any value of the domain."""
        assigned = calculate(self.comparisons, bound)
        if assigned is None:
            return
        missing = next((name for name in names if name not in assigned), None)
        if missing is None:
            yield assigned
            return
        for value in known.domain():
            yield from self._assign({**assigned, missing: value}, known, names)


def _match(atoms: Sequence[Known], known: Knowledge, bound: dict[str, Value]) -> Iterator[dict[str, Value]]:
    """The extensions of a substitution under which every atom is known."""
    if not atoms:
        yield bound
        return
    first, *rest = atoms
    for arguments in list(known.arguments(first.atom.predicate)):
        for extended in _match_one(first, arguments, known, bound):
            yield from _match(rest, known, extended)


def _match_one(
    need: Known, arguments: tuple[Value, ...], known: Knowledge, bound: dict[str, Value]
) -> Iterator[dict[str, Value]]:
    atom = need.atom
    if len(atom.arguments) != len(arguments):
        return
    extended = dict(bound)
    for term, value in zip(atom.arguments, arguments, strict=True):
        if _bind(term, value, extended) != value:
            return
    if need.when is None:
        yield extended
        return
    for time in known.times(atom.predicate, arguments):
        timed = dict(extended)
        if _bind(need.when, time, timed) == time:
            yield timed


def _bind(term: HeadTerm, value: Value, bound: dict[str, Value]) -> Value:
    """The value of a term; a variable without one takes the given one."""
    assert not isinstance(term, Skolem), "nulls stand only in heads"
    return term.value if isinstance(term, Constant) else bound.setdefault(term.name, value)


def calculate(comparisons: Iterable[Comparison], bound: Substitution) -> dict[str, Value] | None:
    """The substitution with the variables that equalities give a value; None where one has no value."""
    assigned = dict(bound)
    while ready := _next_assignment(comparisons, assigned):
        name, source = ready
        value = evaluate(source, assigned)
        if value is None:
            return None
        assigned[name] = value
    return assigned


def _next_assignment(comparisons: Iterable[Comparison], bound: Substitution) -> tuple[str, Expression] | None:
    """A variable without a value, and an expression with a value that is to equal it."""
    for equality in comparisons:
        if equality.operator is not ComparisonOperator.EQUAL:
            continue
        for target, source in ((equality.left, equality.right), (equality.right, equality.left)):
            if isinstance(target, Variable) and target.name not in bound and has_value(source, bound):
                return target.name, source
    return None


def _is_ground(comparison: Comparison, bound: Substitution) -> bool:
    return has_value(comparison.left, bound) and has_value(comparison.right, bound)


def has_value(expression: Expression, bound: Collection[str]) -> bool:
    """Whether all variables of an expression are bound."""
    return all(variable.name in bound for variable in expression_variables(expression))
