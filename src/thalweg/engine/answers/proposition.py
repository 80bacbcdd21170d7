"""Propositional formulas over atoms at time points, each kept once."""

from __future__ import annotations

from collections.abc import Iterable

TRUE = 0
FALSE = 1

_MONOTONE, _ANTIMONOTONE, _BOTH, _MIXED = 1, -1, 0, None


class Propositions:
    """Formulas as numbers: an even number is an atom or a conjunction, the odd one after it is its negation.

    So negation stands wherever it is wanted, De Morgan's laws hold by themselves, and equal formulas are one. The
    parts of a formula have smaller numbers than the formula.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[int, ...] | None] = [()]
        self._signs: list[int | None] = [_BOTH]
        self._conjunctions: dict[frozenset[int], int] = {}

    def atom(self) -> int:
        """A new atom."""
        return self._new(None, _MONOTONE)

    def all_of(self, formulas: Iterable[int]) -> int:
        """The conjunction; constants, repetitions and contradictions are simplified."""
        kept: set[int] = set()
        for formula in formulas:
            if formula == FALSE:
                return FALSE
            kept.update(self.conjuncts(formula))
        if any(negation(formula) in kept for formula in kept):
            return FALSE
        if len(kept) < 2:
            return next(iter(kept), TRUE)
        key = frozenset(kept)
        if key not in self._conjunctions:
            self._conjunctions[key] = self._new(tuple(sorted(kept)), self._common_sign(kept))
        return self._conjunctions[key]

    def any_of(self, formulas: Iterable[int]) -> int:
        """The disjunction."""
        return negation(self.all_of(map(negation, formulas)))

    def conjuncts(self, formula: int) -> tuple[int, ...]:
        """The parts of a conjunction; anything else is its own only part."""
        parts = self._parts[formula >> 1]
        return (formula,) if parts is None or formula & 1 else parts

    def gate(self, formula: int) -> tuple[int, ...] | None:
        """The parts of the conjunction that a formula is, or is the negation of; None for atoms."""
        return self._parts[formula >> 1]

    def is_monotone(self, formula: int) -> bool:
        """Whether no atom stands under negation."""
        return self._sign(formula) in (_MONOTONE, _BOTH)

    def is_antimonotone(self, formula: int) -> bool:
        """Whether every atom stands under negation."""
        return self._sign(formula) in (_ANTIMONOTONE, _BOTH)

    def _sign(self, formula: int) -> int | None:
        sign = self._signs[formula >> 1]
        return -sign if formula & 1 and sign is not None else sign

    def _common_sign(self, formulas: Iterable[int]) -> int | None:
        signs = {self._sign(formula) for formula in formulas}
        return signs.pop() if len(signs) == 1 else _MIXED

    def _new(self, parts: tuple[int, ...] | None, sign: int | None) -> int:
        self._parts.append(parts)
        self._signs.append(sign)
        return 2 * (len(self._parts) - 1)


def negation(formula: int) -> int:
    """The negation, of which there is only one."""
    return formula ^ 1
