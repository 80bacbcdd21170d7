"""Temporal facts from a real LUBM university.

Each fact of the public data gets one interval with ends on halves in [0, 150], from a seeded generator.
More than one university is had by renaming; fewer facts by sampling.
"""

from __future__ import annotations

import numpy as np

from thalweg.bench.data import LUBM, data_path

HORIZON = 150


def university() -> list[tuple[str, str]]:
    """The facts of the one university as (predicate, arguments), in MeTeoR's spelling."""
    facts = []
    for path in sorted(data_path(LUBM).glob("*.csv")):
        for line in path.read_text().splitlines():
            if line:
                arguments = ",".join(_constant(field) for field in line.split(","))
                facts.append((f"a1:{path.stem}", arguments))
    return facts


def temporal_lines(size: int, seed: int = 7) -> list[str]:
    """About ``size`` distinct facts, one a line, each with an interval of its own."""
    base = university()
    random = np.random.default_rng(seed)
    copies = -(-size // len(base))
    lines = []
    for copy in range(copies):
        count = min(len(base), size - copy * len(base))
        chosen = np.sort(random.permutation(len(base))[:count])
        for number in chosen:
            predicate, arguments = base[number]
            lines.append(f"{predicate}({_renamed(arguments, copy)})")
    ends = np.sort(random.integers(0, 2 * HORIZON + 1, (len(lines), 2)), axis=1)
    brackets = random.integers(0, 4, len(lines))
    return [_with_interval(*row) for row in zip(lines, ends[:, 0], ends[:, 1], brackets, strict=True)]


def _constant(field: str) -> str:
    """A bare constant that both systems read: lower case first, no hyphens or quotes."""
    bare = field.strip('"').replace("-", "_").replace("@", "_").replace(".", "_")
    return bare[0].lower() + bare[1:]


def _renamed(arguments: str, copy: int) -> str:
    return arguments.replace("niversity0", f"niversity{1000 + copy}") if copy else arguments


def _with_interval(atom: str, start: int, end: int, bracket: int) -> str:
    left, right = ("(" if bracket & 1 else "["), (")" if bracket & 2 else "]")
    if start == end:
        left, right = "[", "]"
    return f"{atom}@{left}{start / 2:g},{end / 2:g}{right}"
