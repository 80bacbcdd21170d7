"""δ: how late the facts of an atom may come, at most (hypotheses paper, Section 3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from thalweg.analysis.hypotheses.terms import TimedAtom, Value
from thalweg.model.formula import Constant, Data, Term
from thalweg.model.program import Program


@dataclass(frozen=True)
class Declared:
    """What is declared of the facts that match: ``values`` has a value, or None for any, at every position."""

    values: tuple[Data | None, ...]
    length: int
    arrivals: tuple[Fraction, ...] | None = None

    def is_within(self, other: Declared) -> bool:
        """Whether the other matches all facts that this one does."""
        return all(theirs is None or ours == theirs for ours, theirs in zip(self.values, other.values, strict=True))


@dataclass(frozen=True)
class Delays:
    """The declared delays of a program.

    Of the declarations that match a fact those count that are not more general than another; of several, the longest.
    A predicate without a declaration has the delay ``otherwise``.
    """

    declared: Mapping[str, tuple[Declared, ...]] = field(default_factory=dict)
    otherwise: int = 0

    @classmethod
    def of(cls, program: Program, otherwise: int = 0) -> Delays:
        """The delays that a program declares; others for predicates of which it declares none."""
        found: dict[str, list[Declared]] = {}
        for delay in program.delays:
            arity = program.signatures[delay.predicate].arity if delay.predicate in program.signatures else 0
            values = pattern_values(delay.arguments, arity)
            found.setdefault(delay.predicate, []).append(Declared(values, math.ceil(delay.length), delay.arrivals))
        return cls({name: tuple(several) for name, several in found.items()}, otherwise)

    def also(self, predicate: str, arity: int, length: int) -> Delays:
        """These, and a delay for a derived predicate: how long after its time it may still be derived."""
        return replace(self, declared={**self.declared, predicate: (Declared((None,) * arity, length),)})

    def for_predicate(self, predicate: str, arity: int) -> tuple[Declared, ...]:
        """The declarations of a predicate, with one that matches everything."""
        anything: tuple[None, ...] = (None,) * arity
        several = self.declared.get(predicate, ())
        if any(each.values == anything for each in several):
            return several
        return (Declared(anything, self.otherwise), *several)

    def longest(self, atom: TimedAtom) -> int:
        """δ of an atom: the longest of all its instances."""
        several = self.for_predicate(atom.predicate, len(atom.arguments))
        possible = [each for each in several if _may_match(each, atom)]
        certain = [each for each in several if _matches_all(each, atom)]
        counting = [
            each
            for each in possible
            if not any(other != each and other.is_within(each) and not each.is_within(other) for other in certain)
        ]
        return max(each.length for each in counting)


def pattern_values(arguments: Sequence[Term] | None, arity: int) -> tuple[Data | None, ...]:
    """The values of a declared pattern, None for any."""
    if arguments is None:
        return (None,) * arity
    return tuple(term.value if isinstance(term, Constant) else None for term in arguments)


def _may_match(declared: Declared, atom: TimedAtom) -> bool:
    pairs = zip(declared.values, atom.arguments, strict=True)
    return all(value is None or not isinstance(term, Value) or term.value == value for value, term in pairs)


def _matches_all(declared: Declared, atom: TimedAtom) -> bool:
    pairs = zip(declared.values, atom.arguments, strict=True)
    return all(value is None or (isinstance(term, Value) and term.value == value) for value, term in pairs)
