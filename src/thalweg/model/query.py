"""A conjunctive query as one more rule of the program it is asked of (LARS+ paper, Definition 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace

from thalweg.errors import Diagnostic, did_you_mean
from thalweg.model.binding import bound_by_all
from thalweg.model.formula import Comparison, Not, subformulas, variables
from thalweg.model.last_argument import take_query_apart
from thalweg.model.lower import in_source_order
from thalweg.model.lower_rule import lower_rule
from thalweg.model.program import Program, Rule, Signature
from thalweg.model.resolve import Resolver
from thalweg.model.settings import Settings, read_settings
from thalweg.model.signatures import written_atoms
from thalweg.syntax import ast
from thalweg.syntax.parser import parse_program

ANSWER = "#answer"
"""The predicate of a query's answers; no program can name it."""

Arities = Mapping[str, int]
"""The predicates of facts, with the numbers of their arguments."""


@dataclass(frozen=True)
class Query:
    """A query, and the program with it: its answers are what holds of the predicate :data:`ANSWER`.

    ``columns`` are the variables that are asked for, in the order in which they were written; a query without is
    Boolean. ``program`` is the one that was asked and one more rule.
    """

    columns: tuple[str, ...]
    program: Program

    @property
    def rule(self) -> Rule:
        """The rule that derives the answers: the last, with a number of its own."""
        return self.program.rules[-1]


def lower_query(
    text: ast.QueryText, program: Program, given: Arities | None
) -> tuple[Query | None, tuple[Diagnostic, ...]]:
    """What a query asks of a program, and what is wrong with it; None when nothing can be asked.

    A query may also ask for predicates that only facts have, where facts are ``given``; None means that they are still
    to come.
    """
    settings = _settings(program)
    misplaced: list[Diagnostic] = []
    text = take_query_apart(text, settings, program.background, misplaced)
    if misplaced:
        return None, in_source_order(misplaced)
    found = [*_idle(text), *_unknown(text, program, given)]
    resolver = Resolver(settings, found)
    number = 1 + max((rule.number for rule in program.rules), default=0)
    asked_for = _asked_for(text)
    head = ast.Head((ast.Atom(ANSWER, asked_for, text.span),))
    before = len(found)
    rules = lower_rule(ast.Rule(head, text.body, text.span), number, resolver)
    resolver.check_range()
    if len(found) > before:
        return None, in_words_of_query(in_source_order(found), number)
    columns = tuple(variable.name for variable in asked_for)
    extended = replace(
        program,
        rules=(*program.rules, *rules),
        signatures={
            **program.signatures,
            **{each.predicate: each for each in _new_signatures(text, program, given or {})},
            ANSWER: Signature(ANSWER, tuple(map(ast.Parameter, columns))),
        },
    )
    return Query(columns, extended), in_source_order(found)


def open_columns(query: Query) -> Iterator[Diagnostic]:
    """Variables that are asked for, though the query can hold without a value for them."""
    body = query.rule.body
    bound = bound_by_all(body)
    named = [variable.name for variable in bound if "#" not in variable.name]
    tests = [part for literal in body for part in subformulas(literal) if isinstance(part, Not | Comparison)]
    tested = {variable for part in tests for variable in variables(part)}
    for variable in (each for each in variables(query.rule.head) if each not in bound):
        message = f"{variable} is asked for, but the query can hold without a value for it"
        hint = f"bind {variable} in an atom that must hold"
        hint += "; not and comparisons give no value" if variable in tested else f", or begin with exists {variable}:"
        yield Diagnostic("E262", variable.span, message, did_you_mean(variable.name, named) or hint)


def in_words_of_query(found: Iterable[Diagnostic], number: int) -> tuple[Diagnostic, ...]:
    """Diagnostics in which the query's rule, known to checks and to the engine by its number, is called the query."""
    name = re.compile(rf"\brule {number}\b")
    return tuple(replace(each, message=name.sub("the query", each.message)) for each in found)


def _asked_for(text: ast.QueryText) -> tuple[ast.Variable, ...]:
    """The variables that are not existential, in the order in which they were written."""
    hidden = {"_", *(variable.name for variable in text.existential)}
    first = dict.fromkeys(variable for variable in _variables(text.body) if variable.name not in hidden)
    return tuple(first)


def _idle(text: ast.QueryText) -> Iterator[Diagnostic]:
    """Variables after ``exists`` that do not occur; those between the braces of an aggregate are its own."""
    free = {variable.name for variable in _variables(text.body)}
    for variable in dict.fromkeys(text.existential):
        name = variable.name
        if name not in free:
            message = f"{name} stands after exists, but the query does not have it outside the braces of aggregates"
            hint = did_you_mean(name, free) or f"use {name} in a condition, or leave it out"
            yield Diagnostic("E260", variable.span, message, hint)


def _unknown(text: ast.QueryText, program: Program, given: Arities | None) -> Iterator[Diagnostic]:
    """Predicates that neither the program nor the facts mention."""
    known = [name for name in {**program.signatures, **(given or {})} if "#" not in name]
    for name, atom in {atom.predicate: atom for atom in reversed([*_atoms(text)])}.items():
        if name in known:
            continue
        hint = did_you_mean(name, known)
        if given is None:
            message = f"the program does not mention {name}"
            hint = hint or f"declare it, if facts will bring it: input {name}."
        else:
            message = f"neither the program nor the facts mention {name}"
            hint = hint or f"the predicates are {', '.join(sorted(known))}"
        yield Diagnostic("E261", atom.span, message, hint)


def _new_signatures(text: ast.QueryText, program: Program, given: Arities) -> Iterator[Signature]:
    """Of predicates that the program does not mention: as the facts have them, or else (an error) the query."""
    for atom in _atoms(text):
        if atom.predicate not in program.signatures:
            arity = given.get(atom.predicate, len(atom.arguments))
            yield Signature(atom.predicate, (ast.Parameter(None),) * arity, declared=True)


def _settings(program: Program) -> Settings:
    """What numbers, times and names mean in a program; only its text tells the constants that it names."""
    declared = read_settings(parse_program(program.source)[0].statements, []) if program.source else Settings()
    return Settings(
        timeline=program.timeline,
        timeline_start=program.timeline_start,
        timeline_end=program.timeline_end,
        unit=program.unit,
        tick=program.tick,
        constants=declared.constants,
        time_is_last=program.time_is_last,
    )


def _atoms(text: ast.QueryText) -> Iterator[ast.Atom]:
    return written_atoms(ast.Rule(ast.Head(()), text.body))


def _variables(part: object) -> Iterator[ast.Variable]:
    """The variables as they were written, without those that only an aggregate has between its braces."""
    match part:
        case ast.Variable():
            yield part
        case ast.Aggregate(result=result):
            yield from _variables(result)
        case tuple():
            for each in part:
                yield from _variables(each)
        case _ if is_dataclass(part):
            for each in fields(part):
                yield from _variables(getattr(part, each.name)) if each.name != "span" else ()
        case _:
            pass
