"""What the user gave to reason about: tables by predicate, checked against the program before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it

from thalweg.engine.intake import program_ends
from thalweg.errors import DataError, Diagnostic, UsageError, did_you_mean
from thalweg.model.program import Program
from thalweg.spark.fact_frames import NAMES, is_fact_frame
from thalweg.spark.sources.fact_rows import PROBLEM
from thalweg.spark.tables import Table, describe
from thalweg.spark.time_types import TimeType, output_type
from thalweg.time.ticks import common_tick
from thalweg.time.timeline import Timeline

TimeColumns = str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
"""The column of event time, or the two of an interval; for all tables, or by predicate."""

ArgumentColumns = Mapping[str, Sequence[str]]
"""The columns that are arguments, in their order, by predicate."""


@dataclass(frozen=True)
class Input:
    """One table, and how it is read; None for a table of facts of any predicate."""

    frame: DataFrame
    table: Table | None

    @property
    def is_streaming(self) -> bool:
        """Whether its rows keep coming."""
        return self.frame.isStreaming

    @property
    def columns(self) -> DataFrame:
        """The columns that are read; a table's by number, since Spark takes ``a.b`` and ``*`` for more than names."""
        if self.table is None:
            return self.frame.select([name for name in (*NAMES, PROBLEM[0]) if name in self.frame.columns])
        quoted = (name.replace("`", "``") for name in self.table.columns)
        return self.frame.select([F.col(f"`{name}`").alias(str(number)) for number, name in enumerate(quoted)])


def read_inputs(
    program: Program,
    given: Mapping[str, DataFrame] | DataFrame,
    time: TimeColumns,
    arguments: ArgumentColumns | None = None,
) -> list[Input]:
    """The tables, checked; raises :class:`DataError` with all that is wrong with them.

    A name that begins with ``*`` stands for facts of any predicate.
    """
    if isinstance(given, DataFrame):
        given = {"*": given}
    found: list[Diagnostic] = []
    inputs = []
    for name, frame in given.items():
        if not isinstance(frame, DataFrame):
            hint = "give spark.read… or spark.createDataFrame(…)"
            found.append(Diagnostic("E445", None, f"{type(frame).__name__} is not a DataFrame", hint, f"table {name}"))
        elif name.startswith("*"):
            _refuse_other_columns(frame, found)
            inputs.append(Input(frame, None))
        elif name not in program.signatures:
            hint = did_you_mean(name, program.predicates) or f"the predicates are {', '.join(program.predicates)}"
            found.append(Diagnostic("E465", None, f"the program does not mention {name}", hint, f"table {name}"))
        else:
            columns = time.get(name) if isinstance(time, Mapping) else time
            table, problems = describe(
                name,
                frame.schema,
                program.signatures[name],
                columns,
                needs_time=frame.isStreaming or (isinstance(time, Mapping) and name in time),
                arguments=(arguments or {}).get(name),
            )
            found += problems
            inputs += [Input(frame, table)] if table is not None else []
    _refuse_unknown_times(time, given, found)
    if found:
        raise DataError(found)
    if not inputs:
        raise UsageError("there is nothing to reason about: give at least one table")
    return inputs


@dataclass(frozen=True)
class Grid:
    """The tick in which all times are counted, and the type of time that answers have.

    ``tick`` is None where times are written as texts, so that each batch of facts has a tick of its own.
    """

    tick: Fraction | None
    output: TimeType


def choose_grid(program: Program, inputs: Sequence[Input], lengths: Sequence[Any]) -> Grid:
    """The declared tick, or the coarsest that divides all times of the tables, the program and the run."""
    kinds = {name: kind for each in inputs if each.table for name, kind in each.table.time_types.items()}
    if any(each.table is None for each in inputs):
        return Grid(program.tick, TimeType("text"))
    _refuse_dates_elsewhere(kinds, inputs)
    if program.timeline is Timeline.INTEGER:
        return Grid(Fraction(1), output_type(kinds, Fraction(1), program.unit))
    tick = program.tick
    if tick is None:
        steps = [kind.step(program.unit) for kind in kinds.values()]
        ends = (time for time in (*program_ends(program), *lengths) if isinstance(time, Fraction))
        facts = (end for fact in program.facts for end in (fact.interval.start, fact.interval.end))
        tick = common_tick([*steps, *ends, *(end for end in facts if isinstance(end, Fraction))])
    return Grid(tick, output_type(kinds, tick, program.unit))


def _refuse_dates_elsewhere(kinds: Mapping[str, TimeType], inputs: Sequence[Input]) -> None:
    """Refuse dates beside timestamps where nobody says in which time zone the days begin."""
    zone = inputs[0].frame.sparkSession.conf.get("spark.sql.session.timeZone") if inputs else None
    if {kind.name for kind in kinds.values()} >= {"date", "timestamp"} and zone not in _UTC:
        shown = ", ".join(f"{name} is {kind.name}" for name, kind in kinds.items())
        message = f"the time columns are of different kinds: {shown}, and the time zone of the session is {zone}"
        hint = "cast the dates to timestamps, so that it is said when their days begin"
        raise DataError([Diagnostic("E461", None, message, hint)])


_UTC = ("UTC", "Etc/UTC", "Z", "GMT", "UTC+0", "+00:00", None)


def _refuse_other_columns(frame: DataFrame, found: list[Diagnostic]) -> None:
    if not is_fact_frame(frame.schema):
        message = "a table that is not given by predicate must hold facts, with the columns of thalweg-facts"
        hint = 'write {"Predicate": table}, or read facts with spark.read.format("thalweg-facts")'
        found.append(Diagnostic("E460", None, message, hint, "table"))


def _refuse_unknown_times(time: TimeColumns, given: Mapping[str, DataFrame], found: list[Diagnostic]) -> None:
    if isinstance(time, Mapping):
        for name in time:
            if name not in given:
                hint = did_you_mean(name, given) or f"the tables are {', '.join(given)}"
                found.append(Diagnostic("E465", None, f"time names the table {name}, which is not given", hint))
