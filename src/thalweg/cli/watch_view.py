"""The table of ``thalweg watch``, in a terminal that is wide enough for some of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, OverflowMethod, RenderableType
from rich.table import Table
from rich.text import Text

from thalweg.cli.watched import Watched
from thalweg.engine.hypotheses.stream import HypotheticalAnswers

_STYLES = {"confirmed": "green", "refuted": "red", "dropped": "yellow", "late": "magenta"}
_LINES_AROUND = 6
"""The heading, its rules, the counts and the line of what is not shown."""

_WIDE = 80


def live_view(watched: Watched, console: Console, now: float) -> RenderableType:
    """What fits the terminal: counts, open answers, what was decided a moment ago."""
    recent = watched.recent(now)
    shown, count = watched.open(max(console.height - len(recent) - _LINES_AROUND, 1))
    parts: list[RenderableType] = [Text(watched.counts(now), style="bold", no_wrap=True, overflow="ellipsis")]
    parts.append(_table(shown, console.width) if count else Text("nothing is open", style="dim"))
    parts += [Text(f"and {count - len(shown):,} more", style="dim")] if count > len(shown) else []
    parts += [_decided(line) for line in recent]
    return Group(*parts)


def plain_view(watched: Watched, most: int) -> RenderableType:
    """The whole table, for a file or a pipe."""
    shown, count = watched.open(most)
    if not count:
        return Text("nothing is open")
    more = [Text(f"and {count - len(shown):,} more")] if count > len(shown) else []
    return Group(_table(shown), *more)


def _table(answers: HypotheticalAnswers, width: int | None = None) -> Table:
    """One row for each answer; in a narrow terminal without what it has."""
    cut = width is not None
    rows = [_cells(answers, row) for row in answers.table().to_pylist()]
    is_known = any(row[3] for row in rows)
    table = Table(box=SIMPLE_HEAD if cut else None, pad_edge=False, show_edge=False, expand=cut)
    overflow: OverflowMethod = "ellipsis" if cut else "ignore"
    table.add_column("answer", no_wrap=True, overflow=overflow, style="bold")
    table.add_column("awaits", no_wrap=True, overflow=overflow, ratio=3 if cut else None)
    table.add_column("decided by", no_wrap=True, justify="right")
    if is_known:
        table.add_column("confidence", no_wrap=True, justify="right")
    if width is None or width >= _WIDE:
        table.add_column("has", no_wrap=True, overflow=overflow, ratio=2 if cut else None, style="dim")
    for answer, awaits, deadline, confidence, has in rows:
        cells = (answer, awaits, deadline, *([confidence] if is_known else []), has)
        table.add_row(*map(Text, cells[: len(table.columns)]))
    return table


def _cells(answers: HypotheticalAnswers, row: dict[str, Any]) -> tuple[str, str, str, str, str]:
    values = [row[name] for name in answers.columns]
    shown = [name if value is None else value for name, value in zip(answers.names, values, strict=True)]
    awaits = ", ".join(_awaited(each) for each in row["hypotheses"])
    deadline = "" if row["deadline"] is None else str(row["deadline"])
    confidence = "" if row["confidence"] is None else f"{row['confidence']:.3g}"
    return _fact(answers.query, shown, row["time"]), awaits, deadline, confidence, _evidence(row["evidence"])


def _evidence(atoms: Sequence[dict[str, Any]]) -> str:
    return ", ".join(_fact(each["predicate"], each["arguments"], each["time"], unknown="") for each in atoms)


def _awaited(atom: dict[str, Any]) -> str:
    until = "" if atom["until"] is None else f" until {atom['until']}"
    return f"{'not ' * atom['negated']}{_fact(atom['predicate'], atom['arguments'], atom['time'])}{until}"


def _fact(predicate: str, arguments: Sequence[object], time: int | None, unknown: str = "@?") -> str:
    inside = ", ".join("_" if value is None else str(value) for value in arguments)
    return f"{predicate}{f'({inside})' * bool(arguments)}{unknown if time is None else f'@{time}'}"


def _decided(line: str) -> Text:
    text = Text(line, no_wrap=True, overflow="ellipsis")
    text.stylize(_STYLES.get(line.split()[0], ""), 0, 9)
    return text
