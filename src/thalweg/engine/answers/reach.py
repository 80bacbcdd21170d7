"""How far back a program reaches, so that what is older cannot matter."""

from __future__ import annotations

from fractions import Fraction

from thalweg.analysis.dependency import dependency_graph
from thalweg.engine.answers.mode import Reading
from thalweg.model.program import Program
from thalweg.model.reads import reads
from thalweg.plan.needs import needed_stretches
from thalweg.plan.stretch import Stretch
from thalweg.time.interval import Endpoint

_NOW = Stretch(Fraction(0), Fraction(0))


def reach_back(program: Program, reading: Reading) -> Endpoint:
    """How far before a time the facts lie that what holds then can depend on; infinite for a recursion into the past.

    Rules that are satisfied at one time only do not build on what others derived before it.
    """
    if reading is Reading.EVALUATION_TIME:
        found = (read for rule in program.rules for literal in rule.body for read in reads(literal))
        return max((-read.offsets.start for read in found), default=Fraction(0))
    graph, wanted = dependency_graph(program), dict.fromkeys(program.predicates, _NOW)
    needs = needed_stretches(graph, program.rules, wanted, _NOW, {})
    return max((-stretch.low for stretch in needs.values()), default=Fraction(0))
