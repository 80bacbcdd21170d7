"""Programs of the oracle's tests, read from texts, and their answers as texts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from thalweg.model.formula import Formula
from thalweg.model.lower import lower
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.parser import parse_program
from thalweg.testing import brute_force_answers, naive_answer_at, naive_materialise


def read(text: str) -> Program:
    """A program; checks have no say, so that it need not be stratified."""
    tree, found = parse_program(Source("test", text))
    program, more = lower(tree)
    errors = [each for each in (*found, *more) if each.is_error]
    assert not errors, errors
    return program


def formula(text: str) -> Formula:
    """The one literal of a body."""
    [rule] = read(f"timeline integer. Head :- {text}.").rules
    [literal] = rule.body
    return literal


def lines(answers, *predicates: str) -> list[str]:
    """Atoms with their times, as texts."""
    return sorted(
        f"{_atom(name, arguments)}@{' '.join(map(str, intervals))}"
        for (name, arguments), intervals in answers.items()
        if not predicates or name in predicates
    )


def derived(text: str, *predicates: str, end: int = 10) -> list[str]:
    """What the predicates' atoms are at all times from 0 to the end."""
    program = read(text)
    answers = naive_materialise(program, (), Fraction(0), Fraction(end))
    return lines(answers, *(predicates or sorted(program.derived_predicates)))


def at(text: str, time: int, *predicates: str) -> list[str]:
    """The answer at an evaluation time."""
    program = read(text)
    return lines(naive_answer_at(program, (), time), *(predicates or sorted(program.derived_predicates)))


def answer_sets(text: str, time: int | None = 0) -> set[str]:
    """All answers by brute force, each as a text: atoms with times, in order."""
    return {" ".join(_timed(stream)) for stream in brute_force_answers(read(text), (), time)}


def _timed(stream: Iterable[tuple[str, tuple, int]]) -> list[str]:
    return sorted(f"{_atom(name, arguments)}@{time}" for name, arguments, time in stream)


def _atom(name: str, arguments: tuple) -> str:
    return f"{name}({','.join(map(str, arguments))})" if arguments else name
