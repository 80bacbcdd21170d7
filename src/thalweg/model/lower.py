"""From the syntax tree to the model: units, constants, arithmetic and several heads get their meaning."""

from __future__ import annotations

from thalweg.errors import Diagnostic
from thalweg.model.lower_rule import lower_fact, lower_rule
from thalweg.model.program import Fact, Program, Rule
from thalweg.model.resolve import Resolver
from thalweg.model.settings import read_settings
from thalweg.model.signatures import read_delays, read_signatures, written_atoms
from thalweg.syntax import ast


def lower(tree: ast.ProgramText) -> tuple[Program, tuple[Diagnostic, ...]]:
    """The program a syntax tree means, and everything that is wrong with it, in source order.

    A statement with an error is left out of the program, so that the checks that follow can look at
    the others.
    """
    found: list[Diagnostic] = []
    settings = read_settings(tree.statements, found)
    resolver = Resolver(settings, found)
    signatures = read_signatures(tree.statements, found)
    delays = read_delays(tree.statements, resolver)

    rules: list[Rule] = []
    facts: list[Fact] = []
    left_out: set[str] = set()
    number = 0
    for statement in tree.statements:
        if isinstance(statement, ast.Rule):
            number += 1
            lowered = lower_rule(statement, number, resolver)
            rules += lowered
            if not lowered:
                left_out |= _head_predicates(statement)
        elif isinstance(statement, ast.Fact):
            fact = lower_fact(statement, resolver)
            facts += [fact] if fact else []
            left_out |= set() if fact else {statement.atom.predicate}
    resolver.check_range()

    program = Program(
        rules=tuple(rules),
        facts=tuple(facts),
        signatures=signatures,
        timeline=settings.timeline,
        timeline_start=settings.timeline_start,
        timeline_end=settings.timeline_end,
        unit=settings.unit,
        tick=settings.tick,
        delays=delays,
        left_out=frozenset(left_out),
        source=tree.source,
    )
    return program, in_source_order(found)


def in_source_order(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics sorted by place; those without one come first."""
    return tuple(sorted(found, key=lambda each: each.span.start if each.span else -1))


def _head_predicates(rule: ast.Rule) -> set[str]:
    """The predicates in a written head, whatever operators they stand under."""
    head_only = ast.Rule(rule.head, ())
    return {atom.predicate for atom in written_atoms(head_only)}
