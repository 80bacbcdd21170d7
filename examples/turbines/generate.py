"""Writes the data of the story: reports in the order in which they arrive, as facts and as Parquet."""

import argparse
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from thalweg.generators.stream import Slice
from thalweg.generators.turbines import Turbines
from thalweg.generators.write import write_facts, write_parquet

DELAY, LOSS = 3, 0.05


class Reports(Turbines):
    """Turbines with the names that the rules have."""

    def slices(self) -> Iterator[Slice]:
        """What arrives, minute by minute."""
        for part in super().slices():
            yield Slice(part.now, {"Temp": part.tables["Temp"].rename_columns(["turbine", "level", "time"])})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write everything below a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("data"), help="the folder (default data)")
    parser.add_argument("--turbines", type=int, default=6)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    reports = Reports(options.turbines, options.minutes, DELAY, LOSS, options.seed)
    options.to.mkdir(parents=True, exist_ok=True)
    write_facts(reports, options.to / "turbines.facts")
    write_parquet(reports, options.to, stretch=Fraction(1))


if __name__ == "__main__":
    main()
