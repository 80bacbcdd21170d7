"""What a program says about facts to come: how late they may be, and how likely they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from thalweg.errors import Suggestions
from thalweg.model.formula import Term, Variable
from thalweg.model.lower_rule import lower_pattern
from thalweg.model.program import Delay, Probability
from thalweg.model.resolve import Resolver
from thalweg.model.settings import at_place
from thalweg.model.signatures import background_predicates, head_predicates, written_atoms
from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.time.interval import format_rational

_Expectation = TypeVar("_Expectation", Delay, Probability)


def read_delays(statements: Sequence[ast.Statement], resolver: Resolver) -> tuple[Delay, ...]:
    """The delays a program declares."""
    declarations = [each for each in statements if isinstance(each, ast.DelayDeclaration)]
    _warn_unused(declarations, statements, resolver)
    _refuse_derived([each for each in declarations if each.arrivals is not None], statements, resolver)
    delays = [delay for each in declarations if (delay := _read_delay(each, resolver))]
    return _once_each(delays, "delay", resolver)


def read_probabilities(statements: Sequence[ast.Statement], resolver: Resolver) -> tuple[Probability, ...]:
    """The probabilities a program declares."""
    declarations = [each for each in statements if isinstance(each, ast.ProbabilityDeclaration)]
    _warn_unused(declarations, statements, resolver)
    _refuse_derived(declarations, statements, resolver)
    probabilities = [chance for each in declarations if (chance := _read_probability(each, resolver))]
    return _once_each(probabilities, "probability", resolver)


def _read_delay(declaration: ast.DelayDeclaration, resolver: Resolver) -> Delay | None:
    before = len(resolver.found)
    length = resolver.time(declaration.length)
    place = declaration.length.span or declaration.span
    if length is not None and length < 0:
        resolver.report("E228", place, "a delay cannot be negative", "write 0 for no delay")
    pattern = _read_pattern(declaration, resolver)
    if length is None or any(each.is_error for each in resolver.found[before:]):
        return None
    if length == math.inf:
        message = "a delay without an end would mean that nothing is ever final"
        resolver.report("E228", place, message, "write a finite delay")
        return None
    assert isinstance(length, Fraction)
    arrivals = _read_arrivals(declaration, length, resolver)
    if len(resolver.found) > before:
        return None
    return Delay(declaration.predicate, pattern, length, declaration.span, arrivals)


def _read_arrivals(
    declaration: ast.DelayDeclaration, length: Fraction, resolver: Resolver
) -> tuple[Fraction, ...] | None:
    """P(delay = 0), …, P(delay = D); what is missing to 1 is lost on the way."""
    if declaration.arrivals is None:
        return None
    if length.denominator != 1:
        message = "only a whole-number delay has a probability for each delay up to it"
        place = declaration.length.span or declaration.span
        resolver.report("E275", place, message, "write a whole number, or leave out with and what follows")
        return None
    count = int(length) + 1
    if len(declaration.arrivals) != count:
        needed = "a delay of 0 needs 1" if count == 1 else f"the delays 0 to {count - 1} need {count}"
        message = f"{_probabilities(len(declaration.arrivals))}, but {needed}"
        place = _span_of_all(declaration.arrivals) or declaration.span
        resolver.report("E275", place, message, "write one for each delay from 0 on; 0 for one that does not occur")
    values = [_probability(number, resolver) for number in declaration.arrivals]
    arrivals = tuple(value for value in values if value is not None)
    if len(arrivals) == len(values) and sum(arrivals) > 1:
        message = f"these probabilities add up to {format_rational(sum(arrivals, Fraction()))}, which is more than 1"
        place = _span_of_all(declaration.arrivals) or declaration.span
        resolver.report("E274", place, message, "a fact comes with one delay, or not at all: at most 1 together")
    return arrivals


def _read_probability(declaration: ast.ProbabilityDeclaration, resolver: Resolver) -> Probability | None:
    before = len(resolver.found)
    value = _probability(declaration.value, resolver)
    pattern = _read_pattern(declaration, resolver)
    if value is None or len(resolver.found) > before:
        return None
    return Probability(declaration.predicate, pattern, value, declaration.span)


def _read_pattern(
    declaration: ast.DelayDeclaration | ast.ProbabilityDeclaration, resolver: Resolver
) -> tuple[Term, ...] | None:
    if declaration.arguments is None:
        return None
    return lower_pattern(declaration.arguments, _word(declaration), resolver)


def _probability(number: ast.Bound, resolver: Resolver) -> Fraction | None:
    if isinstance(number, ast.Number) and number.unit is None and 0 <= number.value <= 1:
        return number.value
    hint = "write a number from 0 to 1, such as 0.25 or 1/4"
    resolver.report("E274", number.span, "a probability is a number from 0 to 1", hint)
    return None


def _once_each(expectations: Sequence[_Expectation], word: str, resolver: Resolver) -> tuple[_Expectation, ...]:
    """The expectations, but for those with the pattern of an earlier one."""
    first: dict[tuple[str, tuple[Term, ...] | None], _Expectation] = {}
    for each in expectations:
        pattern = each.predicate, _any_alike(each.arguments)
        if pattern in first:
            hint = f"keep this one or the one{at_place(first[pattern].span)}"
            resolver.report("E220", each.span, f"this {word} is declared twice", hint)
        else:
            first[pattern] = each
    return tuple(first.values())


def _any_alike(arguments: tuple[Term, ...] | None) -> tuple[Term, ...] | None:
    """The pattern with every variable the same, so that equal patterns compare equal."""
    if arguments is None:
        return None
    return tuple(Variable("_") if isinstance(term, Variable) else term for term in arguments)


def _warn_unused(
    declarations: Sequence[ast.DelayDeclaration | ast.ProbabilityDeclaration],
    statements: Sequence[ast.Statement],
    resolver: Resolver,
) -> None:
    used = {atom.predicate for statement in statements for atom in written_atoms(statement)}
    meant = Suggestions(sorted(used))
    for each in declarations:
        if each.predicate not in used:
            message = f"a {_word(each)} is declared for {each.predicate}, which never occurs"
            resolver.report("W202", each.span, message, meant(each.predicate))


def _refuse_derived(
    declarations: Sequence[ast.DelayDeclaration | ast.ProbabilityDeclaration],
    statements: Sequence[ast.Statement],
    resolver: Resolver,
) -> None:
    """Only what comes from outside, at a time, comes by chance."""
    derived = {name for each in statements if isinstance(each, ast.Rule) for name in head_predicates(each)}
    background = background_predicates(statements)
    for each in declarations:
        if each.predicate in derived:
            message = f"a probability is declared for {each.predicate}, which rules derive"
            hint = "declare probabilities for the facts that come from outside"
            resolver.report("E276", each.span, message, hint)
        elif each.predicate in background:
            message = f"a probability is declared for {each.predicate}, which is background and does not change"
            resolver.report("E276", each.span, message, f"declare {each.predicate} as input, or leave this out")


def _word(declaration: ast.DelayDeclaration | ast.ProbabilityDeclaration) -> str:
    return "delay" if isinstance(declaration, ast.DelayDeclaration) else "probability"


def _probabilities(count: int) -> str:
    return "here is 1 probability" if count == 1 else f"here are {count} probabilities"


def _span_of_all(numbers: Sequence[ast.Bound]) -> Span | None:
    first, last = numbers[0].span, numbers[-1].span
    return first.to(last) if first and last else None
