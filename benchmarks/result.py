"""What a benchmark found: tables, pictures, and checks against what was promised."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows under headings; every cell is text, as it is to be read."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Check:
    """A promise and whether it was kept."""

    promise: str
    found: str
    kept: bool


@dataclass(frozen=True)
class Result:
    """``raw`` has every single measurement, for whoever wants to look again."""

    title: str
    note: str
    table: Table
    checks: tuple[Check, ...]
    raw: dict[str, Any]
    pictures: tuple[Path, ...] = field(default=())

    @property
    def kept(self) -> bool:
        return all(check.kept for check in self.checks)


def at_least(promise: str, found: float, limit: float) -> Check:
    return Check(promise, f"{_number(found)}, at least {_number(limit)} wanted", found >= limit)


def at_most(promise: str, found: float, limit: float) -> Check:
    return Check(promise, f"{_number(found)}, at most {_number(limit)} wanted", found <= limit)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
