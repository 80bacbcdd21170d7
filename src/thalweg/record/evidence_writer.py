"""Keeping the facts that come in, so that answers can be explained: as many as were asked for, the oldest go first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg.engine.fact_texts import fact_texts, holds_until
from thalweg.engine.packing import pack_batch
from thalweg.model.program import Program
from thalweg.record.evidence import BACKGROUND, HORIZON, LASTING, Evidence, KeptFacts, facts_of, head_of, to_bytes
from thalweg.record.files import batch_name, write_whole
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.interval import Endpoint, format_endpoint

DEFAULT_BOUND = 1_000_000
_MOST_FILES = 256
_PARTS = 16
"""Small files are put together as long as one has no more than this part of the bound."""
_NO_END = "inf)"


def kept_facts(batches: Sequence[FactBatch], program: Program) -> KeptFacts:
    """Facts as they are kept; those that no rule mentions are not."""
    packets = [pack_batch(batch, program) for batch in batches if len(batch) and batch.predicate in program.signatures]
    lines = [line for packet in packets for line in fact_texts(packet, program.timeline).to_pylist()]
    return KeptFacts(lines, max((holds_until(packet, program.timeline) for packet in packets), default=-math.inf))


@dataclass(frozen=True)
class _File:
    path: Path
    count: int
    until: Endpoint


class EvidenceWriter:
    """Writes the folder. A crash may leave facts twice in it, but never too few of them without a word."""

    def __init__(self, folder: Path, bound: int) -> None:
        self.evidence, self.folder, self.bound = Evidence(folder), folder, bound
        self._files: list[_File] = []
        self._lasting = 0

    def begin(self, *, is_new: bool) -> bool:
        """Make the folder; whether all facts of the run so far are in it: not if it kept none before."""
        is_kept = self.evidence.is_kept
        self.folder.mkdir(parents=True, exist_ok=True)
        if not is_kept and not is_new:
            self.lose(math.inf)
        self._files = [_File(path, *head_of(path)) for path in self.evidence.batches()]
        self._lasting = head_of(self.folder / LASTING)[0]
        return is_kept or is_new

    def background(self, facts: KeptFacts) -> None:
        """Keep what is known before the stream begins; it does not count, and is never dropped."""
        if facts.lines:
            write_whole(self.folder / BACKGROUND, to_bytes(facts))

    def keep(self, number: int, facts: KeptFacts) -> None:
        """Keep the facts of a batch; what an earlier try left of it is replaced. Then drop the oldest."""
        path = self.folder / f"{batch_name(number)}.facts"
        self._files = [file for file in self._files if file.path != path]
        if facts.lines:
            write_whole(path, to_bytes(facts))
            self._files.append(_File(path, len(facts.lines), facts.until))
        else:
            path.unlink(missing_ok=True)
        self._drop()
        if len(self._files) > _MOST_FILES:
            self._put_together()

    def lose(self, until: Endpoint) -> None:
        """Note that facts which hold until a time are not kept."""
        if until > self.evidence.horizon:
            write_whole(self.folder / HORIZON, f"{format_endpoint(until)}\n".encode())

    def _drop(self) -> None:
        total = sum(file.count for file in self._files) + self._lasting
        while self._files and total > self.bound:
            oldest = self._files.pop(0)
            total -= oldest.count + self._lasting
            self._let_go(oldest)
            total += self._lasting
        if total > self.bound:
            # Facts without an end fill all the room there is.
            self.lose(math.inf)
            (self.folder / LASTING).unlink(missing_ok=True)
            self._lasting = 0

    def _let_go(self, file: _File) -> None:
        """Drop a batch but for its facts without an end, which are put with others of their kind."""
        lines = [line for line in facts_of(file.path) if line.endswith(_NO_END)]
        if lines:
            lasting = [*dict.fromkeys([*facts_of(self.folder / LASTING), *lines])]
            write_whole(self.folder / LASTING, to_bytes(KeptFacts(lasting)))
            self._lasting = len(lasting)
        self.lose(file.until)
        file.path.unlink(missing_ok=True)

    def _put_together(self) -> None:
        """Make few files of many small ones, but for the last, whose batch may be run again."""
        *older, last = self._files
        groups: list[list[_File]] = []
        for file in older:
            if groups and sum(each.count for each in groups[-1]) + file.count <= self.bound // _PARTS:
                groups[-1].append(file)
            else:
                groups.append([file])
        self._files = [*(_joined(group) for group in groups), last]


def _joined(files: list[_File]) -> _File:
    """The last of several files, with the facts of all of them."""
    *others, last = files
    if others:
        lines = [line for file in files for line in facts_of(file.path)]
        until = max(file.until for file in files)
        write_whole(last.path, to_bytes(KeptFacts(lines, until)))
        for file in others:
            file.path.unlink(missing_ok=True)
        return _File(last.path, len(lines), until)
    return last
