"""From a program and its facts to its answers."""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.columnar.values import Values
from thalweg.engine.answers.answer import Answer, Answers
from thalweg.engine.answers.one_answer import only_answer
from thalweg.engine.answers.request import Request
from thalweg.engine.answers.search import search
from thalweg.engine.answers.split import split
from thalweg.engine.answers.task import Task
from thalweg.engine.intake import Intake, check_batches, choose_ticks, program_batches
from thalweg.errors import DataError, InconsistencyError
from thalweg.model.program import Program
from thalweg.syntax.facts import FactBatch


def find_answers(program: Program, batches: Sequence[FactBatch], request: Request) -> Answers:
    """The answers of a program (LARS paper, Definition 9), as far as they are asked for."""
    return answers_of(task_of(program, batches, request))


def find_only_answer(program: Program, batches: Sequence[FactBatch], request: Request) -> Answer:
    """The one answer of a stratified program; raises :class:`InconsistencyError` when a constraint forbids it."""
    return only_answer(task_of(program, batches, request))


def answers_of(task: Task) -> Answers:
    """As :func:`find_answers`, for facts that are relations already."""
    parts = split(task.program)
    try:
        found = search(task, parts) if parts.chosen else [only_answer(task)]
    except InconsistencyError:
        found = []
    return Answers(task.request.mode, tuple(found))


def task_of(program: Program, batches: Sequence[FactBatch], request: Request) -> Task:
    """The facts as relations; raises :class:`DataError` for those that do not fit."""
    request.check_times(program)
    batches = [batch for batch in (*program_batches(program), *batches) if batch.predicate in program.signatures]
    problems = check_batches(program, batches)
    if problems:
        raise DataError(problems)
    times = [time for time in (request.start, request.end, request.at) if time is not None]
    ticks, values = choose_ticks(program, batches, times), Values()
    return Task(program, Intake(values, ticks).relations(batches), values, ticks, request)
