"""Data sources for Spark: fact files and Kafka topics."""

from __future__ import annotations

from weakref import WeakSet

from pyspark.sql import SparkSession

from thalweg.spark.sources.facts import FactsSource
from thalweg.spark.sources.kafka import KafkaSource

_SOURCES = (FactsSource, KafkaSource)

_registered: WeakSet[SparkSession] = WeakSet()
"""Sessions that know the sources: Spark warns about a source that is registered twice."""


def register(spark: SparkSession) -> None:
    """Make the formats ``thalweg-facts`` and ``thalweg-kafka`` known to a session."""
    if spark in _registered:
        return
    for source in _SOURCES:
        spark.dataSource.register(source)
    _registered.add(spark)
