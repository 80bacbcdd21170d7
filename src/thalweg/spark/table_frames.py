"""Opens the tables that a tables file describes."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it
from pyspark.sql.types import StringType, StructField, StructType

from thalweg.engine.tables_file import FILE_FORMATS, TableSpec
from thalweg.errors import DataError, Diagnostic
from thalweg.spark.broken_files import broken_file, files_at, local_path, refuse_empty, without_files
from thalweg.spark.failures import first_words
from thalweg.spark.paths import exact_path, spark_path
from thalweg.spark.tables import RAW
from thalweg.spark.worker_errors import texts_of, user_errors

_KAFKA = ("kafka", "thalweg-kafka")

_PACKAGES = {
    "delta": "give Spark its package: --spark-conf spark.jars.packages=io.delta:delta-spark_2.13:VERSION",
    "kafka": 'use format = "thalweg-kafka", which needs no package',
    "avro": "give Spark its package: --spark-conf spark.jars.packages=org.apache.spark:spark-avro_2.13:VERSION",
}


_CSV = {
    "header": "true",
    # Otherwise the columns of a file are taken by their place, whatever its first line calls them,
    "enforceSchema": "false",
    # rows are judged by the columns that are asked for,
    "columnPruning": "false",
    # and a quoted text that holds a line end is two rows.
    "multiLine": "true",
}


def open_table(spark: SparkSession, spec: TableSpec, *, streaming: bool, without: tuple[str, ...] = ()) -> DataFrame:
    """The table as a DataFrame: a stream if asked for and the file does not say otherwise.

    ``without`` are the addresses of files to leave out. Rows of CSV and JSON that cannot be read have their text in a
    column RAW.
    """
    _refuse_missing(spec)
    is_stream = streaming and spec.is_stream
    if not is_stream:
        refuse_empty(spec.path, spec.format, without)
    try:
        with user_errors():
            opened = _Opened(spark, spec, is_stream, without).frame()
            return without_files(opened, without) if spec.format in FILE_FORMATS else opened
    except (PySparkException, Py4JJavaError) as error:
        broken = broken_file(texts_of(error))
        if broken is not None:
            raise broken from None
        raise DataError([_explained(spec, error)]) from error


@dataclass(frozen=True)
class _Opened:
    spark: SparkSession
    spec: TableSpec
    is_stream: bool
    without: tuple[str, ...]

    def frame(self) -> DataFrame:
        """The table with the columns that are given, or that are found in its files."""
        spec = self.spec
        reader = (self.spark.readStream if self.is_stream else self.spark.read).format(spec.format)
        if spec.format in _KAFKA:
            return _values(reader.options(**self._options).load(), spec.schema)
        if spec.format not in FILE_FORMATS or spec.format in ("delta", "text"):
            reader = reader if spec.schema is None else reader.schema(spec.schema)
            return reader.options(**self._options).load(*self._place)
        schema = self._inferred() if spec.schema is None else _columns(spec.schema)
        options = self._options
        if self._keeps_raw:
            schema = StructType([*(field for field in schema if field.name != RAW), StructField(RAW, StringType())])
            options = {**options, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": RAW}
        return reader.options(**options).schema(schema).load(*self._place)

    @property
    def _options(self) -> dict[str, str]:
        return {**(_CSV if self.spec.format == "csv" else {}), **self.spec.options}

    @property
    def _place(self) -> list[str]:
        return [] if self.spec.path is None else [spark_path(self.spec.path)]

    @property
    def _keeps_raw(self) -> bool:
        """Whether rows that cannot be read are kept; not where the user says what is done with them."""
        given = {name.lower() for name in self.spec.options}
        return self.spec.format in ("csv", "json") and not given & {"mode", "columnnameofcorruptrecord"}

    def _inferred(self) -> StructType:
        """The columns of the files that are there; Spark wants to be told those of a stream."""
        options = dict(self._options)
        if self.spec.format == "csv":
            options = {"inferSchema": "true", **options}
        if self._keeps_raw:
            options["columnNameOfCorruptRecord"] = RAW
        place: list[str] | str = self._place[0]
        if self.without and self.spec.path is not None:
            left_out = {local_path(address) for address in self.without}
            others = [file for file in files_at(self.spec.path) if file not in left_out]
            place = [exact_path(file) for file in others] or place
        return self.spark.read.format(self.spec.format).options(**options).load(place).schema


def _columns(schema: str) -> StructType:
    """The columns that a user writes down."""
    found = StructType.fromDDL(schema)
    assert isinstance(found, StructType)
    return found


def _values(records: DataFrame, schema: str | None) -> DataFrame:
    """The values of records: objects in JSON with the columns of a schema, or texts."""
    if schema is None:
        texts = {name: F.col(name).cast("string") for name in ("key", "value")}
        return records.withColumns(texts)
    columns = StructType([*_columns(schema), StructField(RAW, StringType())])
    options = {"columnNameOfCorruptRecord": RAW}
    return records.select(F.from_json(F.col("value").cast("string"), columns, options).alias("v")).select("v.*")


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
    elif "PARQUET_TYPE_ILLEGAL" in str(error) and "NANOS" in str(error):
        message = f"table {spec.predicate} has times in nanoseconds, which Spark does not read"
        hint = f"write them in microseconds, or name the file among the facts, as {spec.predicate}.parquet"
        return Diagnostic("E473", None, message, hint, spec.place)
    return Diagnostic("E470", None, f"table {spec.predicate} cannot be opened: {words}", hint, spec.place)
