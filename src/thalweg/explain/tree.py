"""Proofs as trees to read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thalweg.explain.nodes import Absent, Derived, Given, Node, Piece
from thalweg.explain.wording import rule_place, rule_text
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval, format_endpoint

if TYPE_CHECKING:
    from thalweg.explain.proof import Proof

WIDTH = 100
"""Columns that a line should fit into; only the text of rules is broken."""

_LEAST_WIDTH = 40
"""Columns that the text of a rule gets, however deep it stands."""


@dataclass(frozen=True)
class Line:
    """A line of a tree: the branches before it, and pieces of text, each with what it is."""

    branches: str
    parts: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return self.branches + "".join(text for text, _ in self.parts)


def proof_text(proof: Proof) -> str:
    """The proof, line by line."""
    return "\n".join(map(str, proof_lines(proof)))


def proof_lines(proof: Proof) -> list[Line]:
    """The lines of a proof; what does not hold is said first."""
    lines = list(_verdict(proof))
    writer = _Writer(_referred_to(proof.roots))
    for root in proof.roots:
        lines += writer.lines(root)
    if writer.is_cut:
        lines.append(Line("", (("… stands for proofs that go deeper: see them with a larger depth", "note"),)))
    return lines


def _verdict(proof: Proof) -> Iterator[Line]:
    if not proof.roots:
        yield Line("", ((f"{proof.text} {'never holds' if proof.asked is None else 'does not hold'}", "note"),))
    elif proof.missing:
        parts = [", ".join(str(root.interval) for root in proof.roots), ", ".join(map(str, proof.missing))]
        yield Line("", ((f"{proof.atom} holds in {parts[0]}, but not in {parts[1]}", "note"),))
    if not proof.holds and proof.asked is not None and proof.missing:
        question = f"{proof.atom}@{_time(proof.missing[0])}"
        yield Line("", ((f"ask what is missing: thalweg why-not … '{question}'", "note"),))


def _time(interval: Interval) -> str:
    return format_endpoint(interval.start) if interval.is_punctual else str(interval)


def _referred_to(roots: tuple[Node, ...]) -> dict[int, int]:
    """The numbers of nodes that occur more than once and are more than a given fact, in the order of the tree."""
    seen: set[int] = set()
    again: set[int] = set()
    order: list[Node] = []
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            again.add(id(node))
            continue
        seen.add(id(node))
        order.append(node)
        waiting += reversed([*node.premises])
    repeated = [node for node in order if id(node) in again and not _is_given(node)]
    return {id(node): number for number, node in enumerate(repeated, start=1)}


def _is_given(node: Node) -> bool:
    return node.pieces is not None and len(node.pieces) == 1 and isinstance(node.pieces[0], Given)


class _Writer:
    """Writes nodes; a node that was written before is referred to."""

    def __init__(self, numbers: dict[int, int]) -> None:
        self.numbers = numbers
        self.written: set[int] = set()
        self.is_cut = False

    def lines(self, root: Node) -> Iterator[Line]:
        """The lines of a tree, without recursion: proofs may be deep."""
        waiting: list[tuple[str, str, Node | Piece | Absent | str, Node | None]] = [("", "", root, None)]
        while waiting:
            first, rest, item, above = waiting.pop()
            below: list[Node | Piece | Absent | str] = []
            if isinstance(item, Node):
                line, below = self._node(first, item)
                yield line
            elif isinstance(item, Derived):
                assert above is not None
                yield from _rule_lines(first, rest + ("│  " if _parts_of(item) else "   "), item, above)
                below = _parts_of(item)
            elif isinstance(item, Given):
                yield Line(first, ((f"{item.interval} ", "time"), (_given_text(item), "given")))
            elif isinstance(item, Absent):
                when = f"at {_time(item.interval)}" if item.interval.is_punctual else f"in {item.interval}"
                yield Line(first, (("no ", "note"), (item.text, "fact"), (f" {when}", "time")))
            else:
                yield Line(first, ((item, "condition"),))
            node = item if isinstance(item, Node) else above
            for place, each in reversed([*enumerate(below, start=1)]):
                is_last = place == len(below)
                waiting.append((rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  "), each, node))

    def _node(self, branches: str, node: Node) -> tuple[Line, list[Node | Piece | Absent | str]]:
        parts = [(str(node.atom), "fact"), (f"@{node.interval}", "time")]
        number = self.numbers.get(id(node))
        if id(node) in self.written and number is not None:
            return Line(branches, (*parts, (f"   as ({number})", "note"))), []
        self.written.add(id(node))
        if number is not None:
            parts.insert(0, (f"({number}) ", "note"))
        if node.pieces is None:
            self.is_cut = True
            return Line(branches, (*parts, ("   …", "note"))), []
        if len(node.pieces) == 1 and isinstance(node.pieces[0], Given):
            return Line(branches, (*parts, (f"   {_given_text(node.pieces[0])}", "given"))), []
        return Line(branches, tuple(parts)), list(node.pieces)


def _parts_of(piece: Derived) -> list[Node | Piece | Absent | str]:
    return [*piece.premises, *piece.conditions, *piece.absent]


def _given_text(piece: Given) -> str:
    word = "background" if piece.background else "given"
    return f"{word}, {piece.source}" if piece.source else word


def _rule_lines(first: str, rest: str, piece: Derived, node: Node) -> Iterator[Line]:
    """The rule, broken into lines, and what its variables are."""
    part = f"{piece.interval} " if piece.interval != node.interval else ""
    name = f"{part}rule {piece.rule.number}{rule_place(piece.rule)}: "
    body = f"   body at {_time(piece.body)}" if piece.body != piece.interval else ""
    values = ", ".join(f"{n} = {format_value(v)}" for n, v in piece.binding.items() if "#" not in n)
    yield from broken(f"{name}{rule_text(piece.rule)}", f"{values}{body}", first, rest)


def broken(said: str, values: str, first: str, rest: str) -> Iterator[Line]:
    """A text and what variables are in it, broken into lines where one is too long."""
    tail = f"   {values.strip()}" if values.strip() else ""
    room = max(WIDTH - len(first), _LEAST_WIDTH)
    if len(said) + len(tail) <= room:
        yield Line(first, ((said, "rule"), (tail, "values")))
        return
    wrapped = textwrap.wrap(said, room, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    for place, text in enumerate(wrapped):
        yield Line(rest if place else first, ((text, "rule"),))
    if tail:
        yield Line(rest, ((f"  {tail.strip()}", "values"),))
