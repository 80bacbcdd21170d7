"""What ``thalweg repl`` knows: rules and facts as they were typed, what follows from them, and how to take back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from thalweg.api import diagnose, materialise, query, read_source, unused_facts
from thalweg.cli.repl.changes import changes
from thalweg.cli.repl.question import Question, answer_lines
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.read import read_facts_of
from thalweg.errors import DataError, Diagnostic, DiagnosticError, ProgramError, UsageError
from thalweg.model.program import Program
from thalweg.source import Source, Span

MAX_ROUNDS = 1000

NOT_YET = frozenset({"E210"})
"""Errors of a program that is complete, but not of one that is being typed: an output that no rule derives."""

ENDLESS = "E504"
"""The code of rules that derive facts without end."""

TYPED = "input"
"""Where mistakes are, in what is typed."""

FACT_FILES = (".facts", ".csv", ".parquet")


@dataclass(frozen=True)
class Contents:
    """What was typed or read, and between which times it is of interest."""

    entries: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    start: str | None = None
    end: str | None = None

    @property
    def text(self) -> str:
        """The program."""
        return "".join(f"{entry}\n" for entry in self.entries)


class Session:
    """Rules and facts, one entry after the other. An entry that is wrong raises, and changes nothing."""

    def __init__(self) -> None:
        self.contents = Contents()
        self.program, self.model, self._warnings = _follow(self.contents)
        self._past: list[Contents] = []

    def add(self, entry: str, name: str = TYPED) -> list[str]:
        """Take in rules, facts or declarations; lines that say what is new. Mistakes have their place in ``name``."""
        return self._become(replace(self.contents, entries=(*self.contents.entries, entry)), name)

    def load(self, path: Path) -> list[str]:
        """Take in a file of facts, or the text of a file of rules."""
        if path.suffix in FACT_FILES:
            if not path.is_file():
                raise UsageError(f"there is no file {path}")
            return self._become(replace(self.contents, files=(*self.contents.files, path)))
        return self.add(read_source(path).text.rstrip("\n"), str(path))

    def save(self, path: Path) -> str:
        """Write all rules and facts that were typed into a file; says what was left out."""
        try:
            path.write_text(self.contents.text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from error
        files = ", ".join(map(str, self.contents.files))
        return f"written to {path}" + (f"; the facts of {files} stay there" if files else "")

    def between(self, start: str | None, end: str | None) -> list[str]:
        """Reason about a stretch of time only."""
        return self._become(replace(self.contents, start=start, end=end))

    def undo(self) -> list[str]:
        """Go back to what was before the last change."""
        if not self._past:
            raise UsageError("there is nothing to take back")
        before, self.contents, model = self.contents, self._past.pop(), self.model
        self.program, self.model, self._warnings = _follow(self.contents)
        gone = [f"without: {_first_line(entry)}" for entry in before.entries[len(self.contents.entries) :]]
        return [*gone, *changes(model, self.model)]

    def clear(self) -> None:
        """Forget everything; it can be taken back."""
        self._become(Contents())

    def ask(self, question: Question) -> list[str]:
        """The answers to a question."""
        contents = self.contents
        start, end = question.start or contents.start, question.end or contents.end
        bounds = {"at": question.at} if question.at is not None else {"start": start, "end": end}
        found = query(self.program, contents.files, question.text, max_rounds=MAX_ROUNDS, **bounds)
        return answer_lines(found, at_one_time=question.at is not None)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is doubtful."""
        return self._warnings

    def _become(self, contents: Contents, name: str = TYPED) -> list[str]:
        known = {(each.code, each.message) for each in self._warnings}
        program, model, warnings = _follow(contents, name)
        new = changes(self.model, model)
        self._past.append(self.contents)
        self.contents, self.program, self.model, self._warnings = contents, program, model, warnings
        told = [each.render() for each in warnings if (each.code, each.message) not in known]
        return [*told, *new]


def _follow(contents: Contents, name: str = TYPED) -> tuple[Program, Materialisation, tuple[Diagnostic, ...]]:
    """The program, what follows, and warnings; raises what is wrong."""
    program, found = diagnose(Source("program", contents.text))
    diagnostics = [_in_words_of_entry(each, contents, name) for each in found]
    errors = [each for each in diagnostics if each.is_error and each.code not in NOT_YET]
    if errors:
        raise ProgramError(errors)
    batches, problems = read_facts_of(program, contents.files)
    if problems:
        raise DataError(problems)
    try:
        model = materialise(program, batches, start=contents.start, end=contents.end, max_rounds=MAX_ROUNDS)
    except DiagnosticError as error:
        raise type(error)(_in_words_of_entry(each, contents, name) for each in error.diagnostics) from None
    warnings = (each for each in diagnostics if not each.is_error)
    return program, model, (*warnings, *unused_facts(program, batches))


def _in_words_of_entry(diagnostic: Diagnostic, contents: Contents, name: str) -> Diagnostic:
    """A diagnostic about the newest entry points into it alone; its hint is for somebody who types."""
    if diagnostic.code == ENDLESS:
        diagnostic = replace(diagnostic, hint="bound the time, then type it again: :between 0 100")
    if diagnostic.span is None or not contents.entries:
        return diagnostic
    entry = contents.entries[-1]
    begin = len(contents.text) - len(entry) - 1
    span = diagnostic.span
    if span.start < begin:
        return diagnostic
    return replace(diagnostic, span=Span(Source(name, entry), span.start - begin, span.end - begin))


def _first_line(entry: str) -> str:
    first, *others = entry.splitlines() or [""]
    return f"{first} …" if others else first


def predicates_of(session: Session) -> Iterable[str]:
    """The predicates that can be asked for, facts in files included."""
    return dict.fromkeys((*session.program.predicates, *session.model.predicates))
