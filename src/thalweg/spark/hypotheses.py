"""Hypothetical answers over DataFrames: what may still become true, batch or streaming."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pyspark.sql import DataFrame

from thalweg.engine.hypotheses.pruning import Pruning
from thalweg.engine.limits import Limits
from thalweg.engine.memory_limit import Size, parse_memory
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.spark.hypothesis_reasoning import Asked, HypothesisReasoning
from thalweg.spark.inputs import TimeColumns
from thalweg.spark.partitions import fit_partitions
from thalweg.spark.reason import Duration, check_call
from thalweg.spark.reasoning import Options
from thalweg.spark.time_types import parse_duration


def hypotheses(
    program: Program,
    inputs: Mapping[str, DataFrame] | DataFrame,
    query: str | list[str],
    *,
    time: TimeColumns = None,
    delay: Duration | None = None,
    depth: int | None = None,
    min_confidence: float = 0.0,
    max_open: int | None = None,
    max_memory: Size = None,
    shards: int | None = None,
    bad: str = "fail",
    final: DataFrame | None = None,
) -> DataFrame:
    """What has been confirmed and what may still become true, as a table.

    ``inputs``, ``time``, ``shards``, ``bad`` and ``final`` are as for :func:`thalweg.spark.reason`; ``query`` is one
    predicate that rules derive. The program has the integer timeline, and declares how late facts may come; ``delay``
    is for predicates that declare none (0 unless given).

    The result has the typed arguments of the query and ``time``, null where they are not known yet; ``status``;
    ``evidence``, the facts that speak for the answer; ``hypotheses``, the facts that it waits for, with ``until``, the
    last time at which each may come, and ``negated`` for those that must not come; ``deadline``, when the answer is
    decided; and ``confidence``, the probability that it is confirmed, where the program declares probabilities.

    Of a stream every trigger tells what changed: answers are ``opened``, ``extended`` by new evidence, ``confirmed`` or
    ``refuted``. Static tables are what has arrived so far: answers are ``confirmed``, or ``open``. Rows that came after
    their delay are set aside, as by :func:`thalweg.spark.reason`; ``query=["Malf"]`` gives them with the answers, as
    rows with a tag.

    ``depth`` is needed where rules are recursive: derivations of so many nested rules are looked for. Open answers less
    likely than ``min_confidence``, and in each shard the least likely ones beyond ``max_open``, are given up
    (``dropped``). ``max_memory`` is that of :func:`thalweg.spark.reason`.
    """
    check_call(program, bad, shards)
    names = [query] if isinstance(query, str) else list(query)
    if len(names) != 1:
        raise UsageError("hypotheses are about one query: name one predicate")
    if not 0 <= min_confidence <= 1:
        raise UsageError(f"min_confidence={min_confidence}: write a number from 0 to 1")
    options = Options(
        time=time,
        delay=Fraction(0) if delay is None else parse_duration(delay, program.unit),
        shards=shards,
        keeps_bad_rows=bad == "quarantine",
        limits=Limits(memory=parse_memory(max_memory)),
        control=final,
    )
    asked = Asked(depth, Pruning(min_confidence, max_open))
    planned = HypothesisReasoning.plan(program, inputs, names, options, asked=asked)
    fit_partitions(planned.spark, shards)
    return planned.one_query() if isinstance(query, str) else planned.tagged()
