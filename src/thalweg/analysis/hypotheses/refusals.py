"""What hypotheses do not know, said in the words of the rule that has it."""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.errors import Diagnostic, ProgramError
from thalweg.model.program import Rule
from thalweg.source import Span


class RefusedError(ProgramError):
    """A rule that cannot be unfolded."""

    def __init__(self, rule: Rule, span: Span | None, what: str, hint: str) -> None:
        super().__init__([Diagnostic("E350", span or rule.origin, f"no hypotheses: {rule.name} {what}", hint)])


def recursive(query: str, predicates: Sequence[str], span: Span | None) -> ProgramError:
    """A query whose unfolding does not end."""
    named = ", ".join(predicates)
    message = f"{query} cannot be unfolded to its end: {named} {_depends(predicates)}"
    hint = "unfold it to a stated depth: --depth N"
    return ProgramError([Diagnostic("E351", span, message, hint)])


def too_many(what: str, span: Span | None, most: int) -> ProgramError:
    """An unfolding that is too large."""
    message = f"{what} unfolds to more than {most:,} patterns"
    hint = "shorten the intervals of its operators; boxes over diamonds multiply"
    return ProgramError([Diagnostic("E352", span, message, hint)])


def rational() -> ProgramError:
    """A program on the rational timeline."""
    message = "hypotheses are for the integer timeline: on the rational one there are no next time points to wait for"
    return ProgramError([Diagnostic("E353", None, message, "declare timeline integer.")])


def never_decided(negated: str, query: str) -> ProgramError:
    """A negation that no time decides."""
    message = f"not {negated}: no time decides it, since {negated} may follow from facts of any later time"
    hint = f"write the rules for {negated} so that its time says how long to wait for their atoms"
    return ProgramError([Diagnostic("E354", None, f"{query} depends on {message}", hint)])


def _depends(predicates: Sequence[str]) -> str:
    return "depends on itself" if len(predicates) == 1 else "depend on themselves"
