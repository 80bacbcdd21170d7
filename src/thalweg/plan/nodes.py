"""The operators of a plan.

A node stands for a relation over its variables. Metric intervals are exact and signed: a positive one looks to
the past, a negative one to the future, so that one operator serves both directions. Since keeps its direction
apart, because its left operand fills the stretch between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import Comparison, Term, TimeWindow, TupleWindow, Value, Variable, expression_variables
from thalweg.syntax.ast import AggregateKind
from thalweg.time.interval import Endpoint, Interval


@dataclass(frozen=True)
class Scan:
    """The facts of a predicate that fit an atom.

    ``columns`` are the argument positions that give the variables their values; ``constants`` and ``equal``
    (pairs of positions) are conditions.
    """

    predicate: str
    arity: int
    variables: tuple[str, ...]
    columns: tuple[int, ...]
    constants: tuple[tuple[int, Value], ...] = ()
    equal: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Always:
    """⊤: all times, no variables."""

    variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Never:
    """⊥: no time, no variables."""

    variables: tuple[str, ...] = ()


class _Over:
    """A node over one other, with the same variables."""

    child: Node

    @property
    def variables(self) -> tuple[str, ...]:
        """The child's."""
        return self.child.variables


@dataclass(frozen=True)
class Diamond(_Over):
    """Some time in the interval."""

    interval: Interval
    child: Node


@dataclass(frozen=True)
class Box(_Over):
    """All through the interval."""

    interval: Interval
    child: Node


@dataclass(frozen=True)
class Vacuous(_Over):
    """Since or until where nothing lies between the two times, so that the left operand does not matter."""

    interval: Interval
    child: Node
    future: bool


@dataclass(frozen=True)
class Since:
    """Since (or until, when ``future``) where the left operand does matter."""

    interval: Interval
    left: Node
    right: Node
    future: bool

    @property
    def variables(self) -> tuple[str, ...]:
        """The left's, then the right's others."""
        return merged(self.left.variables, self.right.variables)


@dataclass(frozen=True)
class Ever(_Over):
    """The bindings of the child at any time, as facts that hold always."""

    child: Node


@dataclass(frozen=True)
class Sharp:
    """The ``#``-facts of a predicate (journal paper, Section 6): its facts, and those kept, across short gaps."""

    facts: Scan
    kept: Scan
    gap: Fraction

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of the facts."""
        return self.facts.variables


@dataclass(frozen=True)
class Join:
    """All children at once, and conditions on their variables."""

    children: tuple[Node, ...]
    conditions: tuple[Comparison, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of all children, then those that equations among the conditions add."""
        names: tuple[str, ...] = ()
        for child in self.children:
            names = merged(names, child.variables)
        for condition in self.conditions:
            for side in (condition.left, condition.right):
                names = merged(names, tuple(variable.name for variable in expression_variables(side)))
        return names


@dataclass(frozen=True)
class Union:
    """Any of the children; they have the same variables, in any order."""

    children: tuple[Node, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of the first child."""
        return self.children[0].variables


@dataclass(frozen=True)
class Carried(_Over):
    """A diamond or box over facts, on a stream: what it needs of facts that are forgotten is carried under a name.

    A diamond's own value is carried, and of a box's facts those that may still go on: neither grows with the length of
    the interval.
    """

    name: str
    child: Diamond | Box


@dataclass(frozen=True)
class Minus:
    """The left, except when the right holds; the right's variables are among the left's."""

    left: Node
    right: Node

    @property
    def variables(self) -> tuple[str, ...]:
        """The left's."""
        return self.left.variables


@dataclass(frozen=True)
class Project:
    """Some variables of the child: for some value of the others."""

    child: Node
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Clipped(_Over):
    """The child inside the timeline, or not further outside than so far before it and after it."""

    child: Node
    before: Endpoint = Fraction(0)
    after: Endpoint = Fraction(0)


@dataclass(frozen=True)
class Widened(_Over):
    """The child, going on for ever where it reaches an end of the timeline: windows ask for nothing beyond."""

    child: Node


@dataclass(frozen=True)
class Started:
    """⊤ at the first time point of the timeline."""

    variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class FromPivots(_Over):
    """What the child is at a pivot of a sliding window, until the next pivot."""

    slide: int
    child: Node


@dataclass(frozen=True)
class NearPivots(_Over):
    """The child at those times that lie in their own sliding window."""

    slide: int
    ahead: int
    child: Node


@dataclass(frozen=True)
class Instants:
    """The time points of the child as values of a variable, at the times whose window they lie in.

    Without a window they hold always. ``rough`` ones are values that a variable may have, from as much of the stream
    as is at hand.
    """

    child: Node
    time: str
    window: TimeWindow | None = None
    rough: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """The child's, and the time."""
        return merged(self.child.variables, (self.time,))


@dataclass(frozen=True)
class Tuples:
    """The facts that fit an atom, each at one time point, when they are in a window over tuples.

    With ``time`` their time points are values of that variable.
    """

    facts: Scan
    window: TupleWindow
    time: str | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of the facts, and the time."""
        return self.facts.variables if self.time is None else merged(self.facts.variables, (self.time,))


@dataclass(frozen=True)
class Frame:
    """A window that is entered: ``time`` names the variable for its reference time.

    Nodes inside a frame have the reference times as variables, and the time inside the window as their time.
    ``offsets`` is a hull of the reference times, relative to that of the ``parent`` (or to a rule's time); ``counted``
    are the predicates that a window over tuples counts, with their arities.
    """

    time: str
    window: TimeWindow | TupleWindow
    parent: Frame | None
    offsets: Interval
    counted: tuple[tuple[str, int], ...] = ()

    @property
    def times(self) -> tuple[str, ...]:
        """The reference times, outermost first."""
        return (*(self.parent.times if self.parent else ()), self.time)


@dataclass(frozen=True)
class Entered:
    """The facts that fit an atom, in a frame's window."""

    facts: Scan
    frame: Frame

    @property
    def variables(self) -> tuple[str, ...]:
        """Those of the facts, and the reference times."""
        return merged(self.facts.variables, self.frame.times)


@dataclass(frozen=True)
class WindowTimes:
    """The timeline of a frame's window for each reference time; with ``whole``, all time."""

    frame: Frame
    whole: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """The reference times."""
        return self.frame.times


@dataclass(frozen=True)
class Throughout(_Over):
    """Where the child holds on all of a frame's window, which is not empty: always."""

    frame: Frame
    child: Node


@dataclass(frozen=True)
class Left:
    """Out of a frame: what holds in its window at the reference time itself.

    ``span`` is a hull of the times it reads, relative to its own; so long after the last event that it reads, and so
    long before the first, nothing changes any more: ``settles``.
    """

    frame: Frame
    child: Node
    span: Interval
    settles: int

    @property
    def variables(self) -> tuple[str, ...]:
        """The child's without the reference time."""
        return tuple(name for name in self.child.variables if name != self.frame.time)


@dataclass(frozen=True)
class Aggregated:
    """An aggregate of the child's distinct elements for each group.

    Where ``domain`` is given, its groups have a count and a sum of 0 when they are empty.
    """

    kind: AggregateKind
    result: str
    groups: tuple[str, ...]
    elements: tuple[Term, ...]
    child: Node
    domain: Node | None

    @property
    def variables(self) -> tuple[str, ...]:
        """The groups and the result."""
        return (*self.groups, self.result)

    @property
    def element_names(self) -> tuple[str, ...]:
        """The variables among the elements."""
        return tuple(dict.fromkeys(term.name for term in self.elements if isinstance(term, Variable)))


Node = (
    Scan
    | Always
    | Never
    | Diamond
    | Box
    | Vacuous
    | Since
    | Ever
    | Sharp
    | Join
    | Union
    | Carried
    | Minus
    | Project
    | Clipped
    | Widened
    | Started
    | FromPivots
    | NearPivots
    | Instants
    | Tuples
    | Entered
    | WindowTimes
    | Throughout
    | Left
    | Aggregated
)


def merged(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    """The left names, then the right ones that are not among them."""
    return left + tuple(dict.fromkeys(name for name in right if name not in left))


def inner(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a node."""
    match node:
        case Since(left=left, right=right) | Minus(left=left, right=right):
            return (left, right)
        case Sharp(facts=facts, kept=kept):
            return (facts, kept)
        case Join(children=children) | Union(children=children):
            return children
        case Tuples(facts=facts) | Entered(facts=facts):
            return (facts,)
        case Aggregated(child=child, domain=domain):
            return (child,) if domain is None else (child, domain)
        case _Over() | Project() | Instants() | Left():
            return (node.child,)
        case _:
            return ()


def parts(node: Node) -> Iterator[Node]:
    """The node and everything inside it."""
    yield node
    for child in inner(node):
        yield from parts(child)


def frames(node: Node) -> Iterator[Frame]:
    """The frames of everything inside a node, their parents among them."""
    for part in parts(node):
        frame = part.frame if isinstance(part, Entered | WindowTimes | Throughout | Left) else None
        while frame is not None:
            yield frame
            frame = frame.parent


def scanned(node: Node) -> frozenset[str]:
    """The predicates a node reads."""
    found = {part.predicate for part in parts(node) if isinstance(part, Scan)}
    found |= {name for frame in frames(node) for name, _ in frame.counted}
    return frozenset(found)
