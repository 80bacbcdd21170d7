"""The stateful operator: one shard a group, its reasoner in memory, its state as a log in Spark's state store."""

from __future__ import annotations

import struct
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from thalweg.engine.frames import VERSION, pack, unpack
from thalweg.engine.parcels import Parcel
from thalweg.engine.pipeline import Pipeline
from thalweg.engine.shard import AnyShard, Shard
from thalweg.engine.state_errors import damaged, other_program, other_version, reading
from thalweg.spark.transport import PARCEL, Row, frame, outcome_rows
from thalweg.spark.worker_errors import carried
from thalweg.spark.worker_memory import keep_memory, memory_at_first

_KIND = "head"
_LENGTH = struct.Struct("<Q")
_BUNDLE = 16
"""So many changes of one size are put together, so that a long log has few pieces."""
_MOST_CHANGES = 4096
_SMALLEST_BASE = 1 << 18
_MOST_TOKENS = 32


@dataclass
class Head:
    """What the log holds: pieces by number, how many changes each has, and its size.

    ``tokens`` has another one for every batch, the latest last: a shard in memory with that one is up to date, and one
    with an earlier one lacks only what was written since.
    """

    identity: str
    tokens: list[str] = field(default_factory=list)
    pieces: list[list[int]] = field(default_factory=list)
    following: int = 0
    written: int = 0

    def missed_by(self, token: str) -> int | None:
        """How many changes a shard with a token lacks; None if it must begin anew."""
        if token not in self.tokens:
            return None
        missed = len(self.tokens) - 1 - self.tokens.index(token)
        return missed if missed <= sum(count for _, count, _ in self.pieces[1:]) else None

    @property
    def base_size(self) -> int:
        """The size of the base."""
        return self.pieces[0][2] if self.pieces else 0

    @property
    def change_size(self) -> int:
        """The size of all changes since."""
        return sum(size for _, _, size in self.pieces[1:])

    def to_bytes(self) -> bytes:
        """As bytes, with the version of the format and a checksum."""
        return pack(_KIND, asdict(self), ())

    @classmethod
    def of_bytes(cls, data: bytes) -> Head:
        """The head of :meth:`to_bytes`; raises :class:`StateError` for anything else."""
        if data[:1] == b"[":
            # Before version 3 the head was a list in JSON, without a version.
            raise other_version("1 or 2", VERSION)
        said, _ = unpack(_KIND, data)
        with reading():
            head = cls(**said)
            pieces = [number for piece in head.pieces for number in piece]
            if {len(piece) for piece in head.pieces} - {3} or not all(type(each) is int for each in pieces):
                raise damaged("it does not say which pieces it has")
            if not all(isinstance(each, str) for each in (head.identity, *head.tokens)):
                raise damaged("it does not say whose it is")
            if type(head.following) is not int or type(head.written) is not int:
                raise damaged("it does not say which pieces it has")
        return head


_Place = tuple[str, bool, int, int]
"""Which shard it is: of which run, whether it keeps evidence, of which stage, and its number."""

_SHARDS: OrderedDict[_Place, tuple[str, AnyShard]] = OrderedDict()
"""The shards that this worker process has at hand, with the token of the state they stand for."""
_MOST_SHARDS = 64


class ShardProcessor(StatefulProcessor):
    """Runs the shards of one stage."""

    def __init__(
        self,
        pipeline: Pipeline,
        stage: int,
        ids: Sequence[int],
        onward: Sequence[int],
        identity: str,
        make_shard: Callable[[Pipeline, int, int], AnyShard] = Shard,
    ) -> None:
        self.pipeline, self.stage, self.ids, self.next_ids, self.identity = pipeline, stage, ids, onward, identity
        self.make_shard = make_shard

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state: the head of the log, and its pieces."""
        keep_memory()
        memory_at_first()
        self._head = handle.getValueState("head", "value binary")
        self._log = handle.getMapState("log", "number bigint", "piece binary")

    def handleInitialState(self, key: Any, initialState: pd.DataFrame, timerValues: Any) -> None:  # noqa: N802, N803
        """Background: facts that are there before the stream begins."""
        with carried(), self._limited():
            shard = self._new_shard(key)
            parcels, _ = sort_out([initialState], 0)
            shard.background(parcels)
            self._keep(shard, Head(self.identity))

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """One batch of a shard."""
        home = self._home(key)
        parcels, passing = sort_out(rows, home)
        with carried(), self._limited():
            shard, head = self._at_hand(key)
            outcome = shard.process(parcels)
            self._keep(shard, head)
        with carried():
            metrics = {"state_bytes": head.base_size + head.change_size, "written_bytes": head.written}
            yield frame([*passing, *outcome_rows(outcome, self.next_ids, home, metrics)])

    def close(self) -> None:
        """Nothing is open."""

    def _limited(self) -> AbstractContextManager[None]:
        """Limit the memory of this process, which may have several shards at hand."""
        return self.pipeline.limits.on_memory(memory_at_first())

    def _new_shard(self, key: Any) -> AnyShard:
        return self.make_shard(self.pipeline, self.stage, self.ids.index(int(key[0])))

    def _at_hand(self, key: Any) -> tuple[AnyShard, Head]:
        """The shard as its state has it: from memory if it is up to date there, from the log if not."""
        if not self._head.exists():
            return self._new_shard(key), Head(self.identity)
        head = Head.of_bytes(_only(self._head.get()))
        if head.identity != self.identity:
            raise other_program("program, query, setting or number of shards")
        # Whatever goes wrong from here on, what is in memory must not be used again.
        token, shard = _SHARDS.pop(self._place(self.ids.index(int(key[0]))), ("", None))
        missed = None if shard is None else head.missed_by(token)
        if shard is None or missed is None:
            shard = self._new_shard(key)
            shard.read([segment for number, _, _ in head.pieces for segment in self._piece(number)])
        elif missed:
            shard.catch_up(self._last_segments(head, missed))
        return shard, head

    def _last_segments(self, head: Head, wanted: int) -> list[bytes]:
        segments: list[bytes] = []
        for number, _, _ in reversed(head.pieces):
            if len(segments) >= wanted:
                break
            segments = self._piece(number) + segments
        return segments[-wanted:]

    def _home(self, key: Any) -> int:
        """The next stage's shard by way of which things pass through; spread over all of them."""
        return self.next_ids[self.ids.index(int(key[0])) % len(self.next_ids)] if self.next_ids else 0

    def _place(self, number: int) -> _Place:
        return self.identity, self.pipeline.keeps_evidence, self.stage, number

    def _piece(self, number: int) -> list[bytes]:
        return _unbundle(_only(self._log.getValue((number,))))

    def _keep(self, shard: AnyShard, head: Head) -> None:
        """Write what changed, or everything when the changes have grown as large."""
        head.written = 0
        changes = sum(count for _, count, _ in head.pieces[1:])
        if not head.pieces or head.change_size > max(head.base_size, _SMALLEST_BASE) or changes > _MOST_CHANGES:
            for number, _, _ in head.pieces:
                self._log.removeKey((number,))
            head.pieces = []
            self._append(head, [shard.base()], 1)
        else:
            self._append(head, [shard.change()], 1)
            self._tidy(head)
        head.tokens = [*head.tokens[-_MOST_TOKENS:], uuid.uuid4().hex[:16]]
        self._head.update((head.to_bytes(),))
        _remember(self._place(shard.number), head.tokens[-1], shard)

    def _append(self, head: Head, segments: list[bytes], changes: int) -> None:
        piece = _bundle(segments)
        self._log.updateValue((head.following,), (piece,))
        head.pieces.append([head.following, changes, len(piece)])
        head.following += 1
        head.written += len(piece)

    def _tidy(self, head: Head) -> None:
        """Put the last pieces of one size together, as long as there are enough of them."""
        while len(head.pieces) > _BUNDLE and len({count for _, count, _ in head.pieces[-_BUNDLE:]}) == 1:
            last = head.pieces[-_BUNDLE:]
            segments = [segment for number, _, _ in last for segment in self._piece(number)]
            for number, _, _ in last:
                self._log.removeKey((number,))
            head.pieces = head.pieces[:-_BUNDLE]
            self._append(head, segments, sum(count for _, count, _ in last))


def sort_out(rows: Iterable[pd.DataFrame], home: int) -> tuple[list[Parcel], list[Row]]:
    """The parcels for the shard, and what only passes through to the next stage or the end."""
    parcels, passing = [], []
    for batch in rows:
        for tag, name, payload in zip(batch["tag"], batch["name"], batch["payload"], strict=True):
            if tag == PARCEL:
                parcels.append(Parcel.of_bytes(bytes(payload)))
            else:
                passing.append(Row(home, tag, name, bytes(payload)))
    return parcels, passing


def _only(row: tuple[Any, ...] | None) -> bytes:
    """The one column of a row of state that must be there."""
    if row is None:
        raise damaged("a piece of it is missing")
    return bytes(row[0])


def _remember(place: _Place, token: str, shard: AnyShard) -> None:
    _SHARDS[place] = token, shard
    while len(_SHARDS) > _MOST_SHARDS:
        _SHARDS.popitem(last=False)


def _bundle(segments: Sequence[bytes]) -> bytes:
    return b"".join(part for segment in segments for part in (_LENGTH.pack(len(segment)), segment))


def _unbundle(data: bytes) -> list[bytes]:
    segments, place = [], 0
    while place < len(data):
        start = place + _LENGTH.size
        length = _LENGTH.unpack_from(data, place)[0] if start <= len(data) else len(data)
        if length > len(data) - start:
            raise damaged("its end is missing")
        segments.append(data[start : start + length])
        place = start + length
    return segments
