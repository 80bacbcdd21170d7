"""Folders of answers as runs write them, batch by batch, without a run."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet

from thalweg.record.evidence_writer import EvidenceWriter
from thalweg.record.files import EVIDENCE, FOLDER, batch_name
from thalweg.record.progress import Progress
from thalweg.record.run_record import RunRecord
from thalweg.record.writer import RunWriter
from thalweg.source import Source

PUMPS = """\
unit 1min.
input  Temp(pump: string, celsius: number).
input  Maintenance(pump: string).
output Alarm(pump: string).
Hot(P) :- Temp(P, C), C > 90.
Overheated(P) :- boxminus[0,5] diamondminus[0,2] Hot(P).
Alarm(P) :- Overheated(P), not Maintenance(P).
"""

PUMP_FACTS = """\
Temp(p1,95)@0
Temp(p2,93)@1
Temp(p1,97)@2
Temp(p2,94)@3
Temp(p1,96)@4
Temp(p2,92)@4.5
Temp(p1,98)@5.5
Temp(p2,91)@6
Maintenance(p2)@[7,9)
"""

TURBINES = """\
timeline integer.
input Reading(turbine, level).
delay Reading(_, _) = 1.
Malfunction(X) :- boxplus[0,1] Reading(X, high).
"""

_FACT = pa.struct([("predicate", pa.string()), ("arguments", pa.list_(pa.string())), ("time", pa.int64())])
_AWAITED = pa.struct([*_FACT, ("until", pa.int64()), ("negated", pa.bool_())])


class WrittenRun:
    """A run that does what the test says."""

    def __init__(self, folder, program=PUMPS, queries=("Alarm",), kind="stream", **record):
        said = {"answers": "parquet", "unit": "60" if program is PUMPS else "1", "timeline": "rational", **record}
        self.folder, self.number = folder, 0
        self.writer = RunWriter(folder, RunRecord(Source("pumps.rules", program), tuple(queries), kind, **said))
        self.writer.begin()

    def batch(self, answers=(), query="Alarm", **progress):
        """Write a batch of (arguments…, start, end) as intervals that are closed, and what the batch says of itself."""
        rows = [tuple(row) for row in answers]
        if rows:
            arity = len(rows[0]) - 2
            columns = {f"arg{at + 1}": [row[at] for row in rows] for at in range(arity)}
            columns |= {"start": [row[arity] for row in rows], "end": [row[arity + 1] for row in rows]}
            closed = [True] * len(rows)
            self.write(query, pa.table({**columns, "start_closed": closed, "end_closed": closed}))
        self.tell(answers=len(rows), **progress)

    def status(self, found, query="Malfunction", **progress):
        """Write (turbine, time, status, evidence, awaited, deadline); facts are (predicate, arguments, time)."""
        names = ("predicate", "arguments", "time", "until", "negated")
        turbine, time, status, evidence, awaited, deadline = zip(*found, strict=True)
        table = pa.table(
            {
                "turbine": list(turbine),
                "time": pa.array(time, pa.int64()),
                "status": list(status),
                "evidence": pa.array(
                    [[dict(zip(names, f, strict=False)) for f in each] for each in evidence], pa.list_(_FACT)
                ),
                "hypotheses": pa.array(
                    [[dict(zip(names, (*f, False), strict=True)) for f in each] for each in awaited], pa.list_(_AWAITED)
                ),
                "deadline": pa.array(deadline, pa.int64()),
                "confidence": pa.nulls(len(found), pa.float64()),
            }
        )
        self.write(query, table)
        self.tell(**progress)

    def write(self, query, table):
        place = self.folder / query / batch_name(self.number)
        place.mkdir(parents=True)
        pyarrow.parquet.write_table(table, place / "part-0.parquet")

    def set_aside(self, rows):
        """Rows of (predicate, row, reason)."""
        predicate, row, reason = zip(*rows, strict=True)
        self.write("quarantine", pa.table({"predicate": predicate, "row": row, "reason": reason}))

    def tell(self, **progress):
        said = {"rows": 10, "seconds": 0.5, "stored": 40, "bound": 100, "lag": "2", **progress}
        self.writer.progress(Progress(self.number, **said))
        self.number += 1

    def evidence(self, lines):
        from thalweg.record.evidence import KeptFacts

        keeper = EvidenceWriter(self.folder / FOLDER / EVIDENCE, 1000)
        keeper.begin(is_new=True)
        keeper.keep(self.number, KeptFacts(lines))
