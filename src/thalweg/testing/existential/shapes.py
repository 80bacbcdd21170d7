"""What rules look like to the chase: any objects with these parts will do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from thalweg.model.formula import Constant, Variable


class PlainAtom(Protocol):
    """p(t)."""

    @property
    def predicate(self) -> str:
        """Its predicate."""

    @property
    def arguments(self) -> Sequence[Variable | Constant]:
        """Its terms."""


class ExistentialRule(Protocol):
    """∀x,y. B[x,y] → ∃z. H[y,z] (LARS+ paper, Appendix B, (16))."""

    @property
    def body(self) -> Sequence[PlainAtom]:
        """B."""

    @property
    def head(self) -> Sequence[PlainAtom]:
        """H."""

    @property
    def existential(self) -> Sequence[Variable]:
        """The variables z."""


def frontier(rule: ExistentialRule) -> tuple[Variable, ...]:
    """The variables y, in the order of the head."""
    terms = (term for atom in rule.head for term in atom.arguments)
    found = (term for term in terms if isinstance(term, Variable) and term not in rule.existential)
    return tuple(dict.fromkeys(found))
