"""The rules of a program as implications between propositions: one for every instance and time point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from thalweg.columnar.budget import reserve
from thalweg.columnar.relation import Relation
from thalweg.engine.answers.grounding import Grounder
from thalweg.engine.answers.overestimate import Instances
from thalweg.engine.answers.proposition import FALSE, TRUE
from thalweg.engine.answers.split import Split
from thalweg.engine.answers.substitutions import Substitution, code_of, extensions, instant_of
from thalweg.engine.memory_limit import rule_needs_too_much
from thalweg.errors import Diagnostic, ReasoningError
from thalweg.model.formula import Atom, BoxPlus, Formula, Metric
from thalweg.model.program import Rule

_FOR_AN_INSTANCE = 100
"""The words of memory that an instance of a rule takes, as an object and as a rule of the search."""


@dataclass(frozen=True)
class GroundRule:
    """A body implies a head, which is an atom; or nothing, for ⊥."""

    head: int | None
    body: int


def ground_rules(
    grounder: Grounder, instances: tuple[Instances, ...], relations: Mapping[str, Relation], parts: Split
) -> list[GroundRule]:
    """The ground rules that can matter, each once."""
    found: dict[GroundRule, None] = {}
    for each in instances:
        try:
            found.update(dict.fromkeys(_of_rule(grounder, each, relations[each.predicate], parts)))
        except (TypeError, OverflowError, MemoryError) as error:
            raise _failed(each.rule, error) from error
    return list(found)


def _of_rule(grounder: Grounder, instances: Instances, relation: Relation, parts: Split) -> Iterator[GroundRule]:
    """Literals that read nothing undecided are true: that is what made the instance one."""
    literals = tuple(literal for literal in instances.rule.body if parts.is_chosen(literal))
    columns = [column.tolist() for column in (*relation.columns, relation.start, relation.end)]
    for *codes, start, end in zip(*columns, strict=True):
        bound = dict(zip(instances.variables, codes, strict=True))
        for given in extensions(literals, bound, grounder.stream):
            for time in range(start, end + 1):
                reserve(1, _FOR_AN_INSTANCE)
                yield from _at(grounder, instances.rule, literals, time, given)


def _at(
    grounder: Grounder, rule: Rule, literals: tuple[Formula, ...], time: int, given: Substitution
) -> Iterator[GroundRule]:
    stream = grounder.stream.timeline
    body = grounder.propositions.all_of(grounder.formula(literal, time, stream, given) for literal in literals)
    if body == FALSE:
        return
    core = rule.head_core
    for instant in _head_times(grounder, rule, time, given):
        if not isinstance(core, Atom):
            yield GroundRule(None, body)
            return
        head = grounder.atom(core.predicate, _arguments(grounder, core, given), instant)
        if head not in (TRUE, FALSE):
            yield GroundRule(head, body)


def _head_times(grounder: Grounder, rule: Rule, time: int, given: Substitution) -> Iterator[int]:
    """Where what stands under the head's boxes must hold; a time outside the timeline asks for nothing."""
    if rule.head_time is not None:
        instant = instant_of(rule.head_time, given, grounder.stream.values)
        if instant is not None:
            yield instant
        return
    if not isinstance(rule.head_core, Atom):
        yield time
        return
    box, reached = rule.head, {time}
    while isinstance(box, Metric):
        is_past = not isinstance(box, BoxPlus)
        reached = {each for start in reached for each in grounder.offsets(start, box.interval, is_past=is_past)}
        box = box.operand
    yield from sorted(reached)


def _arguments(grounder: Grounder, atom: Atom, given: Substitution) -> tuple[int, ...]:
    codes = (code_of(term, given, grounder.stream.values) for term in atom.arguments)
    return tuple(code for code in codes if code is not None)


def _failed(rule: Rule, error: Exception) -> ReasoningError:
    if isinstance(error, MemoryError):
        return rule_needs_too_much(rule, error)
    code = "E502" if isinstance(error, TypeError) else "E503"
    return ReasoningError([Diagnostic(code, rule.origin, f"{error} (in rule {rule.number})")])
