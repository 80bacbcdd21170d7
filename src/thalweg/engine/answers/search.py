"""The answers of a program that is not stratified."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from thalweg.analysis.dependency import dependency_graph
from thalweg.analysis.stratification import negative_cycles
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.shift import clip
from thalweg.engine.answers.answer import Answer
from thalweg.engine.answers.decided import Lookup
from thalweg.engine.answers.ground_program import GroundProgram
from thalweg.engine.answers.ground_rules import ground_rules
from thalweg.engine.answers.grounding import GroundAtom, Grounder
from thalweg.engine.answers.guess import solve_by_guessing
from thalweg.engine.answers.horizon import horizon
from thalweg.engine.answers.known import Stream
from thalweg.engine.answers.mode import Reading
from thalweg.engine.answers.overestimate import Instances, on_its_timeline, overestimate
from thalweg.engine.answers.separable import solve_separable
from thalweg.engine.answers.split import Split
from thalweg.engine.answers.task import Task
from thalweg.engine.answers.window import Window, instant
from thalweg.engine.materialise import codes_of
from thalweg.engine.memory_limit import search_needs_too_much
from thalweg.errors import Diagnostic, ProgramError, UsageError
from thalweg.model.formula import atoms, skolems
from thalweg.model.program import Program
from thalweg.model.reads import reads
from thalweg.plan.stretch import Stretch
from thalweg.time.timeline import Timeline


def search(task: Task, parts: Split) -> list[Answer]:
    """Materialise what is decided and what is possible, ground the rest, and let clingo search.

    A timeline with an end is that of the answers, windows or not: nothing holds outside it.
    """
    _refuse_new_values(task.program)
    _refuse_rationals(task.program)
    if task.program.timeline_end is not None:
        task = replace(task, program=on_its_timeline(task.program))
    _refuse_endless(task, parts)
    over, instances = overestimate(task.program, parts, guard_all=task.request.reading is Reading.EVALUATION_TIME)
    wanted = (*_read(parts), *parts.undecided, *task.request.queries, *(each.predicate for each in instances))
    relations = task.materialised(over, _stretch(task, parts), dict.fromkeys(wanted))
    with task.request.limits.on_memory():
        try:
            return _found(task, parts, instances, relations)
        except MemoryError as error:
            raise search_needs_too_much(parts.chosen, error) from error


def _found(
    task: Task, parts: Split, instances: tuple[Instances, ...], relations: Mapping[str, Relation]
) -> list[Answer]:
    grounder = Grounder(_stream(task, parts, relations))
    rules = ground_rules(grounder, instances, relations, parts)
    reported = task.request.reported(task.program)
    shown = {
        number: atom
        for atom, number in grounder.atoms.items()
        if atom[0] in task.request.queries and reported.low <= atom[2] <= reported.high
    }
    program = GroundProgram(grounder.propositions, tuple(grounder.atoms.values()), tuple(rules), tuple(shown))
    solve = solve_separable if program.is_separable else solve_by_guessing
    found = solve(program, task.request.mode, task.request.limit)
    return [_answer(task, parts, relations, [shown[number] for number in answer]) for answer in found]


def _read(parts: Split) -> Iterator[str]:
    """The predicates of formulas that are to be grounded."""
    for rule in parts.chosen:
        for literal in rule.body:
            if parts.is_chosen(literal):
                yield from (atom.predicate for atom in atoms(literal))


def _stretch(task: Task, parts: Split) -> Stretch:
    """Where decided predicates must be known: where they are asked for, and where undecided rules read them."""
    firing, stretch = task.request.firing(task.program), task.request.held(task.program)
    for rule in parts.chosen:
        for literal in rule.body:
            if parts.is_chosen(literal):
                for read in reads(literal):
                    stretch = stretch.union(firing.looking(read.offsets))
    return stretch.intersection(Stretch(*task.program.bounds)) or stretch


def _stream(task: Task, parts: Split, relations: Mapping[str, Relation]) -> Stream:
    program, held = task.program, task.request.held(task.program)
    lasting = {name: each for name, each in task.given.items() if name in program.background}
    decided = Lookup({name: each for name, each in relations.items() if name not in parts.undecided} | lasting)
    given = Lookup({name: each for name, each in task.given.items() if name in parts.undecided})
    low, high = program.bounds
    timeline = Window(instant(low), instant(high))
    return Stream(
        decided=decided,
        given=given,
        possible=Lookup({name: relations[name] for name in parts.undecided}),
        undecided=parts.undecided,
        background=program.background,
        timeline=timeline,
        held=Window(instant(held.low), instant(held.high)),
        horizon=horizon(parts.chosen, (*decided.ends(), *given.ends(), *_finite(timeline), *_finite(held))),
        values=task.values,
    )


def _finite(stretch: Window | Stretch) -> Iterator[int]:
    return (int(end) for end in (stretch.low, stretch.high) if not math.isinf(end))


def _answer(task: Task, parts: Split, relations: Mapping[str, Relation], chosen: list[GroundAtom]) -> Answer:
    low, high = codes_of(task.request.reported(task.program), task.ticks)
    by_predicate: dict[str, list[GroundAtom]] = {}
    for atom in chosen:
        by_predicate.setdefault(atom[0], []).append(atom)
    shown = {}
    for name in task.request.queries:
        arity = task.program.signatures[name].arity
        if name in parts.undecided:
            known = task.given.get(name, empty(arity))
            relation = concat((known, _relation(by_predicate.get(name, ()), arity)), arity)
        else:
            relation = relations[name]
        shown[name] = coalesce(clip(coalesce(relation), low, high))
    return Answer(shown, task.values, task.ticks, task.program.signatures)


def _relation(chosen: Iterable[GroundAtom], arity: int) -> Relation:
    rows = np.array([(*arguments, time) for _, arguments, time in chosen], dtype=np.int64).reshape(-1, arity + 1)
    return Relation(tuple(rows[:, position] for position in range(arity)), rows[:, arity], rows[:, arity])


def _refuse_rationals(program: Program) -> None:
    if program.timeline is Timeline.INTEGER:
        return
    _, negative = next(negative_cycles(dependency_graph(program)))
    message = f"{negative.head} depends on its own absence; such programs have answers on the integer timeline only"
    raise ProgramError([Diagnostic("E331", negative.atom.span, message, "declare timeline integer.")])


def _refuse_new_values(program: Program) -> None:
    rule = next((rule for rule in program.rules if any(True for _ in skolems(rule.head))), None)
    if rule is None:
        return
    message = f"{rule.name} makes new values, in a program that is not stratified"
    hint = "take the cycle through not out of the program, or let the new values come with the input"
    raise ProgramError([Diagnostic("E332", rule.origin, message, hint)])


def _refuse_endless(task: Task, parts: Split) -> None:
    held = task.request.held(task.program)
    if not (math.isinf(held.low) or math.isinf(held.high)):
        return
    if task.request.reading is Reading.ALL_TIMES or any(not rule.reach.is_bounded for rule in parts.chosen):
        raise UsageError(
            "this program is not stratified, and its answers can only be searched for in a finite stretch of time\n"
            "    hint: give start and end (--from and --to), or declare an end: timeline integer from 0 to 100."
        )
