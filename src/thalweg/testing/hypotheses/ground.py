"""Rules over finitely many constants and time points: which ground atoms a program and a set of facts entail.

The rules are grounded once, over all atoms that could ever hold; after that, an entailment test is a fixpoint on the
bits of one integer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from thalweg.model.formula import (
    At,
    Atom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    Formula,
    HeadTerm,
    Skolem,
    Value,
    intervals,
    subformulas,
)
from thalweg.model.program import Program, Rule
from thalweg.syntax.ast import ComparisonOperator
from thalweg.testing.constants import constants
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.testing.hypotheses.clauses import Clause
from thalweg.testing.hypotheses.instances import Instance, Possible, distances, instances, point_of
from thalweg.testing.hypotheses.pointwise import Pointwise
from thalweg.testing.strata import strata
from thalweg.time.interval import Interval

MOST_ATOMS = 20_000
"""More atoms than these are not for a naive reading."""

GroundRule = tuple[int, int, int]
"""The atoms that follow, those that must hold, those that must not."""


class Entailment:
    """Ground rules, stratum by stratum, over numbered atoms."""

    def __init__(self, numbers: dict[GroundAtom, int], given: int, layers: Sequence[Sequence[GroundRule]]) -> None:
        self.numbers = numbers
        self.given = given
        self.layers = layers

    def bits(self, facts: Iterable[GroundAtom]) -> int:
        """Facts as a set of bits; those that are never asked for have none."""
        bits = 0
        for fact in facts:
            if fact in self.numbers:
                bits |= 1 << self.numbers[fact]
        return bits

    def close(self, holds: int) -> int:
        """What follows: the least fixpoint of each stratum above those below it."""
        holds |= self.given
        for layer in self.layers:
            before = -1
            while before != holds:
                before = holds
                for head, needs, lacks in layer:
                    if holds & needs == needs and not holds & lacks:
                        holds |= head
        return holds


class Ground(Entailment):
    """A program whose input may be any set of the given ground atoms.

    ``times`` are the time points to look at; :func:`stretch` says how many are enough. Outside the timeline of the
    program nothing holds.
    """

    def __init__(self, program: Program, inputs: Iterable[GroundAtom], times: range) -> None:
        self.program = program
        self.times = _on_timeline(program, times)
        self.possible = Possible(constants(program))
        given = list(_given(program, self.times))
        self.inputs = frozenset(atom for atom in inputs if atom.time in self.times)
        for atom in (*given, *self.inputs):
            self.possible.add(atom)
        layers = self._ground()
        super().__init__({atom: number for number, atom in enumerate(self.possible)}, 0, [])
        self.given = self.bits(given)
        self.layers = [self._rules(layer) for layer in layers]

    def entails(self, facts: Iterable[GroundAtom], goal: GroundAtom) -> bool:
        """Π ∪ S ⊨ a."""
        goal_bit = self.bits([goal])
        return bool(self.close(self.bits(facts)) & goal_bit)

    def consequences(self, facts: Iterable[GroundAtom]) -> frozenset[GroundAtom]:
        """All that Π ∪ S entails, the facts included."""
        holds = self.close(self.bits(facts))
        return frozenset(atom for atom, number in self.numbers.items() if holds >> number & 1)

    def of(self, predicate: str) -> frozenset[GroundAtom]:
        """The atoms of a predicate that could hold."""
        return frozenset(atom for atom in self.numbers if atom.predicate == predicate)

    def about(self, goal: GroundAtom) -> Cone:
        """What there is to know about one atom."""
        return Cone(self, goal)

    def _ground(self) -> list[list[Instance]]:
        """The instances of the rules by strata, over all atoms that could hold: an overestimate, without negations."""
        return [[each for found in self._saturated(layer) for each in found] for layer in strata(self.program.rules)]

    def _saturated(self, layer: Sequence[Rule]) -> list[list[Instance]]:
        """The instances of each rule of a stratum; a rule is looked at again while what it asks for grows."""
        found: list[list[Instance]] = [[] for _ in layer]
        looked_at: list[tuple[int, ...]] = [() for _ in layer]
        before = -1
        while before != len(self.possible):
            before = len(self.possible)
            for index, rule in enumerate(layer):
                size = self.possible.size_for(rule)
                if size != looked_at[index]:
                    looked_at[index] = size
                    found[index] = list(instances(rule, self.possible, self.times))
                    for atom in (atom for instance in found[index] for atom in self._heads(instance)):
                        self.possible.add(atom)
            if len(self.possible) > MOST_ATOMS:
                raise ValueError(f"more than {MOST_ATOMS} atoms could hold")
        return found

    def _heads(self, instance: Instance) -> Iterator[GroundAtom]:
        """The atoms that a head asks for, those outside the timeline left out."""
        core = instance.rule.head_core
        assert isinstance(core, Atom), "strata have no rules without an atom in the head"
        values = tuple(_head_value(term, instance) for term in core.arguments)
        for time in _head_times(instance, self.times):
            yield GroundAtom(core.predicate, values, time)

    def _rules(self, layer: Iterable[Instance]) -> list[GroundRule]:
        meaning = Pointwise(self.numbers, self.possible, self.times)
        heads: defaultdict[Clause, int] = defaultdict(int)
        for instance in layer:
            head = self.bits(self._heads(instance))
            if not head:
                continue
            for clause in meaning.body(instance):
                heads[clause] |= head
        return [(head & ~needs, needs, lacks) for (needs, lacks), head in heads.items() if head & ~needs]


class Cone(Entailment):
    """The ground rules that an atom depends on, and the inputs among what they ask for."""

    def __init__(self, ground: Ground, goal: GroundAtom) -> None:
        cone = self.goal = ground.bits([goal])
        before = -1
        while before != cone:
            before = cone
            for layer in reversed(ground.layers):
                for head, needs, lacks in layer:
                    if head & cone:
                        cone |= needs | lacks
        layers = [[rule for rule in layer if rule[0] & cone] for layer in ground.layers]
        super().__init__(ground.numbers, ground.given & cone, [layer for layer in layers if layer])
        self.inputs = frozenset(atom for atom in ground.inputs if cone >> ground.numbers[atom] & 1)

    def holds(self, facts: int) -> bool:
        """Π ∪ S ⊨ a, for the set S of these bits."""
        return bool(self.close(facts) & self.goal)


def stretch(program: Program, times: Iterable[int]) -> range:
    """Time points enough for all that inputs at the given times can entail, if no rule is recursive.

    Every chain of rules uses each rule once at most; none leads further than all their distances together.
    """
    named = {*times, *(time for formula in _formulas(program) for time in _named_times(formula))}
    if not named:
        return range(0)
    margin = sum(_reach(formula) for formula in _formulas(program))
    return range(min(named) - margin, max(named) + margin + 1)


def _formulas(program: Program) -> Iterator[Formula]:
    return (formula for rule in program.rules for formula in (rule.head, *rule.body))


def _named_times(formula: Formula) -> Iterator[int]:
    for part in subformulas(formula):
        if isinstance(part, At) and isinstance(part.time, Constant) and (time := point_of(part.time.value)) is not None:
            yield time


def _reach(formula: Formula) -> int:
    """How far a formula can lead: the ends of its intervals, the amounts in its equations."""
    ends = sum(_length(interval) for interval in intervals(formula))
    if isinstance(formula, Comparison) and formula.operator is ComparisonOperator.EQUAL:
        rule = Rule(Atom("Head"), (formula,))
        ends += sum(int(abs(each)) for each in constants(Program((rule,))) if isinstance(each, Fraction))
    return ends


def _length(interval: Interval) -> int:
    whole = distances(interval)
    return max(abs(whole.start), abs(whole.stop))


def _on_timeline(program: Program, times: range) -> range:
    start, end = program.bounds
    return range(
        times.start if isinstance(start, float) else max(times.start, int(start)),
        times.stop if isinstance(end, float) else min(times.stop, int(end) + 1),
    )


def _given(program: Program, times: range) -> Iterator[GroundAtom]:
    """The facts of the program itself; those of background predicates always hold."""
    for fact in program.facts:
        values = tuple(term.value for term in fact.atom.arguments if isinstance(term, Constant))
        always = fact.atom.predicate in program.background
        for time in times:
            if always or Fraction(time) in fact.interval:
                yield GroundAtom(fact.atom.predicate, values, time)


def _head_value(term: HeadTerm, instance: Instance) -> Value:
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Skolem):
        raise TypeError("rules that make up nulls have no finite reading")
    return instance.value_of(term)


def _head_times(instance: Instance, times: range) -> Iterator[int]:
    """The times at which the atom of a head must hold (journal paper, Table 1, for boxes)."""
    head = instance.rule.head
    if isinstance(head, At):
        when = point_of(instance.value_of(head.time))
        yield from [] if when is None or when not in times else [when]
        return
    assert instance.now is not None
    reached = {instance.now}
    while isinstance(head, BoxPlus | BoxMinus):
        sign = 1 if isinstance(head, BoxPlus) else -1
        reached = {time + sign * distance for time in reached for distance in distances(head.interval)}
        head = head.operand
    yield from (time for time in sorted(reached) if time in times)
