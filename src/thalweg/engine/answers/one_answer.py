"""The one answer that a stratified program has, unless a constraint forbids it."""

from __future__ import annotations

import math

from thalweg.columnar.shift import clip
from thalweg.engine.answers.answer import Answer
from thalweg.engine.answers.mode import Reading
from thalweg.engine.answers.overestimate import guarded
from thalweg.engine.answers.task import Task
from thalweg.engine.materialise import codes_of
from thalweg.plan.stretch import Stretch


def only_answer(task: Task) -> Answer:
    """What holds; raises :class:`InconsistencyError` when a constraint is violated.

    The negations of a stratified program read what is settled before, so its answer is what rounds of rules derive.
    When rules are satisfied at one time only, each of them says so in its body.
    """
    request, program = task.request, task.program
    at_once = request.reading is Reading.EVALUATION_TIME
    relations = task.materialised(guarded(program) if at_once else program, _stretch(task), request.queries)
    reported = codes_of(request.reported(program), task.ticks)
    shown = {name: clip(relation, *reported) for name, relation in relations.items()}
    return Answer(shown, task.values, task.ticks, program.signatures)


def _stretch(task: Task) -> Stretch:
    """What happens at a time can be told without a bound on the stretch around it, so none is needed."""
    request = task.request
    is_open = (request.start, request.end) == (-math.inf, math.inf)
    return request.reported(task.program) if is_open else request.held(task.program)
