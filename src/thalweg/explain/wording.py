"""Formulas as texts, with values for their variables."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from thalweg.explain.atoms import Binding, value_of
from thalweg.explain.values import evaluate
from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    Arithmetic,
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    Expression,
    Formula,
    HeadTerm,
    Metric,
    Not,
    Or,
    Since,
    Skolem,
    Some,
    TimeWindow,
    Top,
    Until,
    Window,
    Windowed,
)
from thalweg.model.program import Rule
from thalweg.source import Span
from thalweg.syntax.facts import format_value
from thalweg.syntax.lexer import tokenize
from thalweg.time.interval import format_endpoint

_WORDS: dict[type[Formula], str] = {
    BoxMinus: "boxminus",
    BoxPlus: "boxplus",
    DiamondMinus: "diamondminus",
    DiamondPlus: "diamondplus",
}


def formula_text(formula: Formula, binding: Binding) -> str:
    """The formula in the language of rules; variables that have a value stand as that."""
    match formula:
        case Atom(predicate=predicate, arguments=arguments):
            return f"{predicate}({_terms(arguments, binding)})" if arguments else predicate
        case Top():
            return "top"
        case Bottom():
            return "bottom"
        case Metric(interval=interval, operand=operand):
            return f"{_WORDS[type(formula)]}{interval} {_operand(operand, binding)}"
        case Since() | Until():
            word = "since" if isinstance(formula, Since) else "until"
            return f"{_operand(formula.left, binding)} {word}{formula.interval} {_operand(formula.right, binding)}"
        case Windowed(window=window, operand=operand, of_stream=of_stream):
            return f"{_window(window, of_stream)} {_operand(operand, binding)}"
        case Some(operand=operand):
            return f"some {_operand(operand, binding)}"
        case All(operand=operand):
            return f"all {_operand(operand, binding)}"
        case At(operand=operand, time=time):
            return f"{_operand(operand, binding)} at {_term(time, binding)}"
        case Not(operand=operand):
            return f"not {_operand(operand, binding)}"
        case And(operands=operands):
            return f"({', '.join(formula_text(part, binding) for part in operands)})"
        case Or(operands=operands):
            return f"({' or '.join(formula_text(part, binding) for part in operands)})"
        case Comparison():
            left, right = expression_text(formula.left, binding), expression_text(formula.right, binding)
            return f"{left} {formula.operator.value} {right}"
        case Aggregate():
            return aggregate_text(formula, binding)
    raise AssertionError(f"{type(formula).__name__} has no text")


def condition(comparison: Comparison, binding: Binding) -> str:
    """A comparison with its values: ``95 > 90``, or ``7 = 3 + 4`` where something was calculated."""
    return formula_text(comparison, binding)


def aggregate_text(aggregate: Aggregate, binding: Binding) -> str:
    """An aggregate with its value, and values for its group variables."""
    elements = ", ".join(_term(term, binding) for term in aggregate.elements)
    body = ", ".join(formula_text(part, binding) for part in aggregate.body)
    return f"{_term(aggregate.result, binding)} = {aggregate.kind.value} {{ {elements} : {body} }}"


def expression_text(expression: Expression, binding: Binding) -> str:
    """An expression; its parts stand in brackets where they are calculated themselves."""
    if not isinstance(expression, Arithmetic):
        return _term(expression, binding)
    left, right = (_factor(part, binding) for part in (expression.left, expression.right))
    return f"{left} {expression.operator.value} {right}"


def value_text(expression: Expression, binding: Binding) -> str:
    """The value of an expression."""
    value = evaluate(expression, binding)
    return "nothing" if value is None else format_value(value)


def _factor(expression: Expression, binding: Binding) -> str:
    text = expression_text(expression, binding)
    return f"({text})" if isinstance(expression, Arithmetic) else text


def _operand(formula: Formula, binding: Binding) -> str:
    text = formula_text(formula, binding)
    return f"({text})" if isinstance(formula, Since | Until | At | Comparison) else text


def _terms(terms: Iterable[HeadTerm], binding: Binding) -> str:
    return ",".join(_term(term, binding) for term in terms)


def _term(term: HeadTerm, binding: Binding) -> str:
    if isinstance(term, Skolem):
        return term.variable
    value = value_of(term, binding)
    return str(term) if value is None else format_value(value)


def _window(window: Window, of_stream: bool) -> str:
    unit = "" if isinstance(window, TimeWindow) else " tuples"
    parts = [f"last {format_endpoint(window.last)}{unit}"]
    if window.next:
        parts.append(f"next {format_endpoint(window.next)}{unit}")
    if isinstance(window, TimeWindow):
        parts += [f"slide {window.slide}"] if window.slide != 1 else []
    elif window.per is not None:
        parts[-1] += f" per {', '.join(str(position + 1) for position in window.per)}"
    parts += ["of stream"] if of_stream else []
    return f"window[{', '.join(parts)}]"


def rule_text(rule: Rule) -> str:
    """A rule as it was written, on one line; as it is meant, where there is no text."""
    if rule.origin is not None and rule.origin.text.strip():
        text = _on_one_line(rule.origin)
        return text if text.endswith(".") else f"{text}."
    body = ", ".join(formula_text(literal, {}) for literal in rule.body)
    return f"{formula_text(rule.head, {})} :- {body}."


def rule_place(rule: Rule) -> str:
    """Where a rule stands: `` (pumps.rules:12)``."""
    return f" ({rule.origin.source.name}:{rule.origin.line})" if rule.origin else ""


def _on_one_line(span: Span) -> str:
    """The text of a span without comments; what is not in the language of rules as it is."""
    tokens, mistakes = tokenize(span.source, span.start, span.end)
    if mistakes or not tokens:
        return " ".join(span.text.split())
    text = str(tokens[0])
    for before, token in itertools.pairwise(tokens):
        text += ("" if before.end == token.start else " ") + token
    return text
