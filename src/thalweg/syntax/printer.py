"""Syntax tree to text, in one canonical spelling: what is printed reads back as the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterable

from thalweg.syntax import ast
from thalweg.syntax.ast import Bound, Formula, IntervalText, Number, Term
from thalweg.syntax.lexer import NAME_PATTERN
from thalweg.syntax.literals import write_string
from thalweg.syntax.tokens import OPERATOR_WORDS, RESERVED_WORDS
from thalweg.time.interval import format_rational

_NAME = re.compile(NAME_PATTERN)
_QUOTED_WORDS = frozenset({*OPERATOR_WORDS, *RESERVED_WORDS, "window", "exists", "at"})
_METRIC_WORDS = {
    ast.BoxMinus: "boxminus",
    ast.BoxPlus: "boxplus",
    ast.DiamondMinus: "diamondminus",
    ast.DiamondPlus: "diamondplus",
}
_PRECEDENCE = {
    ast.ArithmeticOperator.ADD: 1,
    ast.ArithmeticOperator.SUBTRACT: 1,
    ast.ArithmeticOperator.MULTIPLY: 2,
    ast.ArithmeticOperator.DIVIDE: 2,
}


def format_program(program: ast.ProgramText) -> str:
    """The whole program, one statement a line."""
    return "".join(f"{format_statement(statement)}\n" for statement in program.statements)


def format_statement(statement: ast.Statement) -> str:
    """One statement, with its full stop."""
    match statement:
        case ast.Rule(head, body):
            text = f"{format_head(head)} :- {_conjunction(body)}"
        case ast.Fact(atom, interval):
            text = format_formula(atom) + (f"@{_format_time(interval)}" if interval else "")
        case _:
            text = _format_declaration(statement)
    return f"{text}."


def format_query(query: ast.QueryText) -> str:
    """A query."""
    exists = f"exists {_terms(query.existential)}: " if query.existential else ""
    return exists + _conjunction(query.body)


def format_head(head: ast.Head) -> str:
    """The head of a rule."""
    formulas = _conjunction(head.formulas)
    if not head.existential:
        return formulas
    per = f" per {_terms(head.per)}" if head.per is not None else ""
    return f"exists {_terms(head.existential)}{per}: {formulas}"


def format_formula(formula: Formula) -> str:
    """A formula, in parentheses where it would otherwise fall apart as a conjunct."""
    match formula:
        case ast.Since(interval, left, right):
            return f"{_operand(left)} since{format_interval(interval)} {_operand(right)}"
        case ast.Until(interval, left, right):
            return f"{_operand(left)} until{format_interval(interval)} {_operand(right)}"
        case ast.And(operands):
            return f"({_conjunction(operands)})"
        case ast.Or(operands):
            return f"({' or '.join(map(format_formula, operands))})"
        case ast.Implies(left, right):
            return f"({format_formula(left)} implies {format_formula(right)})"
        case _:
            return _operand(formula)


def format_term(term: Term) -> str:
    """A term."""
    match term:
        case ast.Variable(name):
            return name
        case ast.Text(value):
            return format_text(value)
        case ast.Number():
            return _format_number(term)
        case ast.Negative(operand):
            is_compound = isinstance(operand, ast.Arithmetic)
            return f"-({format_term(operand)})" if is_compound else f"-{format_term(operand)}"
        case ast.Arithmetic(operator, left, right):
            left_text = _factor(left, _needs_brackets(left, operator, is_right=False))
            right_text = _factor(right, _needs_brackets(right, operator, is_right=True))
            return f"{left_text} {operator.value} {right_text}"


def format_interval(interval: IntervalText) -> str:
    """An interval between its brackets."""
    left, right = "[" if interval.start_closed else "(", "]" if interval.end_closed else ")"
    return f"{left}{_format_bound(interval.start)},{_format_bound(interval.end)}{right}"


def format_text(value: str) -> str:
    """A text: bare where it can be, otherwise in quotes."""
    bare = _NAME.fullmatch(value) and not value[0].isupper() and value[0] != "_"
    return value if bare and value not in _QUOTED_WORDS else write_string(value)


def _operand(formula: Formula) -> str:
    """A formula where a prefix operator, since or until takes one."""
    match formula:
        case ast.Atom(predicate, ()):
            return predicate
        case ast.Atom(predicate, arguments):
            return f"{predicate}({_terms(arguments)})"
        case ast.Top():
            return "top"
        case ast.Bottom():
            return "bottom"
        case ast.BoxMinus() | ast.BoxPlus() | ast.DiamondMinus() | ast.DiamondPlus():
            word = _METRIC_WORDS[type(formula)]
            return f"{word}{format_interval(formula.interval)} {_operand(formula.operand)}"
        case ast.Windowed(window, operand):
            return f"{_format_window(window)} {_operand(operand)}"
        case ast.Some(operand):
            return f"some {_operand(operand)}"
        case ast.All(operand):
            return f"all {_operand(operand)}"
        case ast.Not(operand):
            return f"not {_operand(operand)}"
        case ast.Comparison(operator, left, right):
            return f"{format_term(left)} {operator.value} {format_term(right)}"
        case ast.Aggregate(operator, result, kind, elements, body):
            set_text = f"{{ {_terms(elements)} : {_conjunction(body)} }}"
            return f"{format_term(result)} {operator.value} {kind.value} {set_text}"
        case ast.At(operand, time):
            return f"{_timed(operand)} at {format_term(time)}"
        case ast.Since() | ast.Until():
            return f"({format_formula(formula)})"
        case _:
            return format_formula(formula)


def _timed(formula: Formula) -> str:
    """A formula before ``at``, which binds tightest."""
    plain = isinstance(formula, ast.Atom | ast.Top | ast.Bottom | ast.At | ast.And | ast.Or | ast.Implies)
    return _operand(formula) if plain else f"({format_formula(formula)})"


def _conjunction(formulas: Iterable[Formula]) -> str:
    return ", ".join(map(format_formula, formulas))


def _terms(terms: Iterable[Term]) -> str:
    return ", ".join(map(format_term, terms))


def _needs_brackets(term: Term, parent: ast.ArithmeticOperator, is_right: bool) -> bool:
    if isinstance(term, ast.Arithmetic):
        own, outer = _PRECEDENCE[term.operator], _PRECEDENCE[parent]
        return own < outer or (is_right and own == outer)
    # X / 1/3 would read as two divisions.
    is_fraction = isinstance(term, Number) and "/" in _format_number(term)
    return is_right and is_fraction and parent is ast.ArithmeticOperator.DIVIDE


def _factor(term: Term, brackets: bool) -> str:
    return f"({format_term(term)})" if brackets else format_term(term)


def _format_bound(bound: Bound) -> str:
    if isinstance(bound, ast.Infinity):
        return "-inf" if bound.negative else "inf"
    return _format_number(bound)


def _format_number(number: Number) -> str:
    return f"{format_rational(number.value)}{number.unit or ''}"


def _format_time(interval: IntervalText) -> str:
    """The time of a fact: a point where it is one."""
    is_point = interval.start == interval.end and interval.start_closed and interval.end_closed
    return _format_bound(interval.start) if is_point else format_interval(interval)


def _format_window(window: ast.Window) -> str:
    unit = "" if isinstance(window, ast.TimeWindow) else " tuples"
    parts = [f"last {_format_bound(window.last)}{unit}"]
    if window.next is not None:
        parts.append(f"next {_format_bound(window.next)}{unit}")
    if isinstance(window, ast.TimeWindow) and window.slide is not None:
        parts.append(f"slide {_format_number(window.slide)}")
    if isinstance(window, ast.PartitionWindow):
        parts[-1] += f" per {_terms(window.positions)}"
    if window.of_stream:
        parts.append("of stream")
    return f"window[{', '.join(parts)}]"


def _format_declaration(statement: ast.Statement) -> str:
    match statement:
        case ast.PredicateDeclaration(role, predicate, None):
            return f"{role.value} {predicate}"
        case ast.PredicateDeclaration(role, predicate, parameters):
            return f"{role.value} {predicate}({', '.join(map(_format_parameter, parameters or ()))})"
        case ast.TimelineDeclaration(name, start, end):
            limits = [f" {word} {_format_number(each)}" for word, each in (("from", start), ("to", end)) if each]
            return f"timeline {name}{''.join(limits)}"
        case ast.UnitDeclaration(length):
            return f"unit {_format_number(length)}"
        case ast.TickDeclaration(length):
            return f"tick {_format_number(length)}"
        case ast.DelayDeclaration(predicate, arguments, length, arrivals):
            chances = f" with {', '.join(map(_format_bound, arrivals))}" if arrivals else ""
            return f"delay {_format_pattern(predicate, arguments)} = {_format_bound(length)}{chances}"
        case ast.ProbabilityDeclaration(predicate, arguments, value):
            return f"probability {_format_pattern(predicate, arguments)} = {_format_bound(value)}"
        case ast.LastArgumentDeclaration():
            return "time in last argument"
        case ast.ConstantDeclaration(name, value):
            return f"const {name} = {format_term(value)}"
        case _:
            raise TypeError(f"{type(statement).__name__} is not a declaration")


def _format_pattern(predicate: str, arguments: tuple[Term, ...] | None) -> str:
    return predicate if arguments is None else f"{predicate}({_terms(arguments)})"


def _format_parameter(parameter: ast.Parameter) -> str:
    name = parameter.name or "_"
    return name if parameter.type is ast.TypeName.ANY else f"{name}: {parameter.type.value}"
