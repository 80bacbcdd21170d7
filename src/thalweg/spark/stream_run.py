"""A streaming run from its start to its end, its stop or its failure."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.streaming.query import StreamingQuery

from thalweg.errors import ThalwegError
from thalweg.spark.checkpoint import Checkpoint
from thalweg.spark.failures import SlowWorkerError, spark_errors
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.signals import stop_signals
from thalweg.spark.sinks import Sink

_LOOK_SECONDS = 1
_TRIES = 10
_PATIENCE = 30.0
"""How long a batch that runs when the user stops gets to end by itself."""


@dataclass(frozen=True)
class StreamRun:
    """What runs, where it remembers, and where its answers go.

    ``trigger`` are the arguments of Spark's ``trigger``; ``final`` says that the input ends, so that all is answered.
    """

    planned: Reasoning
    checkpoint: Checkpoint
    sink: Sink
    trigger: dict[str, Any]
    final: bool = False

    def run(self) -> bool:
        """Run until it ends or is stopped; whether it ended.

        A final run reads what there is, says once that no fact follows, and answers to the end. Killed anywhere and
        run again, it goes on from there.
        """
        with stop_signals(self.sink.stopping):
            if not self.checkpoint.is_final and not self._run_query(self.trigger):
                return False
            if self.final or self.checkpoint.is_final:
                self.checkpoint.declare_final()
                if not self._run_query({"availableNow": True}):
                    return False
                self.checkpoint.finish()
        return True

    def _run_query(self, trigger: dict[str, Any]) -> bool:
        """Run a query to its end, or until stopped; where Python starts too slowly, again, from the checkpoint."""
        for _ in range(_TRIES - 1):
            with suppress(SlowWorkerError):
                return self._run_once(trigger)
            if self.sink.stopping.is_set():
                return False
        return self._run_once(trigger)

    def _run_once(self, trigger: dict[str, Any]) -> bool:
        self.sink.failure = None
        with spark_errors():
            writer = self.planned.transport.writeStream.foreachBatch(self.sink)
            query = writer.option("checkpointLocation", self.checkpoint.spark).trigger(**trigger).start()
        try:
            return self._wait(query)
        finally:
            with suppress(PySparkException):
                query.stop()

    def _wait(self, query: StreamingQuery) -> bool:
        """Wait for the end; whether it came, rather than a stop."""
        try:
            with spark_errors():
                while not query.awaitTermination(_LOOK_SECONDS):
                    if self.sink.stopping.is_set():
                        _let_finish(query)
                        return False
        except ThalwegError as error:
            if self.sink.stopping.is_set():
                return False
            raise (self.sink.failure or error) from None
        return True


def _let_finish(query: StreamingQuery) -> None:
    """Give the batch that runs the time to end; the sink begins no other."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and query.isActive and query.status["isTriggerActive"]:
        time.sleep(0.1)
