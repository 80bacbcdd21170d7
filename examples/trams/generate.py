"""Writes the data of the story: facts for the command line, Parquet for Spark, and the tables that do not change."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thalweg.generators.stream import Slice
from thalweg.generators.trams import Trams
from thalweg.generators.write import write_facts, write_parquet

LOST = 0.05
"""The share of reports that never come."""


class Reports(Trams):
    """Trams whose reports get lost now and then."""

    def slices(self) -> Iterator[Slice]:
        """All of it, minute by minute."""
        random = np.random.default_rng((self.seed, 3))
        for part in super().slices():
            reports = part.tables["tram"]
            arrives = random.random(len(reports)) >= LOST
            yield Slice(part.now, {**part.tables, "tram": reports.filter(pa.array(arrives))})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write everything below a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("data"), help="the folder (default data)")
    parser.add_argument("--trams", type=int, default=10)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    trams = Reports(options.trams, options.minutes, options.seed)
    options.to.mkdir(parents=True, exist_ok=True)
    write_facts(trams, options.to / "trams.facts")
    write_parquet(trams, options.to)
    for name, table in trams.background.items():
        pq.write_table(table, options.to / f"{name}.parquet")


if __name__ == "__main__":
    main()
