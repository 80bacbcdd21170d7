"""The promised bound on the number of facts held, for as many values as there are."""

from __future__ import annotations

from fractions import Fraction

from thalweg.analysis.report import Report, analyse
from thalweg.model.program import Program


def promised_bound(program: Program, values: int, tick: Fraction) -> int | None:
    """How many facts can be held at most, given the number of different values; None where nothing is promised."""
    report: Report = analyse(program, domain_size=values, tick=program.tick or tick)
    if report.memory is None:
        return None
    theorem = report.memory.algorithm_6
    return report.memory.algorithm_1 if theorem is None else theorem.larger
