"""The data source ``thalweg-facts``: fact text files as tables, batch and streaming.

::

    spark.read.format("thalweg-facts").load("facts/*.facts")
    spark.readStream.format("thalweg-facts").load("incoming")

A path is a file, a folder or a pattern. A folder stands for the files in it, not for those in folders below it, for
which there are patterns such as ``facts/**/*.facts``. Names that begin with ``.`` or ``_`` are left alone. Columns:
``predicate string, arguments array<string>, start string, end string, start_closed boolean, end_closed boolean,
source string, line long``. Arguments are written as in facts: numbers bare, texts that look like numbers quoted.
Times are exact: ``1/3``, ``2.5``, ``-inf``.

=======================  =============================================================================================
``always``               predicates, with commas between them, whose facts may lack a time; they then hold always
``timeInLastArgument``   ``true``: a fact without ``@`` has its time, a whole number, as last argument: ``P(a,3)``
``mode``                 ``fail`` (default): lines that cannot be read are an error. ``keep``: they are rows in which
                         ``predicate`` is null and a further column ``problem string`` says what is wrong; so is a
                         file that is gone before it is read
``maxPartitionBytes``    files beyond this size are read by several tasks; 32 MiB unless given
``maxFilesPerTrigger``   streaming: how many files a batch may take
``maxBytesPerTrigger``   streaming: how many bytes a batch may take; a larger file is a batch of its own. Unless one of
                         the two is given, a batch takes 1,000 files or 64 MiB; under ``availableNow``, all there is
``settleSeconds``        streaming: how long a file must be left alone before it is taken, so that a file that is
                         still being copied is not; 1 unless given. A file that was written elsewhere and moved in
                         keeps its time, so it is taken at once
=======================  =============================================================================================

A stream takes each file once, by the time of its last change and then by name, also one that appears with an old
time. The offset of a batch names its files and their sizes, so a batch that is run again after a failure reads the
same bytes. A file that is gone by then is an error, or a problem that is kept; a file that has changed is an error, and
so is a file that grows after it was read.
A file that is removed and comes back later is a new file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from thalweg.errors import BadFactsError, Diagnostic, UsageError
from thalweg.spark.backlog import FILES, LEFT
from thalweg.spark.bounds import BYTES_A_BATCH, FILES_A_BATCH
from thalweg.spark.excerpt import Excerpt
from thalweg.spark.sources import fact_rows
from thalweg.spark.sources.fact_files import FactPath, FoundFile
from thalweg.spark.sources.fact_ranges import FactRange, VanishedError, plan_tasks
from thalweg.spark.sources.fact_rows import problem_rows, read_rows, to_batches
from thalweg.spark.sources.options import Options
from thalweg.spark.sources.taken import Taken
from thalweg.spark.worker_errors import carried
from thalweg.syntax.decoded import decode_lines

NAME = "thalweg-facts"

_OPTIONS = (
    "always",
    "timeInLastArgument",
    "mode",
    "maxPartitionBytes",
    "maxFilesPerTrigger",
    "maxBytesPerTrigger",
    "settleSeconds",
)
_BLOCK = 8 << 20
"""How much text is turned into columns at once: more gains nothing and costs memory."""
_MOST_SHOWN = 10


class FactsSource(DataSource):
    """Fact text files as a table."""

    @classmethod
    def name(cls) -> str:
        """The name for ``format(…)``."""
        return NAME

    def schema(self) -> str:
        """The columns; wrong options are found here, when the user names the source."""
        with carried():
            return _Settings.of(self.options).schema

    def reader(self, schema: StructType) -> DataSourceReader:
        """For ``spark.read``."""
        with carried():
            return _BatchReader(_Settings.of(self.options, schema))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  # Spark's name
        """For ``spark.readStream``."""
        with carried():
            return _StreamReader(_Settings.of(self.options, schema))


@dataclass(frozen=True)
class _Settings:
    path: FactPath
    always: frozenset[str]
    time_is_last: bool
    keeps_problems: bool
    largest_task: int
    files_a_batch: int | None
    bytes_a_batch: int | None
    settle: float

    @classmethod
    def of(cls, given: Mapping[str, str], schema: StructType | None = None) -> _Settings:
        options = Options(NAME, given)
        options.refuse_unknown(_OPTIONS)
        if options.text("paths"):
            raise UsageError(f"{NAME} reads one path\n    hint: write a pattern such as facts/*.facts")
        hint = "skipping lines unseen is not offered: keep them, and filter on problem is null"
        settings = cls(
            path=FactPath.of(options.required("path", 'write load("FILE, FOLDER OR PATTERN")')),
            always=frozenset(options.names("always")),
            time_is_last=options.boolean("timeInLastArgument", False),
            keeps_problems=options.choice("mode", ("fail", "keep"), hint) == "keep",
            largest_task=options.positive("maxPartitionBytes") or 32 << 20,
            files_a_batch=options.positive("maxFilesPerTrigger"),
            bytes_a_batch=options.positive("maxBytesPerTrigger"),
            settle=options.seconds("settleSeconds", 1.0),
        )
        settings.path.refuse_missing()
        if schema is not None and _ddl(schema) != settings.schema:
            raise UsageError(f"{NAME} has columns of its own: {settings.schema}\n    hint: leave out schema(…)")
        return settings

    @property
    def schema(self) -> str:
        return fact_rows.schema(self.keeps_problems)


def _ddl(schema: StructType) -> str:
    return ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in schema)


@dataclass(frozen=True)
class _Task(InputPartition):
    """What one task reads."""

    ranges: tuple[FactRange, ...]


class _FactReader:
    """What the readers have in common."""

    def __init__(self, settings: _Settings) -> None:
        self.settings = settings

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a task."""
        with carried():
            # Spark invents an empty partition where there are none.
            for part in partition.ranges if isinstance(partition, _Task) else ():
                yield from self._read_range(part)

    def _read_range(self, part: FactRange) -> Iterator[pa.RecordBatch]:
        try:
            for block, data in part.blocks(_BLOCK):
                yield from self._read_block(block, data)
        except VanishedError as error:
            if not self.settings.keeps_problems:
                raise BadFactsError([error.diagnostic]) from None
            yield from to_batches(problem_rows([error.diagnostic], part.file.shown, part.first_line))

    def _read_block(self, block: FactRange, data: bytes) -> Iterator[pa.RecordBatch]:
        lines, wrong = decode_lines(data, block.file.shown, block.first_line)
        text = Excerpt(block.file.shown, lines, first_line=block.first_line)
        settings = self.settings
        keeps = settings.keeps_problems
        table, problems = read_rows(text, settings.always, keeps, time_is_last=settings.time_is_last)
        if (wrong or problems) and not keeps:
            raise BadFactsError(_first_few([*wrong, *problems]))
        if wrong:
            yield from to_batches(problem_rows(wrong, block.file.shown, block.first_line))
        yield from to_batches(table)

    def _plan(self, files: Sequence[FoundFile]) -> list[InputPartition]:
        return [_Task(ranges) for ranges in plan_tasks(files, self.settings.largest_task)]


class _BatchReader(_FactReader, DataSourceReader):
    def partitions(self) -> list[InputPartition]:
        """The tasks of a batch query."""
        with carried():
            path = self.settings.path
            if path.is_unmatched_pattern:
                raise UsageError(f"no file matches {path.given}")
            return self._plan(path.files())


class _StreamReader(_FactReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """An offset is ``{"taken": …, "files": [[name, size], …]}``: what was taken before the batch, and the batch."""

    def __init__(self, settings: _Settings) -> None:
        super().__init__(settings)
        self._last_names: frozenset[str] | None = None
        """Under ``availableNow``: the files that were there when the query started."""

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # Spark's name
        """Nothing is taken."""
        return {"taken": "", "files": []}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802  # Spark's name
        """As many files as the option says; there is no limit on files and bytes both, so the rest is done here."""
        return ReadMaxFiles(self.settings.files_a_batch or FILES_A_BATCH)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  # Spark's name
        """Remember which files are there; those that may still be growing get the time to settle."""
        with carried():
            files = self.settings.path.files()
            if not all(map(self._is_settled, files)):
                time.sleep(self.settings.settle)
                names = {file.name for file in files}
                files = [file for file in self.settings.path.files() if file.name in names]
            self._last_names = frozenset(file.name for file in files if self._is_settled(file))

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802  # Spark's name
        """The offset after the files that the next batch takes; the start again if there are none."""
        with carried():
            files = self.settings.path.files()
            taken = Taken.parse(start["taken"]).plus(start["files"])
            taken.refuse_changed(files)
            fresh = [file for file in files if file not in taken and self._may_take(file)]
            if not fresh:
                return start
            batch = fresh[: self._most(fresh, limit)]
            left = {} if len(batch) == len(fresh) else {LEFT: {FILES: len(fresh) - len(batch)}}
            return {"taken": taken.only(files).write(), "files": [[file.name, file.size] for file in batch], **left}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """The tasks of a batch, by its offset alone, so that it can be run again."""
        with carried():
            if start == end:
                return []
            return self._plan([self.settings.path.file(name, size) for name, size in end["files"]])

    def _most(self, files: Sequence[FoundFile], limit: ReadLimit) -> int:
        """How many of the files a batch takes: at least one, however large."""
        settings = self.settings
        is_bounded = settings.files_a_batch is not None or settings.bytes_a_batch is not None
        if not isinstance(limit, ReadMaxFiles) or (self._last_names is not None and not is_bounded):
            return len(files)
        most = limit.max_files if settings.files_a_batch is not None or not is_bounded else len(files)
        size = settings.bytes_a_batch if is_bounded else BYTES_A_BATCH
        if size is None:
            return most
        within = int(np.searchsorted(np.cumsum([file.size for file in files]), size, side="right"))
        return max(1, min(most, within))

    def _may_take(self, file: FoundFile) -> bool:
        if self._last_names is not None:
            return file.name in self._last_names
        return self._is_settled(file)

    def _is_settled(self, file: FoundFile) -> bool:
        """Whether a file has been left alone long enough; a time in the future says nothing."""
        age = time.time() - file.modified / 1e9
        return age < 0 or age >= self.settings.settle


def _first_few(problems: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The first problems, and how many more there are nearby; all of them can be had in the mode ``keep``."""
    shown = list(problems[:_MOST_SHOWN])
    more = len(problems) - len(shown)
    if more:
        source = problems[0].span.source.name if problems[0].span else None
        message = f"{more} more line{'s' * (more > 1)} cannot be read"
        shown.append(Diagnostic("E407", None, message, 'option("mode", "keep") gives them all as rows', source))
    return shown
