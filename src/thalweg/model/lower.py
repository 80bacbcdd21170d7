"""From the syntax tree to the model: units, constants, arithmetic and several heads get their meaning."""

from __future__ import annotations

from thalweg.errors import Diagnostic
from thalweg.model.expectations import read_delays, read_probabilities
from thalweg.model.last_argument import take_times_apart
from thalweg.model.lower_rule import lower_fact, lower_rule
from thalweg.model.program import Fact, Program, Rule
from thalweg.model.resolve import Resolver
from thalweg.model.settings import read_settings
from thalweg.model.signatures import head_predicates, read_signatures
from thalweg.syntax import ast


def lower(tree: ast.ProgramText) -> tuple[Program, tuple[Diagnostic, ...]]:
    """The program a syntax tree means, and everything that is wrong with it, in source order.

    A statement with an error is left out of the program, so that the checks that follow can look at
    the others.
    """
    found: list[Diagnostic] = []
    settings = read_settings(tree.statements, found)
    resolver = Resolver(settings, found)
    apart = take_times_apart(tree.statements, settings, found)
    signatures = read_signatures(apart.right_ones_first, found)
    delays = read_delays(apart.statements, resolver)
    probabilities = read_probabilities(apart.statements, resolver)

    rules: list[Rule] = []
    facts: list[Fact] = []
    left_out: set[str] = set()
    number = 0
    for place, statement in enumerate(apart.statements):
        is_broken = place in apart.broken
        match statement:
            case ast.Rule():
                number += 1
                lowered = () if is_broken else lower_rule(statement, number, resolver)
                rules += lowered
                if not lowered:
                    left_out |= head_predicates(statement)
            case ast.Fact():
                fact = None if is_broken else lower_fact(statement, resolver)
                facts += [fact] if fact else []
                left_out |= set() if fact else {statement.atom.predicate}
            case (
                ast.PredicateDeclaration()
                | ast.TimelineDeclaration()
                | ast.UnitDeclaration()
                | ast.TickDeclaration()
                | ast.DelayDeclaration()
                | ast.ProbabilityDeclaration()
                | ast.LastArgumentDeclaration()
                | ast.ConstantDeclaration()
            ):
                pass  # they have been read into the settings, signatures, delays and probabilities
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
        probabilities=probabilities,
        time_is_last=settings.time_is_last,
        left_out=frozenset(left_out),
        source=tree.source,
    )
    return program, in_source_order(found)


def in_source_order(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics sorted by place; those without one come first."""
    return tuple(sorted(found, key=lambda each: each.span.start if each.span else -1))
