"""Writes the data of the story: facts for the command line, Parquet for Spark, and who may inspect the network."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from thalweg.generators.network import INSPECTOR, Network
from thalweg.generators.write import write_facts, write_parquet


def main(arguments: Sequence[str] | None = None) -> None:
    """Write everything below a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("data"), help="the folder (default data)")
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args(arguments)

    network = Network(options.hosts, options.seconds, options.seed)
    options.to.mkdir(parents=True, exist_ok=True)
    write_facts(network, options.to / "network.facts")
    write_parquet(network, options.to)
    pq.write_table(pa.table({"host": [INSPECTOR]}), options.to / "Inspector.parquet")


if __name__ == "__main__":
    main()
