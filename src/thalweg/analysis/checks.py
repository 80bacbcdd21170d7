"""The checks a program must pass, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from thalweg.analysis.arity import check_arity
from thalweg.analysis.partitions import check_partitions
from thalweg.analysis.predicates import check_predicates
from thalweg.analysis.recursion import check_recursion
from thalweg.analysis.safety import check_safety
from thalweg.analysis.stratification import check_stratified
from thalweg.analysis.types import check_types
from thalweg.errors import Diagnostic
from thalweg.model.lower import in_source_order
from thalweg.model.program import Program

Check = Callable[[Program], Iterable[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    check_arity,
    check_types,
    check_safety,
    check_predicates,
    check_partitions,
    check_stratified,
    check_recursion,
)


def check_program(program: Program, *, stratified: bool = True) -> tuple[Diagnostic, ...]:
    """Everything the checks find, in source order; only a search for answers does without stratified programs."""
    checks = (check for check in CHECKS if stratified or check is not check_stratified)
    return in_source_order([diagnostic for check in checks for diagnostic in check(program)])
