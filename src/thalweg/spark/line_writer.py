"""Which lines the answers of a run are written as."""

from __future__ import annotations

from thalweg.spark.answers import QueryColumns
from thalweg.spark.hypothesis_reasoning import HypothesisReasoning
from thalweg.spark.lines import Lines, LineWriter
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.status_lines import StatusLineWriter


def line_writer(planned: Reasoning, format_: str) -> Lines:
    """The writer for a run; ``format_`` is ``facts`` or ``json``."""
    if isinstance(planned, HypothesisReasoning):
        return StatusLineWriter(format_, planned.program, planned.status_columns)
    columns = {name: each for name, each in planned.columns.items() if isinstance(each, QueryColumns)}
    return LineWriter(format_, planned.program, columns, planned.options.ids)
