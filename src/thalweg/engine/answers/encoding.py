"""Propositions as atoms and rules of clingo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from thalweg.engine.answers.proposition import TRUE, Propositions

if TYPE_CHECKING:
    import clingo


class Encoding:
    """The literals of clingo for propositions; every conjunction or disjunction gets an atom of its own.

    ``monotone`` keeps negation outside: a formula is defined by its monotone side, so that no rule has a negation in
    its body that the formula did not have around it. Otherwise formulas are evaluated classically, which asks for
    atoms that are free to be true or false.
    """

    def __init__(self, propositions: Propositions, backend: clingo.Backend, *, monotone: bool) -> None:
        self._propositions = propositions
        self._backend = backend
        self._monotone = monotone
        self._literals: dict[int, int] = {}
        fact = backend.add_atom()
        backend.add_rule([fact])
        self._set(TRUE, fact)

    def add_atom(self, atom: int, literal: int) -> None:
        """Say which atom of clingo stands for an atom."""
        self._set(atom, literal)

    def literal(self, formula: int) -> int:
        """The literal that is true iff the formula is."""
        for part in self._undefined(formula):
            self._define(part)
        return self._literals[formula]

    def body(self, formula: int) -> list[int]:
        """Literals that are all true iff the formula is."""
        return [self.literal(part) for part in self._propositions.conjuncts(formula)]

    def _undefined(self, formula: int) -> Iterable[int]:
        """The formulas to be defined first, smaller ones before larger ones."""
        found: set[int] = set()
        waiting = [formula]
        while waiting:
            part = waiting.pop() & ~1
            if part not in self._literals and part not in found:
                found.add(part)
                waiting.extend(self._propositions.gate(part) or ())
        return sorted(found)

    def _define(self, conjunction: int) -> None:
        """Define a conjunction, or the disjunction that it is the negation of."""
        parts = self._propositions.gate(conjunction)
        assert parts is not None, "atoms are defined beforehand"
        atom = self._backend.add_atom()
        if self._monotone and not self._propositions.is_monotone(conjunction):
            assert self._propositions.is_antimonotone(conjunction)
            for part in parts:
                self._backend.add_rule([atom], [-self._literals[part]])
            self._set(conjunction, -atom)
        else:
            self._backend.add_rule([atom], [self._literals[part] for part in parts])
            self._set(conjunction, atom)

    def _set(self, formula: int, literal: int) -> None:
        self._literals[formula] = literal
        self._literals[formula ^ 1] = -literal
