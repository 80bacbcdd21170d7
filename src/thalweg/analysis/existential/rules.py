"""Existential rules (LARS+ paper, Appendix B, (16)): conjunctions of atoms, without operators."""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.model.formula import Constant, Variable
from thalweg.source import Span


@dataclass(frozen=True)
class PlainAtom:
    """p(t) for a predicate of one-sorted existential rules; times are constants and variables like others."""

    predicate: str
    arguments: tuple[Variable | Constant, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables in order, with repetitions."""
        return tuple(term for term in self.arguments if isinstance(term, Variable))


@dataclass(frozen=True)
class ExistentialRule:
    """∀x,y. B[x,y] → ∃z. H[y,z].

    ``number`` and ``origin`` are those of the written rule it comes from; 0 and None for rules that a rewriting adds.
    """

    body: tuple[PlainAtom, ...]
    head: tuple[PlainAtom, ...]
    existential: tuple[Variable, ...] = ()
    number: int = field(default=0, compare=False)
    origin: Span | None = field(default=None, compare=False, repr=False)

    @property
    def frontier(self) -> tuple[Variable, ...]:
        """The variables of the head that the body binds, in the order of the head."""
        return tuple(dict.fromkeys(v for atom in self.head for v in atom.variables if v not in self.existential))
