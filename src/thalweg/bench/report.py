"""Results as JSON, as figures, and as one Markdown page.

Each experiment has a JSON file with its own stamp; the page is made anew from all of them, so that an experiment that
is run again replaces its own part only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thalweg.bench.plots import KINDS, draw
from thalweg.bench.result import Check, Result, Table

PAGE = "README.md"
ESCAPED = "\\|"


@dataclass(frozen=True)
class Stamped:
    """The result of an experiment, and the run it is from."""

    name: str
    result: Result
    stamp: Mapping[str, str]


def write_result(found: Stamped, folder: Path) -> None:
    """``name.json`` with every measurement, and the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{found.name}--*"):
        old.unlink()
    for figure in found.result.figures:
        draw(figure, folder, _figure_file(found.name, figure.name))
    text = json.dumps({"stamp": found.stamp, "result": found.result.to_json()}, indent=1)
    (folder / f"{found.name}.json").write_text(text + "\n")


def read_result(path: Path) -> Stamped:
    """What :func:`write_result` wrote."""
    given: dict[str, Any] = json.loads(path.read_text())
    return Stamped(path.stem, Result.from_json(given["result"]), given["stamp"])


def write_page(folder: Path, order: Sequence[str], heading: str, left_out: Mapping[str, str]) -> None:
    """The page of all results in a folder, in the order given; ``left_out`` says of the others why they are missing."""
    found = [read_result(folder / f"{name}.json") for name in order if (folder / f"{name}.json").exists()]
    missing = {name: why for name, why in left_out.items() if name not in {each.name for each in found}}
    (folder / PAGE).write_text("\n".join(_page(found, heading, missing)))


def describe(result: Result, name: str = "") -> str:
    """A result as Markdown."""
    return "\n".join(_section(result, name))


def _page(found: Sequence[Stamped], heading: str, missing: Mapping[str, str]) -> Iterator[str]:
    yield f"# {heading}"
    yield ""
    yield "Every comparison is a ratio of figures from one run on one machine; seconds alone say little."
    yield ""
    yield from _summary(found)
    if missing:
        yield ""
        yield "## Left out"
        yield ""
        yield from (f"- {name}: {why}" for name, why in missing.items())
    for each in found:
        yield ""
        yield from _section(each.result, each.name)
        yield ""
        yield f"<details><summary>{each.name}: the run</summary>"
        yield ""
        yield from _rows(Table(("", ""), tuple(each.stamp.items())))
        yield ""
        yield "</details>"
    yield ""


def _summary(found: Sequence[Stamped]) -> Iterator[str]:
    checks = [(each, check) for each in found for check in each.result.checks]
    missed = [(each, check) for each, check in checks if not check.kept]
    end = ", and these are missed:" if missed else "."
    yield f"Of {len(checks)} promises {len(checks) - len(missed)} are kept{end}"
    if missed:
        yield ""
        yield from _rows(
            Table(
                ("experiment", "promise", "found", "why"),
                tuple((each.name, check.promise, check.found, _one_line(check.why)) for each, check in missed),
            )
        )


def _section(result: Result, name: str) -> Iterator[str]:
    yield f"## {result.title}"
    yield ""
    yield result.note
    yield ""
    if result.table.rows:
        yield from _rows(result.table)
        yield ""
    yield from map(_check, result.checks)
    for figure in result.figures:
        file = _figure_file(name, figure.name)
        yield ""
        yield f"![{figure.title}]({file}.{KINDS[0]})" + "".join(f" [{kind}]({file}.{kind})" for kind in KINDS[1:])


def _check(check: Check) -> str:
    said = f"- {'kept' if check.kept else '**missed**'}: {check.promise}: {check.found}"
    return said if check.kept or not check.why else f"{said}. {_one_line(check.why)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _figure_file(experiment: str, figure: str) -> str:
    return f"{experiment}--{figure}"


def _rows(table: Table) -> Iterator[str]:
    yield _row(table.headings)
    yield _row("---" for _ in table.headings)
    yield from map(_row, table.rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', ESCAPED) for cell in cells)} |"
