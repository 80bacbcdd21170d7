"""Families of predicates: many predicates of one arity as one, with their names as its first argument.

Programs that were written by machines, such as ontologies, have thousands of rules of a few shapes. Over families,
rules of one shape are one rule over a table of rules (:mod:`thalweg.plan.merge`), and cost as much as one.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from thalweg.model.formula import Atom, Constant, Formula, atoms
from thalweg.model.program import Program, Rule, Signature
from thalweg.model.reads import reads
from thalweg.model.shapes import formula_with, shape_of
from thalweg.syntax.ast import Parameter, Role

FEWEST_RULES = 8
"""So many rules of one shape are worth a family."""


@dataclass(frozen=True)
class Folding:
    """A program over families, and which family each folded predicate belongs to."""

    program: Program
    family_of: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """The predicates of each family."""
        members: dict[str, list[str]] = defaultdict(list)
        for name, family in self.family_of.items():
            members[family].append(name)
        return members

    def name(self, predicate: str) -> str:
        """The predicate that holds the facts of a predicate."""
        return self.family_of.get(predicate, predicate)


def fold(program: Program, wanted: Collection[str] | None = None) -> Folding:
    """The program over families of predicates, as far as that is of use; with only the rules that are asked for.

    Where rules look ahead, or speak of the past, recursion through a family could go on where its predicates' does
    not: such programs stay as they are.
    """
    if len(program.rules) < FEWEST_RULES or not _goes_forward(program):
        return Folding(program)
    written = [list(heads) for _, heads in itertools.groupby(program.rules, key=lambda rule: rule.number)]
    shapes = [shape_of(heads) for heads in written]
    numbers = Counter(shape for shape in shapes if shape is not None)
    alike = {shape for shape, number in numbers.items() if number >= FEWEST_RULES}
    if not alike:
        return Folding(program)
    chosen = dict.fromkeys(
        atom.predicate
        for heads, shape in zip(written, shapes, strict=True)
        if shape in alike
        for rule in heads
        for atom in _atoms_of(rule)
    )
    excluded = _not_foldable(program)
    family_of = {
        name: f"#{program.signatures[name].arity}"
        for name in chosen
        if name not in excluded and program.signatures[name].role is not Role.BACKGROUND
    }
    if not family_of:
        return Folding(program)
    rules = _asked_for(program, wanted)
    return Folding(_over_families(replace(program, rules=tuple(rules)), family_of), family_of)


def _goes_forward(program: Program) -> bool:
    return all(
        rule.reach.start >= 0 and all(read.offsets.end <= 0 for literal in rule.body for read in reads(literal))
        for rule in program.rules
    )


def _atoms_of(rule: Rule) -> Iterator[Atom]:
    for formula in (rule.head, *rule.body):
        yield from atoms(formula)


def _not_foldable(program: Program) -> set[str]:
    """Predicates of which it matters how many facts there are, or that there are none."""
    return {
        read.atom.predicate
        for rule in program.rules
        for literal in rule.body
        for read in reads(literal)
        if read.negative or read.counted
    }


def _asked_for(program: Program, wanted: Collection[str] | None) -> Iterator[Rule]:
    """The rules that derive the wanted predicates, or what those need; and all that say what must not hold."""
    if wanted is None:
        yield from program.rules
        return
    reading: dict[str, set[str]] = defaultdict(set)
    needed, waiting = set(wanted), list(wanted)
    for rule in program.rules:
        below = {atom.predicate for literal in rule.body for atom in atoms(literal)}
        if isinstance(rule.head_core, Atom):
            reading[rule.head_core.predicate] |= below
        else:
            waiting += below - needed
            needed |= below
    while waiting:
        for name in reading[waiting.pop()] - needed:
            needed.add(name)
            waiting.append(name)
    for rule in program.rules:
        if not isinstance(rule.head_core, Atom) or rule.head_core.predicate in needed:
            yield rule


def _over_families(program: Program, family_of: Mapping[str, str]) -> Program:
    def folded(atom: Atom) -> Atom:
        family = family_of.get(atom.predicate)
        if family is None:
            return atom
        return replace(atom, predicate=family, arguments=(Constant(atom.predicate), *atom.arguments))

    def rewritten(formula: Formula) -> Formula:
        return formula_with(formula, folded)

    rules = tuple(
        replace(rule, head=rewritten(rule.head), body=tuple(map(rewritten, rule.body))) for rule in program.rules
    )
    facts = tuple(replace(fact, atom=folded(fact.atom)) for fact in program.facts)
    signatures = {name: signature for name, signature in program.signatures.items() if name not in family_of}
    for name, family in family_of.items():
        parameters = (Parameter(None), *(Parameter(None) for _ in program.signatures[name].parameters))
        signatures.setdefault(family, Signature(family, parameters))
    return replace(program, rules=rules, facts=facts, signatures=signatures)
