"""Safe rules: plain ones, and ones that recurse in given directions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hypothesis.strategies import DrawFn

from thalweg.model.formula import (
    Aggregate,
    Atom,
    BinaryMetric,
    BoxMinus,
    BoxPlus,
    Comparison,
    Formula,
    Not,
    Or,
    Since,
    Term,
    Until,
    Variable,
    children,
    variables,
)
from thalweg.model.program import Rule
from thalweg.testing.strategies.aggregates import aggregate_over, with_groups
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.formulas import FormulaWriter, Scope
from thalweg.testing.strategies.knobs import Knobs
from thalweg.testing.strategies.times import Times
from thalweg.testing.strategies.values import comparisons
from thalweg.testing.strategies.vocabulary import (
    BINDERS,
    GUARDS,
    INPUTS,
    KIND_OF,
    LOCAL_NAMES,
    NAMES,
    RESULT,
    Direction,
    Kind,
    Predicate,
)


class RuleWriter:
    """Writes rules whose bodies speak of the sources, and of the predicates in their own component."""

    def __init__(
        self, draw: DrawFn, knobs: Knobs, times: Times, known: Mapping[str, Predicate], sources: Sequence[Predicate]
    ) -> None:
        self.knobs = knobs
        self.times = times
        self.write = FormulaWriter(draw, knobs, times, known, sources, Scope(NAMES, itertools.count(1)))

    def plain(self, head: Predicate) -> Rule:
        """A rule over the sources."""
        write = self.write
        literals = [write.literal(write.any_predicate()) for _ in range(write.one_of([1, 1, 2, 2, 3]))]
        body = _with_bound_left_operands(literals)
        if self.knobs.aggregates and write.chance(40):
            return self._rule(head, [*body, *self._negation(body), self._aggregate()], self.knobs.directions)
        values = comparisons(write, _safe_names(body)) if self.knobs.values and write.chance(40) else []
        return self._rule(head, [*body, *self._negation(body), *values], self.knobs.directions)

    def base(self, head: Predicate) -> Rule:
        """A rule that is likely to derive something for a recursion to begin with."""
        write = self.write
        predicate = write.one_of([p for p in INPUTS if set(p.kinds) >= set(head.kinds)])
        return self._rule(head, _with_bound_left_operands([write.literal(predicate, (0, 0, 1))]), self.knobs.directions)

    def recursive(self, head: Predicate, premise: Predicate, directions: Sequence[Direction], guarded: bool) -> Rule:
        """A rule with a premise of its own component.

        No operator between the premise and the head looks anywhere but in the directions; without any, the
        rule recurses at one time point. A guarded rule applies only while a bounded input atom holds.
        """
        write = self.write
        literals = [self._premise(premise, directions)]
        # At one time point, and alone, a premise could only repeat itself.
        if not directions or write.chance(35):
            literals.append(write.literal(write.any_predicate(), (0, 0, 1)))
        if guarded:
            literals.append(write.atom(write.one_of(GUARDS)))
        body = _with_bound_left_operands(literals)
        return self._rule(head, [*body, *self._negation(body)], directions)

    def _premise(self, premise: Predicate, directions: Sequence[Direction]) -> Formula:
        write = self.write
        shape = write.one_of(["diamond", "diamond", "diamond", "operator", "operator", "left", "plain"])
        if shape == "plain" or not directions:
            return write.atom(premise)
        if shape == "left" and self.knobs.since:
            operator = Since if write.one_of(directions) is Direction.PAST else Until
            right = write.literal(write.any_predicate(), (0, 0, 1))
            return write.binary(operator, write.left_atom(premise), right, 2)
        if shape == "diamond":
            return write.diamond(write.atom(premise), write.one_of(directions))
        depth = min(write.one_of([1, 1, 2]), self.knobs.max_depth)
        return write.nested(write.atom(premise), depth, directions)

    def _negation(self, body: list[Formula]) -> list[Formula]:
        """Sometimes a negated literal over variables that the body binds."""
        if not self.knobs.negation or not self.write.chance(20):
            return []
        bound = _safe_names(body)
        names = {kind: [name for name in names if name in bound] for kind, names in NAMES.items()}
        write = replace(self.write, scope=replace(self.write.scope, names=names, anonymous=5))
        return [Not(write.literal(write.any_predicate(), (0, 0, 1, 1, 2)))]

    def _aggregate(self) -> Formula:
        """An aggregate over a literal; with X in it, X is a group variable for now."""
        write = self.write
        names = {**LOCAL_NAMES, Kind.TEXT: ("X", "X1")} if write.chance(60) else LOCAL_NAMES
        inside = replace(write, scope=replace(write.scope, names=names, anonymous=0))
        body = _with_bound_left_operands([inside.literal(write.any_predicate(), (0, 0, 1))])
        return aggregate_over(Choices(write.draw), body, RESULT)

    def _rule(self, predicate: Predicate, body: list[Formula], directions: Sequence[Direction]) -> Rule:
        head: Formula = Atom(predicate.name, tuple(self._argument(kind, body) for kind in predicate.kinds))
        if self.knobs.head_boxes and directions and self.write.chance(30):
            for _ in range(self.write.one_of([1, 1, 2])):
                head = self._boxed(head, self.write.one_of(directions), body)
        return Rule(head, with_groups(head, tuple(body)))

    def _argument(self, kind: Kind, body: list[Formula]) -> Term:
        names = [name for name in _safe_names(body) if KIND_OF.get(name) is kind]
        if not names or self.write.chance(8):
            return self.write.constant(kind)
        return Variable(self.write.one_of(names))

    def _boxed(self, head: Formula, direction: Direction, body: list[Formula]) -> Formula:
        """The head under a box: □⁺ takes its premises from the past, □⁻ from the future."""
        unbounded = self.knobs.unbounded and direction not in self.write.unsettled(*body) and self.write.chance(30)
        interval = self.times.operator_interval(2, unbounded)
        return BoxPlus(interval, head) if direction is Direction.PAST else BoxMinus(interval, head)


def _with_bound_left_operands(literals: list[Formula]) -> list[Formula]:
    """The literals, and an atom for each variable that none of them binds: in left operands of since and until."""
    named = (variable for literal in literals for variable in variables(literal) if not variable.is_anonymous)
    mentioned = dict.fromkeys(variable.name for variable in named)
    unbound = [name for name in mentioned if name not in _safe_names(literals)]
    return [*literals, *(Atom(BINDERS[KIND_OF[name]].name, (Variable(name),)) for name in unbound)]


def _safe_names(body: Iterable[Formula]) -> list[str]:
    """The variables that a body binds (journal paper, Section 2: safe rules), in order."""
    return list(dict.fromkeys(name for literal in body for name in _bound_names(literal)))


def _bound_names(formula: Formula) -> Iterator[str]:
    match formula:
        case Atom() | Comparison():
            yield from (variable.name for variable in variables(formula))
        case Not():
            return
        case Or(operands=operands):
            first, *others = (list(_bound_names(operand)) for operand in operands)
            yield from (name for name in first if all(name in other for other in others))
        case Aggregate(result=result, groups=groups):
            yield from (variable.name for variable in (result, *groups))
        case BinaryMetric(right=right):
            yield from _bound_names(right)
        case _:
            for child in children(formula):
                yield from _bound_names(child)
