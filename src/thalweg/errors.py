"""Diagnostics and the exception tree.

Errors are values until the edge: passes collect :class:`Diagnostic` objects, and whoever asked for the
work raises one exception that carries them all. Codes are grouped by where a mistake is found:

==========  ==========================================================
``E1xx``    the text of a program cannot be read
``E2xx``    the program is not well formed (safety, arity, types, …)
``E3xx``    the program is well formed but cannot be run as asked
``E4xx``    facts cannot be read or do not fit the program
``E5xx``    something went wrong while reasoning
``W…``      a warning
==========  ==========================================================
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from thalweg.source import Span, shortened, visible


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong, where, and what to write instead."""

    code: str
    span: Span | None
    message: str
    hint: str | None = None
    place: str | None = None
    """Where, when there is no text to point into: ``facts.csv:3``."""

    @property
    def is_error(self) -> bool:
        """Whether this is an error, not a warning."""
        return self.code.startswith("E")

    def render(self) -> str:
        """The diagnostic as a person reads it: place, message, the source line with a caret, a hint."""
        kind = "error" if self.is_error else "warning"
        place = self.span.place if self.span else self.place
        lines = [f"{place}: " * bool(place) + f"{kind}[{self.code}]: {visible(shortened(self.message))}"]
        if self.span:
            lines.append(self.span.caret())
        if self.hint:
            lines.append(f"    hint: {visible(shortened(self.hint))}")
        return "\n".join(lines)


class ThalwegError(Exception):
    """The root of everything Thalweg raises on purpose."""


class DiagnosticError(ThalwegError):
    """An error made of one or more diagnostics."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.render() for d in self.diagnostics))


class ProgramError(DiagnosticError):
    """The program is wrong, or cannot be run as asked (E1xx, E2xx, E3xx)."""


class DataError(DiagnosticError):
    """The facts are wrong (E4xx)."""


class BadFactsError(DataError):
    """Facts are wrong, each for itself (E4xx): with ``skip_bad=True`` the others are reasoned about."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        found = tuple(diagnostics)
        super().__init__(found[:MOST_SHOWN])
        self.diagnostics = found
        if len(found) > MOST_SHOWN:
            self.args = (f"{self.args[0]}\nand {len(found) - MOST_SHOWN:,} more",)


MOST_SHOWN = 50
"""So many bad facts are described, one by one; whoever has more of them wants to know how many."""


class ReasoningError(DiagnosticError):
    """Reasoning could not be completed (E5xx)."""


class InconsistencyError(ReasoningError):
    """The facts contradict the program: a rule with head ⊥ fired (E501)."""


class StorageError(DiagnosticError):
    """There is no room to write what must be kept (E471), or what was kept is not whole (E472)."""


class UsageError(ThalwegError):
    """The call itself is wrong: a missing file, an unknown option."""


class StateError(DiagnosticError, UsageError):
    """A snapshot or a checkpoint cannot be used: of another program, of another version, damaged (E477 to E479)."""


class SparkError(ThalwegError):
    """Spark could not do its part, and neither the call nor the program nor the facts are known to be wrong."""


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint naming the known word closest to a misspelt one, if any is close."""
    by_folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.7)
    return f"did you mean {by_folded[close[0]]}?" if close else None


class Suggestions:
    """Hints for many misspelt words, each compared with all known ones.

    That takes a while where there are thousands of both: then only the first words get a hint.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = tuple(known)
        self._left = _MOST_COMPARISONS
        self._found: dict[str, str | None] = {}

    def __call__(self, word: str) -> str | None:
        """A hint naming the known word closest to a misspelt one, as :func:`did_you_mean`."""
        if word not in self._found:
            self._left -= len(self._known)
            self._found[word] = did_you_mean(word, self._known) if self._left >= 0 else None
        return self._found[word]


_MOST_COMPARISONS = 200_000
"""Of a misspelt word with a known one."""
