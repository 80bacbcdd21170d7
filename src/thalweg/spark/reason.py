"""The DataFrame interface: tables in, a table of answers out, batch or streaming."""

from __future__ import annotations

import datetime
import math
import warnings
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

from pyspark.sql import DataFrame

from thalweg.analysis.endless_memory import kept_for_ever
from thalweg.analysis.stratification import require_stratified
from thalweg.engine.limits import DEFAULT_MAX_ROUNDS, Limits
from thalweg.engine.memory_limit import Size, parse_memory
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.pipeline import declared_delay
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.spark.inputs import TimeColumns
from thalweg.spark.partitions import fit_partitions
from thalweg.spark.reasoning import Options, Reasoning
from thalweg.spark.time_types import parse_duration
from thalweg.time.interval import Endpoint
from thalweg.time.units import UNITS

Duration = str | int | float | Fraction | Decimal | datetime.timedelta
Moment = int | float | Fraction | Decimal | str | datetime.datetime | datetime.date | None

EMIT = ("intervals", "changes")
BAD = ("fail", "quarantine")


def reason(
    program: Program,
    inputs: Mapping[str, DataFrame] | DataFrame,
    query: str | Collection[str],
    *,
    time: TimeColumns = None,
    delay: Duration | None = None,
    emit: str = "intervals",
    at: OutputTimes | str | Iterable[Fraction | int] = INTERVALS,
    start: Moment = None,
    end: Moment = None,
    shards: int | None = None,
    bad: str = "fail",
    final: DataFrame | None = None,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    max_nulls: int | None = None,
    max_depth: int | None = None,
    max_memory: Size = None,
) -> DataFrame:
    """What follows from a program and tables, as a table.

    ``inputs`` are DataFrames by predicate, batch or streaming; beside a stream, static ones are background. One
    DataFrame of facts of any predicate (``spark.read.format("thalweg-facts")``) will do as well. ``time`` names the
    column of event time, or a pair for intervals, for all tables or by predicate; a static table without it holds
    always. ``delay`` is how late rows may come (the longest that the program declares, unless given): those within it
    change nothing, later ones are set aside.

    With one query the result has its typed arguments, then ``start``, ``end``, ``start_closed`` and ``end_closed``:
    in a stream, for the stretch of time that each trigger completed. ``emit="changes"`` gives ``change`` (began or
    ended), ``time`` and ``closed`` in their place, ``at="data"`` or ``at="every:5"`` just ``time``. With several
    queries the rows are tagged; :func:`split` takes them apart. Rows that were set aside are counted in the
    streaming query's observed metrics and kept in the tagged form (``query=["ShortStop"]`` gives it for one query).

    ``shards`` is how many groups share the work. ``bad="quarantine"`` sets aside rows that cannot be facts instead of
    failing. ``max_nulls`` and ``max_depth`` bound the new values of rules that may never run out of them.
    ``max_memory`` is how much memory each Python process of Spark may take for reasoning: ``"2g"``, ``"50%"`` of the
    machine's for all of a machine together, or ``"none"``; three quarters of the machine's unless given. ``final`` is
    a streaming DataFrame: a row in it says that the input has ended and all is to be answered.
    """
    check_call(program, bad, shards)
    require_stratified(program)
    limits = Limits(max_rounds, max_nulls, max_depth, memory=parse_memory(max_memory))
    limits.check(program)
    if emit not in EMIT:
        raise UsageError(f"emit={emit!r}: write intervals or changes")
    options = Options(
        time=time,
        delay=declared_delay(program) if delay is None else parse_duration(delay, program.unit),
        start=_moment(start, -math.inf, program),
        end=_moment(end, math.inf, program),
        output_times=OutputTimes.of(at),
        changes=emit == "changes",
        shards=shards,
        keeps_bad_rows=bad == "quarantine",
        limits=limits,
        control=final,
    )
    planned = Reasoning.plan(program, inputs, query, options)
    for warning in kept_for_ever(program, planned.queries) if planned.is_streaming else ():
        warnings.warn(warning.render(), stacklevel=2)
    fit_partitions(planned.spark, shards)
    return planned.one_query() if isinstance(query, str) else planned.tagged()


def check_call(program: Program, bad: str, shards: int | None) -> None:
    """Refuse what no call can mean."""
    if not isinstance(program, Program):
        raise UsageError(f"{type(program).__name__} is not a program: write thalweg.load(PATH) or thalweg.parse(TEXT)")
    if bad not in BAD:
        raise UsageError(f"bad={bad!r}: write fail or quarantine")
    if shards is not None and shards < 1:
        raise UsageError(f"shards={shards}: there must be at least one")


def split(answers: DataFrame) -> dict[str, DataFrame]:
    """Tagged rows (of a batch, or inside ``foreachBatch``) by output: each query, and ``quarantine``."""
    outputs = [field.name for field in answers.schema if field.name != "output"]
    return {name: answers.where(answers["output"] == name).select(f"`{name}`.*") for name in outputs}


def _moment(value: Moment, default: float, program: Program) -> Endpoint:
    """A time in units of the program; dates and timestamps count from 1970, in UTC where they say nothing else."""
    if value is None:
        return default
    if isinstance(value, str):
        # "2024-03-01" and "2024-03-01T12:00:00+01:00" are moments; "1/3" and "2.5" are numbers.
        with suppress(ValueError):
            value = datetime.datetime.fromisoformat(value)
    if isinstance(value, datetime.date):
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, datetime.time())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
        return Fraction((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * UNITS["us"] / program.unit
    if isinstance(value, float) and math.isinf(value):
        return value
    try:
        return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError):
        raise UsageError(f"{value!r} is not a time: give a number, a date or a timestamp") from None
