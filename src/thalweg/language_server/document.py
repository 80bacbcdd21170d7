"""A program as it stands in an editor: perhaps half typed, and asked about at a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from thalweg.analysis.report import Report, analyse
from thalweg.analysis.stratification import check_stratified
from thalweg.api import diagnose
from thalweg.engine.read import read_text
from thalweg.errors import Diagnostic
from thalweg.model.program import Program
from thalweg.plan.streaming import Streaming
from thalweg.source import Source
from thalweg.syntax.highlight import Kind, marked_tokens
from thalweg.syntax.tokens import Token

FACTS = ".facts"
RULES = ".rules"
CQL = ".cql"

DOMAIN = 100
"""Bounds on memory are shown for a stream with so many different values."""


@dataclass(frozen=True)
class Document:
    """A text with a name, and what is known of it."""

    source: Source

    @property
    def is_facts(self) -> bool:
        """Whether it holds facts, and no rules."""
        return self.source.name.endswith(FACTS)

    @property
    def is_cql(self) -> bool:
        """Whether it holds queries, which have other words."""
        return self.source.name.endswith(CQL)

    @cached_property
    def tokens(self) -> list[tuple[Token, Kind]]:
        """The tokens and what they are; none of a query in CQL."""
        return [] if self.is_cql else marked_tokens(self.source)

    @cached_property
    def program(self) -> Program:
        """The program as far as it can be read; for facts, the program beside them."""
        return self._read[0]

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong or doubtful."""
        return self._read[1]

    @cached_property
    def cycles(self) -> tuple[Diagnostic, ...]:
        """Why the program is not stratified: no mistake where answers are asked for."""
        return () if self.has_errors or self.is_facts else tuple(check_stratified(self.program))

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong."""
        return any(each.is_error for each in self.diagnostics)

    @cached_property
    def report(self) -> Report | None:
        """What the program promises, with a bound for streams of :data:`DOMAIN` values; None if it has errors."""
        return None if self.has_errors or self.is_facts else analyse(self.program, domain_size=DOMAIN)

    @cached_property
    def streaming(self) -> Streaming | None:
        """How a stream would be answered; None if nothing can be said."""
        return None if self.report is None or self.cycles else Streaming.of(self.program)

    def token_at(self, offset: int) -> tuple[Token, Kind] | None:
        """The token at an offset, or one that ends there."""
        touching = [each for each in self.tokens if each[0].start <= offset <= each[0].end]
        return next((each for each in touching if offset < each[0].end), touching[-1] if touching else None)

    def predicate_at(self, offset: int) -> str | None:
        """The predicate whose name stands at an offset."""
        touching = (t for t, kind in self.tokens if t.start <= offset <= t.end and kind is Kind.PREDICATE)
        return next((token.value for token in touching), None)

    def occurrences(self, predicate: str) -> Iterator[Token]:
        """Wherever a predicate is named."""
        return (token for token, kind in self.tokens if kind is Kind.PREDICATE and token.value == predicate)

    @cached_property
    def _read(self) -> tuple[Program, tuple[Diagnostic, ...]]:
        if not self.is_facts:
            return diagnose(self.source, stratified=False)
        program = _program_beside(Path(self.source.name))
        return program, tuple(read_text(self.source, program).diagnostics)


def _program_beside(facts: Path) -> Program:
    """The program of the same name in the same folder; an empty one where there is none."""
    try:
        text = facts.with_suffix(RULES).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return Program(())
    return diagnose(Source(str(facts), text), stratified=False)[0]
