"""Everything the analysis promises about a program, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from thalweg.analysis import report_json, report_text
from thalweg.analysis.algorithm import choose_algorithm
from thalweg.analysis.dependency import dependency_graph
from thalweg.analysis.existential.termination import Termination, chase_termination
from thalweg.analysis.forward_propagating import ForwardPropagation, forward_propagation
from thalweg.analysis.granularity import granularity
from thalweg.analysis.memory import (
    Size,
    Theorem15,
    bound_for_algorithm_1,
    bound_for_algorithm_6,
    program_size,
)
from thalweg.analysis.recursion import Recursion, find_recursion
from thalweg.analysis.sharding import Sharding, plan_shards
from thalweg.analysis.stratification import negative_cycles, strata
from thalweg.analysis.temporal_datalog import compares, is_temporal_datalog
from thalweg.analysis.window import nested_window_size, window_size
from thalweg.model.formula import intervals
from thalweg.model.normal_form import normalise
from thalweg.model.program import Program
from thalweg.syntax.ast import Role
from thalweg.time.interval import Endpoint
from thalweg.time.ticks import common_tick
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Memory:
    """Bounds on the facts held (Theorems 12 and 15), for one data point or step at a time.

    ``tick`` divides the times of the stream and the program and the step; ``algorithm_6`` is None where
    that algorithm does not apply.
    """

    domain_size: int
    step: Fraction
    tick: Fraction
    algorithm_1: int
    algorithm_6: Theorem15 | None


@dataclass(frozen=True)
class Report:
    """What is known of a program before it runs.

    ``window`` is tΠ when the predicates that normalisation makes are kept in the window; ``nested_window``
    is how far one must look back without them. ``algorithm`` is 1, 6, or None for the reasons given. ``sharding`` is
    for the output predicates, or for all that is derived where none is declared. ``chase`` is for programs with nulls.
    """

    program: Program
    dialect: str
    strata: tuple[tuple[str, ...], ...]
    is_stratified: bool
    recursion: tuple[Recursion, ...]
    forward: ForwardPropagation
    window: Fraction
    nested_window: Fraction
    granularity: Endpoint
    size: Size
    algorithm: int | None
    why_no_algorithm: tuple[str, ...]
    memory: Memory | None
    sharding: Sharding
    chase: Termination

    @property
    def bounds_needed(self) -> tuple[str, ...]:
        """The bounds on time without which a run over all time might not end."""
        return tuple(sorted({bound for recursion in self.recursion for bound in recursion.bounds}))

    def to_text(self) -> str:
        """The report as a person reads it."""
        return report_text.write(self)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON; exact numbers are strings."""
        return report_json.write(self)


def analyse(
    program: Program,
    *,
    domain_size: int | None = None,
    step: Fraction | None = None,
    tick: Fraction | None = None,
    timeline: tuple[int, int] | None = None,
) -> Report:
    """The report of a program that has passed the checks.

    With the number of different values in the stream it includes bounds on memory, unless rules make up more of them.
    ``tick`` divides the times of the stream (otherwise the declared tick, or the times in the program, are taken for
    it); without a step they are for steps of one tick. Whether the chase ends is asked for ``timeline``, or for that of
    the program.
    """
    normal, graph = normalise(program), dependency_graph(program)
    forward = forward_propagation(program)
    why_not = tuple(_why_no_algorithm(forward))
    grain, window, size = granularity(normal), window_size(normal), program_size(normal)
    nested = nested_window_size(graph)
    algorithm = None if why_not else choose_algorithm(program)
    memory = None
    if algorithm is not None and domain_size is not None and not program.is_existential:
        divisor = _tick(program, step, tick)
        pace = step or divisor
        # Algorithm 6 runs on the normal form; otherwise nested formulas are read from a longer window instead.
        held = window if algorithm == 6 else max(window, nested)
        proved = bound_for_algorithm_1(held, pace, divisor, size, domain_size)
        independent = bound_for_algorithm_6(window, pace, grain, size, domain_size) if algorithm == 6 else None
        memory = Memory(domain_size, pace, divisor, proved, independent)
    is_stratified = not any(True for _ in negative_cycles(graph))
    return Report(
        program=program,
        dialect=_dialect(program, forward, is_stratified=is_stratified),
        strata=strata(graph),
        is_stratified=is_stratified,
        recursion=find_recursion(graph),
        forward=forward,
        window=window,
        nested_window=nested,
        granularity=grain,
        size=size,
        algorithm=algorithm,
        why_no_algorithm=why_not,
        memory=memory,
        sharding=plan_shards(program, _outputs(program) or None),
        chase=chase_termination(program, timeline),
    )


def dialect_of(program: Program) -> str:
    """The smallest named fragment the program is in, and what it uses beyond it."""
    is_stratified = not any(True for _ in negative_cycles(dependency_graph(program)))
    return _dialect(program, forward_propagation(program), is_stratified=is_stratified)


def _outputs(program: Program) -> tuple[str, ...]:
    return tuple(name for name, signature in program.signatures.items() if signature.role is Role.OUTPUT)


def _why_no_algorithm(forward: ForwardPropagation) -> Iterator[str]:
    yield from (str(reason) for reason in forward.violations)
    yield from (str(reason) for reason in forward.unbounded_boxes)


def _tick(program: Program, step: Fraction | None, tick: Fraction | None) -> Fraction:
    """The gcd of Theorem 12, taking the declared tick for that of the stream when no other is given."""
    formulas = (formula for rule in program.rules for formula in (rule.head, *rule.body))
    ends = (end for formula in formulas for each in intervals(formula) for end in (each.start, each.end))
    given = [length for length in (tick or program.tick, step) if length is not None]
    return common_tick([*(end for end in ends if isinstance(end, Fraction)), *given])


def _dialect(program: Program, forward: ForwardPropagation, *, is_stratified: bool) -> str:
    """The smallest named fragment the program is in, and what it uses beyond it."""
    formulas = [formula for rule in program.rules for formula in (rule.head, *rule.body)]
    has_intervals = any(True for formula in formulas for _ in intervals(formula))
    is_temporal = is_temporal_datalog(program)
    if is_temporal:
        name = "Temporal Datalog"
    elif program.is_windowed or (program.is_existential and program.timeline is Timeline.INTEGER):
        name = "LARS+" if program.is_existential else "LARS"
        name += " with metric operators" if has_intervals else ""
    elif not has_intervals:
        name = "Datalog at each time point"
    elif forward.holds:
        name = "forward-propagating DatalogMTL"
    else:
        name = "DatalogMTL"
    constructs = {reason.construct for reason in (*forward.extensions, *forward.violations)}
    if is_temporal and not compares(program):
        constructs.discard("a comparison")
    beyond = [words for construct, words in _BEYOND.items() if construct in constructs]
    if program.is_existential and program.timeline is Timeline.RATIONAL:
        beyond.append("existential rules")
    if not is_stratified:
        beyond = [words.removeprefix("stratified ") for words in beyond]
    joint = ", " if " with " in name else " with "
    listed = " and ".join(filter(None, (", ".join(beyond[:-1]), *beyond[-1:])))
    return f"{name}{joint}{listed}" if beyond else name


_BEYOND = {"not": "stratified negation", "a comparison": "comparisons", "an aggregate": "aggregates"}
