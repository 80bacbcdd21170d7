"""What can be asked for hypothetical answers."""

from __future__ import annotations

from thalweg.analysis.queries import check_queries
from thalweg.analysis.stratification import require_stratified
from thalweg.errors import UsageError
from thalweg.model.program import Program


def check_query(program: Program, query: str) -> str:
    """A query that rules derive; raises :class:`ProgramError` or :class:`UsageError` for another."""
    (name,) = check_queries(program, query)
    require_stratified(program)
    if name not in program.derived_predicates:
        raise UsageError(f"{name} is not derived by any rule, so there is nothing to wait for")
    return name
