"""Safe rules of LARS: plain ones, and ones that recurse through time windows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import (
    Aggregate,
    Arithmetic,
    At,
    Atom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    Expression,
    Formula,
    Term,
    Variable,
    variables,
)
from thalweg.model.program import Rule
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.testing.scope import free_names
from thalweg.testing.strategies.aggregates import with_groups
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars_aggregates import lars_aggregate
from thalweg.testing.strategies.lars_formulas import TIMES, LarsWriter
from thalweg.testing.strategies.lars_knobs import LarsKnobs
from thalweg.testing.strategies.vocabulary import BINDERS, NAMES, VALUES, Kind, Predicate

SHIFTED = Variable("W")
"""A time calculated from another."""

RESULT = Variable("R")
"""The result of an aggregate, or of arithmetic."""

OTHER = Variable("Q")
"""Another result."""

_NUMBERS = (*NAMES[Kind.NUMBER], *TIMES, SHIFTED.name, RESULT.name, OTHER.name)


class LarsRuleWriter:
    """Writes rules whose bodies speak of the sources, and of the predicates in their own component."""

    def __init__(self, choices: Choices, knobs: LarsKnobs, sources: Sequence[Predicate]) -> None:
        self.choices = choices
        self.knobs = knobs
        self.write = LarsWriter(choices, knobs, sources, itertools.count(1), NAMES)

    def plain(self, head: Predicate) -> Rule:
        """A rule over the sources."""
        return self._rule(head, self.plain_body())

    def recursive(self, head: Predicate, premise: Predicate) -> Rule:
        """A rule with a premise of its own component, in time windows at most; no new values come of it."""
        return self._rule(head, self.recursive_body(premise))

    def plain_body(self) -> list[Formula]:
        """A body over the sources, which binds all its variables."""
        aggregates = self.knobs.aggregates and self.choices.chance(25)
        counts = (0, 1, 1, 2) if aggregates else (1, 1, 2, 2, 3)
        literals = [self.write.literal() for _ in range(self.choices.one_of(counts))]
        literals += self._extras()
        literals += self._aggregates(literals) if aggregates else []
        return self._body(literals, self.knobs.values)

    def recursive_body(self, premise: Predicate) -> list[Formula]:
        """A body with a premise of the rule's own component; it calculates nothing."""
        depth = min(self.choices.one_of((1, 1, 1, 2, 0)), self.knobs.max_depth)
        literals = [self.write.around(lambda _: self.write.atom(premise), depth, counted=False)]
        if depth == 0 or self.choices.chance(40):
            literals.append(self.write.literal())
        return self._body([*literals, *self._extras()], values=False)

    def argument(self, kind: Kind, body: list[Formula]) -> Term:
        """A variable that a body binds, or a constant."""
        names = _bound(body, NAMES[Kind.TEXT] if kind is Kind.TEXT else _NUMBERS)
        if not names or self.choices.chance(8):
            return Constant(self.choices.one_of(VALUES[kind]))
        # What was calculated last is the most telling.
        return self.choices.one_of(names[::-1])

    def times(self, body: list[Formula]) -> list[Variable]:
        """The variables that a body binds and that can stand for times."""
        return _bound(body, (*TIMES, SHIFTED.name, *NAMES[Kind.NUMBER]))

    def at_time(self, time: Variable, calculated: Variable) -> tuple[Variable, list[Comparison]]:
        """The time variable of a head, and the equation for it where it is calculated from another one."""
        if self.choices.chance(50):
            return time, []
        sign = self.choices.one_of((ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT, ArithmeticOperator.DIVIDE))
        if sign is ArithmeticOperator.SUBTRACT and not self.knobs.future:
            sign = ArithmeticOperator.ADD
        amount = Constant(Fraction(self.choices.one_of((1, 2, 3))))
        return calculated, [_equation(calculated, Arithmetic(sign, time, amount))]

    def boxed(self, atom: Atom) -> Formula:
        """An atom in the box of a head."""
        operators: tuple[type[BoxMinus | BoxPlus], ...] = (BoxPlus, BoxMinus) if self.knobs.future else (BoxPlus,)
        operator, interval = self.choices.one_of(operators), self.write.windows.interval()
        return operator(interval, atom)

    def _extras(self) -> list[Formula]:
        """Sometimes a negated literal, and one at a time some way from another."""
        extras: list[Formula] = []
        if self.knobs.negation and self.choices.chance(25):
            extras.append(self.write.negation(self.choices.one_of((1, 0, 1, 2))))
        if self.knobs.at and self.choices.chance(20):
            extras += self._shifted()
        return extras

    def _shifted(self) -> list[Formula]:
        """``P(X) at U, Q(X) at U + k`` as lowering writes it: a variable for the sum, and an equation."""
        write, first = self.write, Variable(TIMES[0])
        near = At(write.atom(write.any_predicate()), first)
        far = At(write.atom(write.any_predicate()), SHIFTED)
        amount = Constant(Fraction(self.choices.one_of((1, 2, 3, 0))))
        if self.choices.chance(50):
            equation = _equation(SHIFTED, Arithmetic(ArithmeticOperator.ADD, first, amount))
        else:
            equation = _equation(first, Arithmetic(ArithmeticOperator.SUBTRACT, SHIFTED, amount))
        parts: tuple[Formula, ...] = (near, far) if self.choices.chance(60) else (far,)
        return [*(write.windowed(part) if self.choices.chance(40) else part for part in parts), equation]

    def _aggregates(self, literals: list[Formula]) -> list[Formula]:
        """An aggregate, sometimes a comparison of its result, or another one.

        Only one of them gives a group variable its values: two that did would each leave it to the other.
        """
        found: list[Formula] = [lars_aggregate(self.write, RESULT, grouped=True)]
        match self.choices.one_of(("alone", "alone", "compared", "compared", "calculated", "second")):
            case "compared":
                signs = (ComparisonOperator.GREATER, ComparisonOperator.LESS, ComparisonOperator.EQUAL)
                limit = Constant(Fraction(self.choices.one_of((1, 2, 0))))
                found.append(Comparison(self.choices.one_of(signs), RESULT, limit))
            case "calculated":
                found.append(_equation(OTHER, Arithmetic(ArithmeticOperator.ADD, RESULT, Constant(Fraction(1)))))
            case "second":
                grouped = Variable("X") in bound_by_all(literals)
                found.append(lars_aggregate(self.write, OTHER, grouped, first=False))
        return found

    def _body(self, literals: list[Formula], values: bool) -> list[Formula]:
        body = [*literals, *self._binders(literals)]
        if values and self.choices.chance(30):
            body += self._comparison(body)
        return body

    def _rule(self, predicate: Predicate, body: list[Formula]) -> Rule:
        head, equations = self._head(predicate, body)
        return Rule(head, with_groups(head, (*body, *equations)))

    def _binders(self, literals: list[Formula]) -> list[Formula]:
        """An atom for each variable that nothing gives a value."""
        bound = {variable.name for variable in bound_by_all(literals)}
        named = (variable.name for each in literals for variable in _visible(each) if not variable.is_anonymous)
        return [self._binder(name) for name in dict.fromkeys(named) if name not in bound]

    def _binder(self, name: str) -> Formula:
        if name in (*TIMES, SHIFTED.name):
            return At(self.write.atom(self.write.any_predicate()), Variable(name))
        kind = Kind.NUMBER if name in _NUMBERS else Kind.TEXT
        return Atom(BINDERS[kind].name, (Variable(name),))

    def _comparison(self, body: list[Formula]) -> list[Formula]:
        numbers, texts = _bound(body, _NUMBERS), _bound(body, NAMES[Kind.TEXT])
        if numbers and self.choices.chance(70):
            sign = self.choices.one_of(tuple(ComparisonOperator))
            operands: list[Expression] = [*numbers, Constant(Fraction(2))]
            other = self.choices.one_of(operands)
            if self.choices.chance(30):
                other = Arithmetic(self.choices.one_of(tuple(ArithmeticOperator)), other, self.choices.one_of(numbers))
            return [Comparison(sign, self.choices.one_of(numbers), other)]
        if len(texts) > 1:
            return [Comparison(ComparisonOperator.NOT_EQUAL, texts[0], texts[1])]
        return []

    def _head(self, predicate: Predicate, body: list[Formula]) -> tuple[Formula, list[Comparison]]:
        """A head, and the equations for its time."""
        atom = Atom(predicate.name, tuple(self.argument(kind, body) for kind in predicate.kinds))
        times = self.times(body)
        if self.knobs.at and times and self.choices.chance(30):
            time, equations = self.at_time(self.choices.one_of(times), Variable("#1"))
            return At(atom, time), equations
        if self.knobs.metric and self.choices.chance(12):
            return self.boxed(atom), []
        return atom, []


def _visible(literal: Formula) -> Iterable[Variable]:
    """The variables of a literal but those that an aggregate has for itself."""
    if isinstance(literal, Aggregate):
        return (variable for variable in variables(literal) if variable.name in free_names([literal]))
    return variables(literal)


def _bound(body: list[Formula], names: Sequence[str]) -> list[Variable]:
    bound = {variable.name for variable in bound_by_all(body)}
    return [Variable(name) for name in names if name in bound]


def _equation(variable: Variable, expression: Expression) -> Comparison:
    return Comparison(ComparisonOperator.EQUAL, variable, expression)
