"""Proofs as trees that open and close.

A proof is plain data: ``{"fact": {"text": …}, "pieces": […]}``, with a piece for each way in which a part of the fact
came about; ``{"fact": …, "see": number}`` where the same proof stands elsewhere in it; ``{"fact": …, "cut": True}``
where it goes no deeper; and ``{"fact": …, "proofs": […], "missing": […]}`` of a fact that holds at some times only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thalweg.drawing.code import FAINT, faint, inline_code
from thalweg.drawing.markup import Html, element, joined
from thalweg.drawing.palette import BLUE, GREEN, ORANGE

Proof = Mapping[str, Any]

OPEN_LEVELS = 2
"""So many levels of the tree are open at first."""

MOST_LEVELS = 60
MOST_PREMISES = 50

TREE = "max-width:960px;line-height:1.5;text-align:left;font-size:13px"
LEVEL = "margin:.1em 0 .1em 1em;padding-left:.6em;border-left:1px solid rgba(128,136,144,.4)"


def draw_proof(proof: Proof) -> Html:
    """The tree of a proof."""
    return element("div", *_trees(proof, _referred(proof)), style=TREE)


def _referred(proof: Proof) -> frozenset[int]:
    """The numbers of the nodes that others refer to: those are shown."""
    found, waiting = set(), [proof]
    while waiting:
        node = waiting.pop()
        if "see" in node:
            found.add(node["see"])
        waiting += node.get("proofs", ())
        waiting += (each for piece in node.get("pieces", ()) for each in piece.get("premises", ()))
    return frozenset(found)


def _trees(proof: Proof, referred: frozenset[int]) -> Iterator[Html]:
    if "proofs" not in proof:
        yield _node(proof, 0, referred)
        return
    fact = inline_code(proof["fact"]["text"], BLUE)
    if proof["missing"]:
        yield element("div", fact, faint(f" does not hold at {', '.join(proof['missing'])}"))
    elif not proof["proofs"]:
        yield element("div", fact, faint(" does not hold"))
    yield from (_node(each, 0, referred) for each in proof["proofs"])


def _node(proof: Proof, level: int, referred: frozenset[int]) -> Html:
    fact = inline_code(proof["fact"]["text"], BLUE)
    number = proof.get("number")
    if "see" in proof:
        return element("div", fact, faint(f" as in no. {proof['see']}"))
    if proof.get("cut") or level == MOST_LEVELS:
        return element("div", fact, faint(" …"))
    pieces: Sequence[Mapping[str, Any]] = proof.get("pieces", ())
    if all(piece["kind"] != "rule" for piece in pieces):
        return element("div", fact, *(faint(f" {_origin(piece)}") for piece in pieces))
    mark = [faint(f" no. {number}")] if number in referred else []
    summary = element("summary", fact, *mark, style="cursor:pointer")
    several = len(pieces) > 1
    inner = (_piece(piece, level, referred, several=several) for piece in pieces)
    return element("details", summary, element("div", *inner, style=LEVEL), open=level < OPEN_LEVELS)


def _piece(piece: Mapping[str, Any], level: int, referred: frozenset[int], *, several: bool) -> Html:
    when = [element("div", f"at {piece['interval']}", style=f"{FAINT};margin-top:.3em")] if several else []
    if piece["kind"] != "rule":
        return joined((*when, element("div", faint(_origin(piece)))))
    return joined((*when, *_rule(piece), *_premises(piece, level, referred)))


def _rule(piece: Mapping[str, Any]) -> Iterator[Html]:
    rule = piece["rule"]
    text = inline_code(rule["text"], "inherit")
    yield element("div", faint(f"rule {rule['number']} "), text)
    notes = [rule["place"]] if rule.get("place") else []
    instance = ", ".join(f"{name} = {value}" for name, value in piece.get("instance", {}).items())
    notes += [f"with {instance}"] if instance else []
    if notes:
        yield element("div", " · ".join(notes), style=FAINT)
    for condition in piece.get("conditions", ()):
        yield element("div", inline_code(condition, GREEN))
    for absent in piece.get("absent", ()):
        yield element("div", inline_code(absent["text"], ORANGE), faint(f" does not hold at {absent['interval']}"))


def _premises(piece: Mapping[str, Any], level: int, referred: frozenset[int]) -> Iterator[Html]:
    premises: Sequence[Proof] = piece.get("premises", ())
    yield from (_node(each, level + 1, referred) for each in premises[:MOST_PREMISES])
    if len(premises) > MOST_PREMISES:
        yield element("div", faint(f"… and {len(premises) - MOST_PREMISES:,} more"))


def _origin(piece: Mapping[str, Any]) -> str:
    word = {"given": "given", "background": "background"}.get(piece["kind"], str(piece["kind"]))
    return f"{word} in {piece['source']}" if piece.get("source") else word
