"""Results as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.result import Result, Table


def write_report(results: Sequence[Result], stamp: Mapping[str, str], folder: Path, name: str) -> None:
    """``name.json`` with every measurement, ``name.md`` to be read."""
    found = [asdict(result) | {"pictures": [path.name for path in result.pictures]} for result in results]
    (folder / f"{name}.json").write_text(json.dumps({"stamp": stamp, "results": found}, indent=1) + "\n")
    (folder / f"{name}.md").write_text("\n".join(_markdown(results, stamp)))


def describe(result: Result) -> str:
    """A result as Markdown."""
    return "\n".join(_section(result))


def _markdown(results: Sequence[Result], stamp: Mapping[str, str]) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield from _rows(Table(("run", ""), tuple(stamp.items())))
    for result in results:
        yield ""
        yield from _section(result)
    yield ""


def _section(result: Result) -> Iterator[str]:
    yield f"## {result.title}"
    yield ""
    yield result.note
    yield ""
    yield from _rows(result.table)
    yield ""
    yield from (f"- {'kept' if c.kept else '**missed**'}: {c.promise}: {c.found}" for c in result.checks)
    for path in result.pictures:
        yield ""
        yield f"![{result.title}]({path.name})"


def _rows(table: Table) -> Iterator[str]:
    yield _row(table.headings)
    yield _row("---" for _ in table.headings)
    yield from map(_row, table.rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
