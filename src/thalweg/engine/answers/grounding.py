"""From formulas at time points to propositions over undecided atoms (LARS paper, Definition 7)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from thalweg.columnar.budget import reserve
from thalweg.columnar.relation import Relation
from thalweg.engine.answers.decided import Arguments
from thalweg.engine.answers.known import Stream
from thalweg.engine.answers.proposition import FALSE, TRUE, Propositions, negation
from thalweg.engine.answers.substitutions import Substitution, code_of, extensions, instant_of
from thalweg.engine.answers.tuple_window import tuple_window
from thalweg.engine.answers.window import Instant, Window, instant, time_window
from thalweg.engine.bindings import Bindings, apply_conditions
from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    Formula,
    Metric,
    Not,
    Or,
    Since,
    Some,
    TimeWindow,
    Top,
    Windowed,
    atoms,
    variables,
)
from thalweg.time.interval import Interval

GroundAtom = tuple[str, Arguments, int]
"""A predicate, its arguments and a time point."""

_FOR_A_FORMULA = 50
"""The words of memory that a formula at a time point takes, with the name under which it is kept."""


@dataclass
class Grounder:
    """Grounds formulas; the atoms it meets get numbers of propositions."""

    stream: Stream
    propositions: Propositions = field(default_factory=Propositions)
    atoms: dict[GroundAtom, int] = field(default_factory=dict)
    _known: dict[object, int] = field(default_factory=dict)
    _names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _offsets: dict[tuple[Interval, bool], tuple[Instant, Instant] | None] = field(default_factory=dict)

    def formula(self, formula: Formula, time: int, window: Window, given: Substitution) -> int:
        """M, S, t ⊨ α as a proposition (Definition 7)."""
        key = (id(formula), time, window, *(given.get(name, "") for name in self._variables(formula)))
        known = self._known.get(key)
        if known is None:
            reserve(1, _FOR_A_FORMULA)
            known = self._known[key] = self._ground(formula, time, window, given)
        return known

    def atom(self, predicate: str, arguments: Arguments, time: int) -> int:
        """An undecided atom at a time point: given, possible or false."""
        stream = self.stream
        if stream.given.holds(predicate, arguments, time):
            return TRUE
        if time not in stream.held or not stream.possible.holds(predicate, arguments, time):
            return FALSE
        key = predicate, arguments, time
        if key not in self.atoms:
            self.atoms[key] = self.propositions.atom()
        return self.atoms[key]

    def _variables(self, formula: Formula) -> tuple[str, ...]:
        names = self._names.get(id(formula))
        if names is None:
            names = self._names[id(formula)] = tuple(dict.fromkeys(each.name for each in variables(formula)))
        return names

    def _ground(self, formula: Formula, time: int, window: Window, given: Substitution) -> int:
        match formula:
            case Top():
                return TRUE
            case Bottom():
                return FALSE
            case Atom():
                return self._atom(formula, time, window, given)
            case Comparison():
                return self._comparison(formula, given)
            case And(operands=operands):
                return self.propositions.all_of(self.formula(each, time, window, given) for each in operands)
            case Or(operands=operands):
                return self.propositions.any_of(self.formula(each, time, window, given) for each in operands)
            case Not(operand=operand):
                found = (
                    self.formula(operand, time, window, each) for each in extensions((operand,), given, self.stream)
                )
                return negation(self.propositions.any_of(found))
            case Metric():
                return self._metric(formula, time, window, given)
            case BinaryMetric():
                return self._binary(formula, time, window, given)
            case Windowed(operand=operand):
                return self.formula(operand, time, self._window(formula, time, window), given)
            case Some(operand=operand):
                found = (self.formula(operand, each, window, given) for each in self._timeline(window))
                return self.propositions.any_of(found)
            case All(operand=operand):
                if window.low > window.high:
                    return FALSE
                found = (self.formula(operand, each, window, given) for each in self._timeline(window))
                return self.propositions.all_of(found)
            case At(operand=operand, time=term):
                named = instant_of(term, given, self.stream.values)
                if named is None or named not in window:
                    return FALSE
                return self.formula(operand, named, window, given)
            case Aggregate():
                raise AssertionError("an aggregate is decided, and no part of another formula")

    def _atom(self, atom: Atom, time: int, window: Window, given: Substitution) -> int:
        arguments = []
        for term in atom.arguments:
            code = code_of(term, given, self.stream.values)
            if code is None:
                return FALSE
            arguments.append(code)
        ground, predicate = tuple(arguments), atom.predicate
        if predicate in self.stream.background:
            return TRUE if ground in self.stream.decided.arguments(predicate) else FALSE
        if not window.has(predicate, ground, time):
            return FALSE
        if predicate in self.stream.undecided:
            return self.atom(predicate, ground, time)
        return TRUE if self.stream.decided.holds(predicate, ground, time) else FALSE

    def _comparison(self, comparison: Comparison, given: Substitution) -> int:
        names = tuple(dict.fromkeys(each.name for each in variables(comparison)))
        codes = [given[name] for name in names]
        if None in codes:
            return FALSE
        now = np.zeros(1, dtype=np.int64)
        row = Relation(tuple(np.array([code], dtype=np.int64) for code in codes), now, now)
        return TRUE if len(apply_conditions(Bindings(names, row), (comparison,), self.stream.values)) else FALSE

    def _metric(self, formula: Metric, time: int, window: Window, given: Substitution) -> int:
        is_past = isinstance(formula, BoxMinus | DiamondMinus)
        found = (
            self.formula(formula.operand, each, window, given)
            for each in self.offsets(time, formula.interval, is_past=is_past)
        )
        if isinstance(formula, BoxMinus | BoxPlus):
            return self.propositions.all_of(found)
        return self.propositions.any_of(found)

    def offsets(self, time: int, interval: Interval, *, is_past: bool) -> range:
        """The time points that lie in an interval before or after a time point."""
        key = interval, is_past
        if key not in self._offsets:
            reached = (interval.reflected() if is_past else interval).to_integers()
            self._offsets[key] = (instant(reached.start), instant(reached.end)) if reached else None
        reach = self._offsets[key]
        return range(0) if reach is None else self.stream.points(time + reach[0], time + reach[1])

    def _binary(self, formula: BinaryMetric, time: int, window: Window, given: Substitution) -> int:
        """From the farthest time point to the nearest: the right operand there, or the left one and further away."""
        is_past = isinstance(formula, Since)
        reached = self.offsets(time, formula.interval, is_past=is_past)
        if not reached:
            return FALSE
        farthest = reached[0] if is_past else reached[-1]
        step = 1 if is_past else -1
        further = FALSE
        for each in range(farthest, time, step):
            left = self.formula(formula.left, each, window, given)
            further = self.propositions.all_of((left, further))
            if each in reached:
                further = self.propositions.any_of((self.formula(formula.right, each, window, given), further))
        if time in reached:
            further = self.propositions.any_of((self.formula(formula.right, time, window, given), further))
        return further

    def _window(self, formula: Windowed, time: int, window: Window) -> Window:
        of = self.stream.timeline if formula.of_stream else window
        if isinstance(formula.window, TimeWindow):
            return time_window(formula.window, of, time)
        counted = {atom.predicate for atom in atoms(formula)} - self.stream.background
        low, high = self.stream.horizon
        decided, values = self.stream.decided, self.stream.values
        return tuple_window(formula.window, counted, of, time, decided, values, (min(low, time), max(high, time)))

    def _timeline(self, window: Window) -> range:
        return self.stream.points(window.low, window.high)
