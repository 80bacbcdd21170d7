"""Starts the Java that a Spark session of this process runs in."""

from __future__ import annotations

import functools
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway

from thalweg.errors import UsageError
from thalweg.spark.java import java_home
from thalweg.spark.master import is_local


def java(conf: Mapping[str, str], *, quiet: bool) -> Any:
    """The way into the Java of this process, which is started if need be.

    There is no one switch for all that Java and Spark say, so a quiet one has its error stream in a file.
    """
    if SparkContext._gateway is not None:
        return SparkContext._gateway
    log = Path(_folder().name) / "spark.log"
    with open(log, "wb") as file:
        options = {"stderr": file} if quiet else {}
        try:
            gateway = launch_gateway(SparkConf().setAll([*conf.items()]), options)  # type: ignore[no-untyped-call]
        except PySparkException as error:
            reason = _first_words(log) if quiet else "its words are above"
            raise UsageError(f"Spark does not start: {reason}") from error
    _forget(conf, gateway.jvm.java.lang.System)
    return gateway


@contextmanager
def environment(master: str, python: str | None) -> Iterator[None]:
    """Set for a while what Spark reads while it starts; the user's environment is not ours."""
    variables = _variables(master, python)
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def plain(words: str) -> str:
    """The first line of what Spark says of a mistake, without the names of Java's classes that say nothing."""
    line = words.splitlines()[0]
    return re.sub(r'^(?:Exception in thread "\w+" )?(?:org\.apache\.spark\.SparkException: |Error: )?', "", line)


def _variables(master: str, python: str | None) -> dict[str, str]:
    variables = {"PYSPARK_DRIVER_PYTHON": sys.executable}
    home = Path(pyspark.__file__).parent
    if "SPARK_HOME" not in os.environ and (home / "bin" / "spark-submit").exists():
        # Otherwise a script starts a Python just to find this out.
        variables["SPARK_HOME"] = str(home)
    found = java_home() if SparkContext._gateway is None else None
    if found is not None:
        variables["JAVA_HOME"] = str(found)
    if is_local(master):
        variables |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable)}
    if python is not None:
        variables["PYSPARK_PYTHON"] = python
    return variables


def _forget(conf: Mapping[str, str], system: Any) -> None:
    """Java would keep what it was started with for every later session; this one is told its settings anyway."""
    for key, value in conf.items():
        if system.getProperty(key) == value:
            system.clearProperty(key)


def _first_words(log: Path) -> str:
    """The first line of a log that is neither a warning nor part of a stack trace."""
    chatter = re.compile(r"\s|WARNING:|NOTE:|Picked up |Using Spark's|\S+ \S+ (?:INFO|WARN) |$")
    lines = (line for line in log.read_text(errors="replace").splitlines() if not chatter.match(line))
    return plain(next(lines, "Java ended without a word"))


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for what Java says; it goes when Python ends."""
    return tempfile.TemporaryDirectory(prefix="thalweg-spark-")
