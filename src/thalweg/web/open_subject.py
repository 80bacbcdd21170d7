"""From the paths of a command to what is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from thalweg.api import diagnose, read_source, unused_facts
from thalweg.engine.materialise import materialise
from thalweg.engine.read import read_facts_of
from thalweg.errors import DataError, Diagnostic, ProgramError, UsageError
from thalweg.explain.explainer import Explainer
from thalweg.model.program import Program
from thalweg.record.folder import RunFolder
from thalweg.record.run_record import NUMBER, TIMESTAMP
from thalweg.time.interval import Endpoint
from thalweg.web.dated import are_dated
from thalweg.web.program_subject import ProgramSubject
from thalweg.web.run_subject import RunSubject

Stretch = Callable[[Program], tuple[Endpoint, Endpoint]]
"""The stretch of time of interest, once the program is known."""


def program_subject(
    path: Path,
    facts: Sequence[Path],
    *,
    stretch: Stretch,
    queries: Sequence[str] = (),
    dates: bool = False,
    warn: Callable[[Diagnostic], None],
) -> ProgramSubject:
    """A program and facts, reasoned about here and now. Times are ``dates`` if they are so in tables of facts, too."""
    program, diagnostics = diagnose(read_source(path))
    if any(each.is_error for each in diagnostics):
        raise ProgramError(diagnostics)
    batches, problems = read_facts_of(program, facts)
    if problems:
        raise DataError(problems)
    for diagnostic in (*diagnostics, *unused_facts(program, batches)):
        warn(diagnostic)
    start, end = stretch(program)
    model = materialise(program, batches, start=start, end=end)
    explainer: list[Explainer] = []

    def prove(fact: str) -> dict[str, Any]:
        if not explainer:
            explainer.append(Explainer(program, batches, start=start, end=end))
        return explainer[0].why(fact).to_json()

    clock = TIMESTAMP if dates or are_dated(facts) else NUMBER
    return ProgramSubject(program, model, prove, queries=queries, clock=clock)


def run_subject(path: Path) -> RunSubject:
    """The run whose answers are in a folder."""
    folder = RunFolder(path)
    if not path.is_dir():
        raise UsageError(f"there is no folder {path}")
    return RunSubject(folder, path.resolve().name)
