"""Proofs as trees that open and close.

A proof is plain data: ``{"fact": {"text": …}, "pieces": […]}``, with a piece for each way in which a part of the fact
came about; ``{"fact": …, "see": number}`` where the same proof stands elsewhere in it; ``{"fact": …, "cut": True}``
where it goes no deeper; and ``{"fact": …, "proofs": […], "missing": […]}`` of a fact that holds at some times only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thalweg.drawing.markup import Html, element, joined
from thalweg.drawing.palette import BLUE, GREEN, MONOSPACE, ORANGE

Proof = Mapping[str, Any]

OPEN_LEVELS = 2
"""So many levels of the tree are open at first."""

MOST_LEVELS = 60
MOST_PREMISES = 50

_CODE = f"font-family:{MONOSPACE};font-size:12.5px"
_FAINT = "opacity:.75;font-size:12px"
_LEVEL = "margin:.1em 0 .1em 1em;padding-left:.6em;border-left:1px solid rgba(128,136,144,.4)"


def draw_proof(proof: Proof) -> Html:
    """The tree of a proof."""
    return element("div", *_trees(proof, _referred(proof)), style="max-width:960px;line-height:1.5;text-align:left")


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
    fact = _code(proof["fact"]["text"], BLUE)
    if proof["missing"]:
        yield element("div", fact, _faint(f" does not hold at {', '.join(proof['missing'])}"))
    elif not proof["proofs"]:
        yield element("div", fact, _faint(" does not hold"))
    yield from (_node(each, 0, referred) for each in proof["proofs"])


def _node(proof: Proof, level: int, referred: frozenset[int]) -> Html:
    fact = _code(proof["fact"]["text"], BLUE)
    number = proof.get("number")
    if "see" in proof:
        return element("div", fact, _faint(f" as in no. {proof['see']}"))
    if proof.get("cut") or level == MOST_LEVELS:
        return element("div", fact, _faint(" …"))
    pieces: Sequence[Mapping[str, Any]] = proof.get("pieces", ())
    if all(piece["kind"] != "rule" for piece in pieces):
        return element("div", fact, *(_faint(f" {_origin(piece)}") for piece in pieces))
    mark = [_faint(f" no. {number}")] if number in referred else []
    summary = element("summary", fact, *mark, style="cursor:pointer")
    several = len(pieces) > 1
    inner = (_piece(piece, level, referred, several=several) for piece in pieces)
    return element("details", summary, element("div", *inner, style=_LEVEL), open=level < OPEN_LEVELS)


def _piece(piece: Mapping[str, Any], level: int, referred: frozenset[int], *, several: bool) -> Html:
    when = [element("div", f"at {piece['interval']}", style=f"{_FAINT};margin-top:.3em")] if several else []
    if piece["kind"] != "rule":
        return joined((*when, element("div", _faint(_origin(piece)))))
    return joined((*when, *_rule(piece), *_premises(piece, level, referred)))


def _rule(piece: Mapping[str, Any]) -> Iterator[Html]:
    rule = piece["rule"]
    text = _code(rule["text"], "inherit")
    yield element("div", _faint(f"rule {rule['number']} "), text)
    notes = [rule["place"]] if rule.get("place") else []
    instance = ", ".join(f"{name} = {value}" for name, value in piece.get("instance", {}).items())
    notes += [f"with {instance}"] if instance else []
    if notes:
        yield element("div", " · ".join(notes), style=_FAINT)
    for condition in piece.get("conditions", ()):
        yield element("div", _code(condition, GREEN))
    for absent in piece.get("absent", ()):
        yield element("div", _code(absent["text"], ORANGE), _faint(f" does not hold at {absent['interval']}"))


def _premises(piece: Mapping[str, Any], level: int, referred: frozenset[int]) -> Iterator[Html]:
    premises: Sequence[Proof] = piece.get("premises", ())
    yield from (_node(each, level + 1, referred) for each in premises[:MOST_PREMISES])
    if len(premises) > MOST_PREMISES:
        yield element("div", _faint(f"… and {len(premises) - MOST_PREMISES:,} more"))


def _origin(piece: Mapping[str, Any]) -> str:
    word = {"given": "given", "background": "background"}.get(piece["kind"], str(piece["kind"]))
    return f"{word} in {piece['source']}" if piece.get("source") else word


def _code(text: str, colour: str) -> Html:
    return element("code", text, style=f"{_CODE};color:{colour};background:transparent;white-space:pre-wrap")


def _faint(text: str) -> Html:
    return element("span", text, style=_FAINT)
