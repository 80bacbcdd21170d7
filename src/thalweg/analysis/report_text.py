"""A report as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thalweg.analysis.existential.termination import Termination, Verdict
from thalweg.analysis.recursion import Direction, Recursion, name_several
from thalweg.analysis.report_json import role_of
from thalweg.model.binding import bound_by
from thalweg.model.formula import Atom, Variable
from thalweg.model.program import Rule, Signature
from thalweg.syntax.ast import TypeName
from thalweg.time.interval import format_endpoint, format_rational

if TYPE_CHECKING:
    from thalweg.analysis.report import Memory, Report

_MOST_REASONS = 5


def write(report: Report) -> str:
    """The report as text: one fact a line, under a few headings.

    Streams and shards are for stratified programs only.
    """
    if not report.is_stratified:
        return "\n".join((*_program(report), *_recursion(report), *_chase(report)))
    parts = (*_program(report), *_recursion(report), *_chase(report), *_streaming(report), *_memory(report))
    return "\n".join((*parts, report.sharding.to_text()))


def _program(report: Report) -> Iterator[str]:
    program = report.program
    yield f"dialect      {report.dialect}"
    yield f"timeline     {program.timeline.value}{_clock(report)}"
    yield f"rules        {len(program.rules)}"
    if program.facts:
        yield f"facts        {len(program.facts)} in the program"
    yield "predicates"
    shown = [(_signature(each), role_of(program, each)) for each in program.signatures.values()]
    width = max((len(text) for text, _ in shown), default=0)
    yield from (f"  {text:{width}}  {role}" for text, role in shown)
    if len(report.strata) > 1 and report.is_stratified:
        yield "strata       each is computed before the next may read it under not"
        yield from (f"  {level}  {', '.join(names)}" for level, names in enumerate(report.strata, start=1))


def _clock(report: Report) -> str:
    program = report.program
    start = "" if program.timeline_start is None else f" from {format_rational(program.timeline_start)}"
    tick = "" if program.tick is None else f", tick {format_rational(program.tick)}"
    end = "" if program.timeline_end is None else f" to {format_rational(program.timeline_end)}"
    if program.is_windowed and program.timeline_start is None:
        start = " from 0"
    return f"{start}{end}, the number 1 is {format_rational(program.unit)} s{tick}"


def _signature(signature: Signature) -> str:
    parameters = signature.parameters
    if not parameters:
        return signature.predicate
    if all(each.name is None and each.type is TypeName.ANY for each in parameters):
        return f"{signature.predicate}/{len(parameters)}"
    words = (
        each.type.value
        if each.name is None
        else each.name
        if each.type is TypeName.ANY
        else f"{each.name}: {each.type.value}"
        for each in parameters
    )
    return f"{signature.predicate}({', '.join(words)})"


def _recursion(report: Report) -> Iterator[str]:
    recursive = [each for each in report.recursion if each.direction is not Direction.NONE]
    if not recursive:
        yield "recursion    none"
        return
    yield "recursion"
    yield from (f"  {_recursion_line(each, report)}" for each in recursive)


def _recursion_line(recursion: Recursion, report: Report) -> str:
    names = name_several(recursion.component.predicates)
    where = {
        Direction.NOW: f"at one time point: finite{'' if report.chase.is_promise else ', if the chase is'}",
        Direction.PAST: "into the past: without --to it may derive ever later facts",
        Direction.FUTURE: "into the future: without --from it may derive ever earlier facts",
        Direction.BOTH: "both ways through time: it is run to its end, which it may not have",
    }[recursion.direction]
    return f"{names} {where}"


def _chase(report: Report) -> Iterator[str]:
    """Whether the chase ends; the cycles that are in the way; and what would be in the way if times were forgotten."""
    chase = report.chase
    match chase.verdict:
        case Verdict.NO_NULLS:
            return
        case Verdict.LWA:
            refined = ", if values of the input are not taken for nulls" if chase.refined else ""
            yield f"chase        ends on every input (LWA: weakly acyclic, whatever the times{refined})"
        case Verdict.TLWA:
            refined = ", if times in windows stay there and values of the input are no nulls" if chase.refined else ""
            yield f"chase        ends on every stream over {_timeline(chase)} (TLWA{refined})"
            yield f"  without times it would not: {chase.cycle}"
            if not chase.is_promise:
                yield "  on a longer timeline it may not end: --timeline A..B asks about another one"
        case Verdict.NOT_DECIDED:
            yield f"chase        not decided over {_timeline(chase)}, which is too long; a shorter one: --timeline A..B"
            yield f"  it may not end: nulls are made from nulls along {chase.cycle}"
        case Verdict.NEITHER:
            yield "chase        may not end, so a run needs --max-nulls or --max-depth: nulls are made from nulls along"
            yield f"  {chase.cycle}"
            if chase.timed_cycle is not None:
                yield f"  {chase.timed_cycle}, over {_timeline(chase)}"
    if any(map(_calculates, report.recursion)):
        yield "  this is said of nulls only: recursion can make new numbers without end (W302)"


def _calculates(recursion: Recursion) -> bool:
    """Whether a head on the recursion has a value, not only a time, that no atom of its body has."""
    rules = (edge.rule for edge in recursion.component.edges)
    return recursion.makes_values is not None and any(
        not frozenset().union(*map(bound_by, rule.body)).issuperset(_plain_variables(rule)) for rule in rules
    )


def _plain_variables(rule: Rule) -> frozenset[Variable]:
    core = rule.head_core
    terms = core.arguments if isinstance(core, Atom) else ()
    return frozenset(term for term in terms if isinstance(term, Variable))


def _timeline(chase: Termination) -> str:
    return f"the timeline [{chase.timeline[0]},{chase.timeline[1]}]" if chase.timeline else "a bounded timeline"


def _streaming(report: Report) -> Iterator[str]:
    """The algorithms of the journal paper, which are not for windows: how far those reach is told with the stream."""
    if report.program.is_windowed:
        return
    if report.algorithm is None:
        yield "streaming    outside the algorithms of forward-propagating programs:"
        yield from _some_of(report.why_no_algorithm)
    elif report.algorithm == 6:
        yield "streaming    Algorithm 6: no stream makes it hold more than a fixed number of facts"
    else:
        yield "streaming    Algorithm 1"
    yield f"window       {format_rational(report.window)}{_without_parts(report)}"
    yield f"granularity  {format_endpoint(report.granularity)}{_punctual(report)}"


def _some_of(reasons: Sequence[str]) -> Iterator[str]:
    yield from (f"  {reason}" for reason in reasons[:_MOST_REASONS])
    if len(reasons) > _MOST_REASONS:
        yield f"  and {len(reasons) - _MOST_REASONS} more"


def _without_parts(report: Report) -> str:
    if report.nested_window == report.window:
        return ""
    return f" with the parts of nested formulas kept ({format_rational(report.nested_window)} without)"


def _punctual(report: Report) -> str:
    if report.granularity == 0 and report.algorithm == 1:
        return ", because an interval is a single time point: memory depends on the stream"
    return ""


def _memory(report: Report) -> Iterator[str]:
    memory = report.memory
    if memory is None:
        return
    step, tick = format_rational(memory.step), format_rational(memory.tick)
    yield f"memory       at most, for {memory.domain_size} values, steps of {step}, one time point at a time:"
    yield f"  {_count(memory.algorithm_1)} facts if the times are multiples of {tick} (Theorem 12)"
    yield from _theorem_15(memory)


def _theorem_15(memory: Memory) -> Iterator[str]:
    theorem = memory.algorithm_6
    if theorem is not None:
        yield f"  {_count(theorem.as_proved)} facts for any stream (Theorem 15, as its proof goes)"
        yield f"  {_count(theorem.as_printed)} facts for any stream (Theorem 15, as printed)"


def _count(number: int | None) -> str:
    """A number with separators; a very large one by its size."""
    if number is None:
        return "more than 10^1000"
    digits = len(str(number))
    return f"{number:,}" if digits <= 15 else f"less than 10^{digits}"
