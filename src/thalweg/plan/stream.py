"""The plan of a program for streams: rules rewritten so that a bounded window is enough.

Two things reach beyond any window. A diamond without a bound needs to know that its operand *ever* held: those
bindings are remembered in the history H (journal paper, Section 5). A since without a bound needs to know that it
is *still* on: that is a predicate of its own, carried along in the window.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from thalweg.analysis.dependency import strongly_connected
from thalweg.analysis.recursion import on_positive_cycles
from thalweg.errors import Diagnostic, ProgramError
from thalweg.model.formula import TupleWindow, Variable
from thalweg.model.program import Program, Rule
from thalweg.model.reads import window_span
from thalweg.plan.build import Literal, RulePlan
from thalweg.plan.merge import merged_plans
from thalweg.plan.nodes import (
    Aggregated,
    Box,
    Carried,
    Clipped,
    Diamond,
    Entered,
    Ever,
    FromPivots,
    Instants,
    Join,
    Left,
    Minus,
    NearPivots,
    Node,
    Project,
    Scan,
    Sharp,
    Since,
    Tuples,
    Union,
    Vacuous,
    Widened,
    frames,
    inner,
)
from thalweg.plan.plan import Stage, tables_of
from thalweg.plan.reading import Reading, node_readings, rule_readings
from thalweg.plan.rule_table import RuleTable
from thalweg.time.interval import Interval, point
from thalweg.time.timeline import Timeline

HISTORY = "#ever"
SEEN = "#seen"
CARRIED = "#still"
KEPT = "##"


@dataclass(frozen=True)
class Remembered:
    """Bindings of a node that held before the window: kept under a name in the history.

    ``span`` is how far back the node itself looks: so much of the window's beginning cannot give its value again.
    """

    name: str
    node: Node

    @property
    def span(self) -> Fraction:
        """How far the node looks into the past."""
        return max((Fraction(-reading.first) for reading in node_readings(self.node)), default=Fraction(0))


@dataclass(frozen=True)
class Counted:
    """A predicate whose last tuples a window counts, however long ago they came."""

    predicate: str
    arity: int
    window: TupleWindow


@dataclass(frozen=True)
class StreamPlan:
    """Stages in evaluation order, and how much of the past they need.

    Answers for a predicate are complete up to its delay behind the present; ``span`` is how far the window reaches
    behind the present, ``spans`` for how much less some predicates are needed. ``sharp`` are the predicates whose
    ``#``-facts are kept.
    """

    stages: tuple[Stage, ...]
    constraints: tuple[RulePlan, ...]
    delays: dict[str, Fraction]
    span: Fraction
    remembered: tuple[Remembered, ...]
    sharp: tuple[str, ...]
    counted: tuple[Counted, ...] = ()
    carried: tuple[Carried, ...] = ()
    spans: Mapping[str, Fraction] = field(default_factory=dict)

    def span_of(self, name: str) -> Fraction:
        """How far behind the present the facts of a predicate are needed."""
        return self.spans.get(name, self.span)

    def with_members(self, family_of: Mapping[str, str]) -> StreamPlan:
        """The plan with the delays of predicates that are in families."""
        if not family_of:
            return self
        return replace(self, delays=self.delays | {name: self.delays[each] for name, each in family_of.items()})

    @property
    def tables(self) -> tuple[RuleTable, ...]:
        """The tables of merged rules."""
        return tables_of(self.stages)

    @property
    def predicates(self) -> frozenset[str]:
        """The predicates that the rules read or derive."""
        return frozenset(self.delays)


def make_stream_plan(program: Program, wanted: Collection[str], sharp_gap: Fraction | None = None) -> StreamPlan:
    """The stream plan; raises :class:`ProgramError` for what needs an unbounded window or an endless wait.

    With ``sharp_gap`` (the granularity) diamonds read ``#``-facts, as in Algorithm 4; the program must then be in
    normal form.
    """
    rewriter = _Rewriter(program, sharp_gap)
    rules = [rule for rule in program.rules if rewriter.is_answerable(rule)]
    plans = [plan for merged in merged_plans(rules, program.background) for plan in rewriter.plan(merged)]
    plans += rewriter.added
    if rewriter.refused:
        raise ProgramError(dict.fromkeys(rewriter.refused))
    heads = {*program.predicates, *wanted, *(plan.head for plan in plans if plan.head is not None)}
    readings = {id(plan): tuple(rule_readings(plan)) for plan in plans}
    by_head: dict[str, list[RulePlan]] = defaultdict(list)
    for plan in plans:
        if plan.head is not None:
            by_head[plan.head].append(plan)
    successors = {
        name: tuple(dict.fromkeys(r.predicate for plan in by_head[name] for r in readings[id(plan)])) for name in heads
    }
    for names in list(successors.values()):
        for name in names:
            successors.setdefault(name, ())
    components = [frozenset(group) for group in strongly_connected(successors)]
    delays = _delays(components, by_head, readings)
    constraints = tuple(plan for plan in plans if plan.head is None)
    stages = (Stage(group, tuple(p for name in sorted(group) for p in by_head[name])) for group in components)
    return StreamPlan(
        tuple(stage for stage in stages if stage.rules),
        constraints,
        delays,
        _span(plans, readings, delays),
        tuple(rewriter.remembered.values()),
        tuple(rewriter.sharp),
        tuple(rewriter.counted),
        tuple(rewriter.carrying.values()),
        _spans(plans, readings, delays, heads) if program.is_windowed else {},
    )


@dataclass
class _Rewriter:
    """Rewrites rules one at a time, and collects what they need besides."""

    program: Program
    sharp_gap: Fraction | None
    added: list[RulePlan] = field(default_factory=list)
    refused: list[Diagnostic] = field(default_factory=list)
    remembered: dict[Node, Remembered] = field(default_factory=dict)
    carried: dict[Node, Scan] = field(default_factory=dict)
    sharp: dict[str, None] = field(default_factory=dict)
    counted: dict[Counted, None] = field(default_factory=dict)
    carrying: dict[Node, Carried] = field(default_factory=dict)

    def is_answerable(self, rule: Rule) -> bool:
        """Whether a rule says nothing of all the past at once; otherwise it is refused."""
        if rule.head_time is not None and not rule.reach.is_bounded:
            hint = "take the time from a window: window[last 10] (P(X) at T)"
            self._refuse(rule, "E321", "a head at any time", "it may say something of all the past", hint)
            return False
        if rule.reach.start == -math.inf:
            self._refuse(rule, "E321", "boxminus without a bound in the head", "it says something of all the past")
            return False
        return True

    def plan(self, plan: RulePlan) -> Iterator[RulePlan]:
        """The plan with nodes that need a bounded window only, and heads that hold for a bounded time."""
        rule = plan.rule
        rewritten = replace(
            plan,
            positive=tuple(Literal(self._node(part.node, rule), part.variables) for part in plan.positive),
            negative=tuple(Literal(self._node(part.node, rule), part.variables) for part in plan.negative),
        )
        yield from self._bounded_head(rewritten) if plan.reach.end == math.inf else (rewritten,)

    def _bounded_head(self, plan: RulePlan) -> Iterator[RulePlan]:
        """A head that holds for ever after is a diamond without a bound over the body."""
        assert plan.head is not None
        names = tuple(f"#{place}" for place in range(len(plan.terms)))
        body = f"#body{len(self.added)}"
        scan = Scan(body, len(names), names, tuple(range(len(names))))
        self.added.append(replace(plan, head=body, reach=point(0)))
        since_then = self._node(Diamond(plan.reach, scan), plan.rule)
        literal, terms = Literal(since_then, names), tuple(map(Variable, names))
        yield replace(plan, terms=terms, reach=point(0), positive=(literal,), negative=(), conditions=())

    def _node(self, node: Node, rule: Rule) -> Node:
        match node:
            case Diamond(interval=interval, child=child):
                return self._diamond(interval, self._node(child, rule), rule)
            case Box(interval=interval, child=child):
                if not interval.is_bounded:
                    way = "boxminus" if interval.end == math.inf else "boxplus"
                    self._refuse(rule, "E320", f"{way} without a bound", "it depends on all times at once")
                return self._carried(Box(interval, self._node(child, rule)))
            case Vacuous(interval=interval, child=child, future=future):
                return Vacuous(interval, self._node(child, rule), future)
            case Since():
                return self._since(node, rule)
            case Ever(child=child):
                return Ever(self._node(child, rule))
            case Join(children=children, conditions=conditions):
                return Join(tuple(self._node(child, rule) for child in children), conditions)
            case Union(children=children):
                return Union(tuple(self._node(child, rule) for child in children))
            case Minus(left=left, right=right):
                return Minus(self._node(left, rule), self._node(right, rule))
            case Tuples() | Left():
                return self._window(node, rule)
            case Aggregated(child=child, domain=domain):
                whole = None if domain is None else self._node(domain, rule)
                return replace(node, child=self._node(child, rule), domain=whole)
            case Instants(child=child, window=window):
                if not node.rough and (window is None or not window_span(window).is_bounded):
                    hint = "put a bounded window around it: window[last 10] (P(X) at T)"
                    self._refuse(rule, "E321", "at any time", "it depends on all times", hint)
                return replace(node, child=self._node(child, rule))
            case Project() | Clipped() | Widened() | FromPivots() | NearPivots():
                return replace(node, child=self._node(node.child, rule))
            case _:
                return node

    def _window(self, node: Tuples | Left, rule: Rule) -> Node:
        """A window over tuples, or one that is entered; what tuples a window may still need is kept by name."""
        counted: list[Counted] = []
        if isinstance(node, Tuples):
            counted.append(Counted(node.facts.predicate, node.facts.arity, node.window))
        for frame in frames(node):
            window = frame.window
            if isinstance(window, TupleWindow) and frame.parent is None:
                counted += [Counted(predicate, arity, window) for predicate, arity in frame.counted]
        if any(each.window.next for each in counted):
            hint = "count tuples to the past only"
            self._refuse(rule, "E321", "a window over the next tuples", "it waits until they have come", hint)
        if isinstance(node, Left) and not node.span.is_bounded and self._reads_all_time(node):
            self._refuse(rule, "E320", "a window without a bound, with others inside,", "it depends on all times")
        self.counted.update(dict.fromkeys(counted))
        return node

    def _reads_all_time(self, node: Left) -> bool:
        """Whether a window without a bound needs more than the tuples that are kept for it."""
        return not isinstance(node.frame.window, TupleWindow) or self._reads_the_stream(node.child)

    def _reads_the_stream(self, node: Node) -> bool:
        if isinstance(node, Scan):
            return node.predicate not in self.program.background
        return not isinstance(node, Entered) and any(map(self._reads_the_stream, inner(node)))

    def _diamond(self, interval: Interval, child: Node, rule: Rule) -> Node:
        if interval.start == -math.inf:
            self._refuse(rule, "E321", "diamondplus without a bound", "it waits for ever")
        if self.sharp_gap is not None and isinstance(child, Scan):
            self.sharp[child.predicate] = None
            child = Sharp(child, replace(child, predicate=child.predicate + KEPT), self.sharp_gap)
        if interval.end != math.inf:
            return self._carried(Diamond(interval, child))
        if child not in self.remembered:
            self.remembered[child] = Remembered(f"{HISTORY}{len(self.remembered)}", child)
        names = child.variables
        before = Scan(self.remembered[child].name, len(names), names, tuple(range(len(names))))
        return Union((Diamond(interval, child), before))

    def _carried(self, node: Diamond | Box) -> Node:
        """Carry along what a window to the past needs; programs of the journal paper keep to its algorithms."""
        facts = node.child.child if isinstance(node.child, Widened) else node.child
        is_past = node.interval.is_bounded and node.interval.start >= 0
        if not self.program.is_windowed or not is_past or not isinstance(facts, Scan):
            return node
        if node not in self.carrying:
            self.carrying[node] = Carried(f"{SEEN}{len(self.carrying)}", node)
        return self.carrying[node]

    def _since(self, node: Since, rule: Rule) -> Node:
        left, right = self._node(node.left, rule), self._node(node.right, rule)
        interval = node.interval
        if interval.end != math.inf:
            return Since(interval, left, right, node.future)
        if node.future:
            self._refuse(rule, "E321", "until without a bound", "it waits for ever")
            return node
        if self.program.timeline is Timeline.INTEGER and not set(left.variables) <= set(right.variables):
            self._refuse(rule, "E322", "since without a bound, with a variable of its left operand only", "bound it")
        still = self._still_on(left, right, rule)
        if interval.start == 0:
            return still
        at_start = point(Fraction(interval.start))
        on_before = Since(at_start, left, Join((left, still)), future=False)
        if not interval.start_closed:
            return on_before
        return Union((on_before, Since(at_start, left, right, future=False)))

    def _still_on(self, left: Node, right: Node, rule: Rule) -> Scan:
        """left S(0,∞) right, as a predicate that is carried along: it goes on while the left operand holds."""
        after = Interval(Fraction(0), math.inf, False, False)
        start = Since(after, left, right, future=False)
        if start in self.carried:
            return self.carried[start]
        names = start.variables
        scan = Scan(f"{CARRIED}{len(self.carried)}", len(names), names, tuple(range(len(names))))
        self.carried[start] = scan
        goes_on = Since(after, left, Join((left, scan)), future=False)
        for node in (start, goes_on):
            literal = Literal(node, node.variables)
            terms = tuple(map(Variable, names))
            self.added.append(RulePlan(scan.predicate, terms, point(0), (literal,), (), (), rule))
        return scan

    def _refuse(
        self, rule: Rule, code: str, construct: str, why: str, hint: str = "give the operator's interval a bound"
    ) -> None:
        message = f"{construct} in {rule.name.split(' (')[0]} cannot be answered on a stream: {why}"
        self.refused.append(Diagnostic(code, rule.origin, message, hint))


def _delays(
    components: list[frozenset[str]],
    by_head: dict[str, list[RulePlan]],
    readings: dict[int, tuple[Reading, ...]],
) -> dict[str, Fraction]:
    """How long after a time point each predicate is complete at it: as long as the rules look ahead."""
    delays: dict[str, Fraction] = {}
    for component in components:
        for name in component:
            delays[name] = Fraction(0)
        plans = [plan for name in component for plan in by_head[name]]
        ahead = [(plan, r) for plan in plans for r in readings[id(plan)] if r.predicate in component]
        endless = on_positive_cycles([(str(plan.head), r.predicate, r.last) for plan, r in ahead])
        if endless:
            looking = (plan for plan, r in ahead if plan.head in endless and r.predicate in endless and r.last > 0)
            raise ProgramError([_endless_wait(min(looking, key=lambda plan: plan.rule.number), component)])
        has_changed = True
        while has_changed:  # which ends: no cycle makes a delay longer
            has_changed = False
            for plan in plans:
                waits = max((delays[r.predicate] + r.last for r in readings[id(plan)]), default=Fraction(0))
                assert plan.head is not None
                if waits > delays[plan.head]:
                    delays[plan.head], has_changed = Fraction(waits), True
    return delays


def _endless_wait(plan: RulePlan, component: frozenset[str]) -> Diagnostic:
    names = ", ".join(sorted(name for name in component if "#" not in name))
    message = f"the recursion of {names} looks ahead again and again: on a stream its answers would never be due"
    return Diagnostic("E323", plan.rule.origin, message, "let the recursion look to the past only")


def _span(plans: list[RulePlan], readings: dict[int, tuple[Reading, ...]], delays: dict[str, Fraction]) -> Fraction:
    """How far behind the present the window must reach, for the next answers still to be derived."""
    reach = [
        (delays[plan.head] if plan.head is not None else _constraint_delay(readings[id(plan)], delays)) - reading.first
        for plan in plans
        for reading in readings[id(plan)]
    ]
    return max((Fraction(far) for far in reach), default=Fraction(0))


def _spans(
    plans: list[RulePlan], readings: dict[int, tuple[Reading, ...]], delays: dict[str, Fraction], heads: set[str]
) -> dict[str, Fraction]:
    """The same for each predicate by itself: no less than its own answers are late."""
    spans = {name: delays.get(name, Fraction(0)) for name in heads}
    for plan in plans:
        late = delays[plan.head] if plan.head is not None else _constraint_delay(readings[id(plan)], delays)
        for reading in readings[id(plan)]:
            spans[reading.predicate] = max(spans.get(reading.predicate, Fraction(0)), Fraction(late - reading.first))
    return spans


def _constraint_delay(readings: tuple[Reading, ...], delays: dict[str, Fraction]) -> Fraction:
    return max((Fraction(delays[r.predicate] + r.last) for r in readings), default=Fraction(0))
