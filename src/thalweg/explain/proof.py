"""Proofs: facts, the rules that derive them, and what those rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from thalweg.explain.atoms import Binding, GroundAtom
from thalweg.model.program import Rule
from thalweg.time.interval import Interval


@dataclass(frozen=True)
class Given:
    """A part of a fact that was given; ``source`` says in which file and line, where that is known."""

    interval: Interval
    source: str | None
    background: bool = False


@dataclass(frozen=True)
class Absent:
    """A formula that holds at no time of an interval."""

    text: str
    interval: Interval


@dataclass(frozen=True)
class Derived:
    """A part of a fact that a rule derives, from premises; ``body`` are the times at which the rule's body holds."""

    interval: Interval
    rule: Rule
    binding: Binding
    body: Interval
    premises: tuple[Node, ...] = ()
    absent: tuple[Absent, ...] = ()
    conditions: tuple[str, ...] = ()


Piece = Given | Derived


@dataclass(eq=False)
class Node:
    """A fact with its proof: pieces that cover its interval; None where the proof goes no deeper."""

    atom: GroundAtom
    interval: Interval
    pieces: tuple[Piece, ...] | None = None

    @property
    def premises(self) -> Iterator[Node]:
        """The nodes that the pieces rest on."""
        for piece in self.pieces or ():
            if isinstance(piece, Derived):
                yield from piece.premises

    @property
    def text(self) -> str:
        """The fact as a line."""
        return f"{self.atom}@{self.interval}"


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
        from thalweg.explain.tree import proof_text

        return proof_text(self)

    def to_json(self) -> dict[str, Any]:
        """The proof as data: a tree, where the fact holds in one interval and throughout what was asked."""
        from thalweg.explain.as_json import proof_json

        return proof_json(self)

    def _repr_html_(self) -> str:
        """A tree that opens and closes, for notebooks."""
        from thalweg.drawing.proof import draw_proof

        return draw_proof(self.to_json())

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """The tree as text, for notebooks that show no pictures."""
        printer.text(self.to_text())

    def __str__(self) -> str:
        return self.to_text()
