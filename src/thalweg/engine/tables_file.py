"""A file in TOML that ties predicates to tables, so that no Python is needed::

[Speed]
format = "parquet"
path = "data/speeds"
time = "ts"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thalweg.errors import DataError, Diagnostic, UsageError, did_you_mean
from thalweg.model.program import Program
from thalweg.syntax.ast import Role

FILE_FORMATS = ("csv", "delta", "json", "orc", "parquet", "text")
"""Formats that lie at a path."""

_KEYS = ("format", "path", "time", "columns", "schema", "stream", "options")


@dataclass(frozen=True)
class TableSpec:
    """Where the facts of a predicate are, and which columns they have.

    ``time`` names one column or two; None looks for the usual ones. ``columns`` are the arguments in order; None takes
    what is left. ``place`` is where the file says so, for messages.
    """

    predicate: str
    format: str
    path: str | None
    time: tuple[str, ...] | None
    columns: tuple[str, ...] | None
    schema: str | None
    is_stream: bool
    options: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    @property
    def name(self) -> str:
        """What the table is, in a few words."""
        return f"{self.format} {self.path}" if self.path else self.format


def read_tables_file(path: Path, program: Program) -> tuple[TableSpec, ...]:
    """The tables of a file; raises :class:`DataError` with all that is wrong in it."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    return _TablesFile(path, text, program).read()


class _TablesFile:
    def __init__(self, path: Path, text: str, program: Program) -> None:
        self.path, self.text, self.program = path, text, program
        self.found: list[Diagnostic] = []

    def read(self) -> tuple[TableSpec, ...]:
        specs = [self._table(name, content) for name, content in self._parsed().items()]
        if self.found:
            raise DataError(self.found)
        return tuple(spec for spec in specs if spec is not None)

    def _parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            line = re.search(r"line (\d+)", message)
            place = f"{self.path}:{line[1]}" if line else str(self.path)
            message = re.sub(r" \(at .*\)$", "", message)
            hint = "the file is TOML: [Predicate], then lines of key = value"
            raise DataError([Diagnostic("E467", None, message[:1].lower() + message[1:], hint, place)]) from error

    def _table(self, predicate: str, content: Any) -> TableSpec | None:
        if not isinstance(content, dict):
            hint = f"write [{predicate}] for the table of a predicate, and keys below it"
            self._report("E467", f"{predicate} stands outside of a table", hint, self._line(predicate, None))
            return None
        self._refuse_unknown(predicate, content)
        before = len(self.found)
        format_ = self._text(predicate, content, "format")
        path = self._text(predicate, content, "path")
        if format_ is None and "format" not in content:
            self._report_key(predicate, "format", "there is no format", 'write format = "parquet", or another')
        elif format_ in FILE_FORMATS and path is None and "path" not in content:
            self._report_key(predicate, "format", f"a table of format {format_} needs a path", 'write path = "…"')
        spec = TableSpec(
            predicate=predicate,
            format=format_ or "",
            path=None if path is None else self._absolute(path),
            time=self._names(predicate, content, "time", most=2),
            columns=self._names(predicate, content, "columns"),
            schema=self._text(predicate, content, "schema"),
            is_stream=self._flag(predicate, content, "stream", not self._is_background(predicate)),
            options=self._options(predicate, content),
            place=self._line(predicate, None),
        )
        return spec if len(self.found) == before else None

    def _refuse_unknown(self, predicate: str, content: Mapping[str, Any]) -> None:
        if predicate not in self.program.signatures:
            known = self.program.predicates
            hint = did_you_mean(predicate, known) or f"the predicates are {', '.join(known)}"
            self._report("E469", f"the program does not mention {predicate}", hint, self._line(predicate, None))
        for key in content:
            if key not in _KEYS:
                hint = did_you_mean(key, _KEYS) or f"the keys are {', '.join(_KEYS)}"
                self._report_key(predicate, key, f"there is no key {key}", hint)

    def _is_background(self, predicate: str) -> bool:
        signature = self.program.signatures.get(predicate)
        return signature is not None and signature.role is Role.BACKGROUND

    def _absolute(self, path: str) -> str:
        """Paths are relative to the file, so that it works from anywhere."""
        return path if "://" in path or path.startswith("file:") else str((self.path.parent / path).absolute())

    def _text(self, predicate: str, content: Mapping[str, Any], key: str) -> str | None:
        value = content.get(key)
        if value is None or (isinstance(value, str) and value):
            return value
        self._report_key(predicate, key, f"{key} must be a text", f'write {key} = "…"')
        return None

    def _names(
        self, predicate: str, content: Mapping[str, Any], key: str, most: int | None = None
    ) -> tuple[str, ...] | None:
        value = content.get(key)
        names = [value] if isinstance(value, str) and most else value
        if names is None:
            return None
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            self._report_key(predicate, key, f"{key} must be names of columns", f'write {key} = ["a", "b"]')
            return None
        if most and not 1 <= len(names) <= most:
            hint = 'write time = "ts", or time = ["from", "to"]'
            self._report_key(predicate, key, f"{key} names {len(names)} columns", hint)
        return tuple(names)

    def _flag(self, predicate: str, content: Mapping[str, Any], key: str, default: bool) -> bool:
        value = content.get(key, default)
        if not isinstance(value, bool):
            self._report_key(predicate, key, f"{key} must be true or false", f"write {key} = true, or false")
            return default
        return value

    def _options(self, predicate: str, content: Mapping[str, Any]) -> dict[str, str]:
        value = content.get("options", {})
        options = _flattened("", value) if isinstance(value, dict) else None
        if options is None or any(isinstance(each, list) for each in options.values()):
            hint = 'write options = { name = "value" }'
            self._report_key(predicate, "options", "options must be names with values", hint)
            return {}
        return {name: str(each).lower() if isinstance(each, bool) else str(each) for name, each in options.items()}

    def _report_key(self, predicate: str, key: str, message: str, hint: str) -> None:
        self._report("E468", f"table {predicate}: {message}", hint, self._line(predicate, key))

    def _report(self, code: str, message: str, hint: str, place: str) -> None:
        self.found.append(Diagnostic(code, None, message, hint, place))

    def _line(self, predicate: str, key: str | None) -> str:
        """Where a table, or a key in it, stands; the parser of TOML does not tell."""
        name = re.escape(predicate)
        header = re.search(rf"""^\s*(?:\[\s*["']?{name}["']?\s*[\].]|["']?{name}["']?\s*=)""", self.text, re.MULTILINE)
        if header is None:
            return str(self.path)
        start, rest = header.end(), self.text[header.end() :]
        end = re.search(r"^\s*\[", rest, re.MULTILINE)
        found = key and re.search(rf"^\s*{re.escape(key)}\s*[=.]", rest[: end.start() if end else None], re.MULTILINE)
        offset = start + found.end() if found else start
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}"


def _flattened(prefix: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their full names: TOML reads ``kafka.bootstrap.servers`` as tables inside tables."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, dict):
            found |= _flattened(f"{prefix}{name}.", value)
        else:
            found[f"{prefix}{name}"] = value
    return found
