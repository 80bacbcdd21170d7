"""What a program says about its predicates: declarations, delays, and the first use of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from thalweg.errors import Diagnostic, did_you_mean
from thalweg.model.formula import Term, Variable
from thalweg.model.lower_rule import lower_pattern
from thalweg.model.program import Delay, Signature
from thalweg.model.resolve import Resolver
from thalweg.model.settings import at_place
from thalweg.syntax import ast
from thalweg.syntax.ast import Parameter, PredicateDeclaration, Role


def read_signatures(statements: Sequence[ast.Statement], found: list[Diagnostic]) -> Mapping[str, Signature]:
    """A signature for every predicate, in the order of first mention."""
    first_uses: dict[str, ast.Atom | None] = {}
    declarations: dict[str, list[PredicateDeclaration]] = {}
    for statement in statements:
        if isinstance(statement, PredicateDeclaration):
            first_uses.setdefault(statement.predicate, None)
            declarations.setdefault(statement.predicate, []).append(statement)
        for atom in written_atoms(statement):
            first_uses[atom.predicate] = first_uses.get(atom.predicate) or atom

    _refuse_conflicts(declarations, found)
    _warn_unused(declarations, first_uses, found)
    return {name: _signature(name, declarations.get(name, []), first_use) for name, first_use in first_uses.items()}


def read_delays(statements: Sequence[ast.Statement], resolver: Resolver) -> tuple[Delay, ...]:
    """The delays a program declares."""
    used = {atom.predicate for statement in statements for atom in written_atoms(statement)}
    delays: dict[Delay, Delay] = {}
    for statement in statements:
        if not isinstance(statement, ast.DelayDeclaration):
            continue
        if statement.predicate not in used:
            message = f"a delay is declared for {statement.predicate}, which never occurs"
            resolver.report("W202", statement.span, message, did_you_mean(statement.predicate, used))
        delay = _read_delay(statement, resolver)
        if delay is None:
            continue
        pattern = Delay(delay.predicate, _any_alike(delay), Fraction(0))
        if pattern in delays:
            hint = f"keep this one or the one{at_place(delays[pattern].span)}"
            resolver.report("E220", statement.span, "this delay is declared twice", hint)
        else:
            delays[pattern] = delay
    return tuple(delays.values())


def written_atoms(statement: ast.Statement) -> Iterator[ast.Atom]:
    """The atoms of a rule or a fact, in the order in which they were written."""
    match statement:
        case ast.Fact(atom=atom):
            yield atom
        case ast.Rule(head=head, body=body):
            for formula in (*head.formulas, *body):
                yield from _atoms(formula)


def _atoms(formula: ast.Formula) -> Iterator[ast.Atom]:
    open_parts = [formula]
    while open_parts:
        part = open_parts.pop()
        match part:
            case ast.Atom():
                yield part
            case ast.And(operands=operands) | ast.Or(operands=operands):
                open_parts.extend(reversed(operands))
            case ast.Aggregate(body=body):
                open_parts.extend(reversed(body))
            case ast.Since() | ast.Until() | ast.Implies():
                open_parts += (part.right, part.left)
            case ast.Top() | ast.Bottom() | ast.Comparison():
                pass
            case _:
                open_parts.append(part.operand)


def _signature(name: str, declarations: list[PredicateDeclaration], first_use: ast.Atom | None) -> Signature:
    role = next((d.role for d in declarations if d.role is not Role.PREDICATE), Role.PREDICATE)
    for declaration in declarations:
        if declaration.parameters is not None:
            return Signature(name, declaration.parameters, role, True, declaration.span)
    if first_use is None:
        return Signature(name, (), role, True, declarations[0].span)
    parameters = tuple(Parameter(None) for _ in first_use.arguments)
    return Signature(name, parameters, role, bool(declarations), first_use.span)


def _refuse_conflicts(declarations: Mapping[str, list[PredicateDeclaration]], found: list[Diagnostic]) -> None:
    """A predicate may be declared twice only when one gives its role and the other its arguments."""
    for name, several in declarations.items():
        first = several[0]
        role, stated = first.role, first.parameters is not None
        for again in several[1:]:
            hint = f"keep this one or the one{at_place(first.span)}"
            if Role.PREDICATE not in (role, again.role) and role is not again.role:
                message = f"{name} is declared as {role.value} and as {again.role.value}"
                found.append(Diagnostic("E220", again.span, message, hint))
            elif role is again.role or (stated and again.parameters is not None):
                found.append(Diagnostic("E220", again.span, f"{name} is declared twice", hint))
            role = again.role if role is Role.PREDICATE else role
            stated = stated or again.parameters is not None


def _warn_unused(
    declarations: Mapping[str, list[PredicateDeclaration]],
    first_uses: Mapping[str, ast.Atom | None],
    found: list[Diagnostic],
) -> None:
    """Warn of declared predicates that never occur; an output that is never derived is an error elsewhere."""
    used = [name for name, use in first_uses.items() if use is not None]
    for name, several in declarations.items():
        if first_uses[name] is None and all(each.role is not Role.OUTPUT for each in several):
            message = f"{name} is declared but never occurs in a rule or fact"
            hint = did_you_mean(name, [each for each in used if each not in declarations])
            found.append(Diagnostic("W201", several[0].span, message, hint))


def _read_delay(declaration: ast.DelayDeclaration, resolver: Resolver) -> Delay | None:
    before = len(resolver.found)
    length = resolver.time(declaration.length)
    if length is not None and length < 0:
        message = "a delay cannot be negative"
        resolver.report("E228", declaration.length.span or declaration.span, message, "write 0 for no delay")
    pattern = None if declaration.arguments is None else lower_pattern(declaration.arguments, resolver)
    if length is None or any(each.is_error for each in resolver.found[before:]):
        return None
    if length == math.inf:
        message = "a delay without an end would mean that nothing is ever final"
        resolver.report("E228", declaration.length.span or declaration.span, message, "write a finite delay")
        return None
    return Delay(declaration.predicate, pattern, length, declaration.span)


def _any_alike(delay: Delay) -> tuple[Term, ...] | None:
    """The pattern with every variable the same, so that equal patterns compare equal."""
    if delay.arguments is None:
        return None
    return tuple(Variable("_") if isinstance(term, Variable) else term for term in delay.arguments)
