"""Every predicate has one number of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thalweg.errors import Diagnostic
from thalweg.model.formula import atoms
from thalweg.model.program import Delay, Probability, Program
from thalweg.source import Span


def check_arity(program: Program) -> Iterable[Diagnostic]:
    """Each use of a predicate has as many arguments as its declaration, or else its first use."""
    for predicate, count, span in _uses(program):
        signature = program.signatures[predicate]
        if count == signature.arity:
            continue
        elsewhere = f"at {signature.span.place}" if signature.span else "elsewhere"
        message = f"{predicate} has {_arguments(count)} here, but should have {signature.arity}"
        hint = f"{predicate} has {_arguments(signature.arity)} {elsewhere}"
        yield Diagnostic("E201", span, message, hint)


def _uses(program: Program) -> Iterator[tuple[str, int, Span | None]]:
    for rule in program.rules:
        for formula in (rule.head, *rule.body):
            for atom in atoms(formula):
                yield atom.predicate, len(atom.arguments), atom.span
    for fact in program.facts:
        yield fact.atom.predicate, len(fact.atom.arguments), fact.atom.span
    expectations: tuple[Delay | Probability, ...] = (*program.delays, *program.probabilities)
    for expected in expectations:
        if expected.arguments is not None and expected.predicate in program.signatures:
            yield expected.predicate, len(expected.arguments), expected.span


def _arguments(count: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")
