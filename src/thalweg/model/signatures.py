"""What a program says about its predicates: declarations, and the first use of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from thalweg.errors import Diagnostic, Suggestions
from thalweg.model.program import Signature
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


def written_atoms(statement: ast.Statement) -> Iterator[ast.Atom]:
    """The atoms of a rule or a fact, in the order in which they were written."""
    match statement:
        case ast.Fact(atom=atom):
            yield atom
        case ast.Rule(head=head, body=body):
            for formula in (*head.formulas, *body):
                yield from _atoms(formula)
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
            pass


def background_predicates(statements: Sequence[ast.Statement]) -> frozenset[str]:
    """The predicates that a program declares as background."""
    return frozenset(
        each.predicate for each in statements if isinstance(each, PredicateDeclaration) and each.role is Role.BACKGROUND
    )


def head_predicates(rule: ast.Rule) -> frozenset[str]:
    """The predicates in a written head, whatever operators they stand under."""
    return frozenset(atom.predicate for atom in written_atoms(ast.Rule(rule.head, ())))


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
            case ast.DiamondMinus() | ast.DiamondPlus() | ast.BoxMinus() | ast.BoxPlus():
                open_parts.append(part.operand)
            case ast.Windowed() | ast.Some() | ast.All() | ast.At() | ast.Not():
                open_parts.append(part.operand)


def _signature(name: str, declarations: list[PredicateDeclaration], first_use: ast.Atom | None) -> Signature:
    role = next((d.role for d in declarations if d.role is not Role.PREDICATE), Role.PREDICATE)
    for declaration in declarations:
        if declaration.parameters is not None:
            return Signature(name, declaration.parameters, role, True, declaration.span)
    if first_use is None:
        return Signature(name, (), role, True, declarations[0].span, open=True)
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
    meant = Suggestions(name for name, use in first_uses.items() if use is not None and name not in declarations)
    for name, several in declarations.items():
        if first_uses[name] is None and all(each.role is not Role.OUTPUT for each in several):
            message = f"{name} is declared but never occurs in a rule or fact"
            found.append(Diagnostic("W201", several[0].span, message, meant(name)))
