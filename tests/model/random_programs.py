"""Random programs over all operators from a seeded generator; they recurse into the past only."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from thalweg.model.formula import (
    And,
    Arithmetic,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    DiamondMinus,
    DiamondPlus,
    Expression,
    Formula,
    Not,
    Since,
    Term,
    Top,
    Until,
    Variable,
)
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator, Parameter
from thalweg.time.interval import Interval, interval_or_none
from thalweg.time.timeline import Timeline

ARITIES = {"A": 1, "B": 2, "P": 1, "Q": 2, "R": 1}
LAYERS = {"P": ("A", "B"), "Q": ("A", "B", "P"), "R": ("A", "B", "P", "Q")}
X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")
VALUES = tuple(Constant(Fraction(number)) for number in (1, 2, 3))
OPERATORS = (DiamondMinus, DiamondPlus, BoxMinus, BoxPlus)


class RandomPrograms:
    """Draws programs and facts on a timeline."""

    def __init__(self, seed: int, timeline: Timeline) -> None:
        self.random = Random(seed)
        self.timeline = timeline
        self.made = 0

    def program(self) -> Program:
        heads = [self.random.choice(list(LAYERS)) for _ in range(self.random.randint(1, 3))]
        rules = tuple(self.rule(number, head) for number, head in enumerate(heads, start=1))
        signatures = {name: Signature(name, (Parameter(None),) * arity) for name, arity in ARITIES.items()}
        return Program(rules, signatures=signatures, timeline=self.timeline)

    def facts(self) -> tuple[Fact, ...]:
        return tuple(Fact(self.atom(("A", "B"), VALUES), self.interval(6, 3)) for _ in range(self.random.randint(1, 6)))

    def rule(self, number: int, head: str) -> Rule:
        names = LAYERS[head]
        body = [self.formula(names, 2)]
        for _ in range(self.random.randint(0, 2)):
            kind = self.random.randint(0, 5)
            if kind == 0:
                body.append(self.comparison())
            elif kind == 1:
                body.append(Not(self.formula(names, 1, (X, Y, self.anonymous()))))
            else:
                body.append(self.formula(names, 1))
        core: Formula = self.atom((head,), (X, Y, VALUES[0]))
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            core = self.random.choice((BoxPlus, BoxMinus))(self.interval(2, 2), core)
        if isinstance(core, Atom) and self.one_in(4):
            earlier = Interval(Fraction(1), Fraction(self.random.randint(1, 2)))
            body.append(self.random.choice((DiamondMinus, BoxMinus))(earlier, self.atom((head,), (X, Y))))
        return Rule(core, tuple(body), number)

    def formula(
        self, names: tuple[str, ...], depth: int, terms: tuple[Term, ...] = (X, Y, Z, X, Y, VALUES[0])
    ) -> Formula:
        kind = self.random.randint(0, 9)
        if depth == 0 or kind <= 1:
            edge: Formula = self.random.choice((Top(), Bottom()))
            return edge if self.random.random() < 0.1 else self.atom(names, terms)
        if kind <= 5:
            return self.random.choice(OPERATORS)(self.operator_interval(), self.formula(names, depth - 1, terms))
        if kind <= 8:
            operator = self.random.choice((Since, Until))
            left, right = self.formula(names, depth - 1, terms), self.formula(names, depth - 1, terms)
            return operator(self.operator_interval(), left, right)
        with_comparison = self.random.random() < 0.5
        second = self.comparison() if with_comparison else self.formula(names, depth - 1, terms)
        return And((self.formula(names, depth - 1, terms), second))

    def comparison(self) -> Comparison:
        sums = Arithmetic(ArithmeticOperator.ADD, self.random.choice((X, Y)), VALUES[0])
        right: Expression = self.random.choice((*VALUES, X, Y, Z, sums, sums))
        operator = self.random.choice((*ComparisonOperator, ComparisonOperator.EQUAL))
        return Comparison(operator, self.random.choice((X, Y, Z)), right)

    def atom(self, names: tuple[str, ...], terms: tuple[Term, ...]) -> Atom:
        name = self.random.choice(names)
        return Atom(name, tuple(self.random.choice(terms) for _ in range(ARITIES[name])))

    def anonymous(self) -> Variable:
        self.made += 1
        return Variable(f"_#{self.made}")

    def operator_interval(self) -> Interval:
        interval = self.interval(2, 2)
        return Interval(interval.start, math.inf, interval.start_closed) if self.one_in(10) else interval

    def interval(self, latest: int, longest: int) -> Interval:
        start = Fraction(self.random.randint(0, latest))
        end = start + self.random.randint(0, longest)
        interval = interval_or_none(start, end, self.one_in(2), self.one_in(2))
        if interval is not None and self.timeline is Timeline.INTEGER:
            interval = interval.to_integers()
        return interval or Interval(start, end)

    def one_in(self, many: int) -> bool:
        return self.random.randrange(many) == 0
