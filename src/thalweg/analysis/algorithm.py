"""Which of the two stream reasoning algorithms applies (journal paper, Sections 5 and 6)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from thalweg.analysis.forward_propagating import forward_propagation
from thalweg.analysis.granularity import granularity
from thalweg.errors import Diagnostic, ProgramError, UsageError
from thalweg.model.normal_form import normalise
from thalweg.model.program import Program
from thalweg.time.timeline import Timeline


def choose_algorithm(program: Program, wanted: int | None = None) -> int:
    """Algorithm 6 for programs of Definition 4 on the rational timeline without punctual intervals, otherwise 1.

    Algorithm 6 deletes short facts, which since, negation and looking ahead still need. Raises
    :class:`ProgramError` when it is wanted but does not apply.
    """
    if wanted not in (None, 1, 6):
        raise UsageError(f"there is no algorithm {wanted} to choose: it is 1 or 6")
    reasons = list(why_not_algorithm_6(program))
    if wanted == 6 and reasons:
        message = f"Algorithm 6 does not apply: {reasons[0]}"
        raise ProgramError([Diagnostic("E324", None, message, "leave the choice open, or choose Algorithm 1")])
    return wanted or (1 if reasons else 6)


def why_not_algorithm_6(program: Program) -> Iterator[str]:
    """What keeps a program from Algorithm 6."""
    definition_4 = forward_propagation(program)
    reasons = (*definition_4.violations, *definition_4.extensions, *definition_4.unbounded_boxes)
    yield from map(str, reasons)
    if program.timeline is not Timeline.RATIONAL:
        yield "the timeline is not rational"
    elif not reasons:
        length = granularity(normalise(program))
        if length in (0, math.inf):
            yield "an interval is a single time point" if length == 0 else "there is no interval"
