"""A run, as its folder of answers shows it, also while it goes on."""

from __future__ import annotations

import hashlib
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

from thalweg.api import diagnose
from thalweg.errors import UsageError
from thalweg.record.evidence import BACKGROUND, text_of
from thalweg.record.files import FOLDER, PROGRESS, QUARANTINE, batch_number, file_names
from thalweg.record.folder import RunFolder
from thalweg.record.progress import Progress
from thalweg.record.run_record import BATCH, HYPOTHESES, STREAM, RunRecord
from thalweg.source import Source
from thalweg.syntax.facts import read_facts
from thalweg.time.timeline import Timeline
from thalweg.web.answer_rows import AnswerRows
from thalweg.web.input_rows import rows_of_batch
from thalweg.web.lanes import MOST_FACTS, Lanes
from thalweg.web.open_hypotheses import OpenHypotheses
from thalweg.web.program_subject import fact_text
from thalweg.web.proofs import Proofs
from thalweg.web.run_progress import figures, history
from thalweg.web.run_proofs import prover_of_run
from thalweg.web.shown import shown
from thalweg.web.wire_times import unwire_interval

MOST_BATCHES = 2_000
"""So many batches of a long stream are read when the page first asks."""

MOST_SET_ASIDE = 100

NO_EVIDENCE = "This run keeps no evidence, so its answers cannot be explained."
HOW_TO_KEEP = "Start it with --explain to keep the facts that came in: thalweg run … --stream --explain --output FOLDER"


class RunSubject:
    """One folder of answers. Every question looks anew, and reads what has been added since the last."""

    def __init__(self, folder: RunFolder, name: str) -> None:
        self.key = hashlib.sha256(str(folder.path.resolve()).encode()).hexdigest()[:12]
        self._folder, self._name = folder, name
        self._lock = threading.Lock()
        self._lanes = Lanes()
        self._proofs = Proofs(lambda: prover_of_run(folder))
        self._progress: tuple[tuple[int, int], list[Progress]] = ((0, 0), [])
        self._began: tuple[str, str | None] | None = None
        self._begin(folder.record)

    def summary(self) -> dict[str, Any]:
        """What the list of runs says of it."""
        record, batches = self._folder.record, self._batches()
        return {
            "id": self.key,
            "name": self._name,
            "path": str(self._folder.path),
            "kind": record.kind,
            "state": record.state,
            "message": record.message,
            "started": record.started,
            "ended": record.ended,
            "queries": record.queries,
            "clock": record.clock,
            "unit": float(Fraction(record.unit)),
            "integer": record.timeline == Timeline.INTEGER.value,
            "explain": record.explain is not None,
            "progress": figures(batches, record),
            "history": history(batches),
        }

    def lanes(self) -> Lanes:
        """The answers, and the facts that came in where they are kept."""
        self._look()
        return self._lanes

    def program(self) -> dict[str, Any]:
        """The name and the text of the rules."""
        program = self._folder.record.program
        return {"name": program.name, "text": program.text}

    def hypotheses(self) -> dict[str, Any]:
        """What may still become true."""
        self._look()
        batches = self._batches()
        with self._lock:
            return self._open.to_json(batches[-1].newest if batches else None)

    def set_aside(self) -> dict[str, Any]:
        """The last rows that could not be read or came too late."""
        found: list[dict[str, Any]] = []
        count = 0
        for batch, table in self._folder.quarantine():
            count += len(table)
            rows = table.slice(max(0, len(table) - MOST_SET_ASIDE)).to_pylist()
            found += [_set_aside(row, batch) for row in rows]
        return {"count": count, "rows": found[-MOST_SET_ASIDE:][::-1]}

    def proof(self, lane: int, start: str, end: str, ends: int) -> dict[str, Any]:
        """Why an answer holds."""
        record = self._folder.record
        interval = unwire_interval(start, end, ends, record.clock, Fraction(record.unit))
        fact = fact_text(self._lanes, lane, interval)
        if record.kind == HYPOTHESES:
            return self._open.rests_on(self._lanes.lane(lane), interval)
        if record.kind == STREAM and not self._folder.kept.is_kept:
            return {"refused": NO_EVIDENCE, "hint": HOW_TO_KEEP}
        return self._proofs.of(fact)

    def _begin(self, record: RunRecord) -> None:
        """Forget what was read if this is another run than before."""
        began = record.started, record.ended if record.kind == BATCH else None
        if began == self._began:
            return
        _require_inside(self._folder.path, record)
        self._began = began
        self._lanes.clear()
        self._proofs.forget()
        self._open = OpenHypotheses(record)
        self._rows = {query: AnswerRows(record) for query in record.queries}
        batches = self._batches()
        first = max(-1, batches[-1].batch - MOST_BATCHES) if batches else -1
        self._lanes.dropped = sum(each.answers for each in batches if each.batch <= first)
        self._read = dict.fromkeys(record.queries, first)
        self._evidence_read = first
        self._has_background = False
        self._signatures = diagnose(record.program, stratified=False)[0].signatures
        for query in record.queries:
            self._lanes.declare(shown(query, self._signatures.get(query), "output"))

    def _look(self) -> None:
        with self._lock:
            record = self._folder.record
            self._begin(record)
            for query in record.queries:
                for batch, table in self._folder.answers(query, self._read[query]):
                    if record.kind == HYPOTHESES:
                        self._open.take(query, table)
                    left_out = max(0, len(table) - MOST_FACTS)
                    self._lanes.dropped += left_out
                    self._lanes.add(query, self._rows[query].of(table.slice(left_out)))
                    self._read[query] = batch
            self._look_at_evidence(record)

    def _look_at_evidence(self, record: RunRecord) -> None:
        kept = self._folder.kept
        if not self._has_background:
            self._has_background = self._show_input(kept.folder / BACKGROUND, record)
        for path in kept.batches():
            number = batch_number(path.name)
            if number is not None and number > self._evidence_read and self._show_input(path, record):
                self._evidence_read = number

    def _show_input(self, path: Path, record: RunRecord) -> bool:
        """Show the facts of a file; whether there are any."""
        batches = read_facts(Source(path.name, text_of(path))).batches
        for batch in batches:
            self._lanes.declare(shown(batch.predicate, self._signatures.get(batch.predicate)))
            self._lanes.add(batch.predicate, rows_of_batch(batch, record.clock, Fraction(record.unit)))
        return bool(batches)

    def _batches(self) -> list[Progress]:
        """What batches said, read again only when there is more."""
        try:
            stat = (self._folder.path / FOLDER / PROGRESS).stat()
        except OSError:
            return []
        stamp = stat.st_mtime_ns, stat.st_size
        if stamp != self._progress[0]:
            self._progress = stamp, self._folder.progress()
        return self._progress[1]


def _require_inside(folder: Path, record: RunRecord) -> None:
    """Refuse a record that names answers outside its folder."""
    top = folder.resolve()
    for name in (*file_names(record.queries).values(), QUARANTINE, FOLDER):
        if not (folder / name).resolve().is_relative_to(top):
            raise UsageError(f"{folder}: {name} lies outside the folder, and is not shown")


def _set_aside(row: dict[str, Any], batch: int) -> dict[str, Any]:
    said = row.get("row")
    predicate = row.get("predicate")
    return {
        "text": f"{predicate}: {said}" if predicate else str(said),
        "reason": str(row.get("reason", "")),
        "batch": batch,
    }
