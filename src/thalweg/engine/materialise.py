"""Batch reasoning: everything that follows from a program and its facts, inside a stretch of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial

from thalweg.analysis.dependency import relevant_predicates
from thalweg.columnar.relation import Relation, empty
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Values
from thalweg.engine.derive import Range, derive
from thalweg.engine.divisions import Divisions, count_divisions
from thalweg.engine.evaluate import Evaluator
from thalweg.engine.families import of_member, to_families
from thalweg.engine.fixpoint import saturate
from thalweg.engine.history import History
from thalweg.engine.intake import Intake, check_batches, choose_ticks, program_batches
from thalweg.engine.interpretation import Interpretation
from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.memory_limit import FACTS, room_for
from thalweg.engine.merged import groups_of, table_facts
from thalweg.engine.on_timeline import on_timeline
from thalweg.engine.restricted import chase_restricted
from thalweg.errors import DataError, Diagnostic, InconsistencyError
from thalweg.model.fold import Folding, fold
from thalweg.model.program import Program
from thalweg.plan.build import RulePlan
from thalweg.plan.guards import Extents
from thalweg.plan.plan import make_plan
from thalweg.plan.restricted import restricted_rules
from thalweg.plan.stretch import Stretch
from thalweg.syntax.facts import FactBatch
from thalweg.time.interval import Endpoint, Interval
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks

Hear = Callable[[int, int, int], None]
"""Is told of the stage, of how many there are, and of the round that begins."""


def materialise(
    program: Program,
    batches: Sequence[FactBatch],
    *,
    start: Endpoint = -math.inf,
    end: Endpoint = math.inf,
    wanted: Collection[str] | None = None,
    limits: Limits = NO_LIMITS,
    hear: Hear = lambda stage, stages, number: None,
) -> Materialisation:
    """The canonical interpretation C_Π,D (journal paper, Section 2), exact inside [start, end].

    With ``wanted`` only these predicates and what they depend on are computed. Facts of predicates that the
    program does not mention play no part. ``hear`` is told of every stage and round.
    """
    relevant = relevant_predicates(program, wanted)
    batches = [batch for batch in (*program_batches(program), *batches) if batch.predicate in relevant]
    problems = check_batches(program, batches)
    if problems:
        raise DataError(problems)
    with limits.on_memory():
        ticks = choose_ticks(program, batches, (start, end))
        values = Values()
        with room_for(FACTS):
            given = Intake(values, ticks).relations(batches)
        divisions: Divisions = {}
        relations = saturated(
            program,
            given,
            values,
            ticks,
            start=start,
            end=end,
            wanted=wanted,
            limits=limits,
            divisions=divisions,
            hear=hear,
        )
    return Materialisation(relations, values, ticks, program.signatures, divisions, limits.memory)


def saturated(
    program: Program,
    given: Mapping[str, Relation],
    values: Values,
    ticks: Ticks,
    *,
    start: Endpoint,
    end: Endpoint,
    wanted: Collection[str] | None,
    limits: Limits,
    divisions: Divisions | None = None,
    history: History | None = None,
    hear: Hear = lambda stage, stages, number: None,
) -> dict[str, Relation]:
    """As :func:`materialise`, for facts that are relations already; ``divisions`` gets those by zero.

    A ``history`` gets all that is derived on the way, predicate by predicate.
    """
    folding = Folding(program) if limits.restricted or history is not None else fold(program, wanted)
    asked = program.predicates if wanted is None else tuple(wanted)
    arities = {name: program.signatures[name].arity for name in asked}
    given = to_families(given, folding, values)
    program = folding.program
    timeline = Stretch(*program.bounds)
    span = codes_of(timeline, ticks)
    start, end = max(start, timeline.low), min(end, timeline.high)
    given = {
        name: relation if name in program.background else on_timeline(name, relation, span, ticks)
        for name, relation in given.items()
    }
    targets = None if wanted is None else dict.fromkeys(map(folding.name, wanted))
    plan = make_plan(program, start=start, end=end, wanted=targets, extents=_extents(program, given, ticks))
    stretches = {
        name: stretch if name in program.background else _inside(stretch, timeline)
        for name, stretch in plan.needs.items()
    }
    within = {name: codes_of(stretch, ticks) for name, stretch in stretches.items()}
    asked_for = codes_of(Stretch(start, end), ticks)

    with limits.on_memory():
        limits.impose(values)
        values.nulls.groups = groups_of(plan.tables)
        interpretation = Interpretation() if history is None else history
        if history is not None:
            history.within, history.timeline = within, span
        for table in plan.tables:
            interpretation.set(table.name, table_facts(table, values))
        for name in given.keys() & within.keys():
            interpretation.set(name, clip(given[name], *within[name]))
        evaluator = Evaluator(interpretation, values, ticks, span)
        if limits.restricted:
            chase_restricted(plan.stages, [*restricted_rules(program, within)], evaluator, within, limits)
        else:
            for number, stage in enumerate(plan.stages, start=1):
                saturate(stage, evaluator, within, limits.rounds, partial(hear, number, len(plan.stages)))
        if divisions is not None:
            count_divisions(plan.stages, evaluator, within, divisions)
        violations = [found for plan_ in plan.constraints if (found := violation(plan_, evaluator, asked_for))]
        if violations:
            raise InconsistencyError(violations)

        families = {name: clip(interpretation.relation(name, 0), *asked_for) for name in set(map(folding.name, asked))}
        answers = {name: of_member(name, families[folding.name(name)], folding, values) for name in asked}
        return {name: relation if len(relation) else empty(arities[name]) for name, relation in answers.items()}


def _extents(program: Program, given: Mapping[str, Relation], ticks: Ticks) -> Extents:
    """Where the facts of the predicates lie that no rule derives."""
    extents: dict[str, Stretch | None] = {}
    for name in program.signatures.keys() - program.derived_predicates:
        relation = given.get(name)
        if relation is None or not len(relation):
            extents[name] = None
        else:
            hull = ticks.decode(int(relation.start.min()), int(relation.end.max()))
            extents[name] = Stretch(hull.start, hull.end)
    return extents


def _inside(stretch: Stretch, timeline: Stretch) -> Stretch:
    return Stretch(max(stretch.low, timeline.low), min(stretch.high, timeline.high))


def codes_of(stretch: Stretch, ticks: Ticks) -> Range:
    """A stretch of time as a range of codes; on the integer timeline it may be cut short to whole numbers."""
    if stretch.low > stretch.high:
        return POSITIVE_INFINITY, NEGATIVE_INFINITY
    codes = ticks.encode(Interval(_exact(stretch.low), _exact(stretch.high)))
    return codes if codes is not None else (POSITIVE_INFINITY, NEGATIVE_INFINITY)


def _exact(end: Endpoint) -> Endpoint:
    return end if isinstance(end, float) else Fraction(end)


def violation(plan: RulePlan, evaluator: Evaluator, within: Range) -> Diagnostic | None:
    """Where a rule with head ⊥ fires, if it does."""
    body = derive(plan, evaluator, within)
    if not len(body):
        return None
    first = int(body.start.argmin())
    when = evaluator.ticks.decode(int(body.start[first]), int(body.end[first]))
    return Diagnostic(
        "E501",
        plan.rule.origin,
        f"the facts contradict rule {plan.rule.number}: its body holds at {when}",
        "correct the facts, or the rule if it forbids too much",
    )
