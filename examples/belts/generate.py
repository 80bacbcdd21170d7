"""Writes the data of the story: facts for the command line, Parquet for Spark, and the line of each belt."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from thalweg.generators.belts import Belts, Chances
from thalweg.generators.stream import Slice
from thalweg.generators.write import write_facts, write_parquet

CHANCES = Chances(slow=0.1, hot=0.18, lasting=0.6)
BELTS_OF_A_LINE = 4


class Reports(Belts):
    """Belts with the names that the rules have."""

    def slices(self) -> Iterator[Slice]:
        """All of it, second by second."""
        for part in super().slices():
            speed = part.tables["bSpeed"].rename_columns(["belt", "level", "time"])
            temperature = part.tables["bTmp"].rename_columns(["belt", "degree", "time"])
            yield Slice(part.now, {"Speed": speed, "Temp": temperature})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write everything below a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("data"), help="the folder (default data)")
    parser.add_argument("--belts", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    belts = Reports(options.belts, options.seconds, CHANCES, options.seed)
    options.to.mkdir(parents=True, exist_ok=True)
    write_facts(belts, options.to / "belts.facts")
    write_parquet(belts, options.to)
    names = [f"b{number}" for number in range(options.belts)]
    lines = [f"line{number // BELTS_OF_A_LINE}" for number in range(options.belts)]
    pq.write_table(pa.table({"belt": names, "line": lines}), options.to / "Line.parquet")


if __name__ == "__main__":
    main()
