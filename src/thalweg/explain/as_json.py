"""Proofs as plain data for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thalweg.explain.atoms import Binding, GroundAtom
from thalweg.explain.nodes import Derived, Given, Node, Piece
from thalweg.explain.wording import rule_text
from thalweg.model.program import Rule
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval

if TYPE_CHECKING:
    from thalweg.explain.proof import Proof

Json = dict[str, Any]


def proof_json(proof: Proof) -> Json:
    """The tree of a fact that holds throughout; otherwise ``proofs`` of its parts, and what is ``missing``."""
    writer = _Writer()
    trees = [writer.tree(root) for root in proof.roots]
    if len(trees) == 1 and not proof.missing:
        return trees[0]
    return {
        "fact": fact_json(proof.atom, proof.asked),
        "proofs": trees,
        "missing": [str(interval) for interval in proof.missing],
    }


def fact_json(atom: GroundAtom, interval: Interval | None) -> Json:
    """A fact; an interval of None is none in particular."""
    return {
        "predicate": atom.predicate,
        "arguments": [format_value(value) for value in atom.values],
        "interval": None if interval is None else str(interval),
        "text": str(atom) if interval is None else f"{atom}@{interval}",
    }


def rule_json(rule: Rule) -> Json:
    """A rule with its number, text and place."""
    return {"number": rule.number, "text": rule_text(rule), "place": rule.origin.place if rule.origin else None}


class _Writer:
    """Numbers nodes in the order of the tree; a node that came before is referred to by its number."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}

    def tree(self, root: Node) -> Json:
        """The tree of a node, without recursion: proofs may be deep."""
        whole: Json = {}
        waiting = [(root, whole)]
        while waiting:
            node, data = waiting.pop()
            data["fact"] = fact_json(node.atom, node.interval)
            if id(node) in self.numbers:
                data["see"] = self.numbers[id(node)]
                continue
            data["number"] = self.numbers[id(node)] = len(self.numbers) + 1
            if node.pieces is None:
                data["cut"] = True
                continue
            below: list[tuple[Node, Json]] = []
            data["pieces"] = [_piece_json(piece, below) for piece in node.pieces]
            waiting += reversed(below)
        return whole


def _piece_json(piece: Piece, below: list[tuple[Node, Json]]) -> Json:
    if isinstance(piece, Given):
        kind = "background" if piece.background else "given"
        return {"kind": kind, "interval": str(piece.interval), "source": piece.source}
    premises: list[Json] = [{} for _ in piece.premises]
    below += zip(piece.premises, premises, strict=True)
    return _derived_json(piece, premises)


def _derived_json(piece: Derived, premises: list[Json]) -> Json:
    data: Json = {
        "kind": "rule",
        "interval": str(piece.interval),
        "rule": rule_json(piece.rule),
        "instance": _values({n: v for n, v in piece.binding.items() if "#" not in n}),
    }
    unnamed = {n: v for n, v in piece.binding.items() if "#" in n}
    if unnamed:
        data["unnamed"] = _values(unnamed)
    return data | {
        "body": str(piece.body),
        "premises": premises,
        "absent": [{"text": each.text, "interval": str(each.interval)} for each in piece.absent],
        "conditions": list(piece.conditions),
    }


def _values(binding: Binding) -> dict[str, str]:
    return {name: format_value(value) for name, value in binding.items()}
