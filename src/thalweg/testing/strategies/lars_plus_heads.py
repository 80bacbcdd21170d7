"""Heads with existential variables, as lowering writes them: one rule for each head atom, with nulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import (
    And,
    Arithmetic,
    At,
    Atom,
    Comparison,
    Constant,
    Formula,
    HeadTerm,
    Metric,
    Skolem,
    Term,
    Variable,
    variables,
)
from thalweg.model.program import Rule
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.testing.strategies.aggregates import with_groups
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars_formulas import TIMES
from thalweg.testing.strategies.lars_plus_knobs import LarsPlusKnobs
from thalweg.testing.strategies.lars_rules import LarsRuleWriter
from thalweg.testing.strategies.vocabulary import NAMES, Kind, Predicate

EXISTENTIAL = ("F", "G")
"""The existential variables."""


@dataclass(frozen=True)
class Head:
    """``exists … per …:`` and head atoms, whose new values are still variables; and the equations for their times."""

    formulas: tuple[Formula, ...]
    equations: tuple[Comparison, ...] = ()
    existential: tuple[str, ...] = ()
    per: tuple[Variable, ...] | None = None


class HeadWriter:
    """Writes heads for bodies that bind all their variables."""

    def __init__(self, choices: Choices, knobs: LarsPlusKnobs, write: LarsRuleWriter) -> None:
        self.choices = choices
        self.knobs = knobs
        self.write = write

    def plain(self, predicates: Sequence[Predicate], body: list[Formula]) -> Head:
        """A head that makes no nulls."""
        return self._timed([self._atom(each, body, ()) for each in predicates], body)

    def recursive(self, predicate: Predicate, body: list[Formula]) -> Head:
        """A head for a body that has the same predicate; where nothing may look ahead, at no time of its own."""
        if self.knobs.unbounded:
            return self.plain([predicate], body)
        return Head((self._atom(predicate, body, ()),))

    def existential(
        self, predicates: Sequence[Predicate], body: list[Formula], frontier: list[Formula] | None = None
    ) -> Head:
        """A head with one existential variable or two, in the first atom at least.

        Its other variables are among those of the literals in ``frontier``, which are all unless they are given, as for
        recursion; where nothing may look ahead, such a head is at no time of its own.
        """
        new = EXISTENTIAL[: self.choices.one_of((1, 1, 2))]
        literals = body if frontier is None else frontier
        atoms = [self._atom(each, literals, new) for each in predicates]
        atoms[0] = self._with_all(atoms[0], new)
        used = {variable.name for atom in atoms for variable in variables(atom)}
        head = Head(tuple(atoms)) if frontier and not self.knobs.unbounded else self._timed(atoms, literals)
        head = replace(head, existential=tuple(name for name in new if name in used))
        return replace(head, per=self._per(literals)) if self.knobs.per and self.choices.chance(30) else head

    def later(self, predicates: Sequence[Predicate], body: list[Formula], time: Variable) -> Head:
        """A head at a time after the given one, from one value of the body at most."""
        texts = _texts(body)
        kept = self.choices.one_of(texts) if texts and self.choices.chance(80) else None
        shifted, amount = Variable("#1"), Constant(Fraction(self.choices.one_of((1, 2))))
        new = EXISTENTIAL[: self.choices.one_of((1, 1, 2))]
        atoms = [Atom(each.name, tuple(self._kept_or_new(kept, new) for _ in each.kinds)) for each in predicates]
        atoms[0] = self._with_all(atoms[0], new)
        used = {variable.name for atom in atoms for variable in variables(atom)}
        equation = Comparison(ComparisonOperator.EQUAL, shifted, Arithmetic(ArithmeticOperator.ADD, time, amount))
        heads = [At(atoms[0], shifted), *(At(atom, self.choices.one_of((shifted, time))) for atom in atoms[1:])]
        return Head(tuple(heads), (equation,), tuple(name for name in new if name in used))

    def _atom(self, predicate: Predicate, body: list[Formula], new: Sequence[str]) -> Atom:
        return Atom(predicate.name, tuple(self._argument(kind, body, new) for kind in predicate.kinds))

    def _argument(self, kind: Kind, body: list[Formula], new: Sequence[str]) -> Term:
        if new and kind is Kind.TEXT and self.choices.chance(35):
            return Variable(self.choices.one_of(new))
        return self.write.argument(kind, body)

    def _kept_or_new(self, kept: Variable | None, new: Sequence[str]) -> Term:
        if kept is not None and self.choices.chance(50):
            return kept
        return Variable(self.choices.one_of(new))

    def _with_all(self, atom: Atom, new: Sequence[str]) -> Atom:
        """The atom with new values in it, as many as it has room for."""
        terms = list(atom.arguments)
        wanted = [Variable(name) for name in new]
        missing = [variable for variable in wanted if variable not in terms]
        places = [place for place, term in enumerate(terms) if _may_be_new(term) and term not in wanted]
        for variable, place in zip(missing, places[::-1], strict=False):
            terms[place] = variable
        return replace(atom, arguments=tuple(terms))

    def _timed(self, atoms: Sequence[Atom], body: list[Formula]) -> Head:
        """The atoms, some of them at a time of their own or in a box."""
        heads: list[Formula] = []
        equations: list[Comparison] = []
        times = self._times(body)
        for number, atom in enumerate(atoms, 1):
            if times and self.choices.chance(45):
                time, more = self._at_time(self.choices.one_of(times), Variable(f"#{number}"))
                heads.append(At(atom, time))
                equations += more
            elif self.knobs.beyond and self.knobs.beyond.metric and self.choices.chance(15):
                heads.append(self.write.boxed(atom))
            else:
                heads.append(atom)
        return Head(tuple(heads), tuple(equations))

    def _times(self, body: list[Formula]) -> list[Variable]:
        if not self.knobs.at_heads:
            return []
        times = self.write.times(body)
        if self.knobs.beyond:
            # One for all head atoms: with several that range over the whole timeline there are too many nulls.
            return [self.choices.one_of(times)] if times else []
        return [time for time in times if time.name in TIMES]

    def _at_time(self, time: Variable, calculated: Variable) -> tuple[Variable, list[Comparison]]:
        if self.knobs.beyond:
            return self.write.at_time(time, calculated)
        if self.choices.chance(40):
            return time, []
        amount = Constant(Fraction(self.choices.one_of((1, 2, 3))))
        sum_ = Arithmetic(ArithmeticOperator.ADD, time, amount)
        return calculated, [Comparison(ComparisonOperator.EQUAL, calculated, sum_)]

    def _per(self, body: list[Formula]) -> tuple[Variable, ...]:
        """Some of the variables that the body binds, in any order."""
        bound = sorted((v for v in bound_by_all(body) if not v.is_anonymous), key=lambda variable: variable.name)
        chosen = [variable for variable in bound if self.choices.chance(50)]
        return tuple(chosen[::-1] if self.choices.chance(50) else chosen)


def rules_of(head: Head, body: Sequence[Formula], number: int, last: int | None) -> list[Rule]:
    """The rules that a written rule means on the timeline from 0 to the last time point, if there is one."""
    formulas = _skolemised(head, number)
    guards = _guards(head.formulas, last) if len(formulas) > 1 else []
    whole = with_groups(And(tuple(formulas)), (*body, *head.equations, *guards))
    return [Rule(each, whole, number) for each in formulas]


def _skolemised(head: Head, number: int) -> list[Formula]:
    times = [each.time for each in head.formulas if isinstance(each, At) and isinstance(each.time, Variable)]
    named = dict.fromkeys(v for each in head.formulas for v in variables(each) if v.name not in head.existential)
    used = dict.fromkeys((*(variable for variable in named if variable not in times), *times))
    timed = head.per is None and any(not isinstance(each, At) for each in head.formulas)
    frontier = tuple(used) if head.per is None else head.per
    nulls = {name: Skolem(number, name, frontier, timed) for name in head.existential}
    return [_replaced(each, nulls) for each in head.formulas]


def _replaced(formula: Formula, nulls: dict[str, Skolem]) -> Formula:
    if isinstance(formula, Metric | At):
        return replace(formula, operand=_replaced(formula.operand, nulls))
    assert isinstance(formula, Atom)
    terms = (nulls.get(term.name, term) if isinstance(term, Variable) else term for term in formula.arguments)
    return replace(formula, arguments=tuple(terms))


def _guards(heads: Sequence[Formula], last: int | None) -> list[Comparison]:
    """All times of the head atoms lie on the timeline, or none of them holds (LARS+ paper, Definition 2 (i))."""
    guards = []
    for time in dict.fromkeys(head.time for head in heads if isinstance(head, At)):
        guards.append(Comparison(ComparisonOperator.GREATER_EQUAL, time, Constant(Fraction(0))))
        if last is not None:
            guards.append(Comparison(ComparisonOperator.LESS_EQUAL, time, Constant(Fraction(last))))
    return guards


def _texts(body: Sequence[Formula]) -> list[Variable]:
    bound = bound_by_all(body)
    return [Variable(name) for name in NAMES[Kind.TEXT] if Variable(name) in bound]


def _may_be_new(term: HeadTerm) -> bool:
    """Whether a term stands in a place for texts."""
    if isinstance(term, Constant):
        return isinstance(term.value, str)
    return isinstance(term, Variable) and term.name in (*NAMES[Kind.TEXT], *EXISTENTIAL)
