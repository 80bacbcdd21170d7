"""What formulas mean at a time point, by their pointwise definitions, as conditions on ground atoms."""

from __future__ import annotations

from collections.abc import Mapping

from thalweg.model.formula import (
    And,
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
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
    Variable,
)
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.testing.hypotheses.clauses import FALSE, TRUE, Condition, conjunction, disjunction
from thalweg.testing.hypotheses.instances import Instance, Possible, distances, extensions, point_of, truth
from thalweg.testing.values import Substitution

_LOOKING_BACK = DiamondMinus | BoxMinus | Since


class Pointwise:
    """Conditions on atoms with numbers; an atom without one cannot hold."""

    def __init__(self, numbers: Mapping[GroundAtom, int], possible: Possible, times: range) -> None:
        self.numbers = numbers
        self.possible = possible
        self.times = times

    def body(self, instance: Instance) -> Condition:
        """When the body of a rule holds."""
        return conjunction(self._is(part, instance.values, instance.now) for part in instance.rule.body)

    def _is(self, formula: Formula, values: Substitution, now: int | None, true: bool = True) -> Condition:
        """When a formula is true, or false, at a time point; None if the formula does not depend on it."""
        all_of, some_of = (conjunction, disjunction) if true else (disjunction, conjunction)

        def at(part: Formula, when: int | None) -> Condition:
            return self._is(part, values, when, true)

        match formula:
            case Top():
                return _fixed(true)
            case Bottom():
                return _fixed(not true)
            case Comparison():
                return _fixed(truth(formula, values) is true)
            case Atom():
                return self._atom(formula, values, now, true)
            case At(operand=operand, time=time):
                when = point_of(time.value if isinstance(time, Constant) else values[time.name])
                return at(operand, when) if when in self.times else _fixed(not true)
            case Not(operand=operand):
                found = extensions(operand, self.possible, self.times, values)
                return all_of(self._is(operand, each, now, not true) for each in found)
            case And(operands=operands):
                return all_of(at(part, now) for part in operands)
            case Or(operands=operands):
                return some_of(at(part, now) for part in operands)
            case DiamondMinus() | DiamondPlus():
                return some_of(at(formula.operand, when) for when in _looked_at(formula, now))
            case BoxMinus() | BoxPlus():
                return all_of(at(formula.operand, when) for when in _looked_at(formula, now))
            case Since() | Until():
                return some_of(
                    all_of([at(formula.right, when), *(at(formula.left, each) for each in _between(now, when))])
                    for when in _looked_at(formula, now)
                )
            case _:
                raise TypeError(f"there is no reading of {formula!r}")

    def _atom(self, atom: Atom, values: Substitution, now: int | None, true: bool) -> Condition:
        assert now is not None, "an atom is asked for at a time"
        number = self.numbers.get(GroundAtom(atom.predicate, _values(atom, values), now))
        if number is None:
            return _fixed(not true)
        return frozenset({(1 << number, 0) if true else (0, 1 << number)})


def _fixed(true: bool) -> Condition:
    return TRUE if true else FALSE


def _values(atom: Atom, values: Substitution) -> tuple[Value, ...]:
    return tuple(
        values[term.name] if isinstance(term, Variable) else term.value
        for term in atom.arguments
        if isinstance(term, Variable | Constant)
    )


def _looked_at(formula: Metric | Since | Until, now: int | None) -> list[int]:
    """The times at a distance in ϱ."""
    now = 0 if now is None else now
    sign = -1 if isinstance(formula, _LOOKING_BACK) else 1
    return [now + sign * distance for distance in distances(formula.interval)]


def _between(now: int | None, when: int) -> range:
    now = 0 if now is None else now
    return range(min(now, when) + 1, max(now, when))
