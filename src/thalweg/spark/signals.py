"""Ctrl-C, and requests to end, at times when Spark must not be interrupted just anywhere."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from pyspark.sql import SparkSession

from thalweg.spark.session import session

T = TypeVar("T")

_LOOK_SECONDS = 0.2
_PATIENCE = 10.0


def start_session(master: str | None, conf: Mapping[str, str], *, quiet: bool) -> SparkSession:
    """As :func:`thalweg.spark.session.session`, for a program of its own: Ctrl-C takes effect once Spark has started.

    Java would be left behind by a Python that ends while it starts.
    """
    if quiet:
        # Whatever happens on the way to Java, its Python side logs with a traceback.
        logging.getLogger().addHandler(logging.NullHandler())
    stopping = threading.Event()
    with stop_signals(stopping):
        started = session(master, conf, quiet=quiet)
    if stopping.is_set():
        raise KeyboardInterrupt
    return started


def interruptible(spark: SparkSession, work: Callable[[], T], look: Callable[[], None] = lambda: None) -> T:
    """Run a query so that Ctrl-C ends it: in a thread of its own, since a call to Java cannot be left halfway.

    ``look`` is called now and then while it runs.
    """
    stopping, outcome = threading.Event(), Future[T]()
    thread = threading.Thread(target=_run, args=(work, outcome), daemon=True)
    with stop_signals(stopping):
        thread.start()
        while thread.is_alive() and not stopping.is_set():
            thread.join(_LOOK_SECONDS)
            look()
    if stopping.is_set():
        spark.sparkContext.cancelAllJobs()
        thread.join(_PATIENCE)
        raise KeyboardInterrupt
    return outcome.result()


def _run(work: Callable[[], T], outcome: Future[T]) -> None:
    try:
        outcome.set_result(work())
    except BaseException as error:
        outcome.set_exception(error)


@contextmanager
def stop_signals(stopping: threading.Event) -> Iterator[None]:
    """Let the first Ctrl-C, or a request to end, set an event; a second one ends the program at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
