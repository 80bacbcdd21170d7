"""Fact files: one fact a line, ``P(a,b)@[1,2.5)``, ``P(a)@3`` or ``Q@(0,inf)``; of Temporal Datalog, ``P(a,3)``.

Plain lines are read as columns, all at once; the others, and the mistakes among them, one at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate

from thalweg.errors import Diagnostic
from thalweg.null import Null
from thalweg.source import Source
from thalweg.syntax.fact_batch import (
    Coded,
    FactBatch,
    FactFile,
    FactRow,
    Value,
    batch_rows,
    merge_batches,
)
from thalweg.syntax.fact_columns import read_columns
from thalweg.syntax.fact_line import read_line
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.printer import format_text
from thalweg.time.interval import Interval, format_rational

__all__ = ["Coded", "FactBatch", "FactFile", "Value", "format_fact", "format_value", "read_facts"]


def read_facts(source: Source, always: Collection[str] = (), *, time_is_last: bool = False) -> FactFile:
    """The facts of a file; those of the predicates in ``always`` may lack a time and then hold always.

    Where ``time_is_last``, others may lack it as well: their last argument is the time point.
    """
    columns = read_columns(source, frozenset(always), time_is_last)
    rows, found = _read_carefully(source, columns.other_lines, frozenset(always), time_is_last)
    batches = merge_batches([*columns.batches, *batch_rows(rows, source.name)])
    return FactFile(batches, tuple(found))


def format_fact(predicate: str, values: Sequence[Value], interval: Interval) -> str:
    """A fact as :func:`read_facts` reads it."""
    arguments = f"({','.join(map(format_value, values))})" if values else ""
    return f"{predicate}{arguments}@{interval}"


def format_value(value: Value | Null) -> str:
    """A data value: an exact number, a bare name, or a quoted text; a null as it prints, which cannot be read."""
    if isinstance(value, Null):
        return str(value)
    return format_text(value) if isinstance(value, str) else format_rational(value)


def _read_carefully(
    source: Source, lines: Iterable[int], always: frozenset[str], time_is_last: bool
) -> tuple[list[FactRow], list[Diagnostic]]:
    rows: list[FactRow] = []
    found: list[Diagnostic] = []
    lines = list(lines)
    if not lines:
        return rows, found
    texts = source.text.split("\n")
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    for line in lines:
        try:
            row = read_line(source, line, starts[line - 1], starts[line] - 1, always, time_is_last)
        except Mistake as mistake:
            found.append(mistake.diagnostic)
        else:
            rows += [row] if row else []
    return rows, found
