"""wfree(P) (LARS+ paper, Section 4): a program whose atoms all say at which time they hold, without windows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from thalweg.analysis.existential.readings import NOW, Bound, Point
from thalweg.analysis.existential.rules import PlainAtom
from thalweg.analysis.existential.written import Terms, WrittenRule, written_rules
from thalweg.model.formula import (
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    Term,
    Variable,
    expression_with,
    variables,
)
from thalweg.model.program import Program
from thalweg.model.reads import NOW as HERE
from thalweg.source import Span
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.time.interval import Endpoint


@dataclass(frozen=True)
class TimedAtom:
    """@_T p(t)."""

    atom: PlainAtom
    time: Term


@dataclass(frozen=True)
class WindowFreeRule:
    """A rule of wfree(P): atoms at times, and arithmetic on the times.

    ``frontier`` has the variables for values on which the nulls depend; they also depend on the times.
    """

    body: tuple[TimedAtom, ...]
    head: tuple[TimedAtom, ...]
    arithmetic: tuple[Comparison, ...] = ()
    existential: tuple[Variable, ...] = ()
    frontier: tuple[Variable, ...] = ()
    number: int = field(default=0, compare=False)
    origin: Span | None = field(default=None, compare=False, repr=False)

    @property
    def times(self) -> tuple[Variable, ...]:
        """The time variables, those of atoms first."""
        of_atoms = (atom.time for atom in (*self.body, *self.head))
        in_arithmetic = (variable for each in self.arithmetic for variable in variables(each))
        return tuple(dict.fromkeys(term for term in (*of_atoms, *in_arithmetic) if isinstance(term, Variable)))


def wfree(program: Program) -> tuple[WindowFreeRule, ...]:
    """wfree(P), by (9) to (12): ⊞ⁿ□p and p are at the time N of the rule, ⊞ⁿ@_T p is at T, and ⊞ⁿ◇p at any time U.

    Any program is accepted; what LARS+ does not have is weakened (see :mod:`thalweg.analysis.existential.readings`),
    but the operators of DatalogMTL keep their distances: diamondminus[1,1] p is at U = N − 1.
    """
    return tuple(dict.fromkeys(_window_free(rule) for rule in written_rules(program, windows=False)))


def refined_wfree(program: Program, nulls: Collection[str] | None = None) -> tuple[WindowFreeRule, ...]:
    """wfree(P), and arithmetic atoms that keep each time in the window where it was looked for.

    If nulls reach only the positions given, heads have no variables for values that cannot be nulls. The bodies are
    weaker than those of P, but not as weak as those of wfree(P): by the same arguments Theorems 3 and 4 hold, and they
    promise for more programs that the chase ends.
    """
    return tuple(dict.fromkeys(_window_free(rule, nulls) for rule in written_rules(program, windows=True)))


def _window_free(rule: WrittenRule, nulls: Collection[str] | None = None) -> WindowFreeRule:
    return _Builder(rule, rule.terms(nulls)).build()


class _Builder:
    """Builds one rule, with fresh time variables."""

    def __init__(self, rule: WrittenRule, terms: Terms) -> None:
        self._rule = rule
        self._terms = terms
        self._fresh = 0
        self._arithmetic: list[Comparison] = []

    def build(self) -> WindowFreeRule:
        rule, terms = self._rule, self._terms
        reading = rule.reading
        for term, window in reading.times:
            self._require(term, window)
        body = [TimedAtom(terms.in_body(each.atom), self._at(each.time)) for each in reading.occurrences]
        head = [
            TimedAtom(terms.in_head(each.atom), each.time or self._at((Bound(NOW, each.reach),))) for each in rule.head
        ]
        self._arithmetic += _on_times(reading.comparisons, terms)
        return WindowFreeRule(
            tuple(dict.fromkeys(body)),
            tuple(head),
            tuple(dict.fromkeys(self._arithmetic)),
            rule.existential,
            terms.frontier(rule),
            rule.number,
            rule.origin,
        )

    def _at(self, time: Point) -> Term:
        """The time term of an atom: the base itself where it is exactly there, or else a fresh variable U."""
        exact = next((base for base, offsets in time if offsets == HERE), None)
        if exact is None:
            self._fresh += 1
            exact = Variable(f"U#{self._fresh}")
        self._require(exact, time)
        return exact

    def _require(self, term: Term, time: Point) -> None:
        for base, offsets in time:
            if term != base:
                self._arithmetic += lies(term, Bound(base, offsets))


def lies(term: Term, bound: Bound) -> Iterator[Comparison]:
    """The arithmetic atoms that say that a time lies at some distance from another."""
    start, end = bound.offsets.start, bound.offsets.end
    if start == end:
        yield Comparison(ComparisonOperator.EQUAL, term, _later(bound.base, start))
        return
    for operator, offset in ((ComparisonOperator.GREATER_EQUAL, start), (ComparisonOperator.LESS_EQUAL, end)):
        if not isinstance(offset, float):
            yield Comparison(operator, term, _later(bound.base, offset))


def _later(term: Term, offset: Endpoint) -> Expression:
    assert not isinstance(offset, float)
    return Arithmetic(ArithmeticOperator.ADD, term, Constant(offset)) if offset else term


def _on_times(comparisons: Sequence[Comparison], terms: Terms) -> Iterator[Comparison]:
    """The comparisons of times with each other; variables that were only calculated on the way are replaced."""
    remaining = list(comparisons)
    while True:
        found = next(((i, *solved) for i, each in enumerate(remaining) for solved in _solved(each, terms)), None)
        if found is None:
            break
        index, variable, expression = found
        del remaining[index]
        remaining = [_replaced(each, {variable: expression}) for each in remaining]
    yield from (each for each in remaining if terms.times.issuperset(variables(each)))


def _solved(comparison: Comparison, terms: Terms) -> Iterator[tuple[Variable, Expression]]:
    if comparison.operator is not ComparisonOperator.EQUAL:
        return
    for variable, expression in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
        if isinstance(variable, Variable) and variable not in terms.times and not terms.is_value(variable):
            within = replace(comparison, left=expression, right=expression)
            if variable not in variables(within):
                yield variable, expression


def _replaced(comparison: Comparison, values: Mapping[Variable, Expression]) -> Comparison:
    return replace(
        comparison, left=expression_with(comparison.left, values), right=expression_with(comparison.right, values)
    )
