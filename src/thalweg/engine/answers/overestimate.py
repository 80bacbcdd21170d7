"""A stratified program that derives at least what any answer holds, and every instance of a rule that may matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thalweg.engine.answers.split import Split
from thalweg.model.binding import bound_by_all
from thalweg.model.formula import (
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Bottom,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    Top,
    Variable,
    Windowed,
    variables,
)
from thalweg.model.program import Program, Rule, Signature
from thalweg.syntax.ast import Parameter

FIRING = "#firing"
"""Holds where rules are to be satisfied."""

TIMELINE_MARK = Rule(Top(), (Some(Top()),))
"""A rule that says nothing but speaks of time points, so that a program keeps its timeline without its windows."""


@dataclass(frozen=True)
class Instances:
    """The predicate whose facts are the instances of a rule, and the variables that are its arguments."""

    predicate: str
    rule: Rule
    variables: tuple[str, ...]


def overestimate(program: Program, parts: Split, *, guard_all: bool) -> tuple[Program, tuple[Instances, ...]]:
    """The program without the negations that read undecided predicates, and where it keeps the rules' instances.

    What remains of an undecided rule is monotone, so its least model covers every answer: the part of an answer inside
    it satisfies the reduct, too, and answers are minimal. Undecided rules and constraints fire only where the fact
    :data:`FIRING` holds; with ``guard_all`` the others, too.
    """
    kept = [_guarded(rule) if guard_all or isinstance(rule.head_core, Bottom) else rule for rule in parts.decided]
    instances = tuple(_instances(number, rule, parts) for number, rule in enumerate(parts.chosen))
    for each in instances:
        body = tuple(_positive_part(literal, parts) for literal in each.rule.body)
        loose = replace(each.rule, body=tuple(literal for literal in body if not isinstance(literal, Top)))
        kept += [] if isinstance(loose.head_core, Bottom) else [_guarded(loose)]
        kept.append(_guarded(replace(loose, head=Atom(each.predicate, tuple(map(Variable, each.variables))))))
    signatures = dict(program.signatures)
    signatures[FIRING] = Signature(FIRING, ())
    signatures |= {each.predicate: _signature(each) for each in instances}
    rules = (*kept, *([TIMELINE_MARK] if program.is_windowed else []))
    return replace(program, rules=rules, facts=(), signatures=signatures, delays=()), instances


def guarded(program: Program) -> Program:
    """The program with rules that fire only where :data:`FIRING` holds (reading "evaluation-time")."""
    rules = (*map(_guarded, program.rules), *([TIMELINE_MARK] if program.is_windowed else []))
    signatures = {**program.signatures, FIRING: Signature(FIRING, ())}
    return replace(program, rules=rules, facts=(), signatures=signatures)


def on_its_timeline(program: Program) -> Program:
    """The program with the timeline that it declares, also when no rule speaks of windows."""
    return replace(program, rules=(*program.rules, TIMELINE_MARK))


def _guarded(rule: Rule) -> Rule:
    return replace(rule, body=(*rule.body, Atom(FIRING)))


def _instances(number: int, rule: Rule, parts: Split) -> Instances:
    """Instances that differ in other variables only are the same rule over undecided atoms."""
    formulas = (rule.head, *(literal for literal in rule.body if parts.is_chosen(literal)))
    mentioned = dict.fromkeys(each for formula in formulas for each in variables(formula))
    bound = bound_by_all(rule.body)
    return Instances(f"#instance{number}", rule, tuple(each.name for each in mentioned if each in bound))


def _signature(instances: Instances) -> Signature:
    return Signature(instances.predicate, tuple(Parameter(None) for _ in instances.variables))


def _positive_part(formula: Formula, parts: Split) -> Formula:
    """The formula with ⊤ for what is negated and undecided; true wherever the formula may be."""
    if not parts.is_chosen(formula):
        return formula
    match formula:
        case Not():
            return Top()
        case And(operands=operands):
            kept = [part for each in operands if not isinstance(part := _positive_part(each, parts), Top)]
            return _conjunction(kept)
        case Or(operands=operands):
            loose = [_positive_part(each, parts) for each in operands]
            return Top() if any(isinstance(each, Top) for each in loose) else replace(formula, operands=tuple(loose))
        case Metric() | Windowed() | Some() | All():
            inside = _positive_part(formula.operand, parts)
            return inside if isinstance(inside, Top) else replace(formula, operand=inside)
        case At(operand=operand):
            return replace(formula, operand=_positive_part(operand, parts))
        case BinaryMetric(left=left, right=right):
            return replace(formula, left=_positive_part(left, parts), right=_positive_part(right, parts))
        case _:
            return formula


def _conjunction(parts: Sequence[Formula]) -> Formula:
    if len(parts) == 1:
        return parts[0]
    return And(tuple(parts)) if parts else Top()
