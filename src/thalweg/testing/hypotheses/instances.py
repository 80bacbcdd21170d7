"""The instances of a rule whose positive atoms could hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import (
    And,
    At,
    Atom,
    BinaryMetric,
    Comparison,
    Constant,
    Expression,
    Formula,
    HeadTerm,
    Metric,
    Not,
    Term,
    Value,
    Variable,
    atoms,
    children,
    expression_variables,
)
from thalweg.model.program import Rule
from thalweg.syntax.ast import ComparisonOperator
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.testing.scope import free_names
from thalweg.testing.values import Substitution, compare, evaluate
from thalweg.time.interval import Interval


@dataclass(frozen=True)
class Instance:
    """A rule with values for its variables, at the time point ``now``; None if the rule does not speak of now."""

    rule: Rule
    values: Substitution
    now: int | None

    def value_of(self, term: Term) -> Value:
        """The value of a term."""
        return term.value if isinstance(term, Constant) else self.values[term.name]


class Possible:
    """The ground atoms that could hold, numbered in the order in which they were found."""

    def __init__(self, constants: Iterable[Value]) -> None:
        self.times: defaultdict[str, dict[tuple[Value, ...], set[int]]] = defaultdict(dict)
        self.atoms: dict[GroundAtom, None] = {}
        self.domain = dict.fromkeys(constants)

    def __len__(self) -> int:
        return len(self.atoms)

    def __iter__(self) -> Iterator[GroundAtom]:
        return iter(self.atoms)

    def __contains__(self, atom: GroundAtom) -> bool:
        return atom in self.atoms

    def add(self, atom: GroundAtom) -> None:
        """One more."""
        self.atoms[atom] = None
        self.times[atom.predicate].setdefault(atom.values, set()).add(atom.time)
        self.domain.update(dict.fromkeys(atom.values))

    def size_for(self, rule: Rule) -> tuple[int, ...]:
        """How many atoms there are of each predicate in a body, and how many values."""
        names = sorted({atom.predicate for formula in rule.body for atom in atoms(formula)})
        return (len(self.domain), *(sum(map(len, self.times[name].values())) for name in names))

    def values_at(self, predicate: str, position: int) -> dict[Value, None]:
        """The values that an argument could have."""
        return dict.fromkeys(arguments[position] for arguments in self.times[predicate])

    def matching(self, atom: Atom, values: Substitution) -> Iterator[tuple[Substitution, set[int]]]:
        """The values of the variables with which an atom could hold, and when it could."""
        for arguments, times in list(self.times[atom.predicate].items()):
            found = _match(atom.arguments, arguments, values)
            if found is not None:
                yield found, set(times)


def instances(rule: Rule, possible: Possible, times: range) -> Iterator[Instance]:
    """The instances whose positive atoms could hold, each once."""
    speaks_of_now = any(speaks_of_its_time(literal) for literal in rule.body)
    for now in times if speaks_of_now else [None]:
        search = _Search(possible, times, now)
        seen = set()
        for values in search.solve(rule.body, {}):
            key = tuple(sorted(values.items(), key=lambda each: each[0]))
            if key in seen:
                continue
            seen.add(key)
            everywhere = now is None and not isinstance(rule.head, At)
            yield from (Instance(rule, values, when) for when in (times if everywhere else [now]))


def extensions(formula: Formula, possible: Possible, times: range, values: Substitution) -> list[Substitution]:
    """The values, with some for the variables of a formula that have none, such that it could hold somewhere."""
    return list(_Search(possible, times, None).enumerate_values(formula, values))


def speaks_of_its_time(formula: Formula) -> bool:
    """Whether the truth of a formula depends on when it is asked."""
    match formula:
        case Atom():
            return True
        case At():
            return False
        case _:
            return any(map(speaks_of_its_time, children(formula)))


def truth(comparison: Comparison, values: Substitution) -> bool:
    """Whether a comparison is true; texts and numbers have no order, and texts no arithmetic."""
    try:
        return compare(comparison, values)
    except ValueError:
        return False


def point_of(value: Value | None) -> int | None:
    """A value as a time point."""
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else None


def distances(interval: Interval) -> range:
    """The whole distances in a bounded interval."""
    whole = interval.to_integers()
    if whole is None:
        return range(0)
    if not whole.is_bounded:
        raise ValueError(f"{interval} is not bounded")
    return range(int(whole.start), int(whole.end) + 1)


@dataclass
class _Search:
    """Backtracking over the literals of a body at one time point."""

    possible: Possible
    times: range
    now: int | None

    def solve(self, literals: Sequence[Formula], values: Substitution) -> Iterator[Substitution]:
        """Values for all variables that make no positive atom impossible."""
        if not literals:
            yield values
            return
        index = min(range(len(literals)), key=lambda each: self._cost(literals[each], values))
        rest = [*literals[:index], *literals[index + 1 :]]
        for extended in self._extend(literals[index], values):
            yield from self.solve(rest, extended)

    def enumerate_values(self, formula: Formula, values: Substitution) -> Iterator[Substitution]:
        """Values for the variables of a formula that have none: from its atoms, or any in the domain."""
        unknown = [name for name in free_names([formula]) if name not in values]
        if not unknown:
            yield values
            return
        for value in self._candidates(formula, unknown[0]):
            yield from self.enumerate_values(formula, {**values, unknown[0]: value})

    def _candidates(self, formula: Formula, name: str) -> Iterable[Value]:
        if name in _time_names(formula):
            return map(Fraction, self.times)
        for atom in _needed(formula):
            for position, term in enumerate(atom.arguments):
                if isinstance(term, Variable) and term.name == name:
                    return self.possible.values_at(atom.predicate, position)
        return list(self.possible.domain)

    def _cost(self, literal: Formula, values: Substitution) -> int:
        """Which literal to take first: those that bind without a choice, then atoms, then the others."""
        match literal:
            case Comparison():
                return 0 if _missing(literal, values) == 0 or _solved(literal, values) else 5
            case Atom() | At(operand=Atom()):
                unknown = [name for name in free_names([literal]) if name not in values]
                return 1 if not unknown else 2
            case And():
                return 0
            case Not():
                return 4
            case _:
                return 3

    def _extend(self, literal: Formula, values: Substitution) -> Iterator[Substitution]:
        match literal:
            case Comparison():
                yield from self._compare(literal, values)
            case Atom():
                yield from (found for found, times in self.possible.matching(literal, values) if self.now in times)
            case At(operand=Atom() as atom, time=time):
                for found, times in self.possible.matching(atom, values):
                    yield from _at(time, times, found)
            case And(operands=operands):
                yield from self.solve(operands, values)
            case _:
                yield from self.enumerate_values(literal, values)

    def _compare(self, comparison: Comparison, values: Substitution) -> Iterator[Substitution]:
        if solved := _solved(comparison, values):
            variable, expression = solved
            value = _value(expression, values)
            if value is not None:
                yield {**values, variable.name: value}
            return
        for extended in self.enumerate_values(comparison, values):
            if truth(comparison, extended):
                yield extended


def _at(time: Term, times: set[int], values: Substitution) -> Iterator[Substitution]:
    if isinstance(time, Variable) and time.name not in values:
        yield from ({**values, time.name: Fraction(each)} for each in sorted(times))
    elif point_of(time.value if isinstance(time, Constant) else values[time.name]) in times:
        yield values


def _match(terms: Sequence[HeadTerm], arguments: Sequence[Value], values: Substitution) -> Substitution | None:
    found = dict(values)
    for term, argument in zip(terms, arguments, strict=True):
        if isinstance(term, Variable):
            if found.setdefault(term.name, argument) != argument:
                return None
        elif not isinstance(term, Constant) or term.value != argument:
            return None
    return found


def _missing(comparison: Comparison, values: Substitution) -> int:
    names = (*expression_variables(comparison.left), *expression_variables(comparison.right))
    return sum(variable.name not in values for variable in names)


def _solved(comparison: Comparison, values: Substitution) -> tuple[Variable, Expression] | None:
    """The variable that an equation gives a value, if all others have theirs."""
    if comparison.operator is not ComparisonOperator.EQUAL or _missing(comparison, values) != 1:
        return None
    for one, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
        if isinstance(one, Variable) and one.name not in values:
            return one, other
    return None


def _value(expression: Expression, values: Substitution) -> Value | None:
    try:
        return evaluate(expression, values)
    except ValueError:
        return None


def _needed(formula: Formula) -> Iterator[Atom]:
    """Atoms that hold sometime if the formula does."""
    match formula:
        case Atom():
            yield formula
        case Metric(operand=operand) | At(operand=operand):
            yield from _needed(operand)
        case BinaryMetric(right=right):
            yield from _needed(right)
        case And(operands=operands):
            for operand in operands:
                yield from _needed(operand)


def _time_names(formula: Formula) -> set[str]:
    """The variables of a formula that name times."""
    found = {formula.time.name} if isinstance(formula, At) and isinstance(formula.time, Variable) else set()
    return found.union(*map(_time_names, children(formula)))
