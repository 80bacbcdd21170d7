"""Building proofs: each fact from rules and facts that were known before it, down to what was given."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg.engine.history import GIVEN
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.given import GivenFacts
from thalweg.explain.instances import Instance, Instances
from thalweg.explain.known import Known
from thalweg.explain.nodes import Absent, Derived, Given, Node, Piece
from thalweg.explain.premises import Premises
from thalweg.explain.times import encode_around, whole
from thalweg.explain.truth import Truth
from thalweg.time.interval import Interval
from thalweg.time.ticks import POSITIVE_INFINITY

MOST_NODES = 10_000
"""So many facts are proved at most where a depth is given."""


@dataclass
class _Offer:
    """A way to prove a range of codes."""

    start: int
    end: int
    source: Given | Instance


@dataclass
class Prover:
    """Proves facts that hold; equal facts share one node, whatever asks for them.

    A fact is proved from facts with smaller numbers only (:class:`thalweg.engine.history.History`), so no fact ever
    rests on itself.
    """

    known: Known
    nodes: dict[tuple[GroundAtom, Interval], Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.instances = Instances(self.known)
        self.given = GivenFacts(self.known)

    def prove(self, atom: GroundAtom, interval: Interval, depth: int | None = None) -> Node:
        """The proof of a fact that holds throughout an interval, so many rules deep (None: down to what was given).

        A proof that is bounded in depth is in size, too: it goes no further after :data:`MOST_NODES` facts.
        """
        root = self._node(atom, interval)
        waiting = deque([(root, 0)])
        seen = {id(root)}
        while waiting:
            node, level = waiting.popleft()
            if depth is not None and (level >= depth or len(seen) > MOST_NODES):
                continue
            if node.pieces is None:
                node.pieces = self._pieces(node)
            for premise in node.premises:
                if id(premise) not in seen:
                    seen.add(id(premise))
                    waiting.append((premise, level + 1))
        return root

    def _node(self, atom: GroundAtom, interval: Interval) -> Node:
        return self.nodes.setdefault((atom, interval), Node(atom, interval))

    def _pieces(self, node: Node) -> tuple[Piece, ...]:
        """The fewest parts that cover the interval: facts that were given, and instances of rules."""
        low, high = encode_around(node.interval, self.known.ticks)
        offers = [_Offer(*codes, given) for codes, given in self.given.of(node.atom, node.interval)]
        chosen = _cover(offers, low, high)
        if chosen is None:
            number = self.known.last_number(node.atom, node.interval)
            assert number > GIVEN, f"{node.text} has no derivation"
            truth = Truth(self.known, node.atom.predicate, number)
            for rule in self.known.program.rules_for(node.atom.predicate):
                found = self.instances.of(rule, node.atom, node.interval, truth)
                offers += [_Offer(*instance.head, instance) for instance in found]
            chosen = _cover(offers, low, high)
            assert chosen is not None, f"{node.text} has no proof"
            return tuple(self._piece(node, offer, codes, truth) for offer, codes in chosen)
        return tuple(self._piece(node, offer, codes, None) for offer, codes in chosen)

    def _piece(self, node: Node, offer: _Offer, codes: tuple[int, int], truth: Truth | None) -> Piece:
        interval = self.known.ticks.decode(*codes).intersection(node.interval)
        assert interval is not None
        if isinstance(offer.source, Given):
            return Given(interval, offer.source.source, offer.source.background)
        assert truth is not None
        return self._derived(offer.source, interval, truth)

    def _derived(self, instance: Instance, interval: Interval, truth: Truth) -> Derived:
        body = self._body(instance, interval)
        premises = Premises(truth)
        for literal in instance.rule.body:
            premises.collect(literal, instance.binding, whole(body, self.known.timeline))
        evidence = premises.evidence
        return Derived(
            interval,
            instance.rule,
            instance.binding,
            body,
            tuple(self._node(atom, part) for atom, times in evidence.facts.items() for part in times.intervals),
            tuple(Absent(text, part) for text, times in evidence.absent.items() for part in times.intervals),
            tuple(evidence.conditions),
        )

    def _body(self, instance: Instance, interval: Interval) -> Interval:
        """The times at which the body must hold for the head to hold throughout an interval."""
        whole_body = self.known.ticks.decode(*instance.body)
        if instance.rule.head_time is not None:
            return self.known.ticks.decode(*_some_point(instance.body))
        looked_at = interval.minus(instance.rule.reach).intersection(whole_body)
        assert looked_at is not None
        return looked_at


def _some_point(codes: tuple[int, int]) -> tuple[int, int]:
    start, end = codes
    point = start if abs(start) < POSITIVE_INFINITY else end if abs(end) < POSITIVE_INFINITY else 0
    return point, point


def _cover(offers: Sequence[_Offer], low: int, high: int) -> list[tuple[_Offer, tuple[int, int]]] | None:
    """The fewest offers that cover [low, high], each with its share, in order; None when all together do not."""
    waiting = sorted((offer for offer in offers if offer.end >= low and offer.start <= high), key=lambda o: o.start)
    chosen: list[tuple[_Offer, tuple[int, int]]] = []
    place, reached = 0, low
    best: _Offer | None = None
    while True:
        while place < len(waiting) and waiting[place].start <= reached:
            if best is None or waiting[place].end > best.end:
                best = waiting[place]
            place += 1
        if best is None or best.end < reached:
            return None
        chosen.append((best, (reached, min(best.end, high))))
        if best.end >= high:
            return chosen
        reached = best.end + 1
