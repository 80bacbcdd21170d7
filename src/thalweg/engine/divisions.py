"""How often rules divide by zero: there they say nothing, and a person should know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from thalweg.columnar.coalesce import coalesce
from thalweg.engine.bindings import Bindings, apply_conditions, join_all
from thalweg.engine.derive import Range, due
from thalweg.engine.evaluate import Evaluator
from thalweg.engine.points import with_time_of_body
from thalweg.errors import Diagnostic
from thalweg.model.formula import Arithmetic, Constant, Expression
from thalweg.model.program import Program
from thalweg.plan.build import RulePlan
from thalweg.plan.plan import Stage
from thalweg.syntax.ast import ArithmeticOperator

Divisions = dict[int, int]
"""For each rule that divided by zero, by its number: for how many bindings."""


def count_divisions(
    stages: Iterable[Stage],
    evaluator: Evaluator,
    within: Mapping[str, Range],
    found: Divisions,
    *,
    is_continued: bool = False,
) -> None:
    """Add the bindings for which rules divide by zero inside a range.

    Where the range continues another, bindings that go on from there have been counted.
    """
    for plan in (plan for stage in stages for plan in stage.rules if plan.head in within and divides(plan)):
        assert plan.head is not None
        low, high = due(plan, evaluator, within[plan.head])
        joined = join_all([evaluator.literal(part, (low - is_continued, high)) for part in plan.positive])
        joined = with_time_of_body(plan, joined)
        whole = Bindings(joined.variables, coalesce(joined.relation))
        counted: list[int] = []
        apply_conditions(whole.where(whole.relation.start >= low), plan.conditions, evaluator.values, counted)
        if sum(counted):
            found[plan.rule.number] = found.get(plan.rule.number, 0) + sum(counted)


def added_up(reports: Iterable[Mapping[int, int] | Mapping[str, int]]) -> Divisions:
    """What several shards counted, put together; JSON has the numbers of rules as texts."""
    total: Divisions = {}
    for report in reports:
        for number, count in report.items():
            total[int(number)] = total.get(int(number), 0) + count
    return total


def division_warnings(program: Program, found: Divisions) -> Iterator[Diagnostic]:
    """What to tell of divisions by zero."""
    origins = {rule.number: rule.origin for rule in program.rules}
    for number, count in sorted(found.items()):
        times = "once" if count == 1 else f"for {count} combinations of values"
        message = f"rule {number} divided by zero {times}, and says nothing there"
        yield Diagnostic("W501", origins.get(number), message, "exclude 0 with a comparison, such as Y != 0")


def divides(plan: RulePlan) -> bool:
    """Whether a rule divides by what may be zero."""
    sides = (side for condition in plan.conditions for side in (condition.left, condition.right))
    return any(map(_has_divisor, sides))


def _has_divisor(expression: Expression) -> bool:
    if not isinstance(expression, Arithmetic):
        return False
    divides = expression.operator is ArithmeticOperator.DIVIDE and not isinstance(expression.right, Constant)
    return divides or _has_divisor(expression.left) or _has_divisor(expression.right)
