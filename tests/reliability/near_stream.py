"""A stream of many small files, the command that follows it, and its answers."""

import os
from collections import Counter
from pathlib import Path

import pyarrow.parquet

RULES = """
input P(name: string).
output Near(name: string).
output Far(name: string).
Near(X) :- diamondminus[0,2] P(X).
Far(X) :- diamondminus[2,3] Near(X), not Near(X).
"""


def write_stream(files, names=20):
    """The program ``near.rules``, and files of facts in ``in``, as if they had come one after the other."""
    Path("near.rules").write_text(RULES)
    in_order = sorted(range(names), key=lambda n: n % 5)
    write_files(files, lambda number: [f"P(n{n})@{number * 5 + n % 5}.5" for n in in_order])


def write_files(files, lines):
    Path("in").mkdir()
    for number in range(files):
        path = Path("in") / f"{number:03}.facts"
        path.write_text("".join(f"{line}\n" for line in lines(number)))
        os.utime(path, (1_700_000_000 + number,) * 2)


def words(checkpoint, output, *more, program="near.rules", max_files=1):
    """The command that reads the files, so many a batch, and answers to the end."""
    once = ("--stream", "--trigger", "available-now", "--final", "--max-files", max_files)
    return ("run", program, "in", *once, "--checkpoint", checkpoint, "--output", output, *more)


def answers(output):
    """What a reader finds: the rows of every batch, by query and batch, and what was set aside."""
    return {
        str(folder.relative_to(output)): Counter(row for path in sorted(folder.glob("part-*")) for row in rows_of(path))
        for folder in Path(output).glob("*/batch=*")
    }


def rows_of(path):
    if path.suffix == ".parquet":
        return [repr(sorted(row.items())) for row in pyarrow.parquet.ParquetFile(path).read().to_pylist()]
    return path.read_text().splitlines()
