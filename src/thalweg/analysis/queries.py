"""The predicates that a user asks for are predicates of the program."""

from __future__ import annotations

from collections.abc import Collection

from thalweg.errors import Diagnostic, ProgramError, did_you_mean
from thalweg.model.program import Program


def check_queries(program: Program, queries: str | Collection[str]) -> tuple[str, ...]:
    """The queried predicates, once each; raises :class:`ProgramError` for one that does not occur."""
    names = (queries,) if isinstance(queries, str) else tuple(dict.fromkeys(queries))
    known = program.predicates
    unknown = [
        Diagnostic(
            "E250",
            None,
            f"the query asks for {name}, which the program does not mention",
            did_you_mean(name, known) or f"the predicates are {', '.join(sorted(known))}",
        )
        for name in names
        if name not in known
    ]
    if unknown:
        raise ProgramError(unknown)
    return names
