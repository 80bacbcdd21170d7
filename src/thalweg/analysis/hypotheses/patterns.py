"""What a query waits for: the set P_Q of the pre-processing step (hypotheses paper, Section 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from thalweg.analysis.hypotheses.terms import PatternTerm, Shifted, TimedAtom, condition_variables
from thalweg.model.formula import Atom, Comparison, Variable
from thalweg.model.program import Program


@dataclass(frozen=True)
class Pattern:
    """⟨θ, H⟩: the query's atom under θ holds where all atoms of H do.

    ``negated`` atoms must not hold; ``conditions`` compare values. ``given`` are atoms of background predicates, which
    are known from the start. ``rules`` are the numbers of the rules that were used.
    """

    answer: TimedAtom
    atoms: tuple[TimedAtom, ...]
    given: tuple[TimedAtom, ...] = ()
    negated: tuple[TimedAtom, ...] = ()
    conditions: tuple[Comparison, ...] = ()
    rules: tuple[int, ...] = field(default=(), compare=False)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """All variables, those of the answer first."""
        names = [name for atom in (self.answer, *self.atoms, *self.given) for name in atom.variables]
        names += [name for condition in self.conditions for name in condition_variables(condition)]
        return tuple(dict.fromkeys(names))

    @cached_property
    def time_variables(self) -> frozenset[str]:
        """The variables that stand for time points."""
        times = (atom.time for atom in (self.answer, *self.atoms, *self.negated))
        return frozenset(term.variable for term in times if isinstance(term, Shifted))

    @cached_property
    def may_coincide(self) -> tuple[tuple[int, ...], ...]:
        """For every atom the numbers of those before it with which it can have an instance in common."""
        return tuple(
            tuple(other for other in range(number) if _may_coincide(atom, self.atoms[other]))
            for number, atom in enumerate(self.atoms)
        )


@dataclass(frozen=True)
class Unfolding:
    """A query unfolded: P_Q, with its non-minimal members left out.

    ``below`` has the unfoldings of derived predicates that occur under ``not``. ``depth`` is None where the unfolding
    is complete; otherwise derivations of more nested rules than that are missing. ``connected`` is Definition 7.
    """

    program: Program
    query: str
    patterns: tuple[Pattern, ...]
    below: Mapping[str, Unfolding]
    depth: int | None
    connected: bool

    @property
    def answer_terms(self) -> tuple[PatternTerm, ...]:
        """The query's own atom, the same for all patterns before θ."""
        names = answer_names(self.program, self.query)
        return tuple(Shifted(name) for name in names)

    def inputs(self) -> Iterator[str]:
        """The predicates whose facts matter, with repetitions; those under ``not``, too."""
        for pattern in self.patterns:
            yield from (atom.predicate for atom in (*pattern.atoms, *pattern.given))
            yield from (atom.predicate for atom in pattern.negated if atom.predicate not in self.below)
        for unfolding in self.below.values():
            yield from unfolding.inputs()


def answer_names(program: Program, query: str) -> tuple[str, ...]:
    """Names for the arguments of a query, and last for its time: as declared, as rules have them, or made up."""
    signature = program.signatures[query]
    chosen: list[str] = []
    for position, parameter in enumerate(signature.parameters):
        wished = parameter.name or _written(program, query, position)
        made_up = (f"X{number}" for number in itertools.count(position + 1))
        names = itertools.chain([wished] if wished else [], made_up)
        chosen.append(next(name for name in names if name not in chosen))
    return (*chosen, next(name for name in ("T", "Time", "T#") if name not in chosen))


def _written(program: Program, query: str, position: int) -> str | None:
    """The variable that the first rule for a predicate has at a position."""
    for rule in program.rules_for(query):
        assert isinstance(rule.head_core, Atom)
        term = rule.head_core.arguments[position]
        if isinstance(term, Variable) and "#" not in term.name:
            return term.name
    return None


def _may_coincide(atom: TimedAtom, other: TimedAtom) -> bool:
    """Whether two atoms can have an instance in common, as far as their times say."""
    if atom.predicate != other.predicate:
        return False
    one, two = atom.time, other.time
    is_apart = isinstance(one, Shifted) and isinstance(two, Shifted) and one.variable == two.variable
    return not is_apart or one == two
