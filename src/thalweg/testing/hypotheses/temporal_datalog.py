"""Programs of Temporal Datalog (Section 2.1) as definite clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model import formula as model
from thalweg.model.program import Program, Rule
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.testing.hypotheses.terms import Known, Pattern, Sum, Term, plus, unify

NOW = Sum("#now")
"""The time of atoms without ``at``."""


@dataclass(frozen=True)
class DefiniteClause:
    """∧ᵢ αᵢ → α."""

    head: Pattern
    body: tuple[Pattern, ...]


class NotTemporalDatalog(ValueError):  # noqa: N818  # it says what the program is
    """A program has something that Temporal Datalog has not."""


def clauses(program: Program) -> tuple[DefiniteClause, ...]:
    """The rules of a program without recursion, negation and metric operators; equations are solved away."""
    if program.facts:
        raise NotTemporalDatalog("facts in the program")
    found = tuple(clause for rule in program.rules for clause in _clause(rule))
    _refuse_recursion(found)
    return found


def _clause(rule: Rule) -> Iterator[DefiniteClause]:
    """None, if the equations of the rule contradict each other."""
    equations = [part for part in rule.body if isinstance(part, model.Comparison)]
    body = [pattern for part in rule.body if part not in equations for pattern in _patterns(part, NOW)]
    [head] = _patterns(rule.head, NOW)
    solution = unify(*_sides(equations))
    if solution is not None:
        yield DefiniteClause(head.under(solution), tuple(each.under(solution) for each in body))


def _patterns(formula: model.Formula, time: Term) -> Iterator[Pattern]:
    match formula:
        case model.Atom(predicate=predicate, arguments=arguments):
            yield Pattern(predicate, tuple(map(_term, arguments)), time)
        case model.At(operand=operand, time=own):
            yield from _patterns(operand, _term(own))
        case model.And(operands=operands):
            for operand in operands:
                yield from _patterns(operand, time)
        case _:
            raise NotTemporalDatalog(type(formula).__name__)


def _sides(equations: Sequence[model.Comparison]) -> tuple[list[Term], list[Term]]:
    if any(each.operator is not ComparisonOperator.EQUAL for each in equations):
        raise NotTemporalDatalog("a comparison that is no equation")
    return [_term(each.left) for each in equations], [_term(each.right) for each in equations]


def _term(expression: model.HeadTerm | model.Expression) -> Term:
    match expression:
        case model.Variable(name=name):
            return Sum(name)
        case model.Constant(value=value):
            return Known(value)
        case model.Arithmetic(
            operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT as sign,
            left=left,
            right=model.Constant(value=Fraction(denominator=1) as amount),
        ):
            return plus(_term(left), int(amount) if sign is ArithmeticOperator.ADD else -int(amount))
        case _:
            raise NotTemporalDatalog(f"the term {expression!r}")


def _refuse_recursion(found: Sequence[DefiniteClause]) -> None:
    """Predicates that depend only on what has been removed before are removed, until none is left."""
    left = {clause.head.predicate for clause in found}
    while left:
        blocked = {
            clause.head.predicate
            for clause in found
            if clause.head.predicate in left and any(each.predicate in left for each in clause.body)
        }
        if blocked == left:
            raise NotTemporalDatalog(f"recursion through {', '.join(sorted(left))}")
        left = blocked
