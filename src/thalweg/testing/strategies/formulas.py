"""Formulas around given predicates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from thalweg.model.formula import (
    And,
    AnyBinaryMetric,
    AnyMetric,
    Atom,
    BinaryMetric,
    Bottom,
    BoxMinus,
    BoxPlus,
    Constant,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Since,
    Term,
    Top,
    Until,
    Variable,
    atoms,
)
from thalweg.testing.strategies.knobs import Knobs
from thalweg.testing.strategies.times import Times
from thalweg.testing.strategies.vocabulary import INPUTS, VALUES, Direction, Kind, Predicate
from thalweg.time.interval import Interval

T = TypeVar("T")

Operator = type[AnyMetric] | type[AnyBinaryMetric]

LOOKS: Mapping[Operator, Direction] = {
    DiamondMinus: Direction.PAST,
    BoxMinus: Direction.PAST,
    Since: Direction.PAST,
    DiamondPlus: Direction.FUTURE,
    BoxPlus: Direction.FUTURE,
    Until: Direction.FUTURE,
}
"""Where each operator looks."""

OPERATORS = (DiamondMinus, DiamondPlus, *LOOKS)
"""The operators to choose from; boxes, since and until hold less often than diamonds."""

UNARY_PAST: tuple[Operator, ...] = (DiamondMinus, BoxMinus)

MOST = {1: 3, 2: 2, 3: 1}
"""The greatest endpoint of an operator by how deep operators nest, to keep the reach of rules small."""


@dataclass(frozen=True)
class Scope:
    """What may stand in an argument besides constants."""

    names: Mapping[Kind, Sequence[str]]
    fresh: Iterator[int]
    anonymous: int = 1
    """How often an argument is an anonymous variable, in twentieths."""


@dataclass(frozen=True)
class FormulaWriter:
    """Writes formulas over the predicates of ``sources``; ``known`` has these and the rule's own component."""

    draw: DrawFn
    knobs: Knobs
    times: Times
    known: Mapping[str, Predicate]
    sources: Sequence[Predicate]
    scope: Scope

    def literal(self, predicate: Predicate, depths: Sequence[int] = (0, 1, 1, 0, 1, 1, 2, 2, 3)) -> Formula:
        """An atom of the predicate under some operators."""
        depth = min(self.one_of(depths), self.knobs.max_depth)
        return self.nested(self._core(predicate), depth, self.knobs.directions)

    def nested(self, operand: Formula, depth: int, directions: Sequence[Direction]) -> Formula:
        """A formula under so many operators that look in one of the directions."""
        operators = [operator for operator in OPERATORS if LOOKS[operator] in directions]
        if not self.knobs.since:
            operators = [operator for operator in operators if issubclass(operator, Metric)]
        for _ in range(depth):
            if self.chance(5):
                operand = And((operand, self.atom(self.any_predicate())))
            operand = self._under(self.one_of(operators), operand, MOST[depth])
        return operand

    def diamond(self, operand: Formula, direction: Direction) -> Formula:
        """The operand sometime in the direction."""
        return self._under(DiamondMinus if direction is Direction.PAST else DiamondPlus, operand, 3)

    def binary(self, operator: type[AnyBinaryMetric], left: Formula, right: Formula, most: int) -> Formula:
        """Since or until."""
        return operator(self._interval(operator, most, left, right), left, right)

    def atom(self, predicate: Predicate) -> Atom:
        """An atom with variables and constants."""
        return Atom(predicate.name, tuple(self._term(kind) for kind in predicate.kinds))

    def left_atom(self, predicate: Predicate) -> Atom:
        """An atom for a left operand: every variable has a name, by which another literal can bind it."""
        return replace(self, scope=replace(self.scope, anonymous=0)).atom(predicate)

    def any_predicate(self) -> Predicate:
        """A predicate of the sources; one derived by earlier rules about half the time."""
        derived = [predicate for predicate in self.sources if predicate not in INPUTS]
        return self.one_of(derived if derived and self.chance(50) else INPUTS)

    def unsettled(self, *formulas: Formula) -> frozenset[Direction]:
        """The directions in which one of the formulas may never settle."""
        mentioned = (self.known[atom.predicate] for formula in formulas for atom in atoms(formula))
        return frozenset(direction for predicate in mentioned for direction in predicate.unsettled)

    def constant(self, kind: Kind) -> Constant:
        """A value of the kind."""
        return Constant(self.one_of(VALUES[kind]))

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options; the first is the simplest."""
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        """True so often."""
        return self.one_of(range(100)) >= 100 - percent

    def _core(self, predicate: Predicate) -> Formula:
        """What stands innermost: an atom, or a disjunction or negation with it."""
        if self.knobs.disjunction and self.chance(15):
            # A variable of one part only would need one value at all times, whichever part is true.
            return Or((self.left_atom(predicate), self.left_atom(self.any_predicate())))
        if self.knobs.nested_negation and self.chance(15):
            return And((self.atom(predicate), Not(self.atom(self.any_predicate()))))
        return self.atom(predicate)

    def _under(self, operator: Operator, operand: Formula, most: int) -> Formula:
        if issubclass(operator, BinaryMetric):
            return self.binary(operator, self._left(), operand, most)
        return operator(self._interval(operator, most, operand), operand)

    def _left(self) -> Formula:
        """A left operand of since or until; what it mentions must be bound elsewhere."""
        shape = self.one_of(["atom", "atom", "atom", "atom", "operator", "top", "top", "bottom"])
        if shape == "top":
            return Top()
        if shape == "bottom":
            return Bottom()
        operand = self.left_atom(self.any_predicate())
        return self._under(self.one_of(UNARY_PAST), operand, 1) if shape == "operator" else operand

    def _interval(self, operator: Operator, most: int, *operands: Formula) -> Interval:
        unbounded = self.knobs.unbounded and LOOKS[operator] not in self.unsettled(*operands)
        return self.times.operator_interval(most, unbounded)

    def _term(self, kind: Kind) -> Term:
        names = self.scope.names.get(kind, ())
        choice = self.one_of(range(20))
        if 17 > choice >= 17 - self.scope.anonymous:
            return Variable(f"_#{next(self.scope.fresh)}")
        return Variable(self.one_of(names)) if choice < 17 and names else self.constant(kind)
