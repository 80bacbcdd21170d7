"""Writes the data of the story: facts for the command line, Parquet for Spark, and which vehicle is on which road."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from thalweg.generators.stream import Slice
from thalweg.generators.traffic import PLACES, Traffic
from thalweg.generators.write import write_facts, write_parquet

ROADS = ("ring", "bridge", "harbour")


class Positions(Traffic):
    """Traffic without headings and paces."""

    def slices(self) -> Iterator[Slice]:
        """All of it, second by second."""
        for part in super().slices():
            yield Slice(part.now, {place: part.tables[place] for place in PLACES})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write everything below a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("data"), help="the folder (default data)")
    parser.add_argument("--vehicles", type=int, default=30)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args(arguments)

    traffic = Positions(options.vehicles, options.seconds, options.seed)
    options.to.mkdir(parents=True, exist_ok=True)
    write_facts(traffic, options.to / "traffic.facts")
    write_parquet(traffic, options.to)
    vehicles = [f"veh{number}" for number in range(options.vehicles)]
    roads = [ROADS[number % len(ROADS)] for number in range(options.vehicles)]
    pq.write_table(pa.table({"vehicle": vehicles, "road": roads}), options.to / "On.parquet")


if __name__ == "__main__":
    main()
