"""A program over DataFrames as one Spark query: pack, shuffle, reason stage by stage, unpack."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it
from pyspark.sql.pandas.types import to_arrow_schema

from thalweg.analysis.queries import check_queries
from thalweg.analysis.sharding import Sharding, plan_shards
from thalweg.engine.batch_shard import run_batch
from thalweg.engine.intake import program_batches
from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.engine.materialise import codes_of
from thalweg.engine.memory_limit import shared_by
from thalweg.engine.output_times import INTERVALS as AS_INTERVALS
from thalweg.engine.output_times import OutputTimes
from thalweg.engine.packing import pack_batch
from thalweg.engine.parcels import Parcel
from thalweg.engine.pipeline import Pipeline, make_pipeline
from thalweg.engine.shard import AnyShard, Outcome, Shard
from thalweg.errors import UsageError
from thalweg.model.fingerprint import fingerprint
from thalweg.model.program import Program
from thalweg.plan.stretch import Stretch
from thalweg.spark.answers import CHANGES, INTERVALS, POINTS, AnswerColumns, Clock, OneQuery, QueryColumns, Tagged
from thalweg.spark.argument_types import ArgumentType, infer_types
from thalweg.spark.inputs import ArgumentColumns, Grid, Input, TimeColumns, choose_grid, read_inputs
from thalweg.spark.operator import ShardProcessor, sort_out
from thalweg.spark.packers import Addresses, BackgroundAddresses, FactPacker, FinalPacker, TablePacker
from thalweg.spark.settings import STATE_STORE
from thalweg.spark.shard_ids import shard_ids
from thalweg.spark.shipping import ship
from thalweg.spark.tables import Table, TableReader
from thalweg.spark.transport import ARROW, PROGRESS, QUARANTINE, SCHEMA, Row, outcome_rows, record_batch
from thalweg.spark.worker_errors import carried
from thalweg.spark.worker_memory import keep_memory, memory_at_first
from thalweg.time.interval import Endpoint
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline

METRICS = "thalweg"
"""The name under which Spark reports what a run observes of itself."""


@dataclass(frozen=True)
class Options:
    """What a user may choose for a run; see :func:`thalweg.spark.reason`.

    ``ids`` gives every answer a name; ``evidence`` sends the facts that came in time to the sink.
    """

    time: TimeColumns = None
    arguments: ArgumentColumns | None = None
    delay: Fraction = Fraction(0)
    start: Endpoint = -math.inf
    end: Endpoint = math.inf
    output_times: OutputTimes = AS_INTERVALS
    changes: bool = False
    shards: int | None = None
    keeps_bad_rows: bool = False
    limits: Limits = NO_LIMITS
    control: DataFrame | None = None
    ids: bool = False
    evidence: bool = False

    @property
    def mode(self) -> str:
        """What answers look like."""
        if self.changes:
            return CHANGES
        return INTERVALS if self.output_times.kind == "intervals" else POINTS


@dataclass(frozen=True)
class Reasoning:
    """A run that is planned and checked, ready to become a DataFrame.

    ``make_shard`` and ``run_batch`` are what reasons inside a shard; a benchmark puts something idle in their place.
    """

    program: Program
    queries: tuple[str, ...]
    inputs: tuple[Input, ...]
    options: Options

    make_shard: ClassVar[Callable[[Pipeline, int, int], AnyShard]] = Shard
    run_batch: ClassVar[Callable[[Pipeline, int, int, Sequence[Parcel]], Outcome]] = staticmethod(run_batch)

    @classmethod
    def plan(
        cls,
        program: Program,
        given: Mapping[str, DataFrame] | DataFrame,
        query: str | Collection[str],
        options: Options,
        **more: Any,
    ) -> Self:
        """Check everything that can be checked before the run."""
        queries = check_queries(program, query)
        if not queries:
            raise UsageError("there is no query: name a predicate")
        inputs = tuple(read_inputs(program, given, options.time, options.arguments))
        planned = cls(program, queries, inputs, options, **more)
        if options.changes and not planned.is_streaming:
            raise UsageError("changes are for streams: a batch knows all intervals from the start")
        if options.changes and options.output_times.kind != "intervals":
            raise UsageError("changes and answers at time points do not go together")
        _ = planned.pipeline, planned.columns
        return planned

    @property
    def is_streaming(self) -> bool:
        """Whether any table keeps growing."""
        return any(each.is_streaming for each in self.inputs)

    @property
    def spark(self) -> SparkSession:
        """The session of the tables."""
        return self.inputs[0].frame.sparkSession

    @cached_property
    def grid(self) -> Grid:
        """The tick, and the type of time that answers have."""
        lengths = (self.options.delay, self.options.start, self.options.end, *self.options.output_times.exact_times)
        return choose_grid(self.program, self.inputs, lengths)

    @cached_property
    def sharding(self) -> Sharding:
        """How the work is split; static tables are background beside a stream."""
        static = [each.table.predicate for each in self.inputs if each.table and not each.is_streaming]
        return plan_shards(self.program, self.queries, static if self.is_streaming else ())

    @cached_property
    def pipeline(self) -> Pipeline:
        """The stages."""
        program = self.program
        if self.grid.tick is not None and program.timeline is Timeline.RATIONAL:
            program = replace(program, tick=self.grid.tick)
        pipeline = make_pipeline(
            program,
            self.sharding,
            self.shards,
            streaming=self.is_streaming,
            delay=self.options.delay,
            start=self.options.start,
            end=self.options.end,
            output_times=self.options.output_times,
            changes=self.options.changes,
            limits=self.limits,
        )
        return replace(pipeline, keeps_evidence=True) if self.options.evidence else pipeline

    @property
    def limits(self) -> Limits:
        """Those of each Python process of Spark: as many run on a machine as it has tasks at once."""
        context = self.spark.sparkContext
        tasks = int(context.getConf().get("spark.executor.cores") or context.defaultParallelism)
        return replace(self.options.limits, memory=shared_by(self.options.limits.memory, tasks))

    @property
    def partitions(self) -> int:
        """How many partitions Spark shuffles to."""
        return int(self.spark.conf.get("spark.sql.shuffle.partitions") or 1)

    @property
    def shards(self) -> int:
        """How many shards share the work: as asked for, or one for every partition or core."""
        if self.options.shards is not None:
            return self.options.shards
        return max(1, min(self.partitions, self.spark.sparkContext.defaultParallelism))

    @cached_property
    def ids(self) -> list[list[int]]:
        """The numbers by which Spark knows the shards of each stage; nothing comes after the last."""
        return [*(shard_ids(stage.shards, self.partitions) for stage in self.pipeline.stages), []]

    @cached_property
    def clock(self) -> Clock:
        """How codes of time become columns."""
        return Clock(self.program.timeline, self.program.unit, self.grid.output)

    @property
    def form(self) -> str:
        """In which form answers are given."""
        wanted = self.options.output_times
        if self.options.changes:
            return "changes"
        return wanted.kind if wanted.step is None else f"every:{wanted.step}"

    @cached_property
    def columns(self) -> Mapping[str, AnswerColumns]:
        """The columns of each query's answers."""
        return {
            name: QueryColumns.of(
                self.program.signatures[name], kinds, self.options.mode, self.clock, has_ids=self.options.ids
            )
            for name, kinds in self.argument_types.items()
        }

    @cached_property
    def argument_types(self) -> dict[str, list[ArgumentType]]:
        """The types of each query's arguments."""
        given = {each.table.predicate: each.table.types for each in self.inputs if each.table}
        if any(each.table is None for each in self.inputs):
            # Facts written as text may hold anything that the program does not declare.
            anything = {name: (ArgumentType.ANY,) * s.arity for name, s in self.program.signatures.items()}
            given = {**anything, **given}
        kinds = infer_types(self.program, given)
        return {name: kinds[name] for name in self.queries}

    @cached_property
    def identity(self) -> str:
        """What must be the same for a checkpoint to make sense."""
        options = self.options
        return fingerprint(
            self.program,
            self.pipeline.stages,
            self.queries,
            (options.delay, options.start, options.end, options.output_times, options.changes),
            options.limits.restricted,
            self.ids,
            self.partitions,
        )

    @cached_property
    def transport(self) -> DataFrame:
        """Everything that leaves the last stage, packed."""
        ship(self.spark)
        if not self.is_streaming:
            return self._batch()
        for key, value in STATE_STORE.items():
            # The stateful operator works with no other store; queries that run already keep theirs.
            self.spark.conf.set(key, value)
        return self._stream()

    def one_query(self) -> DataFrame:
        """The answers of the only query, as typed rows."""
        (query,) = self.queries
        return self._unpacked(OneQuery(query, self.columns[query]))

    def tagged(self) -> DataFrame:
        """The answers of all queries and what was set aside, as rows with a tag."""
        return self._unpacked(Tagged(self.columns, self.clock))

    def _unpacked(self, unpack: OneQuery | Tagged) -> DataFrame:
        if self.is_streaming:
            return self.transport.mapInArrow(unpack, unpack.spark)
        ship(self.spark)
        return self._batch(unpack)

    def _batch(self, unpack: OneQuery | Tagged | None = None) -> DataFrame:
        """What leaves the last stage: unpacked there, which saves a way through another worker, or packed."""
        addresses = Addresses(self.pipeline, self.ids[0])
        packed = self._given_facts(addresses)
        for each in self.inputs:
            packed = packed.unionAll(self._packed(each, addresses))
        for stage in self.pipeline.stages:
            ids, onward = self.ids[stage.number], self.ids[stage.number + 1]
            run = _batch_runner(self.pipeline, stage.number, ids, onward, type(self).run_batch)
            # A number of partitions of our own, so that Spark does not put shards together because they are small.
            spread = packed.repartition(self.partitions, "shard")
            if unpack is not None and not onward:
                return spread.groupBy("shard").applyInArrow(_unpacking(run, unpack), unpack.spark)
            packed = spread.groupBy("shard").applyInArrow(run, SCHEMA)
        return packed

    def _stream(self) -> DataFrame:
        addresses = Addresses(self.pipeline, self.ids[0])
        streams = [self._packed(each, addresses) for each in self.inputs if each.is_streaming]
        if self.options.control is not None:
            streams.append(self.options.control.mapInArrow(FinalPacker(addresses), SCHEMA))
        packed = streams[0]
        for stream in streams[1:]:
            packed = packed.unionAll(stream)
        for stage in self.pipeline.stages:
            here, onward = self.ids[stage.number], self.ids[stage.number + 1]
            processor = ShardProcessor(self.pipeline, stage.number, here, onward, self.identity, type(self).make_shard)
            background = self._background(stage.number)
            packed = packed.groupBy("shard").transformWithStateInPandas(
                processor,
                SCHEMA,
                "append",
                "none",
                initialState=None if background is None else background.groupBy("shard"),
            )
        return _observed(packed)

    def _packed(self, each: Input, addresses: Addresses | BackgroundAddresses) -> DataFrame:
        if each.table is None:
            return each.columns.mapInArrow(FactPacker(addresses, self.options.keeps_bad_rows), SCHEMA)
        packer = TablePacker(self.reader(each.table), addresses, self.options.keeps_bad_rows)
        return each.columns.mapInArrow(packer, SCHEMA)

    @cached_property
    def background_aside(self) -> DataFrame | None:
        """What static tables beside a stream have that cannot be facts: initial state has no way out for rows."""
        static = [each for each in self.inputs if not each.is_streaming]
        if not self.is_streaming or not static or not self.options.keeps_bad_rows:
            return None
        addresses = BackgroundAddresses(self.pipeline, 0, self.ids[0])
        whole = self._packed(static[0], addresses)
        for each in static[1:]:
            whole = whole.unionAll(self._packed(each, addresses))
        return whole.where(F.col("tag") == QUARANTINE)

    def reader(self, table: Table) -> TableReader:
        """What reads the rows of a table."""
        program = self.program
        tick, span = self._reading_tick, None
        is_bounded = any(not isinstance(end, float) for end in program.bounds)
        if is_bounded and table.predicate not in program.background:
            span = codes_of(Stretch(*program.bounds), Ticks(program.timeline, tick))
        return TableReader(table, tick, program.timeline, program.unit, program.is_existential, span)

    @property
    def _reading_tick(self) -> Fraction:
        """The tick of tables that stand beside facts written as texts is their own."""
        if self.grid.tick is not None:
            return self.grid.tick
        tables = [each.table for each in self.inputs if each.table is not None]
        steps = (kind.step(self.program.unit) for table in tables for kind in table.time_types.values())
        return Fraction(1, math.lcm(*(step.denominator for step in steps)))

    def _background(self, stage: int) -> DataFrame | None:
        """What a stage knows before the stream begins: static tables, and the facts in the program."""
        addresses = BackgroundAddresses(self.pipeline, stage, self.ids[stage])
        read = {name for name, stages in self.pipeline.readers.items() if stage in stages}
        static = [
            self._packed(each, addresses)
            for each in self.inputs
            if not each.is_streaming and (each.table is None or each.table.predicate in read)
        ]
        facts = [batch for batch in program_batches(self.program) if batch.predicate in read]
        if facts:
            static.append(self._given_facts(addresses))
        whole: DataFrame | None = None
        for part in static:
            whole = part if whole is None else whole.unionAll(part)
        return whole

    def _given_facts(self, addresses: Addresses | BackgroundAddresses) -> DataFrame:
        """The facts in the program, packed on the driver; a parcel for every shard, so that none is left out."""
        packets = [pack_batch(batch, self.pipeline.program) for batch in program_batches(self.program)]
        rows = addresses.rows(packets, 0)
        return self.spark.createDataFrame(record_batch_table(rows), SCHEMA)


_GroupRunner = Callable[[tuple[pa.Scalar, ...], pa.Table], pa.Table]


def _batch_runner(
    pipeline: Pipeline,
    stage: int,
    ids: Sequence[int],
    onward: Sequence[int],
    run_batch: Callable[[Pipeline, int, int, Sequence[Parcel]], Outcome],
) -> _GroupRunner:
    """Runs the shards of one stage over all their facts, for ``applyInArrow`` (which takes plain functions only)."""

    def run(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        keep_memory()
        memory_at_first()
        number = ids.index(key[0].as_py())
        home = onward[number % len(onward)] if onward else 0
        parcels, passing = sort_out([rows.to_pydict()], home)
        with carried(), pipeline.limits.on_memory(memory_at_first()):
            outcome = run_batch(pipeline, stage, number, parcels)
        return record_batch_table([*passing, *outcome_rows(outcome, onward, home, {})])

    return run


def _unpacking(run: _GroupRunner, unpack: OneQuery | Tagged) -> _GroupRunner:
    """Runs the shards of the last stage, and gives their answers as typed rows."""
    nothing = to_arrow_schema(unpack.spark, timezone="UTC").empty_table()

    def run_and_unpack(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        found = [*unpack(iter(run(key, rows).to_batches()))]
        return pa.Table.from_batches(found) if found else nothing

    return run_and_unpack


def record_batch_table(rows: Sequence[Row]) -> pa.Table:
    """Rows in transport as an Arrow table."""
    return pa.Table.from_batches([record_batch(rows)], ARROW)


def _observed(packed: DataFrame) -> DataFrame:
    """Report what shards say of themselves as metrics of the streaming query."""
    told = F.when(F.col("tag") == PROGRESS, F.col("payload").cast("string"))

    def of(name: str) -> F.Column:  # type: ignore[name-defined]  # pyspark's stubs do not name it there
        return F.get_json_object(told, f"$.{name}")

    counts = ("rows", "late", "answers", "stored_window", "stored_history", "waiting", "dropped")
    sizes = ("state_bytes", "written_bytes")
    sums = [F.sum(of(name).cast("long")).alias(name) for name in (*counts, *sizes)]
    last = [F.max(of("values").cast("long")).alias("values")]
    # How evenly the shards share the work: the largest holds so much.
    last += [F.max(of("stored_window").cast("long")).alias("largest_shard"), F.count(told).alias("shards")]
    return packed.observe(
        METRICS, *sums, *last, F.max(of("newest")).alias("newest"), F.max(of("before")).alias("before")
    )
