"""What the pipeline reads: streams written as Parquet, one folder a predicate, each file a stretch of time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from thalweg.bench.cost.random_traffic import Traffic
from thalweg.generators.journal_programs import NON_RECURSIVE, RECURSIVE, SHORT_STOPS
from thalweg.generators.lubm import HORIZON, Lubm
from thalweg.generators.traffic import PLACES

_FIRST_CHANGE = 1_700_000_000


@dataclass(frozen=True)
class Source:
    """A program, a query, and tables on disk.

    ``schemas`` has the columns of each predicate as Spark writes them; ``options`` are those of a run.
    """

    name: str
    rules: str
    query: str
    folder: Path
    schemas: Mapping[str, str]
    rows: int
    options: Mapping[str, Any]

    def tables(self, spark: SparkSession) -> dict[str, DataFrame]:
        """All files of each predicate."""
        return {
            name: spark.read.schema(schema).parquet(str(self.folder / name)) for name, schema in self.schemas.items()
        }

    def streams(self, spark: SparkSession) -> dict[str, DataFrame]:
        """One file of each predicate a batch."""
        return {
            name: spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(self.folder / name))
            for name, schema in self.schemas.items()
        }


TRAFFIC_RULES = (
    "input Pos(vehicle: string).\ninput NotOnMap(vehicle: string).\n"
    "predicate NotPos(vehicle: string).\noutput ShortStop(vehicle: string).\n" + SHORT_STOPS
)


def traffic_source(folder: Path, vehicles: int, times: int, files: int, seed: int) -> tuple[Source, Traffic]:
    """Where vehicles are, and the program of short stops."""
    traffic = Traffic.draw(vehicles, times, seed)
    schemas = dict.fromkeys(PLACES, "vehicle string, time int")
    rows = sum(_write_place(traffic, number, folder, files) for number in range(len(PLACES)))
    return Source("traffic", TRAFFIC_RULES, "ShortStop", folder, schemas, rows, {}), traffic


def lubm_sources(folder: Path, facts: int, files: int, seed: int) -> tuple[Source, Source]:
    """Temporal LUBM for the journal's Π_nr and Π_r, each with the predicates that it reads."""
    read = {
        "lubm-nr": (NON_RECURSIVE, "AssociateProfessorCandidate", ("Lecturer", "doctoralDegreeFrom", "University")),
        "lubm-r": (RECURSIVE, "Scientist", ("doctoralDegreeFrom", "FullProfessor")),
    }
    tables = Lubm(facts, seed, only={name for _, _, names in read.values() for name in names}).tables()
    for name, table in tables.items():
        _write_by_time(table, folder / name, files)
    found = []
    for title, (rules, query, names) in read.items():
        schemas = {name: _schema(tables[name]) for name in names}
        rows = sum(len(tables[name]) for name in names)
        rules = Lubm(0, only=names).declarations + rules
        # Who has become a scientist stays one for ever: the run must have an end.
        found.append(Source(title, rules, query, folder, schemas, rows, {"end": Fraction(HORIZON)}))
    return found[0], found[1]


def _write_place(traffic: Traffic, number: int, folder: Path, files: int) -> int:
    stride, rows = -(-traffic.times // files), 0
    for first in range(0, traffic.times, stride):
        times, vehicles = (traffic.chosen[PLACES][first : first + stride] == number).nonzero()
        names = pa.array(traffic.names).take(pa.array(vehicles))
        table = pa.table({"vehicle": names, "time": pa.array((times + first + 1).astype("int32"))})
        rows += write_part(table, folder / PLACES[number], first)
    return rows


def _write_by_time(table: pa.Table, folder: Path, files: int) -> None:
    """A table in the order of time, cut at the same times whatever the predicate."""
    times = np.array([float(time) for time in table["time"].to_pylist()])
    edges = np.searchsorted(times, np.linspace(0, HORIZON, files + 1))
    edges[-1] = len(table)
    for number in range(files):
        write_part(table.slice(edges[number], edges[number + 1] - edges[number]), folder, number)


def write_part(table: pa.Table, folder: Path, number: int) -> int:
    """A file whose time of change says where it stands in the order; the number of its rows."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:06}.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=1 << 18)
    os.utime(path, (_FIRST_CHANGE + number, _FIRST_CHANGE + number))
    return len(table)


def _schema(table: pa.Table) -> str:
    kinds = {name: "decimal(9,1)" if name == "time" else "string" for name in table.column_names}
    return ", ".join(f"{name} {kind}" for name, kind in kinds.items())
