"""What a formula means: the cells at which it holds under a substitution."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction
from functools import cache

from thalweg.model.formula import (
    And,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Since,
    Top,
    Until,
    Value,
)
from thalweg.testing.cells import Cells, Grid
from thalweg.testing.grounding import EMPTY, Grounding, Interpretation, ground
from thalweg.testing.table_one import Quantifier
from thalweg.testing.values import Substitution, compare
from thalweg.time.interval import Interval

Meaning = Callable[[Substitution], Cells]

_SOMETHING = "something"
"""A value for a variable of which nothing is asked, where there are no values."""


class Meanings:
    """The meanings of formulas in an interpretation that grows.

    ``constants`` are the values in the program.
    """

    def __init__(self, grid: Grid, interpretation: Interpretation, constants: Iterable[Value]) -> None:
        self.grid = grid
        self.interpretation = interpretation
        self.constants = frozenset(constants)

    def look(self) -> None:
        """Take the interpretation as it is now; here it always is."""

    def arguments(self, predicate: str) -> Collection[tuple[Value, ...]]:
        """Those of the atoms of a predicate that hold sometime."""
        return self.interpretation.get(predicate, {})

    def times(self, predicate: str, arguments: tuple[Value, ...]) -> Iterable[Fraction]:
        """Only the integer timeline has time points."""
        raise TypeError(f"the time points of {predicate} are asked for")

    def points(self) -> Iterable[Fraction]:
        """Only the integer timeline has time points."""
        raise TypeError("time points are asked for")

    def domain(self) -> frozenset[Value]:
        """The constants of the program and the values in what holds; something in any case."""
        known = (arguments for relation in self.interpretation.values() for arguments in relation)
        return self.constants.union(*known) or frozenset({_SOMETHING})

    def of(self, formula: Formula) -> Meaning:
        """The meaning of a body literal or of a formula inside one (journal paper, Table 1)."""
        match formula:
            case Top():
                return lambda _: self.grid.everywhere
            case Bottom():
                return lambda _: 0
            case Atom():
                return lambda substitution: self._holds(formula, substitution)
            case Comparison():
                return lambda substitution: self.grid.everywhere if compare(formula, substitution) else 0
            case And(operands=operands):
                # Comparisons last: there are none between values that no atom has.
                ordered = sorted(operands, key=lambda operand: isinstance(operand, Comparison))
                return self._all_of([self.of(operand) for operand in ordered])
            case Or(operands=operands):
                return self._one_of([self.of(operand) for operand in operands])
            case DiamondMinus() | DiamondPlus() | BoxMinus() | BoxPlus():
                return self._unary(formula)
            case Since() | Until():
                return self._binary(formula)
            case Not(operand=operand):
                return self._not(operand)
            case _:
                raise TypeError(f"a formula has no meaning: {formula!r}")

    def of_head(self, head: Formula) -> Callable[[Substitution, Cells], Cells]:
        """Where what stands under a head's boxes must hold, given where the body does.

        □⁺ at t asks for its operand at every t' with t' − t ∈ ϱ: at each t' that has such a t in its past.
        """
        match head:
            case BoxPlus(interval=interval, operand=operand):
                spread = cache(self._past(interval).some)
            case BoxMinus(interval=interval, operand=operand):
                spread = cache(self._future(interval).some)
            case _:
                return lambda _, body: body
        inner = self.of_head(operand)
        return lambda substitution, body: inner(substitution, spread(body))

    def substitutions(self, grounding: Grounding, given: Substitution = EMPTY) -> Iterator[Substitution]:
        """The substitutions that the present interpretation leaves possible."""
        return grounding.substitutions(self, given)

    def _holds(self, atom: Atom, substitution: Substitution) -> Cells:
        return self.interpretation.get(atom.predicate, {}).get(ground(atom, substitution), 0)

    def _all_of(self, meanings: list[Meaning]) -> Meaning:
        def holds(substitution: Substitution) -> Cells:
            cells = self.grid.everywhere
            for meaning in meanings:
                cells = cells and cells & meaning(substitution)
            return cells

        return holds

    def _one_of(self, meanings: list[Meaning]) -> Meaning:
        def holds(substitution: Substitution) -> Cells:
            cells = 0
            for meaning in meanings:
                cells |= meaning(substitution)
            return cells

        return holds

    def _unary(self, formula: Metric) -> Meaning:
        looks_back = isinstance(formula, DiamondMinus | BoxMinus)
        quantifier = self._past(formula.interval) if looks_back else self._future(formula.interval)
        is_box = isinstance(formula, BoxMinus | BoxPlus)
        quantify = cache(quantifier.every if is_box else quantifier.some)
        operand = self.of(formula.operand)
        return lambda substitution: quantify(operand(substitution))

    def _binary(self, formula: Since | Until) -> Meaning:
        looks_back = isinstance(formula, Since)
        quantifier = self._past(formula.interval) if looks_back else self._future(formula.interval)
        unbroken = cache(quantifier.unbroken)
        left, right = self.of(formula.left), self.of(formula.right)
        return lambda substitution: unbroken(left(substitution), right(substitution))

    def _not(self, operand: Formula) -> Meaning:
        """Where the operand holds for no value of the variables that only the negation has."""
        grounding, meaning = Grounding([operand], self.grid.timeline), self.of(operand)

        def holds(substitution: Substitution) -> Cells:
            cells = self.grid.everywhere
            for extended in self.substitutions(grounding, substitution):
                cells &= ~meaning(extended)
            return cells

        return holds

    def _past(self, interval: Interval) -> Quantifier:
        return Quantifier(self.grid, interval, self.grid.earlier)

    def _future(self, interval: Interval) -> Quantifier:
        return Quantifier(self.grid, interval, self.grid.later)
