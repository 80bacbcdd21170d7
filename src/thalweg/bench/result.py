"""What an experiment found: a table, figures, and checks against what was promised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


class DisagreementError(Exception):
    """Answers differ: times must not be compared."""


@dataclass(frozen=True)
class Table:
    """Rows under headings; every cell is text, as it is to be read."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Line:
    """A line of a figure."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """Lines over a common axis; ``name`` is what its files are called by, within those of the experiment.

    ``points`` marks every value, for lines of few; ``log_x`` and ``log_y`` are for what spans several powers of ten.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    log_x: bool = False
    log_y: bool = False
    points: bool = False


@dataclass(frozen=True)
class Check:
    """A promise and whether it was kept; ``why`` says of a target that is missed what stands in its way."""

    promise: str
    found: str
    kept: bool
    why: str = ""


@dataclass(frozen=True)
class Result:
    """``raw`` has every single measurement, for whoever wants to look again."""

    title: str
    note: str
    table: Table
    checks: tuple[Check, ...]
    raw: Mapping[str, Any]
    figures: tuple[Figure, ...] = ()

    @property
    def kept(self) -> bool:
        return all(check.kept for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON takes it."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Result:
        """What :meth:`to_json` wrote, read from a file."""
        table = Table(tuple(given["table"]["headings"]), tuple(map(tuple, given["table"]["rows"])))
        checks = tuple(Check(**check) for check in given["checks"])
        figures = tuple(_figure(figure) for figure in given["figures"])
        return cls(given["title"], given["note"], table, checks, given["raw"], figures)


def at_least(promise: str, found: float, limit: float, why: str = "") -> Check:
    """A target; when it is missed, the share of it that was reached is said."""
    kept = found >= limit
    share = "" if kept or limit <= 0 else f" ({found / limit:.0%} of it)"
    return Check(promise, f"{number_text(found)}, at least {number_text(limit)} wanted{share}", kept, why)


def at_most(promise: str, found: float, limit: float, why: str = "") -> Check:
    """A limit; when it is passed, by how many times is said."""
    kept = found <= limit
    times = "" if kept or limit <= 0 else f" ({found / limit:.1f} times as much)"
    return Check(promise, f"{number_text(found)}, at most {number_text(limit)} wanted{times}", kept, why)


def must_agree(what: str, differing: int) -> Check:
    """Say that answers agree, or give the experiment up: times of different work are not compared."""
    if differing:
        raise DisagreementError(f"{what}: {differing:,} answers differ")
    return Check(what, "answers agree", True)


def number_text(value: float) -> str:
    """A number as it is to be read."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _figure(given: Mapping[str, Any]) -> Figure:
    found: Sequence[Mapping[str, Any]] = given["lines"]
    lines = tuple(Line(line["label"], tuple(line["x"]), tuple(line["y"])) for line in found)
    return Figure(**{**given, "lines": lines})
