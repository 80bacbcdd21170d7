"""Facts in lanes: one lane for each predicate with its arguments, in the order in which they became known.

The page asks for what is new since a cursor. A store is bounded: when it is full its older half is dropped, and a page
that comes with a cursor of before is told to begin anew.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from thalweg.web.shown import Shown
from thalweg.web.wire_times import Wire

START_CLOSED, END_CLOSED = 1, 2
"""The bits that say which ends of an interval belong to it."""

MOST_FACTS = 100_000
"""So many facts of a run are shown."""

MOST_AT_ONCE = 5_000
"""So many facts go to the page in one answer."""

Row = tuple[Sequence[str], Wire, Wire, int]
"""Arguments as texts, start, end, and which ends are closed."""


class Lanes:
    """The facts of a run that the page shows."""

    def __init__(self, most: int = MOST_FACTS) -> None:
        self._most = most
        self._lock = threading.RLock()
        # Two servers, one after the other, must not have the same.
        self._generation = secrets.randbelow(1_000_000)
        self.dropped = 0
        self._predicates: dict[str, Shown] = {}
        self._numbers: dict[tuple[str, tuple[str, ...]], int] = {}
        self._lanes: list[tuple[str, tuple[str, ...]]] = []
        self._facts: list[tuple[int, Wire, Wire, int]] = []

    def __len__(self) -> int:
        return len(self._facts)

    @property
    def predicates(self) -> tuple[Shown, ...]:
        """Those that have facts, or may have."""
        return tuple(self._predicates.values())

    @property
    def facts(self) -> Sequence[tuple[int, Wire, Wire, int]]:
        """Lane, start, end and closed ends of every fact."""
        return self._facts

    def lane(self, number: int) -> tuple[str, tuple[str, ...]] | None:
        """The predicate and the arguments of a lane."""
        return self._lanes[number] if 0 <= number < len(self._lanes) else None

    def declare(self, predicate: Shown) -> None:
        """Tell of a predicate."""
        self._predicates.setdefault(predicate.name, predicate)

    def add(self, predicate: str, rows: Iterable[Row]) -> None:
        """Add facts of a predicate that has been declared."""
        with self._lock:
            for arguments, start, end, ends in rows:
                self._facts.append((self._number(predicate, tuple(arguments)), start, end, ends))
            if len(self._facts) > self._most:
                self._drop()

    def clear(self) -> None:
        """Forget all facts: the run began anew."""
        with self._lock:
            self._begin_anew([])
            self.dropped = 0

    def since(self, cursor: str, limit: int = MOST_AT_ONCE) -> dict[str, Any]:
        """What is new since a cursor, as JSON; ``reset`` says that the page must forget what it has."""
        with self._lock:
            return self._since(cursor, limit)

    def _since(self, cursor: str, limit: int) -> dict[str, Any]:
        lanes, facts, is_known = self._position(cursor)
        upto = min(facts + limit, len(self._facts))
        known = max((fact[0] + 1 for fact in self._facts[facts:upto]), default=lanes)
        known = max(known, lanes) if upto < len(self._facts) else len(self._lanes)
        return {
            "cursor": f"{self._generation}.{known}.{upto}",
            "reset": not is_known,
            "more": upto < len(self._facts),
            "dropped": self.dropped,
            "predicates": [asdict(each) for each in self.predicates],
            "lanes": self._lanes[lanes:known],
            "facts": self._facts[facts:upto],
        }

    def _position(self, cursor: str) -> tuple[int, int, bool]:
        parts = cursor.split(".")
        if len(parts) == 3 and all(part.isdecimal() and len(part) < 10 for part in parts):
            generation, lanes, facts = map(int, parts)
            if generation == self._generation and lanes <= len(self._lanes) and facts <= len(self._facts):
                return lanes, facts, True
        return 0, 0, False

    def _number(self, predicate: str, arguments: tuple[str, ...]) -> int:
        number = self._numbers.setdefault((predicate, arguments), len(self._lanes))
        if number == len(self._lanes):
            self._lanes.append((predicate, arguments))
        return number

    def _drop(self) -> None:
        kept = self._facts[-(self._most // 2) :]
        self.dropped += len(self._facts) - len(kept)
        self._begin_anew([(self._lanes[lane], start, end, ends) for lane, start, end, ends in kept])

    def _begin_anew(self, kept: list[tuple[tuple[str, tuple[str, ...]], Wire, Wire, int]]) -> None:
        self._generation += 1
        self._numbers, self._lanes, self._facts = {}, [], []
        self._facts = [(self._number(*atom), start, end, ends) for atom, start, end, ends in kept]
