"""The names of answers."""

from __future__ import annotations

import hashlib

import pyarrow as pa

DIGITS = 12


def fact_id(text: str) -> str:
    """The name of a fact: the same for the same text, everywhere."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def fact_ids(texts: pa.Array) -> pa.Array:
    """A column of names."""
    return pa.array([fact_id(text) for text in texts.to_pylist()], pa.string())


def with_id(line: str) -> str:
    """A fact as a line, with its name as a comment."""
    return f"{line}  % {fact_id(line)}"
