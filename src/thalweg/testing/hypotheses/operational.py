"""Definitions 3 to 6, literally: SLD-resolution with future premises, local mgus, schematic supported answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count

from thalweg.model.formula import Constant, Variable
from thalweg.model.formula import Term as ModelTerm
from thalweg.model.program import Program
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.testing.hypotheses.delays import delay_of_pattern
from thalweg.testing.hypotheses.temporal_datalog import DefiniteClause, clauses
from thalweg.testing.hypotheses.terms import (
    Known,
    Pattern,
    Substitution,
    Sum,
    Term,
    apply,
    compose,
    pattern_of,
    renamed,
    unify_atoms,
)

Slice = Iterable[GroundAtom]


@dataclass(frozen=True)
class Row:
    """⟨θ, E, H⟩, with Pθ for θ.

    ``points`` are the times of all atoms in the derivation: they must lie on the timeline, and where they have
    variables that is yet to be seen. The paper has no such condition, though its time points are natural numbers, too.
    """

    answer: Pattern
    hypotheses: frozenset[Pattern]
    evidence: frozenset[Pattern] = frozenset()
    points: frozenset[Sum] = frozenset()

    def under(self, substitution: Substitution, program: Program) -> Row | None:
        """The row with values for some variables; None if an atom would lie outside the timeline."""
        times = [apply(point, substitution) for point in self.points]
        if not all(_on_timeline(time, program) for time in times if isinstance(time, Known)):
            return None
        return Row(
            self.answer.under(substitution),
            frozenset(each.under(substitution) for each in self.hypotheses),
            frozenset(each.under(substitution) for each in self.evidence),
            frozenset(time for time in times if isinstance(time, Sum)),
        )

    def __str__(self) -> str:
        evidence, hypotheses = (", ".join(sorted(map(str, each))) for each in (self.evidence, self.hypotheses))
        return f"⟨{self.answer}, {{{evidence}}}, {{{hypotheses}}}⟩"


def query_atom(predicate: str, arity: int) -> Pattern:
    """P(X1, …, Xn, T)."""
    return Pattern(predicate, tuple(Sum(f"X{number}") for number in range(1, arity + 1)), Sum("T"))


def unfold(program: Program, query: Pattern) -> frozenset[Row]:
    """𝒫_Q: the computed answers with premises to Q over D₋₁ (Section 4), all of them, minimal or not."""
    found = clauses(program)
    start = Row(query, frozenset({query}), points=_points([query]))
    return frozenset(_leaves(start, [query], found, program, count()))


def _leaves(
    row: Row, goal: Sequence[Pattern], found: Sequence[DefiniteClause], program: Program, marks: Iterator[int]
) -> Iterator[Row]:
    """Resolve the first intensional atom of a goal with every clause; a goal without one is a leaf."""
    derived = program.derived_predicates
    index = next((index for index, atom in enumerate(goal) if atom.predicate in derived), None)
    if index is None:
        yield replace(row, hypotheses=frozenset(goal))
        return
    for clause in found:
        head, *body = renamed([clause.head, *clause.body], next(marks))
        mgu = unify_atoms(head, goal[index])
        if mgu is None:
            continue
        resolvent = [atom.under(mgu) for atom in (*goal[:index], *body, *goal[index + 1 :])]
        times = row.points | _points(body)
        resolved = replace(row, hypotheses=frozenset(), points=times).under(mgu, program)
        if resolved and _all_on_timeline(resolvent, program):
            yield from _leaves(resolved, resolvent, found, program, marks)


def is_potentially_future(program: Program, atom: Pattern, closed: int) -> bool:
    """Definition 3."""
    if isinstance(atom.time, Sum):
        return True
    assert isinstance(atom.time.value, Fraction)
    return closed < atom.time.value + delay_of_pattern(program, atom.predicate, tuple(map(_model_term, atom.arguments)))


def computed_answers(program: Program, query: Pattern, data: Iterable[GroundAtom], closed: int) -> frozenset[Row]:
    """The computed answers with premises to Q over D_τ (Definition 4).

    Any atoms of a leaf may be resolved with facts, and any may be left; those left are potentially future.
    """
    facts = tuple(map(pattern_of, data))
    return frozenset(
        found
        for row in unfold(program, query)
        for found in _resolved(row, facts, program)
        if all(is_potentially_future(program, atom, closed) for atom in found.hypotheses)
    )


def stratified_answers(program: Program, query: Pattern, slices: Sequence[Slice], first: int = 0) -> frozenset[Row]:
    """The computed answers with premises of the stratified refutations (Proposition 7): slice after slice."""
    rows = unfold(program, query)
    for closed, delivered in enumerate(slices, first):
        facts = tuple(map(pattern_of, delivered))
        rows = frozenset(
            found
            for row in rows
            for found in _resolved(row, facts, program)
            if all(is_potentially_future(program, atom, closed) for atom in found.hypotheses)
        )
    return rows


def _resolved(row: Row, facts: Sequence[Pattern], program: Program) -> set[Row]:
    """The row with any of its atoms resolved with facts; evidence is what they were resolved with."""
    found, pending = {row}, [row]
    while pending:
        current = pending.pop()
        for atom in current.hypotheses:
            for fact in facts:
                mgu = unify_atoms(atom, fact)
                rest = replace(current, hypotheses=current.hypotheses - {atom}, evidence=current.evidence | {fact})
                next_row = None if mgu is None else rest.under(mgu, program)
                if next_row and next_row not in found:
                    found.add(next_row)
                    pending.append(next_row)
    return found


def local_mgus(gamma: Iterable[Pattern], delta: Iterable[Pattern]) -> frozenset[frozenset[tuple[str, Term]]]:
    """The local mgus of Γ and Δ (Definition 5), as Lemma 1 has them: what the nodes of the SLD-trees compute."""
    gamma, delta = tuple(gamma), tuple(delta)
    found: set[frozenset[tuple[str, Term]]] = {frozenset()}
    pending: list[Substitution] = [{}]
    while pending:
        sigma = pending.pop()
        for mgu in (unify_atoms(atom.under(sigma), fact) for atom in gamma for fact in delta):
            if mgu is None:
                continue
            next_sigma = compose(sigma, mgu)
            key = frozenset(next_sigma.items())
            if key not in found:
                found.add(key)
                pending.append(next_sigma)
    return frozenset(found)


def next_rows(program: Program, rows: Iterable[Row], delivered: Slice, closed: int) -> frozenset[Row]:
    """𝒮_τ from 𝒮_{τ−1} and D|_τ (Definition 6)."""
    facts = frozenset(map(pattern_of, delivered))
    return frozenset(
        found
        for row in rows
        for sigma in local_mgus(row.hypotheses, facts)
        if (found := _step(program, row, dict(sigma), facts, closed))
    )


def _step(program: Program, row: Row, sigma: Substitution, facts: frozenset[Pattern], closed: int) -> Row | None:
    instance = row.under(sigma, program)
    if instance is None or not all(
        is_potentially_future(program, atom, closed) for atom in instance.hypotheses - facts
    ):
        return None
    evidence = instance.hypotheses & facts
    return replace(instance, evidence=instance.evidence | evidence, hypotheses=instance.hypotheses - facts)


def schematic_answers(
    program: Program, query: Pattern, slices: Iterable[Slice], first: int = 0
) -> list[frozenset[Row]]:
    """𝒮₋₁, 𝒮₀, 𝒮₁, … for slices from ``first`` on, the first time point."""
    sets = [unfold(program, query)]
    for closed, delivered in enumerate(slices, first):
        sets.append(next_rows(program, sets[-1], delivered, closed))
    return sets


def _points(atoms: Iterable[Pattern]) -> frozenset[Sum]:
    return frozenset(atom.time for atom in atoms if isinstance(atom.time, Sum))


def _all_on_timeline(atoms: Iterable[Pattern], program: Program) -> bool:
    return all(_on_timeline(atom.time, program) for atom in atoms if isinstance(atom.time, Known))


def _on_timeline(time: Known, program: Program) -> bool:
    start, end = program.bounds
    return isinstance(time.value, Fraction) and time.value.denominator == 1 and start <= time.value <= end


def _model_term(term: Term) -> ModelTerm:
    return Variable(term.variable) if isinstance(term, Sum) else Constant(_data(term))


def _data(term: Known) -> str | Fraction:
    assert isinstance(term.value, str | Fraction)
    return term.value
