"""Opens the tables that a tables file describes."""

from __future__ import annotations

import glob
import os

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it

from thalweg.engine.tables_file import FILE_FORMATS, TableSpec
from thalweg.errors import DataError, Diagnostic
from thalweg.spark.failures import first_words
from thalweg.spark.paths import spark_path
from thalweg.spark.worker_errors import user_errors

_KAFKA = ("kafka", "thalweg-kafka")

_PACKAGES = {
    "delta": "give Spark its package: --spark-conf spark.jars.packages=io.delta:delta-spark_2.13:VERSION",
    "kafka": 'use format = "thalweg-kafka", which needs no package',
    "avro": "give Spark its package: --spark-conf spark.jars.packages=org.apache.spark:spark-avro_2.13:VERSION",
}


def open_table(spark: SparkSession, spec: TableSpec, *, streaming: bool) -> DataFrame:
    """The table as a DataFrame: a stream if asked for and the file does not say otherwise."""
    _refuse_missing(spec)
    try:
        with user_errors():
            return _opened(spark, spec, streaming=streaming and spec.is_stream)
    except (PySparkException, Py4JJavaError) as error:
        raise DataError([_explained(spec, error)]) from error


def _opened(spark: SparkSession, spec: TableSpec, *, streaming: bool) -> DataFrame:
    options = dict(spec.options)
    if spec.format == "csv":
        options = {"header": "true", **({} if spec.schema else {"inferSchema": "true"}), **options}
    place = [] if spec.path is None else [spark_path(spec.path)]
    reader = (spark.readStream if streaming else spark.read).format(spec.format).options(**options)
    if spec.format in _KAFKA:
        return _values(reader.load(), spec.schema)
    if spec.schema is not None:
        reader = reader.schema(spec.schema)
    elif streaming and spec.format in FILE_FORMATS and spec.format != "delta":
        # Spark wants to be told the columns of a stream; those of the files that are there will do.
        reader = reader.schema(spark.read.format(spec.format).options(**options).load(*place).schema)
    return reader.load(*place)


def _values(records: DataFrame, schema: str | None) -> DataFrame:
    """The values of records: objects in JSON with the columns of a schema, or texts."""
    if schema is None:
        texts = {name: F.col(name).cast("string") for name in ("key", "value")}
        return records.withColumns(texts)
    return records.select(F.from_json(F.col("value").cast("string"), schema).alias("value")).select("value.*")


def _refuse_missing(spec: TableSpec) -> None:
    path = spec.path
    if path is None or "://" in path or glob.has_magic(path) or os.path.exists(path.removeprefix("file:")):
        return
    hint = "paths are relative to the tables file"
    message = f"table {spec.predicate}: there is no file or folder {path}"
    raise DataError([Diagnostic("E470", None, message, hint, spec.place)])


def _explained(spec: TableSpec, error: Exception) -> Diagnostic:
    words, hint = first_words(error), None
    if "DATA_SOURCE_NOT" in str(error):
        words = f"Spark has no data source {spec.format}"
        hint = _PACKAGES.get(spec.format, "give Spark its package: --spark-conf spark.jars.packages=…")
    elif "UNABLE_TO_INFER_SCHEMA" in str(error):
        words, hint = "there is no file yet to take the columns from", 'write schema = "name type, …"'
    return Diagnostic("E470", None, f"table {spec.predicate} cannot be opened: {words}", hint, spec.place)
