"""The folder in which a stream remembers where it is: Spark's checkpoint, and what it belongs to.

=================  ==================================================================================================
``thalweg.json``   which run it is for: program, queries, inputs, delay, shards
``spark``          Spark's own checkpoint: offsets, commits, state
``control``        a file appears here when no fact follows any more; the run reads it as a stream
``finished``       is there once everything has been answered to the end
=================  ==================================================================================================
"""

from __future__ import annotations

import datetime
import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from thalweg.engine.state_errors import damaged, other_version
from thalweg.errors import DataError, Diagnostic, UsageError
from thalweg.spark.paths import Folder, exact_path
from thalweg.spark.reasoning import Reasoning
from thalweg.spark.torn_logs import COMMITS, remove_torn
from thalweg.time.interval import format_endpoint, format_rational

_VERSION = 2
_FACTS, _FINISHED, _FINAL = "thalweg.json", "finished", "final"
_ANSWERS = "_thalweg.json"


@dataclass(frozen=True)
class Recorded:
    """What a checkpoint is for. ``run`` names the run; ``identity`` is all that must be the same, as a hash."""

    version: int
    run: str
    created: str
    identity: str
    program: str
    queries: list[str]
    inputs: list[str]
    delay: str
    to: str
    answers: str
    shards: int
    partitions: int


_TYPES = {"int": int, "str": str, "list[str]": str}

_COMPARED = {
    "queries": "the queries were",
    "inputs": "the inputs were",
    "delay": "the delay was",
    "to": "the end of time was",
    "answers": "answers were given as",
    "shards": "the number of shards was",
    "partitions": "the number of partitions was",
}


def record(planned: Reasoning, program: str, inputs: Sequence[str]) -> Recorded:
    """What there is to say of a run."""
    options = planned.options
    return Recorded(
        version=_VERSION,
        run=uuid.uuid4().hex,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        identity=planned.identity,
        program=program,
        queries=list(planned.queries),
        inputs=list(inputs),
        delay=format_rational(options.delay),
        to=format_endpoint(options.end),
        answers=planned.form,
        shards=planned.shards,
        partitions=planned.partitions,
    )


class Checkpoint:
    """A checkpoint folder."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    @property
    def spark(self) -> str:
        """Where Spark keeps its own."""
        return self.folder.below("spark")

    def control(self, spark: SparkSession) -> DataFrame:
        """The stream in which a row says that no fact follows."""
        return spark.readStream.text(exact_path(self.folder.below("control")))

    def recorded(self) -> Recorded | None:
        """What the folder is for, if it is in use; raises :class:`UsageError` if it is something else."""
        text = self.folder.read(_FACTS)
        if text is None:
            if self.folder.names():
                hint = "name a new folder, or an empty one"
                raise UsageError(f"{self.folder.shown} is not empty, and no checkpoint of thalweg\n    hint: {hint}")
            return None
        place = f"{self.folder.shown}/{_FACTS}"
        try:
            facts = json.loads(text)
            version = facts["version"]
            if version == _VERSION:
                return _checked(Recorded(**facts))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise damaged("it is not what a run writes there", place) from error
        raise other_version(version, _VERSION, place)

    def refuse_other(self, now: Recorded) -> None:
        """Refuse the checkpoint of another run."""
        before = self.recorded()
        if before is not None:
            _refuse_other(before, now, self.folder.shown)

    def take(self, now: Recorded) -> None:
        """Use the folder for a run; one that is in use stays as it is."""
        # First what says whose folder it is: killed after that, the same command goes on.
        self.folder.write(_FACTS, json.dumps(asdict(now), indent=2) + "\n")
        self.folder.make("control")

    def mend(self) -> list[str]:
        """Take away what a crash left of Spark's own files and Spark can do without; the names of it."""
        return remove_torn(self.folder)

    @property
    def has_answers(self) -> bool:
        """Whether a batch has been answered."""
        return bool(self.folder.names(COMMITS))

    @property
    def is_finished(self) -> bool:
        """Whether everything has been answered."""
        return self.folder.exists(_FINISHED)

    @property
    def is_final(self) -> bool:
        """Whether it has been said that no fact follows."""
        return self.folder.exists(f"control/{_FINAL}")

    def declare_final(self) -> None:
        """Say, once, that no fact follows."""
        self.folder.write(f"control/{_FINAL}", "no fact follows\n")

    def finish(self) -> None:
        """Note that everything has been answered."""
        self.folder.write(_FINISHED, "everything has been answered\n")


class AnswerFolder:
    """A folder with the answers of one run, and of no other: batches of two runs have the same numbers."""

    def __init__(self, folder: Folder, run: Recorded) -> None:
        self.folder, self.run = folder, run

    @property
    def is_ours(self) -> bool:
        """Whether the run has written here before."""
        text = self.folder.read(_ANSWERS)
        try:
            said = None if text is None else json.loads(text)
        except (ValueError, RecursionError):
            return False
        return isinstance(said, dict) and said.get("run") == self.run.run

    def refuse_other(self) -> None:
        """Refuse a folder with the answers of another run, or with anything else in it."""
        if self.is_ours or not self.folder.names():
            return
        what = "the answers of another run" if self.folder.exists(_ANSWERS) else "something else"
        hint = "name another folder, or the checkpoint that belongs to it"
        raise UsageError(f"{self.folder.shown} holds {what}\n    hint: {hint}")

    def take(self) -> None:
        """Make it the folder of the run."""
        self.folder.make()
        said = {"run": self.run.run, "program": self.run.program, "queries": self.run.queries}
        self.folder.write(_ANSWERS, json.dumps(said) + "\n")


def _checked(recorded: Recorded) -> Recorded:
    """What was read, if every field has the type that it must have."""
    for each in fields(Recorded):
        value, is_list = getattr(recorded, each.name), each.type == "list[str]"
        parts = value if is_list and isinstance(value, list) else [value]
        if isinstance(value, list) != is_list or any(type(part) is not _TYPES[str(each.type)] for part in parts):
            raise ValueError(each.name)
    return recorded


def _refuse_other(before: Recorded, now: Recorded, folder: str) -> None:
    if before.identity == now.identity and before.inputs == now.inputs:
        return
    differences = [
        f"{what} {_shown(old)}, now {_shown(new)}"
        for field, what in _COMPARED.items()
        if (old := getattr(before, field)) != (new := getattr(now, field))
    ]
    message = "; ".join(differences) or f"the rules were others when it was made (by {before.program})"
    hint = "run it as before, or name a new folder with --checkpoint"
    raise DataError([Diagnostic("E466", None, f"the checkpoint is for another run: {message}", hint, folder)])


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
