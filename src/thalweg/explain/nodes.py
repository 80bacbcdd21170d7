"""The nodes of proofs: facts, the rules that derive them, and what those rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
