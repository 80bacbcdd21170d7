"""A Spark session: the one that runs already, or a new one for this machine or a cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from thalweg.errors import UsageError
from thalweg.record.full_disk import is_full
from thalweg.spark.launch import environment, java, plain
from thalweg.spark.master import check_master, is_local
from thalweg.spark.settings import (
    AT_LAUNCH,
    LOCAL_CHECKPOINTS,
    QUICK_SOCKETS,
    SOCKET_FOLDER,
    default_settings,
    has_room_for_sockets,
)
from thalweg.spark.sources import register

_STARTING = threading.Lock()


def session(
    master: str | None = None, conf: Mapping[str, str] | None = None, *, name: str = "thalweg", quiet: bool = True
) -> SparkSession:
    """The Spark session that runs, or a new one.

    A running session is the user's: its settings stay, and ``conf`` changes only what Spark can change while it
    runs. What it cannot change must be so already; a different value is refused, as is a different ``master``.

    A new session runs on this machine unless ``master`` says otherwise, or ``spark-submit`` did. Its settings are
    made for streams of small batches; ``conf`` and ``spark-submit`` go before them. Its workers run this Python; on a
    cluster they run the one that ``spark.pyspark.python`` or ``PYSPARK_PYTHON`` names.

    ``quiet`` keeps what a new session says off the terminal: what goes wrong is raised. Either session then knows the
    formats ``thalweg-facts`` and ``thalweg-kafka``.
    """
    if {"SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED"} & set(os.environ):
        raise UsageError("Spark Connect does not do: the driver must be this process\n    hint: unset SPARK_REMOTE")
    with _STARTING:
        running = _running()
        if running is not None:
            found = _respected(running, master, conf or {})
        else:
            found = _started(master, {"spark.app.name": name, **(conf or {})}, quiet)
    register(found)
    return found


def _running() -> SparkSession | None:
    # Threads differ in their active session, not in their context: ask for the context first.
    if SparkContext._active_spark_context is None:
        return None
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


def _respected(running: SparkSession, master: str | None, conf: Mapping[str, str]) -> SparkSession:
    """The running session with the settings changed, or an error that names those that cannot be."""
    fixed = [key for key, value in conf.items() if not _change(running, key, value)]
    if master is not None and master != running.sparkContext.master:
        fixed.insert(0, "spark.master")
    if fixed:
        raise UsageError(
            f"a Spark session runs already, with other values of {', '.join(fixed)}"
            "\n    hint: stop that session first, or leave these settings as they are"
        )
    return running


def _change(running: SparkSession, key: str, value: str) -> bool:
    """Whether a setting has a value now."""
    try:
        running.conf.set(key, value)
    except PySparkException:
        return running.sparkContext.getConf().get(key) == value
    return True


def _started(master: str | None, conf: Mapping[str, str], quiet: bool) -> SparkSession:
    master = master or conf.get("spark.master") or _submitted() or "local[*]"
    check_master(master)
    conf = {**conf, "spark.master": master}
    with environment(master, conf.get("spark.pyspark.python")):
        gateway = java({**AT_LAUNCH, **conf}, quiet=quiet)
        try:
            SparkContext(conf=_settings(master, conf, quiet, gateway.jvm), gateway=gateway)
            return SparkSession.builder.getOrCreate()
        except Py4JJavaError as error:
            raise UsageError(f"Spark does not start: {plain(error.java_exception.toString())}") from error
        except OSError as error:
            if is_full(error):
                raise
            raise UsageError(f"Spark does not start: {error}") from error


def _settings(master: str, conf: Mapping[str, str], quiet: bool, jvm: Any) -> SparkConf:
    """The user's settings, then what spark-submit and Spark's own files say, then ours."""
    settings = SparkConf(_jvm=jvm).setAll([*conf.items()])
    ours = default_settings(master, jvm.java.lang.Runtime.getRuntime().availableProcessors(), quiet=quiet)
    if is_local(master) and _stores_locally(settings):
        ours |= LOCAL_CHECKPOINTS
    if is_local(master) and has_room_for_sockets(settings.get(SOCKET_FOLDER) or _temporary_folder(jvm)):
        ours |= QUICK_SOCKETS
    for key, value in ours.items():
        settings.setIfMissing(key, value)
    return settings


def _temporary_folder(jvm: Any) -> str:
    return str(jvm.java.lang.System.getProperty("java.io.tmpdir"))


def _submitted() -> str | None:
    """The master that ``spark-submit`` was given, if it started this program."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return None
    SparkContext._ensure_initialized()
    return SparkConf().get("spark.master")


def _stores_locally(settings: SparkConf) -> bool:
    """Whether a path without a scheme is a local one; what a Hadoop configuration says is not known here."""
    system = settings.get("spark.hadoop.fs.defaultFS") or "file:///"
    return system.startswith("file:") and "HADOOP_CONF_DIR" not in os.environ
