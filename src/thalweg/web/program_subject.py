"""A program and facts, reasoned about in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thalweg.analysis.queries import check_queries
from thalweg.engine.materialisation import Materialisation
from thalweg.model.program import Program
from thalweg.syntax.ast import Role
from thalweg.syntax.facts import format_value
from thalweg.time.interval import Interval
from thalweg.time.timeline import Timeline
from thalweg.web.input_rows import row_of_interval
from thalweg.web.lanes import Lanes
from thalweg.web.proofs import Proofs, Prover
from thalweg.web.shown import shown
from thalweg.web.wire_times import unwire_interval

NAME = "program"


class ProgramSubject:
    """What follows from a program and facts: input and answers, with proofs."""

    key = NAME

    def __init__(
        self, program: Program, model: Materialisation, prove: Prover, *, queries: Sequence[str] = (), clock: str
    ) -> None:
        self._program, self._clock = program, clock
        self._queries = check_queries(program, queries) if queries else _outputs(program)
        self._lanes = Lanes()
        self._proofs = Proofs(lambda: prove)
        self._counts = self._fill(model)

    def summary(self) -> dict[str, Any]:
        """What the list of runs says of it."""
        name = self._program.source.name if self._program.source else NAME
        return {
            "id": self.key,
            "name": Path(name).name,
            "path": name,
            "kind": NAME,
            "state": "finished",
            "message": None,
            "queries": self._queries,
            "clock": self._clock,
            "unit": float(self._program.unit),
            "integer": self._program.timeline is Timeline.INTEGER,
            "explain": True,
            "rules": len(self._program.rules),
            **self._counts,
        }

    def lanes(self) -> Lanes:
        """Input and answers."""
        return self._lanes

    def program(self) -> dict[str, Any]:
        """The name and the text of the rules."""
        source = self._program.source
        return {"name": source.name if source else NAME, "text": source.text if source else ""}

    def hypotheses(self) -> dict[str, Any]:
        """None: all facts are there."""
        return {"open": [], "count": 0}

    def set_aside(self) -> dict[str, Any]:
        """None: bad facts are told before the page is served."""
        return {"rows": [], "count": 0}

    def proof(self, lane: int, start: str, end: str, ends: int) -> dict[str, Any]:
        """Why a fact holds."""
        return self._proofs.of(fact_text(self._lanes, lane, self._interval(start, end, ends)))

    def _interval(self, start: str, end: str, ends: int) -> Interval:
        return unwire_interval(start, end, ends, self._clock, self._program.unit)

    def _fill(self, model: Materialisation) -> dict[str, int]:
        derived = self._program.derived_predicates
        given = answers = 0
        for name in sorted(model.predicates, key=lambda name: name not in self._queries):
            role = "output" if name in self._queries else "derived" if name in derived else "input"
            self._lanes.declare(shown(name, self._program.signatures.get(name), role))
        # Where there are too many, those that came first are dropped: answers come last.
        for (name, values), intervals in sorted(model.facts().items(), key=lambda fact: fact[0][0] in self._queries):
            arguments = [format_value(value) for value in values]
            rows = (row_of_interval(arguments, each, self._clock, self._program.unit) for each in intervals)
            self._lanes.add(name, rows)
            given += len(intervals) if name not in derived else 0
            answers += len(intervals) if name in self._queries else 0
        return {"given": given, "answers": answers}


def fact_text(lanes: Lanes, lane: int, interval: Interval) -> str:
    """The fact of a lane in an interval, as the language writes it."""
    found = lanes.lane(lane)
    if found is None:
        raise KeyError(lane)
    predicate, arguments = found
    return f"{predicate}({','.join(arguments)})@{interval}" if arguments else f"{predicate}@{interval}"


def _outputs(program: Program) -> tuple[str, ...]:
    outputs = tuple(name for name, each in program.signatures.items() if each.role is Role.OUTPUT)
    return outputs or tuple(name for name in program.predicates if name in program.derived_predicates)
