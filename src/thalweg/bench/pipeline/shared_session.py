"""One Spark session for all experiments of a run, since a start takes seconds."""

from __future__ import annotations

import atexit
import inspect

from pyspark import cloudpickle
from pyspark.sql import SparkSession

from thalweg.bench.pipeline.by_hand import follow_vehicle
from thalweg.bench.pipeline.idle_shard import idle_reasoning
from thalweg.spark.session import session

MASTER = "local[2]"
"""Two cores, whatever the machine has, so that results can be compared."""


def shared_session() -> SparkSession:
    """The session of this process; it ends with the process."""
    for function in (follow_vehicle, idle_reasoning):
        # What experiments alone run inside of Spark's workers goes there by value: not every worker has this package.
        module = inspect.getmodule(function)
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]  # pyspark does not say
    running = session(MASTER)
    atexit.register(running.stop)
    return running
