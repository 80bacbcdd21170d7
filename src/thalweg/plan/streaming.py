"""What can be said beforehand of a program on a stream: the window, the delay of answers, or why it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from thalweg.analysis.endless_memory import kept_for_ever
from thalweg.errors import Diagnostic, ProgramError
from thalweg.model.program import Program
from thalweg.plan.stream import make_stream_plan
from thalweg.time.interval import format_rational


@dataclass(frozen=True)
class Streaming:
    """How a stream would be answered: ``delays`` has the predicates whose answers come later than the data.

    ``endless`` warns of what is kept for ever, so that memory grows as long as new values come.
    """

    window: Fraction | None
    delays: dict[str, Fraction]
    refused: tuple[Diagnostic, ...] = ()
    endless: tuple[Diagnostic, ...] = ()

    @classmethod
    def of(cls, program: Program) -> Streaming:
        """What the stream plan of a program says."""
        try:
            plan = make_stream_plan(program, program.predicates)
        except ProgramError as error:
            return cls(None, {}, error.diagnostics)
        delays = {name: plan.delays[name] for name in program.predicates if plan.delays[name]}
        return cls(plan.span, delays, endless=kept_for_ever(program))

    def to_text(self) -> str:
        """For people."""
        if self.refused:
            return "\n".join(f"on a stream  refused: {diagnostic.message}" for diagnostic in self.refused)
        if not self.delays:
            return "on a stream  answers are complete at once"
        shown = ", ".join(f"{name} by {format_rational(delay)}" for name, delay in self.delays.items())
        assert self.window is not None
        return f"on a stream  answers that look ahead come later: {shown} (window {format_rational(self.window)})"

    def to_json(self) -> dict[str, object]:
        """For programs; exact numbers are strings."""
        return {
            "window": None if self.window is None else format_rational(self.window),
            "delays": {name: format_rational(delay) for name, delay in self.delays.items()},
            "refused": [{"code": d.code, "message": d.message} for d in self.refused],
            "kept_for_ever": [{"code": d.code, "message": d.message} for d in self.endless],
        }
