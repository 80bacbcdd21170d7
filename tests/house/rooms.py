"""The table of rooms in ``docs/architecture.md``, and the imports of the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "thalweg"
OPEN_TO_ALL = {"errors", "null", "source"}
NO_ROOMS = {"examples"}


def table() -> dict[str, set[str]]:
    """What each room may import, directly or because a room that it imports may."""
    stated: dict[str, set[str]] = {}
    for line in (ROOT / "docs" / "architecture.md").read_text().splitlines():
        row = re.fullmatch(r"\| (`.+`) \| [^|]+ \| ([^|]+) \|", line)
        if row:
            for room in re.findall(r"`(\w+)(?:/|\.py)`", row[1]):
                stated[room] = set(re.findall(r"`(\w+)`", row[2]))
    return {room: _closure(room, stated) | OPEN_TO_ALL for room in stated}


def room_of(module: str) -> str | None:
    """The room of ``thalweg.room.file``; None for the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "thalweg" else None


def imports(source: str) -> Iterator[str]:
    """The modules of the package that a source text imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("thalweg."))
        elif isinstance(node, ast.ImportFrom) and node.module == "thalweg":
            yield from (f"thalweg.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("thalweg."):
            yield node.module or ""


def _closure(room: str, stated: dict[str, set[str]]) -> set[str]:
    reached, waiting = set(), [room]
    while waiting:
        for other in stated.get(waiting.pop(), set()) - reached:
            reached.add(other)
            waiting.append(other)
    return reached | {room}
