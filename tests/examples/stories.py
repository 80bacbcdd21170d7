"""The stories of ``examples``: where their files are, and their answers in a form that can be compared."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import thalweg
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval

ROOT = Path(__file__).resolve().parents[2] / "examples"
FOR_EVER = 10_000

_FACT = re.compile(r"(.+)@([\[(])(-?\d+),(-?\d+)([\])])")

Moment = tuple[str, int]
"""An atom, and twice a time: odd numbers stand for the open stretch between two whole ones."""


@dataclass(frozen=True)
class Story:
    """A folder of ``examples``; ``until`` is the last time that is answered, ``small`` are arguments for less data.

    ``warnings`` are the codes of what ``check`` warns of, and a stream when it starts.
    """

    name: str
    background: tuple[str, ...] = ()
    until: int | None = None
    small: tuple[str, ...] = ()
    small_until: int = 0
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return ROOT / self.name

    @property
    def rules(self) -> Path:
        """Its program."""
        return self.folder / f"{self.name}.rules"

    @property
    def program(self) -> thalweg.Program:
        """Its program."""
        return thalweg.load(self.rules)

    @property
    def queries(self) -> tuple[str, ...]:
        """What it declares as output, in order."""
        return tuple(re.findall(r"^output (\w+)\(", self.rules.read_text(), flags=re.MULTILINE))

    @property
    def expected(self) -> str:
        """The answers that are kept beside it."""
        return (self.folder / "expected.facts").read_text()

    def warned(self, told: str) -> bool:
        """Whether standard error has the warnings that belong to it, and no other."""
        return tuple(re.findall(r"warning\[(\w+)\]", told)) == self.warnings and bool(told) == bool(self.warnings)

    def script(self, name: str) -> ModuleType:
        """``generate`` or ``job``."""
        spec = importlib.util.spec_from_file_location(f"{self.name}_{name}", self.folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def generate(self, folder: Path, *arguments: str) -> list[Path]:
        """Write its data; returns the files that the command line takes."""
        self.script("generate").main(["--to", str(folder), *arguments])
        return [folder / f"{self.name}.facts", *(folder / f"{name}.parquet" for name in self.background)]

    def moments(self, lines: Iterable[str]) -> set[Moment]:
        """When each atom holds according to facts as text, however they are cut into pieces."""
        found: set[Moment] = set()
        for line in lines:
            match = _FACT.fullmatch(line)
            assert match, line
            atom, opening, start, end, closing = match.groups()
            found |= self._held(atom, Interval(Fraction(start), Fraction(end), opening == "[", closing == "]"))
        return found

    def moments_of_tables(self, tables: Mapping[str, pa.Table]) -> set[Moment]:
        """The same of tables of answers by query."""
        return set().union(*(self._moments_of_rows(name, rows.to_pylist()) for name, rows in tables.items()))

    def _moments_of_rows(self, query: str, rows: list[dict[str, Any]]) -> set[Moment]:
        found: set[Moment] = set()
        for row in rows:
            times = [row.pop(name) for name in ("start", "end", "start_closed", "end_closed")]
            row.pop("batch", None)
            atom = f"{query}({','.join(map(_written, row.values()))})"
            found |= self._held(atom, Interval(Fraction(times[0]), Fraction(times[1]), times[2], times[3]))
        return found

    def _held(self, atom: str, interval: Interval) -> set[Moment]:
        first, last = 2 * interval.start, 2 * interval.end
        assert first == int(first), f"{interval} does not end at whole numbers"
        assert last == int(last), f"{interval} does not end at whole numbers"
        assert last < 2 * FOR_EVER, f"{interval} goes on for ever"
        encoded = range(int(first) + (not interval.start_closed), int(last) + interval.end_closed)
        step = 2 if "timeline integer" in self.rules.read_text() else 1
        return {(atom, time) for time in encoded[::step]}


TRAFFIC = Story("traffic", ("On",), None, ("--vehicles", "6", "--seconds", "12"), 14)
TURBINES = Story("turbines", (), None, ("--turbines", "2", "--minutes", "15"), 17)
BELTS = Story("belts", ("Line",), None, ("--belts", "2", "--seconds", "15"), 15)
TRAMS = Story("trams", ("line", "plan", "old"), 59, ("--trams", "3", "--minutes", "20"), 19, ("W305",))
NETWORK = Story("network", ("Inspector",), 299, ("--hosts", "3", "--seconds", "60"), 59)
STORIES = (TRAFFIC, TURBINES, BELTS, TRAMS, NETWORK)


def tables_below(folder: Path, queries: Iterable[str]) -> dict[str, pa.Table]:
    """Parquet folders by query."""
    return {query: pq.read_table(folder / query) for query in queries}


def _written(value: object) -> str:
    """A value as answers have it as text; nulls are texts in tables."""
    if isinstance(value, str):
        return value if value.startswith("_:") else format_value(value)
    return format_value(Fraction(value))  # type: ignore[arg-type]  # numbers are int or Decimal
