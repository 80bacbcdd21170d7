"""How many partitions Spark shuffles to: as many as there are shards, where nobody says otherwise."""

from __future__ import annotations

from pyspark.sql import SparkSession

from thalweg.spark.master import is_local

SETTING = "spark.sql.shuffle.partitions"

_DEFAULT_OF_SPARK = "200"


def fit_partitions(spark: SparkSession, shards: int | None) -> None:
    """Choose the number for a cluster, whose default of 200 is made for other work.

    Every partition has a state store of its own, and costs a batch its share of a second.
    """
    if not is_local(spark.sparkContext.master or "") and spark.conf.get(SETTING) == _DEFAULT_OF_SPARK:
        spark.conf.set(SETTING, str(shards or spark.sparkContext.defaultParallelism))
