"""Rules as definite clauses of Temporal Datalog: metric operators and windows become the time points they stand for.

On the integer timeline a diamond with a bounded interval is a disjunction, a box a conjunction. A rule becomes one
clause for every way in which its body can hold.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from thalweg.analysis.hypotheses.equations import solved
from thalweg.analysis.hypotheses.refusals import RefusedError, too_many
from thalweg.analysis.hypotheses.terms import (
    PatternTerm,
    Shifted,
    TimedAtom,
    Value,
    condition_variables,
    shifted,
    substituted,
    substituted_condition,
)
from thalweg.model.formula import (
    Aggregate,
    All,
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
    HeadTerm,
    Metric,
    Not,
    Or,
    Since,
    Some,
    Term,
    TimeWindow,
    Top,
    Until,
    Variable,
    Windowed,
    children,
    skolems,
)
from thalweg.model.program import Program, Rule
from thalweg.source import Span
from thalweg.time.interval import Interval

T = TypeVar("T")

NOW = "now#"
"""The time at which a rule's body holds; no program can name it."""

MOST_CLAUSES = 10_000
"""More ways for one body to hold are not written out."""


@dataclass(frozen=True)
class Clause:
    """∧ body → head, where no ``negated`` atom holds and all ``conditions`` do.

    ``times`` are further time terms that lie on the timeline.
    """

    head: TimedAtom
    body: tuple[TimedAtom, ...]
    negated: tuple[TimedAtom, ...]
    conditions: tuple[Comparison, ...]
    times: tuple[PatternTerm, ...]
    rule: Rule

    def is_connected(self, background: Collection[str]) -> bool:
        """At most one time variable, which the head has if the body has it (Definition 7); background has no time."""
        atoms = [atom for atom in (self.head, *self.body, *self.negated) if atom.predicate not in background]
        times = {atom.time.variable for atom in atoms if isinstance(atom.time, Shifted)}
        in_head = {self.head.time.variable} if isinstance(self.head.time, Shifted) else set()
        return len(times) <= 1 and times <= in_head


@dataclass(frozen=True)
class Way:
    """One way in which a formula can hold: atoms that hold, atoms that do not, and what must be equal."""

    atoms: tuple[TimedAtom, ...] = ()
    negated: tuple[TimedAtom, ...] = ()
    conditions: tuple[Comparison, ...] = ()
    equal: tuple[tuple[PatternTerm, PatternTerm], ...] = ()
    times: tuple[PatternTerm, ...] = ()

    def also(self, other: Way) -> Way:
        """Both at once."""
        return Way(
            self.atoms + other.atoms,
            self.negated + other.negated,
            self.conditions + other.conditions,
            self.equal + other.equal,
            self.times + other.times,
        )


def clauses_of(rule: Rule, program: Program) -> Iterator[Clause]:
    """The clauses of a rule; raises :class:`ProgramError` for what hypotheses do not know."""
    core = rule.head_core
    if not isinstance(core, Atom):
        return
    if any(True for _ in skolems(rule.head)):
        raise RefusedError(rule, rule.origin, "makes new values", "derive answers without exists")
    writing = _Writing(rule)
    ways = writing.all_of(rule.body, Shifted(NOW), None)
    for way in ways:
        for time in _head_times(rule, writing):
            head = TimedAtom(core.predicate, tuple(map(_head_term, core.arguments)), time)
            clause = _settled(head, way, rule)
            if clause is not None:
                _check_bound(clause, program)
                yield clause


@dataclass(frozen=True)
class _Frame:
    """The window in which a formula stands: [t − last, t + next] around a time term."""

    time: PatternTerm
    last: int
    next: int

    def within(self, term: PatternTerm) -> bool:
        """Whether a term at a known distance lies in the window."""
        if isinstance(term, Shifted) and isinstance(self.time, Shifted) and term.variable == self.time.variable:
            return -self.last <= term.offset - self.time.offset <= self.next
        return False

    def points(self) -> Iterator[PatternTerm]:
        """The time points of the window."""
        return (shifted(self.time, offset) for offset in range(-self.last, self.next + 1))


@dataclass(frozen=True)
class _Writing:
    """Writes the formulas of one rule out."""

    rule: Rule

    def all_of(self, formulas: Iterable[Formula], time: PatternTerm, frame: _Frame | None) -> list[Way]:
        """The ways in which all formulas hold."""
        return self._product([self.ways(formula, time, frame) for formula in formulas])

    def ways(self, formula: Formula, time: PatternTerm, frame: _Frame | None) -> list[Way]:
        """The ways in which a formula holds at a time, in a window if there is one."""
        match formula:
            case Atom():
                atom = TimedAtom(formula.predicate, tuple(map(_head_term, formula.arguments)), time)
                return [Way((atom,), times=(time,))] if frame is None or frame.within(time) else []
            case Top():
                return [Way(times=(time,))]
            case Bottom():
                return []
            case Comparison():
                return [Way(conditions=(formula,))]
            case And(operands=operands):
                return self.all_of(operands, time, frame)
            case Or(operands=operands):
                return self._some(operands, lambda operand: self.ways(operand, time, frame))
            case Not(operand=operand):
                return self._absent(self.ways(operand, time, frame), formula.span)
            case Metric() if frame is not None:
                raise self.refused(
                    formula.span, "has a metric operator in a window", "put the window inside, or leave it"
                )
            case DiamondMinus() | DiamondPlus():
                return self._some(self._offsets(formula), lambda k: self.ways(formula.operand, shifted(time, k), None))
            case BoxMinus() | BoxPlus():
                points = (shifted(time, k) for k in self._offsets(formula))
                return self._product([self.ways(formula.operand, point, None) for point in points])
            case Since() | Until():
                return self._some(self._offsets(formula), lambda k: self._binary(formula, time, k))
            case At(operand=operand, time=term):
                return self._at(operand, term, frame)
            case Windowed():
                return self._windowed(formula, time, frame)
            case Some(operand=operand) if frame is not None:
                return self._some(frame.points(), lambda point: self.ways(operand, point, frame))
            case Some() | All():
                raise self.refused(
                    formula.span, f"has {_called(formula)} without a bounded window", "write diamondminus or boxminus"
                )
            case Aggregate():
                raise self.refused(formula.span, "has an aggregate", "hypotheses know no aggregates")
        raise AssertionError(formula)

    def refused(self, span: Span | None, what: str, hint: str) -> RefusedError:
        """What hypotheses do not know of the rule."""
        return RefusedError(self.rule, span, what, hint)

    def _binary(self, formula: Since | Until, time: PatternTerm, offset: int) -> list[Way]:
        """Right holds at the offset, left strictly between."""
        step = 1 if offset > 0 else -1
        between = (shifted(time, k) for k in range(step, offset, step)) if offset else ()
        left = [self.ways(formula.left, point, None) for point in between]
        return self._product([self.ways(formula.right, shifted(time, offset), None), *left])

    def _at(self, operand: Formula, term: Term, frame: _Frame | None) -> list[Way]:
        chosen = _head_term(term)
        if frame is None:
            return [replace(way, times=(*way.times, chosen)) for way in self.ways(operand, chosen, None)]
        inside = replace(frame)
        return self._some(
            frame.points(),
            lambda point: [
                replace(way, equal=(*way.equal, (chosen, point))) for way in self.ways(operand, point, inside)
            ],
        )

    def _windowed(self, formula: Windowed, time: PatternTerm, frame: _Frame | None) -> list[Way]:
        window = formula.window
        if not isinstance(window, TimeWindow):
            raise self.refused(formula.span, "has a window over tuples", "use a window over time")
        if window.slide != 1 or math.inf in (window.last, window.next):
            raise self.refused(formula.span, "has a window without a bound, or with a slide", "give it a bound")
        if frame is not None:
            raise self.refused(formula.span, "has a window in a window", "use one window")
        if any(isinstance(part, All) for part in children(formula)):
            raise self.refused(
                formula.span, "has all in a window, which is shorter at the beginning", "write boxminus[0,n]"
            )
        return self.ways(formula.operand, time, _Frame(time, int(window.last), int(window.next)))

    def _absent(self, ways: Sequence[Way], span: Span | None) -> list[Way]:
        """The ways in which none of some ways holds: of each, one atom does not."""
        for way in ways:
            local = len(way.atoms) > 1 and any("_#" in name for atom in way.atoms for name in atom.variables)
            if way.negated or way.conditions or way.equal or not way.atoms or local:
                raise self.refused(
                    span, "has not before more than atoms", "derive what must not hold by a rule of its own"
                )
        choices = [[Way(negated=(atom,)) for atom in dict.fromkeys(way.atoms)] for way in ways]
        return self._product(choices)

    def _offsets(self, formula: Metric | Since | Until) -> list[int]:
        """The distances an operator speaks of, towards the past as negative numbers."""
        points = whole_points(formula.interval)
        if points is None:
            raise self.refused(formula.span, "has an operator without a bound", "give the operator a bounded interval")
        is_past = isinstance(formula, DiamondMinus | BoxMinus | Since)
        if len(points) > MOST_CLAUSES:
            raise too_many(self.rule.name, self.rule.origin, MOST_CLAUSES)
        return [-point if is_past else point for point in points]

    def _some(self, choices: Iterable[T], ways: Callable[[T], list[Way]]) -> list[Way]:
        found: list[Way] = []
        for choice in choices:
            found += ways(choice)
            self._check(len(found))
        return found

    def _product(self, parts: Sequence[list[Way]]) -> list[Way]:
        self._check(math.prod(map(len, parts)))
        found = []
        for combination in itertools.product(*parts):
            whole = Way()
            for way in combination:
                whole = whole.also(way)
            found.append(whole)
        return found

    def _check(self, count: int) -> None:
        if count > MOST_CLAUSES:
            raise too_many(self.rule.name, self.rule.origin, MOST_CLAUSES)


def whole_points(interval: Interval) -> range | None:
    """The whole numbers in an interval; None where it has no bound."""
    if not interval.is_bounded:
        return None
    first, last = math.ceil(interval.start), math.floor(interval.end)
    first += not interval.start_closed and first == interval.start
    last -= not interval.end_closed and last == interval.end
    return range(first, last + 1)


def _head_times(rule: Rule, writing: _Writing) -> list[PatternTerm]:
    if rule.head_time is not None:
        return [_head_term(rule.head_time)]
    if not rule.reach.is_bounded:
        raise writing.refused(rule.origin, "has a head without a bound in time", "give its box a bounded interval")
    points = whole_points(rule.reach)
    assert points is not None
    return [Shifted(NOW, k) for k in points]


def _settled(head: TimedAtom, way: Way, rule: Rule) -> Clause | None:
    """The clause with its equations solved; None where they contradict each other."""
    times = [atom.time for atom in (head, *way.atoms, *way.negated)] + [*way.times]
    solution = solved(way.equal, way.conditions, times)
    if solution is None:
        return None
    substitution, conditions = solution
    return Clause(
        substituted(head, substitution),
        tuple(dict.fromkeys(substituted(atom, substitution) for atom in way.atoms)),
        tuple(dict.fromkeys(substituted(atom, substitution) for atom in way.negated)),
        tuple(dict.fromkeys(substituted_condition(condition, substitution) for condition in conditions)),
        tuple(dict.fromkeys(substituted(TimedAtom("", (), time), substitution).time for time in way.times)),
        rule,
    )


def _check_bound(clause: Clause, program: Program) -> None:
    """Every variable of the head, of conditions and of times has a value from an atom that holds."""
    bound = {name for atom in clause.body for name in atom.variables}
    equations = list(clause.conditions)
    while (found := next((name for each in equations for name in _solves(each, bound)), None)) is not None:
        bound.add(found)
    needed = [*clause.head.variables, *(name for each in clause.conditions for name in condition_variables(each))]
    needed += [term.variable for term in clause.times if isinstance(term, Shifted)]
    needed += [name for atom in clause.negated for name in atom.variables if not name.startswith("_#")]
    missing = next((name for name in needed if name not in bound), None)
    if missing is None:
        return
    if missing == NOW:
        what = "speaks of the present, at which no atom of its body holds"
        raise RefusedError(clause.rule, clause.rule.origin, what, "give every atom, the head too, its time with at")
    what = f"has no atom that gives {missing} a value"
    raise RefusedError(clause.rule, clause.rule.origin, what, f"bind {missing} in an atom that holds")


def _solves(condition: Comparison, bound: set[str]) -> Iterator[str]:
    """The variable that an equation gives a value to."""
    if condition.operator.value != "=":
        return
    for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
        alone = Comparison(condition.operator, other, other)
        if isinstance(side, Variable) and side.name not in bound and {*condition_variables(alone)} <= bound:
            yield side.name


def _head_term(term: HeadTerm) -> PatternTerm:
    if isinstance(term, Constant):
        return Value(term.value)
    assert isinstance(term, Variable)
    return Shifted(term.name)


def _called(formula: Some | All) -> str:
    return "some" if isinstance(formula, Some) else "all"
