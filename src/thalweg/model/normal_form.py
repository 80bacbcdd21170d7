"""The normal form of programs (journal paper, Definition 5 and Proposition 6), for all operators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from thalweg.model.binding import solved_equations
from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    AnyBinaryMetric,
    AnyMetric,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Expression,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    Top,
    Variable,
    Windowed,
    children,
    expression_variables,
    is_box,
    looks_back,
    subformulas,
    variables,
)
from thalweg.model.program import Program, Rule, Signature
from thalweg.model.reads import NOW, Read, reads, up_to
from thalweg.model.simplify import simplify, vacuous_distances
from thalweg.syntax.ast import ComparisonOperator, Parameter
from thalweg.time.interval import Interval
from thalweg.time.timeline import Timeline

Variables = frozenset[Variable]


def normalise(program: Program) -> Program:
    """An equivalent program whose rules are of three forms, with fresh predicates (``Head#1``).

    A body is one metric operator over atoms, or a conjunction of atoms, negated atoms and comparisons,
    or ⊤; a head is an atom or ⊥. For forward-propagating programs this is Definition 5. Rules keep the
    number and origin of the rule they come from. The program must have passed the checks.

    Box and diamond need no more than Proposition 6 says. A variable of a left operand of since or until
    that something else in the rule binds needs care: over an empty stretch of time the left operand asks
    nothing of it. That case gets a rule of its own, with *guards* that give the variable its values. A rule with
    windows, disjunctions, aggregates or negation inside an operator, for which there is no normal form, stays as it is.
    """
    normaliser = _Normaliser(program)
    for rule in program.rules:
        normaliser.add(rule)
    fresh = {name: Signature(name, (Parameter(None),) * arity) for name, arity in normaliser.fresh.items()}
    return replace(program, rules=tuple(normaliser.rules), signatures={**program.signatures, **fresh})


@dataclass
class _Normaliser:
    """The rules made so far, and the arity of every fresh predicate."""

    program: Program
    rules: list[Rule] = field(default_factory=list)
    fresh: dict[str, int] = field(default_factory=dict)

    def add(self, rule: Rule) -> None:
        """Add the rules in normal form that mean the same as a rule."""
        if _is_beyond(rule):
            self.rules.append(rule)
            return
        core = rule.head_core
        whole = simplify(And(rule.body), self.program.timeline)
        if isinstance(core, Top) or isinstance(whole, Bottom):
            return
        body = whole.operands if isinstance(whole, And) else (whole,)
        _RuleNormaliser(self, rule).add(core, body)

    def name(self, base: str) -> str:
        """A predicate name that no one uses."""
        number = len(self.fresh) + 1
        while f"{base}#{number}" in self.program.signatures:
            number += 1
        return f"{base}#{number}"


@dataclass(frozen=True)
class _Place:
    """Where in a rule a formula stands: under which operators, and beside what.

    In every ground instance of the rule that holds and needs the formula, what stands ``beside`` it, at a
    place of its own, holds too.
    """

    path: tuple[tuple[AnyMetric | AnyBinaryMetric, Interval], ...] = ()
    beside: tuple[tuple[_Place, Formula], ...] = ()

    def with_(self, formula: Formula) -> _Place:
        """The same place, where the formula must hold too."""
        return replace(self, beside=(*self.beside, (self, formula)))

    def under(self, operator: AnyMetric | AnyBinaryMetric, interval: Interval) -> _Place:
        """Under an operator, as far away as the interval says."""
        return replace(self, path=(*self.path, (operator, interval)))

    @property
    def at(self) -> Interval:
        """The times, relative to those of the rule."""
        at = NOW
        for operator, interval in self.path:
            at = at.minus(interval) if looks_back(operator) else at.plus(interval)
        return at

    @property
    def binders(self) -> Iterator[Read]:
        """The atoms beside, true at some of their times."""
        for place, formula in self.beside:
            yield from (read for read in reads(formula, place.at) if not (read.left or read.negative))

    @property
    def equations(self) -> Iterator[tuple[Variable, Expression]]:
        """The equations beside."""
        for _, formula in self.beside:
            yield from _equations(formula)


@dataclass
class _RuleNormaliser:
    """The normalisation of one rule."""

    normaliser: _Normaliser
    rule: Rule

    @property
    def timeline(self) -> Timeline:
        return self.normaliser.program.timeline

    def add(self, core: Atom | Bottom, body: Sequence[Formula]) -> None:
        place = _Place().with_(And(tuple(body)))
        reach = NOW if isinstance(core, Bottom) else self.rule.reach
        if reach == NOW:
            self._add_conjunction(core, body, place)
            return
        first = body[0]
        if len(body) > 1 or not isinstance(first, Atom):
            first = self._fresh_atom(variables(core))
            self._add_conjunction(first, body, place)
        for literal in _reached(reach, first):
            self._add_rule(core, literal)

    def _add_conjunction(self, head: Formula, literals: Sequence[Formula], place: _Place) -> None:
        """``head`` from the literals, all at the same time; a lone metric literal stays the body."""
        if len(literals) == 1 and isinstance(literals[0], Metric | BinaryMetric):
            self._add_metric(head, literals[0], place)
            return
        occurring = [frozenset(variables(each)) for each in literals]
        flat: list[Formula] = []
        for index, literal in enumerate(literals):
            needed = frozenset(variables(head)).union(*occurring[:index], *occurring[index + 1 :])
            flat += self._literals(literal, needed, place)
        self._add_rule(head, *flat)

    def _literals(self, literal: Formula, needed: Variables, place: _Place) -> Iterator[Formula]:
        """What stands for a literal in a conjunction."""
        match literal:
            case Atom() | Comparison() | Top():
                yield literal
            case Not(operand=BinaryMetric() as operand) if self._free(operand, needed):
                # A guard here would make the rule read under not what it may be deriving.
                for case in (self._at_once(operand), self._later(operand)):
                    if case is not None:
                        yield Not(self._atom(case, needed, place), literal.span)
            case Not(operand=operand):
                yield Not(self._atom(operand, needed, place), literal.span)
            case Bottom() | Metric() | BinaryMetric() | And():
                yield self._atom(literal, needed, place)
            case Windowed() | Some() | All() | At() | Or() | Aggregate():
                raise AssertionError("a rule with such a literal is left as it is")

    def _atom(self, formula: Formula, needed: Variables, place: _Place) -> Atom:
        """An atom equivalent to a formula, as far as the needed variables go."""
        if isinstance(formula, Atom):
            return formula
        head = self._fresh_atom(each for each in variables(formula) if each in needed)
        self._add_conjunction(head, formula.operands if isinstance(formula, And) else (formula,), place)
        return head

    def _add_metric(self, head: Formula, formula: AnyMetric | AnyBinaryMetric, place: _Place) -> None:
        needed = frozenset(variables(head))
        match formula:
            case Metric(interval=interval, operand=operand):
                # A diamond may forget a variable at once; a box speaks of one value at all its times.
                kept = frozenset(variables(operand)) if is_box(formula) else needed
                atom = self._atom(operand, kept, place.under(formula, interval))
                self._add_rule(head, type(formula)(interval, atom, formula.span))
            case BinaryMetric() if free := self._free(formula, needed):
                if at_once := self._at_once(formula):
                    guards = self._guards(free, place, frozenset(variables(at_once)))
                    self._add_rule(head, self._atom(at_once, needed, place), *guards)
                if later := self._later(formula):
                    self._add_rule(head, self._binary(later, needed, place))
            case BinaryMetric():
                self._add_rule(head, self._binary(formula, needed, place))

    def _binary(self, formula: AnyBinaryMetric, needed: Variables, place: _Place) -> AnyBinaryMetric:
        """Since or until over atoms. Like a box, the left operand speaks of one value at all its times."""
        in_left = frozenset(variables(formula.left))
        between = place.under(formula, up_to(formula.interval)).with_(formula.left)
        left = self._atom(formula.left, in_left, between)
        right = self._atom(formula.right, needed | in_left, place.under(formula, formula.interval))
        return type(formula)(formula.interval, left, right, formula.span)

    def _free(self, formula: AnyBinaryMetric, needed: Variables) -> Variables:
        """The needed variables that a since or until over an empty stretch of time leaves without a value."""
        if formula.interval.intersection(vacuous_distances(self.timeline)) is None:
            return frozenset()
        return needed & frozenset(variables(formula.left)) - frozenset(variables(formula.right))

    def _at_once(self, formula: AnyBinaryMetric) -> Formula | None:
        """The case of a since or until over an empty stretch of time: its right operand alone."""
        distances = formula.interval.intersection(vacuous_distances(self.timeline))
        if distances is None:
            return None
        if distances == NOW:
            return formula.right
        diamond = DiamondMinus if looks_back(formula) else DiamondPlus
        return diamond(distances, formula.right, formula.span)

    def _later(self, formula: AnyBinaryMetric) -> AnyBinaryMetric | None:
        """The other case, where the left operand must hold at some time: it binds its variables."""
        shortest = vacuous_distances(self.timeline).end
        distances = formula.interval.intersection(Interval(shortest, math.inf, start_closed=False))
        if distances is not None and self.timeline is Timeline.INTEGER:
            distances = distances.to_integers()
        if distances is None:
            return None
        return type(formula)(distances, formula.left, formula.right, formula.span)

    def _guards(self, free: Variables, place: _Place, bound: Variables) -> list[Formula]:
        """Literals that give the free variables the values they can have where the rest of the rule holds."""
        literals: list[Formula] = []
        known = set(bound)

        def bind(variable: Variable, waiting: Variables) -> bool:
            if variable in known:
                return True
            for read in place.binders:
                if variable in read.atom.arguments:
                    literals.append(self._guard(read, place))
                    known.update(variables(read.atom))
                    return True
            for solved, expression in place.equations:
                sources = set(expression_variables(expression))
                open_now = waiting | {variable}
                if solved == variable and not sources & open_now and all(bind(each, open_now) for each in sources):
                    literals.append(Comparison(ComparisonOperator.EQUAL, solved, expression))
                    known.add(variable)
                    return True
            return False

        for variable in sorted(free, key=lambda each: each.name):
            bind(variable, frozenset())
        return literals

    def _guard(self, read: Read, place: _Place) -> Atom:
        """An atom that holds wherever a formula at this place may need the values of one that is read."""
        distance = place.at.minus(read.offsets)
        if distance == NOW:
            return read.atom
        guard = self._fresh_atom(variables(read.atom))
        for literal in _reached(distance, read.atom):
            self._add_rule(guard, literal)
        return guard

    def _fresh_atom(self, arguments: Iterable[Variable]) -> Atom:
        core = self.rule.head_core
        name = self.normaliser.name(core.predicate if isinstance(core, Atom) else "⊥")
        distinct = tuple(dict.fromkeys(arguments))
        self.normaliser.fresh[name] = len(distinct)
        return Atom(name, distinct)

    def _add_rule(self, head: Formula, *body: Formula) -> None:
        self.normaliser.rules.append(Rule(head, body, self.rule.number, self.rule.origin))


def _is_beyond(rule: Rule) -> bool:
    """Whether a rule has formulas that DatalogMTL does not know."""
    inside = (part for literal in rule.body for child in children(literal) for part in subformulas(child))
    known = Atom | Top | Bottom | Metric | BinaryMetric | Not | And | Comparison
    return (
        isinstance(rule.head, At)
        or any(not isinstance(part, known) for literal in rule.body for part in subformulas(literal))
        or any(isinstance(part, Not) for part in inside)
    )


def _reached(reach: Interval, atom: Atom) -> Iterator[Formula]:
    """Formulas, any of which is true at t iff the atom is at some t' with t − t' ∈ ``reach``.

    This is the correspondence of box in a head and diamond in a body; nested boxes have been added up.
    """
    since_zero = Interval(Fraction(0), math.inf)
    forward = reach.intersection(since_zero)
    backward = reach.reflected().intersection(since_zero)
    if forward is not None:
        yield DiamondMinus(forward, atom)
    if backward is not None and (backward != NOW or forward is None):
        yield DiamondPlus(backward, atom)


def _equations(formula: Formula) -> Iterator[tuple[Variable, Expression]]:
    """The equations X = e that must be true wherever the formula is."""
    match formula:
        case Comparison():
            yield from solved_equations(formula)
        case Metric(operand=operand):
            yield from _equations(operand)
        case BinaryMetric(right=right):
            yield from _equations(right)
        case And(operands=operands):
            for operand in operands:
                yield from _equations(operand)
        case Atom() | Top() | Bottom() | Windowed() | Some() | All() | At() | Not() | Or() | Aggregate():
            pass
