"""Formulas of LARS around given predicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from thalweg.model.formula import (
    All,
    And,
    AnyBinaryMetric,
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    Formula,
    Not,
    Or,
    Since,
    Some,
    Term,
    Top,
    Until,
    Variable,
    Windowed,
)
from thalweg.syntax.ast import ComparisonOperator
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars_knobs import LarsKnobs
from thalweg.testing.strategies.lars_windows import WindowWriter
from thalweg.testing.strategies.vocabulary import INPUTS, VALUES, Kind, Predicate

TIMES = ("U", "V")
"""Time variables."""

Core = Callable[[bool], Formula]
"""What stands innermost, given whether one value must serve at all times."""

BACKGROUND = (Predicate("K", (Kind.TEXT,)), Predicate("L", (Kind.TEXT, Kind.NUMBER)))


@dataclass(frozen=True)
class LarsWriter:
    """Writes formulas over the predicates of ``sources``, which are derived before those of the rule at hand.

    ``names`` are the variables to choose from, ``times`` the time variables.
    """

    choices: Choices
    knobs: LarsKnobs
    sources: Sequence[Predicate]
    fresh: Iterator[int]
    names: Mapping[Kind, Sequence[str]]
    times: Sequence[str] = TIMES
    anonymous: int = 1
    """How often an argument is an anonymous variable, in twentieths."""

    @property
    def windows(self) -> WindowWriter:
        """Writes the windows."""
        return WindowWriter(self.choices, self.knobs)

    def literal(self) -> Formula:
        """A literal that is positive: most often an atom in a window, sometimes something deeper."""
        depth = self.choices.one_of((1, 0, 1, 1, 2, 2, 3))
        return self.formula(min(depth, self.knobs.max_depth))

    def formula(self, depth: int, all_times: bool = False) -> Formula:
        """A positive formula in which windows and operators nest so deep.

        With ``all_times`` it stands under an operator that asks for the same values at all times.
        """
        return self.around(self._leaf, depth, all_times=all_times)

    def around(self, core: Core, depth: int, counted: bool = True, all_times: bool = False) -> Formula:
        """A formula under so many windows and operators; with ``counted`` windows may count its tuples."""
        if depth == 0:
            return core(all_times)
        shapes = ["window", "window", "window", "window", "some", "all"]
        shapes += ["at"] * 2 * self.knobs.at + ["metric", "since"] * self.knobs.metric
        shape = self.choices.one_of(shapes)
        if shape == "metric":
            operator, interval = self.windows.metric()
            is_box = operator in (BoxMinus, BoxPlus)
            return operator(interval, self.around(core, depth - 1, counted, all_times or is_box))
        if shape == "window":
            inside = self.choices.one_of(["some", "some", "some", "all"] + ["at", "at"] * self.knobs.at + ["bare"])
            inner = self.around(core, depth - 1, counted, all_times or inside == "all")
            return self.windowed(self._quantified(inside, inner), counted)
        quantified = self._quantified(shape, self.around(core, depth - 1, counted, all_times or shape == "all"))
        reaches_everywhere = shape in ("some", "all", "at") and not self.knobs.unbounded
        return self.windowed(quantified, counted) if reaches_everywhere else quantified

    def windowed(self, operand: Formula, counted: bool = True) -> Formula:
        """A formula in a window."""
        window = self.windows.window(operand, counted)
        return Windowed(window, operand, of_stream=self.choices.chance(15))

    def atom(self, predicate: Predicate) -> Atom:
        """An atom with variables and constants."""
        return Atom(predicate.name, tuple(self._term(kind) for kind in predicate.kinds))

    def any_predicate(self) -> Predicate:
        """A predicate of the sources; one derived by earlier rules about half the time."""
        derived = [predicate for predicate in self.sources if predicate not in INPUTS]
        if derived and self.choices.chance(50):
            return self.choices.one_of(derived)
        return self.choices.one_of((*INPUTS[:6], *BACKGROUND) if self.knobs.background else INPUTS[:6])

    def time(self) -> Term:
        """A time variable, sometimes a time point."""
        if self.choices.chance(10):
            return Constant(VALUES[Kind.NUMBER][self.choices.one_of((0, 1, 2))])
        if self.choices.chance(5):
            return Variable(f"_#{next(self.fresh)}")
        return Variable(self.choices.one_of([*self.times] * 4 + [*self.names[Kind.NUMBER]]))

    def negation(self, depth: int, all_times: bool = False) -> Not:
        """A negated formula; it has anonymous variables more often."""
        return Not(replace(self, anonymous=5).formula(depth, all_times))

    def _quantified(self, shape: str, inner: Formula) -> Formula:
        match shape:
            case "some":
                return Some(inner)
            case "all":
                return All(inner)
            case "at":
                return At(inner, self.time())
            case "since":
                return self._since(inner)
            case _:
                return inner

    def _leaf(self, all_times: bool) -> Formula:
        """An atom, or a conjunction or disjunction of few."""
        atom = self.atom(self.any_predicate())
        shapes = ["atom"] * 12 + ["and"] + ["or", "or"] * self.knobs.disjunction
        shapes += ["not"] * 2 * self.knobs.negation + ["compared"] * self.knobs.values
        match self.choices.one_of(shapes):
            case "and":
                return And((atom, self.atom(self.any_predicate())))
            case "or":
                # A variable of one part only would need one value at all times, whichever part is true.
                write = replace(self, anonymous=0) if all_times else self
                return Or((write.atom(self.any_predicate()), write._other_part(all_times)))
            case "not":
                return And((atom, self.negation(self.choices.one_of((0, 0, 1)), all_times)))
            case "compared":
                return self._compared(atom)
            case _:
                return atom

    def _other_part(self, all_times: bool) -> Formula:
        """Something else in a disjunction: another atom, a negation, or a window."""
        match self.choices.one_of(["atom", "atom", "atom", "not", "window"]):
            case "not" if self.knobs.negation:
                return self.negation(0, all_times)
            case "window":
                return self.windowed(Some(self.atom(self.any_predicate())))
            case _:
                return self.atom(self.any_predicate())

    def _compared(self, atom: Atom) -> Formula:
        """An atom and a comparison of one of its variables, in one pair of parentheses."""
        here = [term for term in atom.arguments if isinstance(term, Variable)]
        for variable in here:
            kind = next((kind for kind, names in self.names.items() if variable.name in names), None)
            if kind is Kind.NUMBER:
                sign = self.choices.one_of(tuple(ComparisonOperator))
                return And((atom, Comparison(sign, variable, Constant(VALUES[kind][1]))))
            if kind is Kind.TEXT:
                return And((atom, Comparison(ComparisonOperator.NOT_EQUAL, variable, Constant("a"))))
        return atom

    def _since(self, right: Formula) -> Formula:
        operators: tuple[type[AnyBinaryMetric], ...] = (Since, Until) if self.knobs.future else (Since,)
        operator = self.choices.one_of(operators)
        left: Formula = replace(self, anonymous=0).atom(self.any_predicate())
        left = self.choices.one_of((left, left, left, Top(), Bottom()))
        return operator(self.windows.interval(), left, right)

    def _term(self, kind: Kind) -> Term:
        names = self.names.get(kind, ())
        choice = self.choices.one_of(range(20))
        if 17 > choice >= 17 - self.anonymous:
            return Variable(f"_#{next(self.fresh)}")
        return Variable(self.choices.one_of(names)) if choice < 17 and names else self._constant(kind)

    def _constant(self, kind: Kind) -> Constant:
        return Constant(self.choices.one_of(VALUES[kind]))
