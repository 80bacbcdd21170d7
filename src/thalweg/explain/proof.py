"""Proofs: why a fact holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thalweg.drawing.proof import draw_proof
from thalweg.explain.as_json import proof_json
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.nodes import Node
from thalweg.explain.tree import proof_text
from thalweg.time.interval import Interval


@dataclass(frozen=True)
class Proof:
    """Why a fact holds: a tree for each interval in which it does, of those that were asked about.

    ``missing`` are the times asked about at which the fact does not hold. ``asked`` is the interval asked about, or
    None when the question was when at all.
    """

    atom: GroundAtom
    asked: Interval | None
    roots: tuple[Node, ...]
    missing: tuple[Interval, ...] = ()

    def __bool__(self) -> bool:
        return self.holds

    @property
    def holds(self) -> bool:
        """Whether the fact holds at all times asked about; at some time, when none were."""
        return bool(self.roots) and not self.missing

    @property
    def text(self) -> str:
        """What was asked."""
        return str(self.atom) if self.asked is None else f"{self.atom}@{self.asked}"

    def to_text(self) -> str:
        """The proof as a tree to read."""
        return proof_text(self)

    def to_json(self) -> dict[str, Any]:
        """The proof as data: a tree, where the fact holds in one interval and throughout what was asked."""
        return proof_json(self)

    def _repr_html_(self) -> str:
        """A tree that opens and closes, for notebooks."""
        return draw_proof(self.to_json())

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """The tree as text, for notebooks that show no pictures."""
        printer.text(self.to_text())

    def __str__(self) -> str:
        return self.to_text()
