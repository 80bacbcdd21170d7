"""What is wrong with an opening brace: only an aggregate has one, and none stands inside another."""

from __future__ import annotations

from thalweg.errors import Diagnostic, did_you_mean
from thalweg.syntax.tokens import AGGREGATE_WORDS, Token

_OTHER_NAMES = {
    "average": "avg",
    "mean": "avg",
    "total": "sum",
    "number": "count",
    "cnt": "count",
    "minimum": "min",
    "maximum": "max",
}
"""What other languages call the aggregates."""


def check_brace(before: Token | None, brace: Token, inside_another: bool) -> Diagnostic | None:
    """The mistake, if an opening brace does not belong where it stands, after the token ``before``."""
    if before is None or before.type != "AGGREGATE":
        return _stray_brace(before, brace)
    if inside_another:
        hint = "compute it in a rule of its own; or the aggregate before it lacks its }"
        return Diagnostic("E143", before.span, "an aggregate cannot stand inside another", hint)
    return None


def _stray_brace(before: Token | None, brace: Token) -> Diagnostic:
    hint = _meant_word(before.value) if before is not None and before.type == "NAME" else None
    if before is not None and hint:
        return Diagnostic("E120", before.span, f"{before} is not an aggregate", hint)
    hint = "write ( and ) around a formula, [ and ] around an interval"
    return Diagnostic("E101", brace.span, "a { follows only count, sum, min, max and avg", hint)


def _meant_word(word: str) -> str | None:
    lower = word.lower()
    # In words this short, two letters swapped are too far apart for the usual measure.
    swapped = next((each for each in sorted(AGGREGATE_WORDS) if sorted(each) == sorted(lower)), None)
    meant = _OTHER_NAMES.get(lower) or swapped
    return f"did you mean {meant}?" if meant else did_you_mean(word, sorted(AGGREGATE_WORDS))
