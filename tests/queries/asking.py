"""Queries asked of the belts of the LARS+ paper, and of other texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import thalweg

EXAMPLE_1 = """
timeline integer from 0 to 9.
warn(X) :- window[last 3] all beltTmp(X, Y), high(Y).
exists Y: beltOperator(X, Y) :- belt(X).
"""
"""The rules r1 and r2 of Section 1."""

DATA = "belt(b1)@[0,9]\nhigh(90)@[0,9]\nbeltTmp(b1,90)@[0,4]\nbeltTmp(b1,70)@[5,9]\n"
"""The data stream of Example 1."""


def ask(query: str, rules: str = EXAMPLE_1, facts: str = DATA, **options: object) -> list[str]:
    """The answers as text, line by line."""
    return thalweg.query(thalweg.parse(rules), facts, query, **options).to_text().splitlines()


def holds(query: str, at: object, rules: str = EXAMPLE_1, facts: str = DATA) -> bool:
    """Whether a query has an answer at a time."""
    return bool(thalweg.query(thalweg.parse(rules), facts, query, at=at))


def mistakes(query: str, rules: str = EXAMPLE_1, facts: str = DATA) -> str:
    """What is wrong with a query, as a person sees it."""
    with pytest.raises(thalweg.ProgramError) as caught:
        ask(query, rules, facts)
    return str(caught.value)


def write_files(rules: str = EXAMPLE_1, facts: str = DATA) -> None:
    """``belts.rules`` and ``belts.facts`` in the current folder."""
    Path("belts.rules").write_text(rules)
    Path("belts.facts").write_text(facts)
