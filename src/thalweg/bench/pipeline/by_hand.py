"""Short stops as a PySpark job, written by hand: what a user would write who has no rules.

A vehicle that moves at two readings, with one to four readings between them at which it stands still, has made a short
stop; a time point without a reading breaks it off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it
from pyspark.sql.streaming.state import GroupState

SHORTEST, LONGEST = 2, 5
"""The time between the two readings at which the vehicle moves."""


def readings(tables: Mapping[str, DataFrame]) -> DataFrame:
    """All readings, with whether the vehicle stands still; one that is not on the map does not."""
    standing = tables["Pos"].withColumn("still", F.lit(True))
    moving = tables["NotPos"].unionAll(tables["NotOnMap"]).withColumn("still", F.lit(False))
    return standing.unionAll(moving)


def short_stops(tables: Mapping[str, DataFrame]) -> DataFrame:
    """In a batch: one shuffle and one sort, since both windows are the same.

    Between two readings of a vehicle nothing is missing if their numbers are as far apart as their times.
    """
    by_time = Window.partitionBy("vehicle").orderBy("time")
    moving = readings(tables).withColumn("number", F.row_number().over(by_time)).where(~F.col("still"))
    between = moving.withColumns(
        {
            "gap": F.col("time") - F.lag("time").over(by_time),
            "readings": F.col("number") - F.lag("number").over(by_time),
        }
    )
    stopped = between.where((F.col("gap") == F.col("readings")) & F.col("gap").between(SHORTEST, LONGEST))
    return stopped.select("vehicle", "time")


def short_stops_of_stream(tables: Mapping[str, DataFrame]) -> DataFrame:
    """On a stream: a group for every vehicle, with its last movement as state. Readings come in the order of time."""
    return (
        readings(tables)
        .groupBy("vehicle")
        .applyInPandasWithState(
            follow_vehicle, "vehicle string, time int", "moved int, since int", "append", "NoTimeout"
        )
    )


def follow_vehicle(key: tuple[Any, ...], batches: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
    """The short stops of one vehicle that end in this batch.

    The state is when it moved last, and how many readings there have been since.
    """
    fresh = pd.concat(batches).sort_values("time")
    moving = np.flatnonzero(~fresh["still"].to_numpy())
    times = fresh["time"].to_numpy()[moving]
    if state.exists:
        moved, since = state.get
        times, moving = np.concatenate(([moved], times)), np.concatenate(([-1 - since], moving))
    gaps = np.diff(times)
    is_stop = (gaps == np.diff(moving)) & (gaps >= SHORTEST) & (gaps <= LONGEST)
    if len(times):
        state.update((int(times[-1]), len(fresh) - 1 - int(moving[-1])))
    yield pd.DataFrame({"vehicle": key[0], "time": times[1:][is_stop]})
