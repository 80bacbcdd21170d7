"""Changes and open answers as Arrow tables and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg.analysis.hypotheses.terms import TimedAtom
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.budget import reserve
from thalweg.engine.hypotheses.changes import Change, Status
from thalweg.engine.hypotheses.matching import UNBOUND, term_codes
from thalweg.engine.hypotheses.pattern_rows import NEVER, PatternRows
from thalweg.engine.hypotheses.reasoner import HypothesisReasoner
from thalweg.engine.hypotheses.rows import Rows
from thalweg.engine.hypotheses.texts import Texts
from thalweg.engine.materialisation import argument_names
from thalweg.model.program import Signature
from thalweg.source import visible

COLUMNS = ("time", "status", "evidence", "hypotheses", "deadline", "confidence")
EVIDENCE = pa.struct([("predicate", pa.string()), ("arguments", pa.list_(pa.string())), ("time", pa.int64())])
HYPOTHESIS = pa.struct([*EVIDENCE, ("until", pa.int64()), ("negated", pa.bool_())])

_FOR_AN_ATOM = 20
"""The words of memory that an atom takes in a list of evidence or hypotheses."""


@dataclass(frozen=True)
class AnswerRows:
    """Rows of answers as columns.

    ``answers`` are the codes of the query's terms, the time last; what is unbound is :data:`UNBOUND`. ``evidence`` and
    ``hypotheses`` are lists of structs; an unbound argument or time in them is null, as is the time of background.
    ``deadline`` is null where no time decides, ``confidence`` where it is not known.
    """

    answers: tuple[Ints, ...]
    status: pa.Array
    evidence: pa.Array
    hypotheses: pa.Array
    deadline: pa.Array
    confidence: pa.Array

    def __len__(self) -> int:
        return len(self.status)


def answer_rows(reasoner: HypothesisReasoner, changes: Sequence[Change], closed: int) -> AnswerRows:
    """Changes with all that is said of them when the time points up to ``closed`` are over."""
    parts = [_part(reasoner, change, closed) for change in changes if len(change.rows)]
    if not parts:
        arity = len(reasoner.answered.columns)
        nothing = np.empty(0, dtype=np.int64)
        kinds = (pa.string(), pa.list_(EVIDENCE), pa.list_(HYPOTHESIS), pa.int64(), pa.float64())
        status, evidence, hypotheses, deadline, confidence = (pa.array([], kind) for kind in kinds)
        return AnswerRows((nothing,) * arity, status, evidence, hypotheses, deadline, confidence)
    columns = zip(*(part.answers for part in parts), strict=True)
    return AnswerRows(
        tuple(map(np.concatenate, columns)),
        pa.concat_arrays([part.status for part in parts]),
        pa.concat_arrays([part.evidence for part in parts]),
        pa.concat_arrays([part.hypotheses for part in parts]),
        pa.concat_arrays([part.deadline for part in parts]),
        pa.concat_arrays([part.confidence for part in parts]),
    )


def column_names(signature: Signature) -> list[str]:
    """Names for the columns of a query's arguments, none of them one of ours."""
    names = argument_names(signature, signature.arity)
    return [f"arg{i}" for i in range(1, len(names) + 1)] if {*names} & {*COLUMNS} else names


def _part(reasoner: HypothesisReasoner, change: Change, closed: int) -> AnswerRows:
    rows, size = change.rows, len(change.rows)
    reserve(size, _FOR_AN_ATOM * len(change.pattern.pattern.atoms))
    decided = change.pattern.decided(rows)
    no_deadline = (decided == NEVER) | (change.status is Status.CONFIRMED)
    likelihood = reasoner.likelihood(change, closed)
    listing = _Listing(change.pattern, rows, reasoner.texts)
    return AnswerRows(
        change.answers,
        pa.array([change.status.value] * size, pa.string()),
        _lists([*listing.evidence()], size, EVIDENCE),
        _lists([*listing.hypotheses(closed, change.contradicted)], size, HYPOTHESIS),
        pa.array(decided, mask=no_deadline),
        pa.array(likelihood, mask=np.isnan(likelihood)),
    )


@dataclass(frozen=True)
class _Listed:
    """One atom in those rows in which it is listed."""

    rows: Ints
    structs: pa.StructArray


@dataclass(frozen=True)
class _Listing:
    """The atoms of rows as structs."""

    pattern: PatternRows
    rows: Rows
    texts: Texts

    def evidence(self) -> Iterator[_Listed]:
        """What has arrived, background included."""
        for atom, chosen in self.pattern.evidence(self.rows):
            yield self._listed(atom, chosen, EVIDENCE)
        for atom in self.pattern.pattern.given:
            bound = set(self.rows.variables).issuperset(atom.argument_variables)
            yield self._listed(atom, np.full(len(self.rows), bound), EVIDENCE, timed=False)

    def hypotheses(self, closed: int, contradicted: tuple[Bools, ...] | None) -> Iterator[_Listed]:
        """What is awaited; of negated atoms those that may still come, or in refuted rows those that have."""
        for atom, chosen in self.pattern.hypotheses(self.rows):
            yield self._listed(atom, chosen, HYPOTHESIS)
        if contradicted is not None:
            for atom, came in zip(self.pattern.pattern.negated, contradicted, strict=True):
                yield self._listed(atom, came, HYPOTHESIS, negated=True)
            return
        for atom in self.pattern.absences:
            open_still = self.pattern.untils(self.rows, atom) > closed
            yield self._listed(atom, open_still, HYPOTHESIS, negated=True)

    def _listed(
        self, atom: TimedAtom, chosen: Bools, kind: pa.StructType, *, timed: bool = True, negated: bool = False
    ) -> _Listed:
        taken = self.rows.take(chosen)
        size = len(taken)
        *arguments, times = self._codes(atom, taken)
        columns = [
            pa.array([atom.predicate] * size, pa.string()),
            _interleaved([self.texts.of(codes) for codes in arguments], size),
            pa.array(times >> 1, mask=(times == UNBOUND) | (not timed)),
        ]
        if kind == HYPOTHESIS:
            until = self.pattern.untils(taken, atom)
            columns += [pa.array(until, mask=until == NEVER), pa.array([negated] * size, pa.bool_())]
        return _Listed(chosen.nonzero()[0], pa.StructArray.from_arrays(columns, fields=[*kind]))

    def _codes(self, atom: TimedAtom, rows: Rows) -> list[Ints]:
        return [term_codes(term, rows.columns, len(rows), self.pattern.values) for term in atom.terms]


def _interleaved(columns: Sequence[pa.Array], size: int) -> pa.ListArray:
    """Columns as one column of lists."""
    width = len(columns)
    flat = pa.concat_arrays(columns) if columns else pa.array([], pa.string())
    order = np.arange(width * size).reshape(width, size).T.reshape(-1)
    offsets = pa.array(np.arange(size + 1) * width, pa.int32())
    return pa.ListArray.from_arrays(offsets, flat.take(pa.array(order)))


def _lists(parts: Sequence[_Listed], size: int, kind: pa.StructType) -> pa.ListArray:
    """For each row the atoms that are listed there, in the order of the parts."""
    if not parts:
        return pa.ListArray.from_arrays(pa.array(np.zeros(size + 1), pa.int32()), pa.array([], kind))
    rows = np.concatenate([part.rows for part in parts])
    structs = pa.concat_arrays([part.structs for part in parts])
    counts = np.bincount(rows, minlength=size) if size else np.empty(0, dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), structs.take(pa.array(np.argsort(rows, kind="stable")))
    )


def line_of(
    query: str, arguments: Sequence[str | None], names: Sequence[str], time: str | None, row: dict[str, Any]
) -> str:
    """One row as a line of text, for people: what a terminal would obey is shown by its picture."""
    shown = ", ".join(name if value is None else value for value, name in zip(arguments, names, strict=True))
    atom = f"{query}({shown})" if arguments else query
    pieces = [f"{row['status']:<9} {atom}@{'?' if time is None else time}"]
    pieces += [f"has {', '.join(map(_fact, row['evidence']))}"] if row["evidence"] else []
    pieces += _missing(row) if row["status"] == Status.REFUTED.value else _awaiting(row)
    if row["status"] in (Status.OPENED.value, Status.EXTENDED.value, Status.OPEN.value):
        pieces.append("no deadline" if row["deadline"] is None else f"decided by {row['deadline']}")
        pieces += [] if row["confidence"] is None else [f"confidence {row['confidence']:.3g}"]
    return visible("; ".join(pieces))


def _awaiting(row: dict[str, Any]) -> list[str]:
    return [f"awaits {', '.join(map(_awaited, row['hypotheses']))}"] if row["hypotheses"] else []


def _missing(row: dict[str, Any]) -> list[str]:
    """Why a row is refuted: what did not come, and what came though it must not."""
    lacking = [_awaited(each) for each in row["hypotheses"] if not each["negated"]]
    came = [_fact(each) for each in row["hypotheses"] if each["negated"]]
    return ([f"lacks {', '.join(lacking)}"] if lacking else []) + ([f"but {', '.join(came)} came"] if came else [])


def _fact(each: dict[str, Any]) -> str:
    arguments = ["_" if value is None else value for value in each["arguments"]]
    atom = f"{each['predicate']}({', '.join(arguments)})" if arguments else str(each["predicate"])
    return atom if each["time"] is None else f"{atom}@{each['time']}"


def _awaited(each: dict[str, Any]) -> str:
    fact = _fact(each) if each["time"] is not None else f"{_fact(each)}@?"
    until = "" if each["until"] is None else f" until {each['until']}"
    return f"{'not ' if each['negated'] else ''}{fact}{until}"
