"""strip(P) (LARS+ paper, Section 4): a program without times, as existential rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from thalweg.analysis.existential.rules import ExistentialRule
from thalweg.analysis.existential.weak_acyclicity import variable_places
from thalweg.analysis.existential.written import existential_rule, written_rules
from thalweg.model.program import Program


def strip(program: Program, nulls: Collection[str] | None = None) -> tuple[ExistentialRule, ...]:
    """strip(P): the program without arithmetic atoms, windows and temporal quantifiers.

    If it is weakly acyclic the chase of P ends on every stream (Theorem 2). Any program is accepted; what LARS+ does
    not have is weakened (see :mod:`thalweg.analysis.existential.readings`). Rules without an atom in the head derive
    nothing, so there is nothing of them. If nulls reach only the positions given (see :func:`null_positions`), then
    heads have no variables for values that cannot be nulls, and more programs are weakly acyclic.
    """
    stripped = []
    for rule in written_rules(program, windows=False):
        terms = rule.terms(nulls)
        body = (terms.in_body(each.atom) for each in rule.reading.occurrences)
        head = tuple(terms.in_head(each.atom) for each in rule.head)
        frontier = terms.frontier(rule)
        stripped.append(existential_rule(body, head, rule.existential, frontier, rule.number, rule.origin))
    return tuple(dict.fromkeys(stripped))


def null_positions(program: Program) -> frozenset[str] | None:
    """The positions that nulls can reach, whatever the input; None where that cannot be said.

    Nulls are made at some positions; a variable carries one on only if all its positions in the body have it. So what
    an input atom also has is no null.
    """
    if any(rule.reading.several for rule in written_rules(program, windows=False)):
        return None
    reached: dict[str, None] = {}
    carriers: dict[str, list[_Carrier]] = {}
    new: list[str] = []
    for rule in strip(program):
        body = variable_places(rule.body)
        for variable, targets in variable_places(rule.head).items():
            sources = set(body.get(variable, ()))
            if variable in rule.existential:
                new += targets
            elif sources:
                carrier = _Carrier(sources, targets)
                for source in sources:
                    carriers.setdefault(source, []).append(carrier)
    while new:
        position = new.pop()
        if position in reached:
            continue
        reached[position] = None
        for carrier in carriers.get(position, ()):
            carrier.missing.discard(position)
            if not carrier.missing:
                new += carrier.targets
    return frozenset(reached)


class _Carrier(NamedTuple):
    """A variable of a rule: the positions in the body where no null has been seen yet, and those in the head."""

    missing: set[str]
    targets: Sequence[str]
