"""From formulas to nodes.

Most windows have a closed form: a diamond or a box, moved to the pivots of the window. The others, such as windows in
windows, are entered: their reference time becomes a variable, and a *frame* (:class:`thalweg.plan.nodes.Frame`) tells
the nodes inside which part of the stream they see.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction

from thalweg.model.binding import bound_by, bound_by_all, solved_equations
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
    Constant,
    DiamondMinus,
    DiamondPlus,
    Formula,
    Metric,
    Not,
    Or,
    Skolem,
    Some,
    Term,
    TimeWindow,
    Top,
    TupleWindow,
    Variable,
    Windowed,
    atoms,
    expression_variables,
    subformulas,
    variables,
)
from thalweg.model.formula import Since as SinceFormula
from thalweg.model.formula import Until as UntilFormula
from thalweg.model.reads import NOW, places, time_offsets, window_span
from thalweg.plan.nodes import (
    Aggregated,
    Always,
    Box,
    Clipped,
    Diamond,
    Entered,
    Ever,
    Frame,
    FromPivots,
    Instants,
    Join,
    Left,
    Minus,
    NearPivots,
    Never,
    Node,
    Project,
    Scan,
    Since,
    Started,
    Throughout,
    Tuples,
    Union,
    Vacuous,
    Widened,
    WindowTimes,
    merged,
)
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.interval import ALWAYS, Endpoint, Interval


@dataclass
class FormulaPlanner:
    """Plans the formulas of one body; ``background`` predicates are true whatever the window.

    A negation or a disjunction inside an operator may have variables that get their value elsewhere in the body: it is
    planned for the values they have there, at any time.
    """

    body: tuple[Formula, ...]
    background: frozenset[str] = frozenset()
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _planned: tuple[Formula, ...] = ()

    def literal(self, formula: Formula) -> tuple[Node, ...]:
        """The nodes whose union is a literal of the body."""
        with self._planning((formula,)):
            return self.alternatives(formula, nested=False)

    def alternatives(self, formula: Formula, *, nested: bool, scope: Scope | None = None) -> tuple[Node, ...]:
        """The nodes whose union is the formula.

        Usually one. A since whose left operand has variables of its own can hold vacuously for *every* value of
        them, which no relation over them can say; so it becomes one node without these variables and one with
        them. Under an operator that looks at stretches of time (``nested``) the latter must be complete for the
        values it does have, the vacuous case included.
        """
        scope = scope or STREAM
        match formula:
            case Atom():
                return (self._atom(formula, scope),)
            case Top():
                return (scope.everywhere,)
            case Bottom():
                return (Never(),)
            case DiamondMinus() | DiamondPlus():
                interval = _signed(formula)
                inside = scope.moved(interval)
                return tuple(Diamond(interval, node) for node in self._of(formula.operand, nested, inside))
            case BoxMinus() | BoxPlus():
                interval = _signed(formula)
                inside = scope.moved(interval)
                return tuple(Box(interval, node) for node in self._of(formula.operand, True, inside))
            case SinceFormula() | UntilFormula():
                return tuple(self._since(formula, nested, scope))
            case And(operands=operands):
                return tuple(self._conjunctions(operands, scope))
            case Or(operands=operands):
                return self._disjunction(operands, nested, scope)
            case Not() | Comparison():
                return tuple(self._conjunctions((formula,), scope))
            case Windowed():
                return (self._windowed(formula, scope),)
            case Some() | All() | At():
                return (self._unwindowed(formula, scope),)
            case Aggregate():
                return (self._aggregate(formula),)
        raise AssertionError(f"{type(formula).__name__} has no plan here")

    def one(self, formula: Formula, scope: Scope | None = None) -> Node:
        """The formula as one node, its alternatives united; those that lack variables of others get all values."""
        nodes = self.alternatives(formula, nested=True, scope=scope)
        return nodes[0] if len(nodes) == 1 else self._united(nodes)

    def values_of(self, names: Sequence[str]) -> Node:
        """Facts that hold always: values for variables, all those that the body may give them, at any time, among them.

        What the variables really stand for is settled by the literals that bind them; more values do no harm.
        """
        found: dict[str, Node] = {}
        conditions: list[Comparison] = []
        missing = list(names)
        while missing:
            name = missing.pop(0)
            literal = next((part for part in self.body if Variable(name) in bound_by(part)), None)
            if name in found:
                continue
            if literal is not None:
                found[name] = self._values_in(literal, name)
                continue
            equation, sources = self._equation(name)
            conditions.append(equation)
            missing += sources
        return Project(Join(tuple(found.values()), tuple(conditions)), tuple(names))

    def _values_in(self, literal: Formula, name: str) -> Node:
        """The values that a literal gives a variable; while it is being planned itself, those that its atoms have."""
        if not any(literal is each for each in self._planned):
            with self._planning((literal,)):
                return Ever(Project(self.one(literal), (name,)))
        found: list[Node] = []
        for part, place in places(literal):
            if isinstance(part, Atom) and Variable(name) in part.arguments and not place.negative:
                found.append(Ever(Project(scan(part), (name,))))
            elif isinstance(part, At) and part.time == Variable(name) and not place.negative:
                found += [Ever(Project(Instants(scan(atom), name, rough=True), (name,))) for atom in atoms(part)]
                if not all(isinstance(each, Atom | And) for each in subformulas(part.operand)):
                    found.append(Ever(Project(Instants(Clipped(Always()), name, rough=True), (name,))))
        return found[0] if len(found) == 1 else Union(tuple(found))

    @contextmanager
    def _planning(self, literals: tuple[Formula, ...]) -> Iterator[None]:
        before = self._planned
        self._planned = (*before, *literals)
        yield
        self._planned = before

    def _of(self, formula: Formula, nested: bool, scope: Scope) -> tuple[Node, ...]:
        return self.alternatives(formula, nested=nested, scope=scope)

    def _equation(self, name: str) -> tuple[Comparison, list[str]]:
        for literal in self.body:
            for variable, expression in solved_equations(literal):
                if variable.name == name:
                    assert isinstance(literal, Comparison)
                    return literal, [source.name for source in expression_variables(expression)]
        raise AssertionError(f"{name} is not bound: that was refused before")

    def _atom(self, atom: Atom, scope: Scope) -> Node:
        if scope.frame is None:
            return scan(atom)
        if self._is_background(atom):
            return scope.spread(scan(atom))
        return Entered(scan(atom), scope.frame)

    # conjunctions and disjunctions

    def _conjunctions(self, operands: Iterable[Formula], scope: Scope) -> Iterator[Node]:
        operands = tuple(operands)
        conditions = tuple(part for part in operands if isinstance(part, Comparison))
        negated = tuple(part.operand for part in operands if isinstance(part, Not))
        positive = (part for part in operands if not isinstance(part, Comparison | Not))
        subtracted = [self.one(part, scope) for part in negated]
        for nodes in itertools.product(*(self._of(part, True, scope) for part in positive)):
            whole = self._joined(nodes, conditions, negated, scope)
            for node in subtracted:
                kept = tuple(name for name in node.variables if name in whole.variables)
                whole = Minus(whole, node if kept == node.variables else Project(node, kept))
            yield whole

    def _joined(
        self, nodes: tuple[Node, ...], conditions: tuple[Comparison, ...], negated: tuple[Formula, ...], scope: Scope
    ) -> Node:
        """The positive parts and the comparisons, with values for variables that only the rest of the body binds."""
        known = {*Join(nodes).variables}
        equations = [each for part in conditions for each in solved_equations(part)]
        for _ in equations:
            known |= {v.name for v, e in equations if {each.name for each in expression_variables(e)} <= known}
        asked = (v.name for part in (*conditions, *negated) for v in variables(part) if not v.is_anonymous)
        missing = tuple(dict.fromkeys(name for name in asked if name not in known and self._is_bound(name)))
        if missing:
            nodes = (*nodes, self.values_of(missing))
        if not nodes or (scope.frame and not {*scope.frame.times} <= {*Join(nodes).variables}):
            nodes = (*nodes, scope.everywhere)
        return nodes[0] if len(nodes) == 1 and not conditions else Join(nodes, conditions)

    def _is_bound(self, name: str) -> bool:
        return any(Variable(name) in bound_by(part) for part in self.body) or any(
            variable.name == name for literal in self.body for variable, _ in solved_equations(literal)
        )

    def _disjunction(self, operands: Iterable[Formula], nested: bool, scope: Scope) -> tuple[Node, ...]:
        nodes = tuple(node for operand in operands for node in self._of(operand, nested, scope))
        return (self._united(nodes),) if nested else nodes

    def _united(self, nodes: tuple[Node, ...]) -> Node:
        """Any of the nodes, for the variables that all of them have or that the rest of the body binds."""
        common = set.intersection(*({*node.variables} for node in nodes if not isinstance(node, Never)))
        names: tuple[str, ...] = ()
        for node in nodes:
            names = merged(names, tuple(name for name in node.variables if name in common or self._is_bound(name)))
        return Union(tuple(self._with_variables(node, names) for node in nodes))

    def _with_variables(self, node: Node, names: tuple[str, ...]) -> Node:
        if isinstance(node, Never):
            return Never(names)
        missing = tuple(name for name in names if name not in node.variables)
        padded = Join((node, self.values_of(missing))) if missing else node
        return padded if {*padded.variables} <= {*names} else Project(padded, names)

    # since and until

    def _since(self, formula: SinceFormula | UntilFormula, nested: bool, scope: Scope) -> Iterator[Node]:
        future = isinstance(formula, UntilFormula)
        reach = Interval(Fraction(0), formula.interval.end)
        inside = scope.moved(reach.reflected() if future else reach)
        for right in self._of(formula.right, nested, inside):
            vacuous = Vacuous(formula.interval, right, future)
            lefts = self._of(formula.left, True, inside)
            if all(set(left.variables) <= set(right.variables) for left in lefts):
                since = (Since(formula.interval, left, right, future) for left in lefts)
                yield Union((vacuous, *since))
                continue
            yield vacuous
            for left in lefts:
                with_left = Since(formula.interval, left, right, future)
                yield Union((with_left, Join((vacuous, Ever(left))))) if nested else with_left

    # windows

    def _windowed(self, formula: Windowed, scope: Scope) -> Node:
        """⊞α; a window means the same before a whole formula as before its parts."""
        operand = formula.operand
        match operand:
            case And() | Or() if self._may_be_taken_apart(formula):
                parts = tuple(replace(formula, operand=part) for part in operand.operands)
                return self.one(type(operand)(parts, operand.span), scope)
            case Not(operand=inner):
                return self.one(Not(replace(formula, operand=inner), operand.span), scope)
            case Comparison() | Top() | Bottom():
                return self.one(operand, scope)
        if scope.frame is None or formula.of_stream:
            closed = self._closed(formula.window, operand)
            if closed is not None:
                return scope.spread(closed)
        return self._entered(formula, scope)

    def _may_be_taken_apart(self, formula: Windowed) -> bool:
        """A window over tuples has a timeline that depends on all the predicates in it."""
        return isinstance(formula.window, TimeWindow) or not any(
            isinstance(part, All | At | Windowed | Metric | BinaryMetric) for part in subformulas(formula.operand)
        )

    def _closed(self, window: TimeWindow | TupleWindow, operand: Formula) -> Node | None:
        """The closed form of a window of the stream, where there is one."""
        match window, operand:
            case TimeWindow(), Some() | All() | At() if self._is_local(operand.operand):
                return self._in_window(window, operand)
            case TimeWindow(slide=slide, next=ahead), _ if self._is_local(operand):
                node = self.one(operand)
                is_inside = ahead >= slide - 1 or (isinstance(operand, Atom) and self._is_background(operand))
                return node if is_inside else NearPivots(slide, int(ahead), node)
            case TupleWindow(), Some(operand=Atom() as atom) | At(operand=Atom() as atom):
                if not self._is_background(atom):
                    time = operand.time if isinstance(operand, At) else None
                    return self._at_term(lambda name: Tuples(scan(atom), window, name), time)
        return None

    def _in_window(self, window: TimeWindow, formula: Some | All | At) -> Node:
        """Some, all or at in a time window of the stream, whose operand sees single time points only."""
        local = self.one(formula.operand)
        if not all(isinstance(part, Atom | And) for part in subformulas(formula.operand)) or any(
            map(self._is_background, atoms(formula.operand))
        ):
            local = Clipped(local)
        span = Interval(-window.next, window.last)
        match formula:
            case Some():
                return _from_pivots(window, Diamond(span, local))
            case All() if window.last == math.inf and window.next == 0:
                return _from_pivots(window, _ever_since_the_start(local))
            case All():
                # Further outside the timeline than this the window is empty, and nothing holds all through it.
                return _from_pivots(window, Clipped(Box(span, Widened(local)), window.next, window.last))
            case At(time=time):
                whole = None if window is ALL_TIME else window
                return self._at_term(lambda name: Instants(local, name or "", whole), time)

    def _at_term(self, node: Callable[[str | None], Node], time: Term | None) -> Node:
        """A node with the time as a variable; a constant time is a condition on it."""
        if time is None or isinstance(time, Variable):
            return node(time.name if time else None)
        name = f"#at{next(self.numbers)}"
        timed = node(name)
        fixed = Join((timed,), (Comparison(ComparisonOperator.EQUAL, Variable(name), time),))
        return Project(fixed, tuple(each for each in timed.variables if each != name))

    def _unwindowed(self, formula: Some | All | At, scope: Scope) -> Node:
        """Some, all or at: of the whole stream, or in a window that was entered. What it says holds at any time."""
        if scope.frame is None:
            if self._is_local(formula.operand):
                return self._in_window(self._implied_window(formula, scope), formula)
            return self._entered(Windowed(ALL_TIME, formula), scope)
        frame, node = scope.frame, self.one(formula.operand, scope.anywhere)
        match formula:
            case Some():
                return Ever(Join((node, WindowTimes(frame))))
            case All():
                return Throughout(frame, node)
            case At(time=time):
                inside = Join((node, WindowTimes(frame)))
                return self._at_term(lambda name: Instants(inside, name or ""), time)

    def _implied_window(self, formula: Some | All | At, scope: Scope) -> TimeWindow:
        """The whole stream; of a time that the rest of the body bounds, no more than that."""
        if isinstance(formula, At) and scope == STREAM:
            offsets = time_offsets(self.body, formula.time)
            if offsets.is_bounded:
                return TimeWindow(max(Fraction(0), -offsets.start), max(Fraction(0), offsets.end))
        return ALL_TIME

    def _entered(self, formula: Windowed, scope: Scope) -> Node:
        """A window whose reference time becomes a variable."""
        outer = scope
        if formula.of_stream:
            outer = Scope(None, ALWAYS if scope.frame else scope.at)
        counted: dict[str, int] = {}
        if isinstance(formula.window, TupleWindow):
            counted = {a.predicate: len(a.arguments) for a in atoms(formula.operand) if not self._is_background(a)}
        time = f"#t{next(self.numbers)}"
        frame = Frame(time, formula.window, outer.frame, outer.at, tuple(counted.items()))
        inside = Scope(frame, NOW, _within(formula.window, outer))
        left = Left(frame, self.one(formula.operand, inside), _span(formula), _settles(formula))
        return left if outer.frame is scope.frame else scope.spread(left)

    def _is_background(self, atom: Atom) -> bool:
        return atom.predicate in self.background

    def _is_local(self, formula: Formula) -> bool:
        """Whether a formula at a time point of a window means the same in the window and in the stream."""
        match formula:
            case Atom() | Comparison() | Top() | Bottom():
                return True
            case And(operands=operands) | Or(operands=operands):
                return all(map(self._is_local, operands))
            case Not(operand=operand):
                return self._is_local(operand)
            case Windowed(of_stream=of_stream):
                return of_stream
            case _:
                return False

    # aggregates

    def _aggregate(self, formula: Aggregate) -> Node:
        others = tuple(part for part in self.body if part is not formula)
        inside = FormulaPlanner((*formula.body, *others), self.background, self.numbers)
        with inside._planning(formula.body):
            child = inside.one(And(formula.body))
        groups = tuple(variable.name for variable in formula.groups)
        domain = self._domain(formula, others) if formula.groups else Always()
        return Aggregated(formula.kind, formula.result.name, groups, formula.elements, child, domain)

    def _domain(self, formula: Aggregate, others: tuple[Formula, ...]) -> Node | None:
        """The groups that the rest of the body gives; None where it leaves some to the aggregate."""
        groups = {*formula.groups}
        if not groups <= bound_by_all(part for part in others if not isinstance(part, Aggregate)):
            return None
        planner = FormulaPlanner(others, self.background, self.numbers)
        conditions = tuple(part for part in others if isinstance(part, Comparison))
        positive = tuple(part for part in others if not isinstance(part, Comparison | Not | Aggregate))
        needed = _needed_equations(groups, positive, conditions)
        binders = (part for part in positive if needed.variables & bound_by(part))
        nodes = tuple(planner.one(part) for part in binders)
        return Project(Join(nodes, needed.equations), tuple(variable.name for variable in formula.groups))


@dataclass(frozen=True)
class Scope:
    """Where a formula stands: in which frame, when relative to its reference time, and how far its window goes.

    Outside frames the times are relative to the rule's.
    """

    frame: Frame | None = None
    at: Interval = NOW
    within: Interval = ALWAYS

    @property
    def everywhere(self) -> Node:
        """⊤ here."""
        return Always() if self.frame is None else WindowTimes(self.frame, whole=True)

    @property
    def anywhere(self) -> Scope:
        """At any time point of the window."""
        return replace(self, at=self.within)

    def moved(self, interval: Interval) -> Scope:
        """Inside an operator that looks back by an interval."""
        return replace(self, at=self.at.minus(interval))

    def spread(self, node: Node) -> Node:
        """A node that does not depend on the window, for all reference times."""
        return node if self.frame is None else Join((node, self.everywhere))


STREAM = Scope()

ALL_TIME = TimeWindow(math.inf, math.inf)
"""The whole stream as a window."""


def scan(atom: Atom) -> Scan:
    """The scan for an atom."""
    first: dict[str, int] = {}
    constants, equal = [], []
    for position, term in enumerate(atom.arguments):
        assert not isinstance(term, Skolem), "nulls stand only in heads"
        if isinstance(term, Constant):
            constants.append((position, term.value))
        elif term.name in first:
            equal.append((first[term.name], position))
        else:
            first[term.name] = position
    return Scan(
        atom.predicate,
        len(atom.arguments),
        tuple(first),
        tuple(first.values()),
        tuple(constants),
        tuple(equal),
    )


def _from_pivots(window: TimeWindow, node: Node) -> Node:
    return node if window.slide == 1 else FromPivots(window.slide, node)


def _ever_since_the_start(local: Node) -> Node:
    """At all times from the first time point of the timeline to now."""
    begins, beyond = Join((local, Started())), Widened(local)
    goes_on = Since(Interval(Fraction(0), math.inf), beyond, begins, future=False)
    return Union((begins, Join((beyond, goes_on)), Join((beyond, Vacuous(Interval(1, 1), begins, future=False)))))


def _within(window: TimeWindow | TupleWindow, outer: Scope) -> Interval:
    """How far a window reaches, relative to its own reference time."""
    if outer.frame is None:
        return window_span(window)
    # Its reference time lies in the outer window, or near it: so the two together are no longer than this.
    length = outer.at.plus(outer.at.reflected()).hull(outer.within.plus(outer.at.reflected()))
    return window_span(window).intersection(length) or window_span(window)


@dataclass(frozen=True)
class _Needed:
    """The variables that groups get their values from, and the equations by which they do."""

    variables: frozenset[Variable]
    equations: tuple[Comparison, ...]


def _needed_equations(
    groups: set[Variable], positive: tuple[Formula, ...], conditions: tuple[Comparison, ...]
) -> _Needed:
    bound = frozenset().union(*map(bound_by, positive))
    needed, equations = {*groups}, list[Comparison]()
    growing = True
    while growing:
        growing = False
        for condition in conditions:
            for variable, expression in solved_equations(condition):
                if variable in needed - bound and condition not in equations:
                    needed |= {*expression_variables(expression)}
                    equations.append(condition)
                    growing = True
    return _Needed(frozenset(needed), tuple(equations))


def _signed(formula: Metric) -> Interval:
    """The interval as a plan has it: positive to the past, negative to the future."""
    looks_back = isinstance(formula, DiamondMinus | BoxMinus)
    return formula.interval if looks_back else formula.interval.reflected()


def _span(formula: Windowed) -> Interval:
    """A hull of the times that a windowed formula reads, relative to its own."""
    span = window_span(formula.window)
    for part, place in places(formula):
        if isinstance(part, Atom):
            span = span.hull(place.at)
    return span


def _settles(formula: Windowed) -> int:
    """How long, at most, an event goes on to matter: the finite lengths in the formula together, and one more."""
    lengths: list[Endpoint] = [Fraction(1)]
    for part in subformulas(formula):
        match part:
            case Windowed(window=TimeWindow(last=last, next=ahead, slide=slide)):
                lengths += (last, ahead, Fraction(slide))
            case Metric(interval=interval) | BinaryMetric(interval=interval):
                lengths += (interval.start, interval.end)
    return sum(int(length) for length in lengths if isinstance(length, Fraction))
