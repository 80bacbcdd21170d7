"""``thalweg run --stream`` on Spark: follow folders, topics and tables, and answer as time advances."""

from __future__ import annotations

import argparse
import datetime
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from thalweg.analysis.endless_memory import kept_for_ever
from thalweg.cli.messages import notice, on_terminal, refresh, tell
from thalweg.cli.recording import record_of
from thalweg.cli.run_options import limits_of
from thalweg.cli.spark_batch import delay_for_others, in_words_of_caller, planned_run, settings
from thalweg.cli.times import parse_length
from thalweg.engine.divisions import division_warnings
from thalweg.engine.given import TOPIC, Given, refuse_for_stream
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.pipeline import declared_delay
from thalweg.engine.tables_file import TableSpec
from thalweg.errors import DataError, StorageError, UsageError
from thalweg.model.program import Program
from thalweg.record.evidence_writer import EvidenceWriter
from thalweg.record.files import EVIDENCE, FOLDER, local_folder
from thalweg.record.full_disk import AGAIN, FROM_CHECKPOINT, fullest, writing
from thalweg.record.run_record import HYPOTHESES, STREAM, RunRecord
from thalweg.record.writer import RunWriter
from thalweg.spark.aside_table import AsideTable
from thalweg.spark.backlog import backlog
from thalweg.spark.batch_files import AsideFile, BatchFiles
from thalweg.spark.batch_report import BatchReport, ProgressLine
from thalweg.spark.bounds import Bounds
from thalweg.spark.broken_files import BrokenFileError, leaving_out_broken
from thalweg.spark.checkpoint import AnswerFolder, Checkpoint, Recorded, record
from thalweg.spark.evidence import keep_background
from thalweg.spark.fact_inputs import KafkaAddress, Opening, argument_columns, time_columns
from thalweg.spark.failures import spark_errors
from thalweg.spark.hypothesis_report import progress_line
from thalweg.spark.master import is_local
from thalweg.spark.partitions import SETTING, fit_partitions
from thalweg.spark.paths import Folder
from thalweg.spark.reasoning import Options, Reasoning
from thalweg.spark.signals import start_session
from thalweg.spark.sinks import FOLDER_FORMATS, LINE_FORMATS, FolderSink, KafkaSink, Sink, TerminalSink
from thalweg.spark.stream_run import StreamRun
from thalweg.spark.transport import QUARANTINE
from thalweg.time.interval import Endpoint

STOPPED = 130


def run_stream(
    program: Program,
    queries: Sequence[str],
    given: Given,
    tables: Sequence[TableSpec],
    options: argparse.Namespace,
    end: Endpoint,
) -> int:
    """Follow the facts, and write answers as they are due."""
    call = _Call(program, queries, given, tables, options, end)
    for warning in () if options.hypotheses else kept_for_ever(program, queries):
        tell(warning.render())
    with notice("starting Spark…"):
        spark = start_session(options.master, settings(options), quiet=not options.spark_log)
    try:
        with _checkpoint_folder(options) as path, spark_errors():
            return _Stream(spark, call, Checkpoint(Folder(spark, path))).run()
    except StorageError as error:
        raise _with_place(error, options) from error
    except DataError as error:
        raise in_words_of_caller(error, given) from None


def _with_place(error: StorageError, options: argparse.Namespace) -> StorageError:
    """Where there is no room, if that is not said yet: Spark writes answers, the checkpoint, and files of its own."""
    (said,) = error.diagnostics
    if said.place is not None:
        return error
    answers = [] if options.output.startswith(TOPIC) else [options.output]
    kept = answers if options.checkpoint is None else [*answers, options.checkpoint]
    own = settings(options).get("spark.local.dir") or os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()
    folders = [folder for name in (*kept, *own.split(",")) if (folder := local_folder(name)) is not None]
    hint = said.hint if options.checkpoint is None or said.hint is None else said.hint.replace(AGAIN, FROM_CHECKPOINT)
    return StorageError([replace(said, place=fullest(folders), hint=hint)])


class _Call:
    """What was asked for, checked before Spark starts."""

    def __init__(
        self,
        program: Program,
        queries: Sequence[str],
        given: Given,
        tables: Sequence[TableSpec],
        options: argparse.Namespace,
        end: Endpoint,
    ) -> None:
        self.program, self.queries, self.options, self.end = program, queries, options, end
        self.given, self.tables = given, tables
        self.delay = _delay(program, options)
        self.trigger = _trigger(options.trigger or "1s")
        self.output_times = INTERVALS if options.at is None else OutputTimes.parse(options.at)
        self.format = _format(options)
        refuse_for_stream(given, program)
        for address in (*given.topics, *([options.output] if options.output.startswith(TOPIC) else [])):
            KafkaAddress.parse(address)
        followed = (*self.given.texts, *self.given.topics, *(spec for spec in self.tables if spec.is_stream))
        if not followed:
            raise UsageError("there is nothing to follow: name a folder, a file, a topic, or --tables FILE")
        if options.explain is not None and self.folder is None:
            tell("thalweg: without --output DIR no facts are kept: answers get ids, but cannot be explained")
        if options.checkpoint is None and options.output != "-":
            raise UsageError("--output needs --checkpoint DIR, so that no answer is lost or written twice")
        if options.checkpoint is None and options.master is not None and not is_local(options.master):
            raise UsageError(f"--master {options.master} needs --checkpoint DIR, on a disk that all machines share")

    @property
    def inputs(self) -> list[str]:
        """What is read, for the checkpoint to compare."""
        named = (name if "://" in name else os.path.abspath(name) for name in self.given.named)
        return [*named, *(f"{spec.predicate}: {spec.name}" for spec in self.tables)]

    def chosen(self, shards: int | None) -> Options:
        """The options of the run."""
        return Options(
            time=time_columns(self.tables),
            arguments=argument_columns(self.tables),
            delay=self.delay,
            end=self.end,
            output_times=self.output_times,
            changes=self.options.emit == "changes",
            shards=shards,
            keeps_bad_rows=self.options.skip_bad,
            limits=limits_of(self.options),
            ids=self.options.explain is not None,
            evidence=self.options.explain is not None and self.folder is not None,
        )

    @property
    def folder(self) -> Path | None:
        """Where answers go, if that is a folder on this machine."""
        return local_folder(self.options.output)


class _Stream:
    def __init__(self, spark: Any, call: _Call, checkpoint: Checkpoint) -> None:
        self.spark, self.call, self.checkpoint = spark, call, checkpoint
        self._files = BatchFiles(checkpoint.folder, skips=call.options.skip_bad)
        self._aside: tuple[str, ...] = ()
        """The addresses of the files of tables that are left out."""

    def run(self) -> int:
        """Run to the end, or until stopped."""
        before = self.checkpoint.recorded()
        self._aside = tuple(file.address for file in self._files.aside) if before is not None else ()
        planned, found = leaving_out_broken(lambda more: self._planned(before, more), skips=self.call.options.skip_bad)
        now = record(planned, str(self.call.options.program), self.call.inputs)
        self.checkpoint.refuse_other(now)
        if self.checkpoint.is_finished:
            tell(f"thalweg: {self.checkpoint.folder.shown} is finished: everything has been answered to the end")
            return 0
        for name in self.checkpoint.mend():
            tell(f"thalweg: {self.checkpoint.folder.shown}: {name} was cut off; its batch is run again")
        answers = self._answer_folder(before or now)
        self.checkpoint.take(now)
        if answers is not None:
            self._take(answers, is_new=before is None)
        for error in found:
            self._leave_out(error, self._files.next_batch)
        planned = self._with_control(planned)
        folder = self.call.folder
        if folder is None:
            return self._run(planned, self._sink(planned, answers, None), None)
        with RunWriter(folder, self._record(planned)).running() as writer:
            evidence = self._evidence(planned, folder, is_new=before is None)
            code = self._run(planned, self._sink(planned, answers, evidence), writer)
            writer.is_stopped = code == STOPPED
            return code

    def _run(self, planned: Reasoning, sink: Sink, writer: RunWriter | None) -> int:
        progress = _Progress(progress_line(planned), self.call.options, writer, self.checkpoint)
        sink.on_batch = progress.hear
        sink.aside = self._aside_table
        sink.files, sink.problems = self._files, self.call.given.problems
        ended = self._ended(planned, sink)
        progress.end()
        for warning in division_warnings(self.call.program, sink.divisions):
            tell(warning.render())
        if sink.count_set_aside:
            self._tell_of_set_aside(sink.count_set_aside)
        return 0 if ended else self._stopped()

    def _ended(self, planned: Reasoning, sink: Sink) -> bool:
        """Run to the end or until stopped; files that cannot be read are left out, if that is what was asked for."""
        while True:
            trigger, is_final = self.call.trigger, bool(self.call.options.final)
            try:
                return StreamRun(planned, self.checkpoint, sink, trigger, is_final).run()
            except BrokenFileError as error:
                if not self.call.options.skip_bad or error.address in self._aside:
                    raise
                self._leave_out(error, sink.number)
            planned = self._with_control(self._planned(self.checkpoint.recorded()))
            sink.planned, sink.failure = planned, None

    def _leave_out(self, error: BrokenFileError, batch: int) -> None:
        self._files.set_aside(AsideFile(error.address, error.reason, batch))
        self._aside += (error.address,)

    def _with_control(self, planned: Reasoning) -> Reasoning:
        with spark_errors():
            control = self.checkpoint.control(self.spark)
        return replace(planned, options=replace(planned.options, control=control))

    def _record(self, planned: Reasoning) -> RunRecord:
        call = self.call
        return record_of(
            call.program,
            planned.queries,
            call.options,
            kind=HYPOTHESES if call.options.hypotheses else STREAM,
            answers=call.format,
            clock=planned.clock.kind.clock,
            shards=planned.shards,
            delay=call.delay,
        )

    def _evidence(self, planned: Reasoning, folder: Path, *, is_new: bool) -> EvidenceWriter | None:
        bound = self.call.options.explain
        if bound is None:
            return None
        writer = EvidenceWriter(folder / FOLDER / EVIDENCE, bound)
        if not writer.begin(is_new=is_new):
            tell("thalweg: the facts of earlier batches were not kept: what depends on them may not be explained")
        if is_new:  # the shards know static tables as they were then
            keep_background(writer, planned)
        return writer

    def _planned(self, before: Recorded | None, more_aside: tuple[str, ...] = ()) -> Reasoning:
        options = self.call.options
        shards = options.shards or (before.shards if before is not None else None)
        with spark_errors():
            fit_partitions(self.spark, shards)
            if before is not None and SETTING not in settings(options):
                # The checkpoint has its partitions for good; this machine may have other cores.
                self.spark.conf.set(SETTING, str(before.partitions))
            without = (*self._aside, *more_aside)
            opening = Opening(self.spark, self.call.program, True, options.skip_bad, self._bounds(), without)
            inputs = opening.inputs(self.call.given, self.call.tables)
            return planned_run(self.call.program, inputs, self.call.queries, self.call.chosen(shards), options)

    def _bounds(self) -> Bounds:
        options = self.call.options
        is_endless = "availableNow" not in self.call.trigger
        return Bounds(options.max_files, options.max_bytes, options.max_rows, by_default=is_endless)

    def _answer_folder(self, run: Recorded) -> AnswerFolder | None:
        output = self.call.options.output
        if output == "-" or output.startswith(TOPIC):
            return None
        answers = AnswerFolder(Folder(self.spark, output), run)
        answers.refuse_other()
        return answers

    def _take(self, answers: AnswerFolder, *, is_new: bool) -> None:
        if not is_new and not answers.is_ours and self.checkpoint.has_answers:
            tell(f"thalweg: {answers.folder.shown} is new: the answers of earlier batches are not in it")
        answers.take()

    def _sink(self, planned: Reasoning, answers: AnswerFolder | None, evidence: EvidenceWriter | None) -> Sink:
        output = self.call.options.output
        if answers is not None:
            return FolderSink(planned, self._warn, answers.folder, self.call.format, evidence)
        if output.startswith(TOPIC):
            return KafkaSink(planned, self._warn, KafkaAddress.parse(output), self.call.format)
        return TerminalSink(planned, self._warn, _show, self.call.format)

    def _warn(self, text: str) -> None:
        tell(self.call.given.shown(text))

    def _tell_of_set_aside(self, count: int) -> None:
        output = self.call.options.output
        if output == "-" or output.startswith(TOPIC):
            where = "" if self._aside_table is None else f", in {self._aside_table.shown}"
        else:
            where = f", in {output.rstrip('/')}/{QUARANTINE}"
        tell(f"thalweg: {count} fact{'s' if count > 1 else ''} set aside{where}")

    @cached_property
    def _aside_table(self) -> AsideTable | None:
        """Where what was set aside is kept, unless it is beside the answers, or nothing is kept at all."""
        is_kept = self.call.options.checkpoint is not None
        return AsideTable(self.spark, self.checkpoint.folder) if is_kept else None

    def _stopped(self) -> int:
        if self.call.options.checkpoint is None:
            tell("thalweg: stopped; there is no checkpoint, so another run begins anew")
        else:
            tell(f"thalweg: stopped; the same command goes on from here (checkpoint {self.checkpoint.folder.shown})")
        return STOPPED


class _Progress:
    """Writes reports to the record, and shows them: in place where the terminal has nothing else, or line by line."""

    def __init__(
        self, line: ProgressLine, options: argparse.Namespace, writer: RunWriter | None, checkpoint: Checkpoint
    ) -> None:
        self._line, self._writer, self._checkpoint = line, writer, checkpoint
        self._is_shown = bool(options.progress) or on_terminal()
        self._in_place, self._is_open = options.output != "-" and on_terminal(), False

    def hear(self, report: BatchReport) -> None:
        now = datetime.datetime.now(datetime.UTC)
        if self._writer is not None or self._is_shown:
            report = replace(report, backlog=backlog(self._checkpoint.folder, report.number))
        if self._writer is not None:
            self._writer.progress(self._line.record(report, now))
        if self._is_shown:
            self._show(self._line.write(report, now))

    def _show(self, text: str) -> None:
        (refresh if self._in_place else tell)(text)
        self._is_open = self._in_place

    def end(self) -> None:
        if self._is_open:
            tell("")


@contextmanager
def _checkpoint_folder(options: argparse.Namespace) -> Iterator[str]:
    if options.checkpoint is not None:
        yield options.checkpoint
        return
    tell("thalweg: without --checkpoint nothing is remembered: another run begins anew")
    with tempfile.TemporaryDirectory(prefix="thalweg-checkpoint-", ignore_cleanup_errors=True) as folder:
        yield folder


def _delay(program: Program, options: argparse.Namespace) -> Fraction:
    if options.hypotheses:
        return delay_for_others(program, options)
    return declared_delay(program) if options.delay is None else parse_length(options.delay, "--delay", program.unit)


def _show(text: str) -> None:
    with writing("standard output"):
        print(text, flush=True)


def _trigger(text: str) -> dict[str, Any]:
    """The arguments of Spark's ``trigger``."""
    if text == "available-now":
        return {"availableNow": True}
    try:
        seconds = parse_length(text, "--trigger", None)
    except UsageError:
        raise UsageError(f"--trigger {text}: write a duration such as 1s or 500ms, or available-now") from None
    return {"processingTime": f"{int(seconds * 1000)} milliseconds"}


def _format(options: argparse.Namespace) -> str:
    output = options.output
    if output == "-" or output.startswith(TOPIC):
        chosen = options.format or "facts"
        if chosen not in LINE_FORMATS:
            where = "standard output" if output == "-" else "a topic"
            raise UsageError(f"--format {chosen} does not go to {where} on a stream: name a folder with --output")
        return str(chosen)
    if "://" not in output and Path(output).is_file():
        raise UsageError(f"{output} is a file; a stream writes to a folder")
    chosen = options.format or "parquet"
    assert chosen in FOLDER_FORMATS
    return str(chosen)
