"""What Spark says when something goes wrong, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from thalweg.errors import SparkError
from thalweg.spark.worker_errors import user_errors

_LONGEST = 300


@contextmanager
def spark_errors() -> Iterator[None]:
    """Around whatever runs a query: errors for the user as they are, others of Spark as a :class:`SparkError`."""
    try:
        with user_errors():
            yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise SparkError(f"Spark failed: {first_words(error)}\n    hint: --spark-log shows all that it says") from error


def first_words(error: BaseException) -> str:
    """What an exception of Spark says, without stack traces and without the names of classes."""
    if isinstance(error, ConnectionError):
        return "its Java process has ended"
    text = _text(error)
    raised = re.findall(
        r"^\s*(?:[\w.]+\.)?(\w+(?:Error|Exception): .+)$", text.split("JVM stacktrace:")[0], re.MULTILINE
    )
    line = raised[-1] if "Traceback (most recent call last)" in text and raised else _first_line(text)
    line = re.sub(r"^(?:Job aborted due to stage failure: |\[STREAM_FAILED\] .*?terminated with exception: )", "", line)
    line = re.sub(r"^(?:(?:org|java|py4j)\.[\w.$]+: )+", "", line)
    line = re.sub(r"^\[[A-Z_.0-9]+\] ", "", line)
    line = re.sub(r"\s*SQLSTATE: \w+.*$", "", line)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _text(error: BaseException) -> str:
    if isinstance(error, Py4JJavaError):
        return str(error.java_exception.toString())
    return str(getattr(error, "_desc", None) or error)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason is given")
