"""The pre-processing step: SLD-resolution of a query until only input atoms remain (hypotheses paper, Section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from thalweg.analysis.dependency import strongly_connected
from thalweg.analysis.hypotheses.clauses import Clause, clauses_of
from thalweg.analysis.hypotheses.equations import holds
from thalweg.analysis.hypotheses.minimal import minimal
from thalweg.analysis.hypotheses.names import named
from thalweg.analysis.hypotheses.patterns import Pattern, Unfolding, answer_names
from thalweg.analysis.hypotheses.refusals import RefusedError, rational, recursive, too_many
from thalweg.analysis.hypotheses.terms import (
    NotUnifiable,
    PatternTerm,
    Shifted,
    Substitution,
    TimedAtom,
    Value,
    condition_variables,
    resolve,
    substituted,
    substituted_condition,
    unify,
)
from thalweg.model.formula import Comparison, Constant, Variable
from thalweg.model.program import Program
from thalweg.syntax.ast import ComparisonOperator, Role
from thalweg.time.timeline import Timeline

MOST_PATTERNS = 10_000
"""More patterns for one query are not looked for."""


def unfold(program: Program, query: str, depth: int | None = None) -> Unfolding:
    """P_Q for a predicate of the program; raises :class:`ProgramError` where the program has no finite unfolding.

    With ``depth``, derivations of at most so many nested rules: recursive programs have no others.
    """
    if program.timeline is not Timeline.INTEGER:
        raise rational()
    clauses = _clauses(program, query)
    cycles = _cycles(program, clauses, query)
    if cycles and depth is None:
        turning = (c.rule for name in cycles for c in clauses[name] if any(a.predicate in cycles for a in c.body))
        raise recursive(query, cycles, next((rule.origin for rule in turning), None))
    search = _Search(program, clauses, depth)
    found = search.patterns(query)
    kept = minimal([named(pattern) for pattern in found])
    below = sorted({atom.predicate for pattern in kept for atom in pattern.negated} & clauses.keys())
    return Unfolding(
        program,
        query,
        tuple(kept),
        {name: unfold(program, name, depth) for name in below},
        depth if search.was_cut else None,
        all(clause.is_connected(program.background) for several in clauses.values() for clause in several),
    )


def _clauses(program: Program, query: str) -> dict[str, list[Clause]]:
    """The clauses of all derived predicates that a query can depend on."""
    found: dict[str, list[Clause]] = {}
    waiting = [query]
    while waiting:
        name = waiting.pop()
        if name in found or name not in program.derived_predicates:
            continue
        found[name] = [clause for rule in program.rules_for(name) for clause in clauses_of(rule, program)]
        waiting += [atom.predicate for clause in found[name] for atom in (*clause.body, *clause.negated)]
    return found


def _cycles(program: Program, clauses: Mapping[str, Sequence[Clause]], query: str) -> tuple[str, ...]:
    """The predicates that depend on themselves."""
    successors = {
        name: [atom.predicate for each in several for atom in (*each.body, *each.negated) if atom.predicate in clauses]
        for name, several in clauses.items()
    }
    for group in strongly_connected(successors):
        if len(group) > 1 or group[0] in successors[group[0]]:
            return group
    return ()


@dataclass(frozen=True)
class _Goal:
    """A goal on its way down: what is still to be resolved, with how deep it stands, and what is left to wait for."""

    answer: TimedAtom
    waiting: tuple[tuple[TimedAtom, int], ...]
    atoms: tuple[TimedAtom, ...] = ()
    negated: tuple[TimedAtom, ...] = ()
    conditions: tuple[Comparison, ...] = ()
    times: tuple[PatternTerm, ...] = ()
    rules: tuple[int, ...] = ()

    def under(self, substitution: Substitution) -> _Goal | None:
        """The goal under a substitution; None where a condition is false."""
        conditions = []
        for condition in self.conditions:
            known = substituted_condition(condition, substitution)
            settled = holds(known)
            if settled is False:
                return None
            conditions += [known] if settled is None else []
        return _Goal(
            substituted(self.answer, substitution),
            tuple((substituted(atom, substitution), depth) for atom, depth in self.waiting),
            tuple(dict.fromkeys(substituted(atom, substitution) for atom in self.atoms)),
            tuple(dict.fromkeys(substituted(atom, substitution) for atom in self.negated)),
            tuple(dict.fromkeys(conditions)),
            tuple(dict.fromkeys(resolve(time, substitution) for time in self.times)),
            self.rules,
        )


@dataclass
class _Search:
    """All SLD-derivations from a query to input atoms."""

    program: Program
    clauses: Mapping[str, Sequence[Clause]]
    depth: int | None
    was_cut: bool = False
    renamed: int = field(default=0, repr=False)

    def patterns(self, query: str) -> list[Pattern]:
        """The patterns of a query, with those that are not minimal."""
        names = answer_names(self.program, query)
        answer = TimedAtom(query, tuple(map(Shifted, names[:-1])), Shifted(names[-1]))
        goals = [_Goal(answer, ((answer, 0),))]
        found: dict[Pattern, Pattern] = {}
        while goals:
            goal = goals.pop()
            if not goal.waiting:
                pattern = self._pattern(goal)
                if pattern is not None:
                    found.setdefault(pattern, pattern)
            elif self._is_input(goal.waiting[0][0].predicate):
                goals += self._as_input(goal)
            goals += self._resolved(goal) if goal.waiting else []
            if len(found) + len(goals) > MOST_PATTERNS:
                span = next((rule.origin for rule in self.program.rules_for(query)), None)
                raise too_many(query, span, MOST_PATTERNS)
        return [*found.values()]

    def _is_input(self, predicate: str) -> bool:
        """Whether facts of a predicate come from outside: it has no rules, or is declared as input beside them."""
        return predicate not in self.clauses or self.program.signatures[predicate].role is Role.INPUT

    def _as_input(self, goal: _Goal) -> list[_Goal]:
        (atom, _), *waiting = goal.waiting
        return [replace(goal, waiting=tuple(waiting), atoms=tuple(dict.fromkeys((*goal.atoms, atom))))]

    def _resolved(self, goal: _Goal) -> Iterator[_Goal]:
        """The resolvents of the first atom with all clauses, the first clause last: goals are taken from the end."""
        (atom, depth), *waiting = goal.waiting
        if atom.predicate not in self.clauses:
            return
        if self.depth is not None and depth >= self.depth:
            self.was_cut = True
            return
        for clause in reversed(self.clauses[atom.predicate]):
            fresh = self._fresh(clause)
            try:
                unifier = unify(zip(fresh.head.terms, atom.terms, strict=True))
                body = tuple((each, depth + 1) for each in fresh.body)
                resolvent = replace(
                    goal,
                    waiting=(*body, *waiting),
                    negated=(*goal.negated, *fresh.negated),
                    conditions=(*goal.conditions, *fresh.conditions),
                    times=(*goal.times, fresh.head.time, *fresh.times),
                    rules=(*goal.rules, clause.rule.number),
                ).under(unifier)
            except NotUnifiable:
                continue
            if resolvent is not None:
                yield resolvent

    def _fresh(self, clause: Clause) -> Clause:
        """The clause with variables of its own."""
        self.renamed += 1
        atoms = (clause.head, *clause.body, *clause.negated)
        names = {name for atom in atoms for name in atom.variables}
        names |= {name for condition in clause.conditions for name in condition_variables(condition)}
        names |= {term.variable for term in clause.times if isinstance(term, Shifted)}
        new: dict[str, PatternTerm] = {name: Shifted(f"{name}~{self.renamed}") for name in names}
        return Clause(
            substituted(clause.head, new),
            tuple(substituted(atom, new) for atom in clause.body),
            tuple(substituted(atom, new) for atom in clause.negated),
            tuple(substituted_condition(condition, new) for condition in clause.conditions),
            tuple(resolve(time, new) for time in clause.times),
            clause.rule,
        )

    def _pattern(self, goal: _Goal) -> Pattern | None:
        """What a goal of input atoms waits for; None where that cannot be: nothing holds outside the timeline."""
        first, last = self.program.bounds

        def is_outside(time: PatternTerm) -> bool:
            return isinstance(time, Value) and not _is_on_timeline(time, first, last)

        if any(map(is_outside, (*goal.times, *(atom.time for atom in goal.atoms)))):
            return None
        negated = tuple(atom for atom in goal.negated if not is_outside(atom.time))
        if {*negated} & {*goal.atoms}:
            return None
        given = tuple(atom for atom in goal.atoms if atom.predicate in self.program.background)
        atoms = tuple(atom for atom in goal.atoms if atom.predicate not in self.program.background)
        if not atoms:
            rule = next(rule for rule in self.program.rules if rule.number == goal.rules[0])
            hint = "wait for an atom of an input predicate, too"
            raise RefusedError(rule, None, "can hold without any fact that arrives", hint)
        limits = _limits(goal.times, [atom.time for atom in atoms], first, last)
        conditions = tuple(dict.fromkeys((*goal.conditions, *limits)))
        return Pattern(goal.answer, _in_order(atoms), given, negated, conditions, goal.rules)


def _is_on_timeline(time: Value, first: Fraction | float, last: Fraction | float) -> bool:
    value = time.value
    return isinstance(value, Fraction) and value.denominator == 1 and first <= value <= last


def _limits(
    times: Sequence[PatternTerm],
    waited_for: Sequence[PatternTerm],
    first: Fraction | float,
    last: Fraction | float,
) -> Iterator[Comparison]:
    """Derived atoms lie on the timeline too: what that says of a time variable beyond what its input atoms say."""
    for name in dict.fromkeys(term.variable for term in times if isinstance(term, Shifted)):
        derived = [term.offset for term in times if isinstance(term, Shifted) and term.variable == name]
        given = [term.offset for term in waited_for if isinstance(term, Shifted) and term.variable == name]
        if isinstance(first, Fraction) and min(derived) < min(given, default=math.inf):
            yield Comparison(ComparisonOperator.GREATER_EQUAL, Variable(name), Constant(first - min(derived)))
        if isinstance(last, Fraction) and max(derived) > max(given, default=-math.inf):
            yield Comparison(ComparisonOperator.LESS_EQUAL, Variable(name), Constant(last - max(derived)))


def _in_order(atoms: Sequence[TimedAtom]) -> tuple[TimedAtom, ...]:
    """Atoms of one time variable stand in the order of time."""

    def place(atom: TimedAtom) -> tuple[int, int]:
        if isinstance(atom.time, Value):
            return -1, int(atom.time.value)
        return order[atom.time.variable], atom.time.offset

    variables = [atom.time.variable for atom in atoms if isinstance(atom.time, Shifted)]
    order = {name: number for number, name in enumerate(dict.fromkeys(variables))}
    return tuple(sorted(atoms, key=place))
