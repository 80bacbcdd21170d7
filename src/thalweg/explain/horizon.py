"""Whether a proof rests on the absence of facts that may have been there.

Where facts have been dropped, those that are left may still prove something: what they support, they support. But a
``not``, a count or a window of tuples says something of all facts in a stretch of time, and is certain only where none
of them has been dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.explain.nodes import Derived, Node
from thalweg.explain.proof import Proof
from thalweg.model.program import Program
from thalweg.model.reads import reads
from thalweg.plan.plan import make_plan
from thalweg.time.interval import Endpoint, add


def reads_lost(proof: Proof, program: Program, horizon: Endpoint) -> bool:
    """Whether a proof says of a time up to the horizon that something did not hold, or how much did."""
    earliest: dict[tuple[str, Endpoint, Endpoint], Endpoint] = {}
    for piece in _pieces(proof):
        for literal in piece.rule.body:
            for read in reads(literal):
                if read.negative or read.counted:
                    low, high = add(piece.body.start, read.offsets.start), add(piece.body.end, read.offsets.end)
                    key = read.atom.predicate, low, high
                    if key not in earliest:
                        earliest[key] = _earliest(program, *key)
                    if earliest[key] <= horizon:
                        return True
    return False


def _earliest(program: Program, predicate: str, low: Endpoint, high: Endpoint) -> Endpoint:
    """The earliest time at which any fact matters for a predicate in a stretch of time."""
    needs = make_plan(program, start=low, end=high, wanted=(predicate,)).needs
    return min((stretch.low for stretch in needs.values()), default=low)


def _pieces(proof: Proof) -> Iterator[Derived]:
    """The steps of a proof, each once; without recursion, since proofs may be deep."""
    waiting: list[Node] = [*proof.roots]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield from (piece for piece in node.pieces or () if isinstance(piece, Derived))
        waiting += node.premises
