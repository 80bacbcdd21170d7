"""Proofs on demand: one at a time, and each once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Protocol

from thalweg.errors import ThalwegError

MOST_KEPT = 256
"""So many proofs are remembered."""

MOST_FACTS = 2_000
"""So many facts of a proof are shown."""


class Prover(Protocol):
    """Says why a fact, given as text, holds: a proof as JSON."""

    def __call__(self, fact: str) -> dict[str, Any]:
        """The proof; raises an error of ours where there is none."""
        ...


class Proofs:
    """Proofs of one subject. ``prepare`` makes the prover, when the first proof is asked for."""

    def __init__(self, prepare: Callable[[], Prover]) -> None:
        self._prepare = prepare
        self._prover: Prover | None = None
        self._kept: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, fact: str) -> dict[str, Any]:
        """``{"proofs": …, "missing": …}``, or ``{"refused": …}`` with the reason."""
        with self._lock:
            if fact in self._kept:
                self._kept.move_to_end(fact)
                return self._kept[fact]
            try:
                self._prover = self._prover or self._prepare()
                found = shown_proof(self._prover(fact))
            except ThalwegError as error:
                return {"refused": str(error)}
            self._kept[fact] = found
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return found

    def forget(self) -> None:
        """Begin anew: there are new facts."""
        with self._lock:
            self._prover = None
            self._kept.clear()


def shown_proof(proof: dict[str, Any]) -> dict[str, Any]:
    """A proof for the page: a tree for each interval in which the fact holds, and when it does not hold."""
    trees = proof.get("proofs", [proof])
    missing = proof.get("missing", [])
    if not trees:
        return {"refused": f"{proof['fact']['text']} does not hold, by all that is known here."}
    cut_short(trees)
    return {"proofs": trees, "missing": missing}


def cut_short(trees: list[dict[str, Any]], most: int = MOST_FACTS) -> None:
    """Cut proofs where they have too many facts to be shown: those that are deepest go first."""
    level, left = list(trees), most
    while level:
        left -= len(level)
        below = [premise for node in level for piece in node.get("pieces", ()) for premise in piece.get("premises", ())]
        if len(below) > left:
            for node in level:
                _cut(node)
            return
        level = below


def _cut(node: dict[str, Any]) -> None:
    if any(piece.get("premises") for piece in node.get("pieces", ())):
        del node["pieces"]
        node["cut"] = True
