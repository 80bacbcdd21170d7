"""Where what was set aside is kept when answers go to no folder: a table beside the checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from pyspark.sql import SparkSession

from thalweg.record.files import batch_name
from thalweg.spark.answers import QUARANTINE_FIELDS
from thalweg.spark.collect import SetAside
from thalweg.spark.paths import Folder
from thalweg.spark.transport import QUARANTINE


class AsideTable:
    """``CHECKPOINT/quarantine/batch=000012``, as Parquet, with the same columns as ``OUTPUT/quarantine``.

    A batch that is run again has the same rows, and puts them in the place of what an earlier try left.
    """

    def __init__(self, spark: SparkSession, checkpoint: Folder) -> None:
        self._spark, self._checkpoint = spark, checkpoint

    @property
    def shown(self) -> str:
        """Where it is."""
        return f"{self._checkpoint.shown.rstrip('/')}/{QUARANTINE}"

    def write(self, rows: Sequence[SetAside], number: int) -> None:
        """Keep what a batch set aside."""
        if not rows:
            return
        hidden = f"{QUARANTINE}/_writing-{number:06}"
        frame = self._spark.createDataFrame([astuple(row) for row in rows], QUARANTINE_FIELDS)
        frame.coalesce(1).write.mode("overwrite").parquet(self._checkpoint.below(hidden))
        self._checkpoint.replace(f"{QUARANTINE}/{batch_name(number)}", hidden)
