"""Tables of facts as lines of text, as fact files have them; whole columns at a time."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from thalweg.generators.stream import TIME
from thalweg.syntax.tokens import OPERATOR_WORDS, RESERVED_WORDS

_BARE = r"^[a-z][A-Za-z0-9_]*$"
_WORDS = sorted({*OPERATOR_WORDS, *RESERVED_WORDS, "window", "exists", "at"})
_ESCAPES = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"))


def fact_lines(predicate: str, table: pa.Table) -> pa.Array:
    """A line for each row: ``P(a,b)@3``, or ``P(a,b)`` where the table has no column of time points."""
    arguments = [_written(table.column(name)) for name in table.column_names if name != TIME]
    joined = pc.binary_join_element_wise(*arguments, ",") if arguments else pa.array([""] * len(table))
    opening, closing = ("(", ")") if arguments else ("", "")
    if TIME not in table.column_names:
        return pc.binary_join_element_wise(f"{predicate}{opening}", joined, closing, "")
    return pc.binary_join_element_wise(f"{predicate}{opening}", joined, f"{closing}@", _written(table.column(TIME)), "")


def joined(lines: pa.Array) -> str:
    """Lines as one text, each with its end."""
    if not len(lines):
        return ""
    whole = lines.combine_chunks() if isinstance(lines, pa.ChunkedArray) else lines
    one = pa.ListArray.from_arrays(pa.array([0, len(whole)], pa.int32()), whole)
    text: str = pc.binary_join(one, "\n")[0].as_py()
    return f"{text}\n"


def _written(column: pa.ChunkedArray) -> pa.Array:
    """Values as a fact file has them: numbers as they are, texts in quotes where they need them."""
    values = column.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_integer(values.type) or pa.types.is_decimal(values.type):
        return values.cast(pa.string())
    if not pa.types.is_string(values.type):
        raise TypeError(f"values of type {values.type} cannot be written as facts")
    bare = pc.and_not(pc.match_substring_regex(values, _BARE), pc.is_in(values, pa.array(_WORDS)))
    return values if pc.all(bare, min_count=0).as_py() else pc.if_else(bare, values, _quoted(values))


def _quoted(values: pa.Array) -> pa.Array:
    for char, escape in _ESCAPES:
        values = pc.replace_substring(values, char, escape)
    return pc.binary_join_element_wise('"', values, '"', "")
