"""What Spark says when something goes wrong, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from thalweg.errors import SparkError
from thalweg.record.full_disk import full_by_text, no_room
from thalweg.spark.broken_files import broken_file
from thalweg.spark.worker_errors import texts_of, user_errors

_LONGEST = 300


_NOT_CONNECTED = "Python worker failed to connect back"


class SlowWorkerError(SparkError):
    """A Python process did not start within the ten seconds that Spark gives it: the machine is busy."""


@contextmanager
def spark_errors() -> Iterator[None]:
    """Around whatever runs a query: errors for the user as they are, others of Spark as a :class:`SparkError`.

    A disk without room is a :class:`StorageError`, in which somebody who knows more may put the place.
    """
    try:
        with user_errors():
            yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        full = full_by_text(texts_of(error))
        if full is not None:
            raise no_room(full, None) from error
        broken = broken_file(texts_of(error))
        if broken is not None:
            raise broken from None
        if _NOT_CONNECTED in first_words(error):
            hint = "the machine may be too busy; run it again when it is less so"
            raise SlowWorkerError(f"Spark failed: Python did not start within 10 s\n    hint: {hint}") from error
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
