"""Which part of a program has one meaning, and which is left to a choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from thalweg.analysis.dependency import dependency_graph
from thalweg.errors import Diagnostic, ProgramError
from thalweg.model.formula import Aggregate, Atom, Formula, TupleWindow, Windowed, atoms, subformulas
from thalweg.model.program import Program, Rule
from thalweg.model.reads import reads


@dataclass(frozen=True)
class Split:
    """The undecided predicates lie on a cycle with negation, or depend on one; the others are stratified.

    ``chosen`` are the rules that derive undecided predicates and the constraints that read them, ``decided`` the rest.
    """

    undecided: frozenset[str]
    decided: tuple[Rule, ...]
    chosen: tuple[Rule, ...]

    def is_chosen(self, formula: Formula) -> bool:
        """Whether a formula reads an undecided predicate."""
        return any(atom.predicate in self.undecided for atom in atoms(formula))


def split(program: Program) -> Split:
    """The two parts; raises :class:`ProgramError` where the undecided part counts what it derives itself."""
    undecided = _undecided(program)
    chosen = tuple(rule for rule in program.rules if _depends_on(rule, undecided))
    decided = tuple(rule for rule in program.rules if not _depends_on(rule, undecided))
    counting = [found for rule in chosen if (found := _counting(rule, undecided))]
    if counting:
        raise ProgramError(counting)
    return Split(undecided, decided, chosen)


def _undecided(program: Program) -> frozenset[str]:
    graph = dependency_graph(program)
    found: set[str] = set()
    for component in graph.components:
        read = {name for head in component.predicates for name in graph.successors[head]}
        if read & found or any(edge.negative for edge in component.edges):
            found.update(component.predicates)
    return frozenset(found)


def _depends_on(rule: Rule, undecided: frozenset[str]) -> bool:
    core = rule.head_core
    if isinstance(core, Atom):
        return core.predicate in undecided
    return any(atom.predicate in undecided for literal in rule.body for atom in atoms(literal))


def _counting(rule: Rule, undecided: frozenset[str]) -> Diagnostic | None:
    """What a rule counts that depends on a choice, if anything."""
    for literal in rule.body:
        for read in reads(literal):
            if read.counted and read.atom.predicate in undecided:
                counter = next(_counters(literal, read.atom))
                construct = "an aggregate" if isinstance(counter, Aggregate) else "a window over tuples"
                name = read.atom.predicate
                message = f"{construct} counts {name} in rule {rule.number}, but what holds of {name} is a choice"
                hint = "let it read predicates that do not depend on the choice"
                return Diagnostic("E330", counter.span, message, hint)
    return None


def _counters(literal: Formula, atom: Atom) -> Iterator[Aggregate | Windowed]:
    """The aggregates and tuple windows around an atom, outermost first."""
    for part in subformulas(literal):
        counts = isinstance(part, Aggregate) or (isinstance(part, Windowed) and isinstance(part.window, TupleWindow))
        if counts and any(each is atom for each in atoms(part)):
            assert isinstance(part, Aggregate | Windowed)
            yield part
