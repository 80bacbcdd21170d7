"""Predicates are derived, or come from outside, as declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thalweg.errors import Diagnostic, Suggestions
from thalweg.model.formula import Atom, atoms
from thalweg.model.program import Program
from thalweg.syntax.ast import Role

_OUTSIDE = (Role.INPUT, Role.BACKGROUND)


def check_predicates(program: Program) -> Iterable[Diagnostic]:
    """Input is not derived, output is, and where input is declared everything read is known."""
    yield from _derived_inputs(program)
    yield from _unknown_in_bodies(program)
    yield from _underived_outputs(program)


def _derived_inputs(program: Program) -> Iterator[Diagnostic]:
    for rule in program.rules:
        core = rule.head_core
        if isinstance(core, Atom) and program.signatures[core.predicate].role in _OUTSIDE:
            role = program.signatures[core.predicate].role.value
            message = f"{core.predicate} is declared as {role}, but rule {rule.number} derives it"
            hint = f"derive another predicate, or declare {core.predicate} with predicate or output"
            yield Diagnostic("E208", core.span, message, hint)


def _unknown_in_bodies(program: Program) -> Iterator[Diagnostic]:
    """Undeclared predicates that nothing defines; without declared input they are taken to be input."""
    if not any(signature.role in _OUTSIDE for signature in program.signatures.values()):
        return
    defined = _defined(program)
    known = defined | {name for name, signature in program.signatures.items() if signature.declared}
    meant = Suggestions(sorted(known))
    for rule in program.rules:
        for literal in rule.body:
            for atom in atoms(literal):
                if atom.predicate not in known:
                    message = f"nothing defines {atom.predicate}: no rule, no fact, no declaration"
                    hint = meant(atom.predicate) or f"declare it: input {atom.predicate}."
                    yield Diagnostic("E209", atom.span, message, hint)


def _underived_outputs(program: Program) -> Iterator[Diagnostic]:
    defined = _defined(program)
    meant = Suggestions(sorted(program.derived_predicates))
    for name, signature in program.signatures.items():
        if signature.role is Role.OUTPUT and name not in defined:
            message = f"{name} is declared as output, but no rule derives it"
            hint = meant(name) or f"write a rule with head {name}"
            yield Diagnostic("E210", signature.span, message, hint)


def _defined(program: Program) -> frozenset[str]:
    facts = frozenset(fact.atom.predicate for fact in program.facts)
    return program.derived_predicates | facts | program.left_out
