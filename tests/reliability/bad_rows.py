"""Rows that cannot be facts, in every form in which facts come: a bad one among good ones, and what is wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

RULES = "input P(name: string, n: integer).\nQ(X, N) :- P(X, N).\n"
GOOD = [("a", 1, 1), ("b", 2, 2)]
ANSWERS = "Q(a,1)@[1,1]\nQ(b,2)@[2,2]\n"

MEGABYTE = "m" * 1_000_000
NOTE = "thalweg: with --skip-bad such facts are reported, counted and left out\n"

LEAKS = ("Traceback", "at org.apache", "at java.", "py4j", "pyarrow.lib", 'File "')
"""What stands in a stack trace and nowhere in a message for people."""


@dataclass(frozen=True)
class Bad:
    """One kind of badness in one form: a row as it is written there, and the code that names it."""

    kind: str
    code: str
    row: object
    says: str = ""


FACTS = [
    Bad("no key", "E410", b"P(,3)@3", "a value is missing"),
    Bad("no time", "E412", b"P(c,3)@", "the time is missing"),
    Bad("text in an integer column", "E434", b"P(c,three)@3", "three is not an integer"),
    Bad("number in a text column", "E434", b"P(7,3)@3", "7 is not a text"),
    Bad("fraction in an integer column", "E434", b"P(c,1.5)@3", "1.5 is not an integer"),
    Bad("object for a value", "E401", b'P({"x":1},3)@3'),
    Bad("list for a value", "E407", b"P([1],3)@3"),
    Bad("NaN", "E434", b"P(c,nan)@3", "nan is not an integer"),
    Bad("infinity", "E419", b"P(c,inf)@3", "cannot be infinite"),
    Bad("minus infinity", "E403", b"P(c,-inf)@3"),
    Bad("beyond 64 bits", "E431", b"P(c,99999999999999999999)@3", "99999999999999999999 is out of range"),
    Bad("time beyond 64 bits", "E431", b"P(c,3)@99999999999999999999", "too far from 0"),
    Bad("not UTF-8", "E474", b'P("c\xff",3)@3', "the line is not UTF-8, at the byte 0xFF"),
    Bad("zero byte outside a text", "E401", b"P(c\x00,3)@3"),
    Bad("control character outside a text", "E401", b"P(c\x1b[31m,3)@3"),
    Bad("a column too few", "E430", b"P(c)@3", "P has 1 argument here, but 2 elsewhere"),
    Bad("a column too many", "E430", b"P(c,3,4)@3", "P has 3 arguments here, but 2 elsewhere"),
    Bad("empty interval", "E414", b"P(c,3)@[3,1]"),
    Bad("a megabyte that is broken", "E408", b"P(" + MEGABYTE.encode() + b",3@3", "never closed"),
    Bad("a megabyte of the wrong type", "E434", b"P(c," + MEGABYTE.encode() + b")@3", "is not an integer"),
]

CSV = [
    Bad("no key", "E442", b",3,3", "there is no value in column name"),
    Bad("no time", "E442", b"c,3,", "there is no value in column time"),
    Bad("text in an integer column", "E443", b"c,three,3", "column n: 'three' is not a finite number"),
    Bad("fraction in an integer column", "E434", b"c,1.5,3", "1.5 is not an integer"),
    Bad("NaN", "E443", b"c,nan,3", "column n: 'nan'"),
    Bad("infinity", "E443", b"c,inf,3", "column n: 'inf'"),
    Bad("minus infinity", "E443", b"c,-inf,3", "column n: '-inf'"),
    Bad("infinite time", "E443", b"c,3,inf", "column time: 'inf'"),
    Bad("time that is none", "E443", b"c,3,noon", "column time: 'noon'"),
    Bad("beyond 64 bits", "E431", b"c,99999999999999999999,3", "out of range"),
    Bad("time beyond 64 bits", "E431", b"c,3,99999999999999999999", "too far from 0"),
    Bad("not UTF-8", "E474", b"c\xff,3,3", "the row is not UTF-8"),
    Bad("a column too few", "E476", b"c,3", "the row has 2 columns, but the first line names 3"),
    Bad("a column too many", "E476", b"c,3,3,4", "the row has 4 columns, but the first line names 3"),
    Bad("a megabyte of the wrong type", "E443", b"c," + MEGABYTE.encode() + b",3", "is not a finite number"),
    Bad("a megabyte in a ragged row", "E476", b"c," + MEGABYTE.encode() + b",3,4", "the row has 4 columns"),
]

_INTERVAL = {"left_open": False, "right_open": False}
JSON = [
    Bad("no key", "E418", {",3": {"left_value": 3, "right_value": 3, **_INTERVAL}}, "lacks an argument"),
    Bad("no time", "E418", {"c,3": {"left_value": 3, **_INTERVAL}}, "no right_value"),
    Bad("text in an integer column", "E434", {"c,three": {"left_value": 3, "right_value": 3, **_INTERVAL}}, "three"),
    Bad("NaN for a time", "E418", {"c,3": {"left_value": float("nan"), "right_value": 3, **_INTERVAL}}, "not a time"),
    Bad("text for a time", "E418", {"c,3": {"left_value": "noon", "right_value": 3, **_INTERVAL}}, "not a time"),
    Bad("beyond 64 bits", "E431", {f"c,{10**20}": {"left_value": 3, "right_value": 3, **_INTERVAL}}, "out of range"),
    Bad("object for a time", "E418", {"c,3": {"left_value": {}, "right_value": 3, **_INTERVAL}}, "not a time"),
    Bad("list for an entry", "E418", [1, 2], "an entry is an object"),
    Bad("a column too few", "E430", {"c": {"left_value": 3, "right_value": 3, **_INTERVAL}}, "1 argument here"),
]

_BYTES = pa.Array.from_buffers(
    pa.string(),
    3,
    [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0\4\0\0\0"), pa.py_buffer(b"abc\xff")],
)
PARQUET = [
    Bad("no key", "E442", {"name": ["a", "b", None]}, "there is no value in column name"),
    Bad("no value", "E442", {"n": pa.array([1, 2, None], pa.int64())}, "there is no value in column n"),
    Bad("no time", "E442", {"time": pa.array([1, 2, None], pa.int64())}, "there is no value in column time"),
    Bad("NaN", "E443", {"n": [1.0, 2.0, float("nan")]}, "column n: nan is not a finite number"),
    Bad("infinity", "E443", {"n": [1.0, 2.0, float("inf")]}, "column n: inf"),
    Bad("minus infinity", "E443", {"n": [1.0, 2.0, float("-inf")]}, "column n: -inf"),
    Bad("infinite time", "E443", {"time": [1.0, 2.0, float("inf")]}, "column time: inf"),
    Bad("fraction in an integer column", "E434", {"n": [1.0, 2.0, 1.5]}, "1.5 is not an integer"),
    Bad("text in an integer column", "E434", {"n": ["x", "y", "z"]}, "is not an integer"),
    Bad("beyond 64 bits", "E431", {"n": pa.array([1, 2, 2**63], pa.uint64())}, "out of range"),
    Bad("not UTF-8", "E474", {"name": _BYTES}, "column name: the text is not UTF-8"),
    Bad("a megabyte of the wrong type", "E434", {"name": ["a", "b", "c"], "n": ["1", "2", MEGABYTE]}, "is not an int"),
]

WRONG_ALL = {"text in an integer column", "a megabyte of the wrong type"}
"""In Parquet a column has one type: then every row is bad."""


def write_facts(path: Path, bad: bytes) -> None:
    """A fact file with one bad line, in the middle."""
    path.write_bytes(b"P(a,1)@1\n" + bad + b"\nP(b,2)@2\n")


def write_csv(path: Path, bad: bytes) -> None:
    """A table with one bad row."""
    path.write_bytes(b"name,n,time\na,1,1\n" + bad + b"\nb,2,2\n")


def write_json(path: Path, bad: object) -> None:
    """Facts as MeTeoR writes them, with one bad entry."""
    good = [{f"{x},{n}": {"left_value": t, "right_value": t, **_INTERVAL}} for x, n, t in GOOD]
    path.write_text(json.dumps({"P": [good[0], bad, good[1]]}))


def write_parquet(path: Path, bad: dict) -> None:
    """A table with one bad row, the last."""
    columns = {"name": ["a", "b", "c"], "n": [1, 2, 3], "time": [1, 2, 3], **bad}
    pq.write_table(pa.table(columns), path)


WAYS = {
    "facts": ("p.facts", FACTS, write_facts),
    "csv": ("P.csv", CSV, write_csv),
    "json": ("p.json", JSON, write_json),
    "parquet": ("P.parquet", PARQUET, write_parquet),
}

CELLS = [(way, bad) for way, (_, kinds, _) in WAYS.items() for bad in kinds]


def is_fit_for_people(text: str, longest: int = 3000) -> bool:
    """Whether a message has no trace of the machinery in it, and is not too long to be read."""
    controls = [char for char in text if ord(char) < 32 and char not in "\n\t"]
    return not any(leak in text for leak in LEAKS) and len(text) <= longest and not controls
