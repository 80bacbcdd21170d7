"""A digest of what is meant: the same in every process, whatever the comments, blanks and places in the text.

State that outlives a process carries the fingerprint of the program that wrote it, so that no other program reads it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from thalweg.source import Source, Span


def fingerprint(*meant: object) -> str:
    """The digest of programs, rules, settings and plain values."""
    return hashlib.sha256("\n".join(map(_canonical, meant)).encode()).hexdigest()


def _canonical(value: object) -> str:
    """A text that equal values share and others do not: it has types and names, no order of sets, no places.

    A field that has its default is left out, so that a field that is added later changes no fingerprint.
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if is_dataclass(value) and not isinstance(value, type):
        inside = (f"{each.name}={_canonical(getattr(value, each.name))}" for each in _telling(value))
        return f"{type(value).__name__}({','.join(inside)})"
    if isinstance(value, Mapping):
        pairs = sorted(f"{_canonical(key)}:{_canonical(each)}" for key, each in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, set | frozenset):
        return f"<{','.join(sorted(map(_canonical, value)))}>"
    if isinstance(value, tuple | list):
        return f"[{','.join(map(_canonical, value))}]"
    return _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if value is None or isinstance(value, bool | int | float | str):
        # As JSON: a text in quotes is never taken for what stands around it.
        return json.dumps(value)
    raise TypeError(f"{type(value).__name__} has no fingerprint")


def _telling(value: Any) -> Iterator[Field[Any]]:
    for each in fields(value):
        content = getattr(value, each.name)
        # What its repr leaves out is where something stands in the text.
        if each.repr and not isinstance(content, Source | Span) and not _is_default(each, content):
            yield each


def _is_default(each: Field[Any], content: object) -> bool:
    default = each.default if each.default_factory is MISSING else each.default_factory()
    return default is not MISSING and type(content) is type(default) and bool(content == default)
