"""Builds the syntax tree while the parser reduces: one method a rule of ``grammar.lark``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.errors import did_you_mean
from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.syntax.ast import Bound, Formula, Head, IntervalText, Number, Term, Text, Variable
from thalweg.syntax.literals import read_number, read_string
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.tokens import Token
from thalweg.syntax.windows import WindowPart, build_window
from thalweg.time.interval import Endpoint, is_valid
from thalweg.time.timeline import Timeline
from thalweg.time.units import UNITS

_Part = Token | Formula | Term | Bound | IntervalText | Head

_COMPARISONS = {
    operator: meaning
    for meaning, operators in {
        ast.ComparisonOperator.EQUAL: ("=", "=="),
        ast.ComparisonOperator.NOT_EQUAL: ("!=", "<>", "≠"),
        ast.ComparisonOperator.LESS: ("<",),
        ast.ComparisonOperator.LESS_EQUAL: ("<=", "=<", "≤"),
        ast.ComparisonOperator.GREATER: (">",),
        ast.ComparisonOperator.GREATER_EQUAL: (">=", "≥"),
    }.items()
    for operator in operators
}
_FLIPPED = {
    ast.ComparisonOperator.LESS: ast.ComparisonOperator.GREATER,
    ast.ComparisonOperator.LESS_EQUAL: ast.ComparisonOperator.GREATER_EQUAL,
    ast.ComparisonOperator.GREATER: ast.ComparisonOperator.LESS,
    ast.ComparisonOperator.GREATER_EQUAL: ast.ComparisonOperator.LESS_EQUAL,
}
"""The operators that change when the sides of a comparison are exchanged."""

_ARITHMETIC = {
    "PLUS": ast.ArithmeticOperator.ADD,
    "MINUS": ast.ArithmeticOperator.SUBTRACT,
    "TIMES": ast.ArithmeticOperator.MULTIPLY,
    "DIVIDE": ast.ArithmeticOperator.DIVIDE,
}
_TYPES = {
    **{type_name.value: type_name for type_name in ast.TypeName},
    "int": ast.TypeName.INTEGER,
    "bool": ast.TypeName.BOOLEAN,
}


@dataclass(frozen=True)
class _AggregateText:
    """``count { V, T : body }``, before it is compared with anything."""

    kind: ast.AggregateKind
    elements: tuple[Term, ...]
    body: tuple[Formula, ...]
    span: Span


@dataclass(frozen=True)
class _Pattern:
    """The facts that a delay or a probability speaks of; ``arguments`` is None for all of a predicate."""

    predicate: str
    arguments: tuple[Term, ...] | None


class Builder:
    """The callbacks of the parser. It keeps no state: the tokens know their source."""

    def rule(self, head: Head, _arrow: Token, body: list[Formula]) -> ast.Rule:
        """``head :- body``."""
        return ast.Rule(head, tuple(body), _between(head, body[-1]))

    def forward_rule(self, body: list[Formula], _arrow: Token, head: Head) -> ast.Rule:
        """``body → head``."""
        return ast.Rule(head, tuple(body), _between(body[0], head))

    def head(self, formulas: list[Formula]) -> Head:
        """An ordinary head."""
        return _head(formulas, (), None, _span_of(formulas[0]))

    def existential_head(
        self, exists: Token, variables: list[Variable], _colon: Token, formulas: list[Formula]
    ) -> Head:
        """``exists Y, Z: A, B``."""
        return _head(formulas, tuple(variables), None, exists.span)

    def frontier_head(
        self,
        exists: Token,
        variables: list[Variable],
        _per: Token,
        frontier: list[Variable],
        _colon: Token,
        formulas: list[Formula],
    ) -> Head:
        """``exists Y per X: A, B``."""
        return _head(formulas, tuple(variables), tuple(frontier), exists.span)

    def variables(self, *names: Token) -> list[Variable]:
        """The names after ``exists`` or ``per``."""
        return [_variable(name) for name in names[::2]]

    def query(self, body: list[Formula]) -> ast.QueryText:
        """A query whose variables are all asked for."""
        return ast.QueryText((), tuple(body), _between(body[0], body[-1]))

    def existential_query(
        self, exists: Token, variables: list[Variable], _colon: Token, body: list[Formula]
    ) -> ast.QueryText:
        """``exists X, Y: A, B``."""
        return ast.QueryText(tuple(variables), tuple(body), _between(exists, body[-1]))

    def fact(self, atom: ast.Atom) -> ast.Fact:
        """A fact without a time."""
        return ast.Fact(_ground(atom), None, atom.span)

    def fact_at(self, atom: ast.Atom, _at: Token, time: Bound) -> ast.Fact:
        """``P(a)@3``."""
        if isinstance(time, ast.Infinity):
            hint = "write a number, or an interval such as @[0,inf)"
            raise Mistake("E118", time.span, "a fact cannot hold at infinity", hint)
        interval = IntervalText(time, time, span=time.span)
        return ast.Fact(_ground(atom), interval, _between(atom, time))

    def fact_in(self, atom: ast.Atom, _at: Token, *interval: Token | Bound) -> ast.Fact:
        """``P(a)@[1,2)``."""
        text = _interval(interval)
        return ast.Fact(_ground(atom), text, _between(atom, text))

    def predicate(self, role: Token, name: Token) -> ast.PredicateDeclaration:
        """``output P``."""
        return ast.PredicateDeclaration(ast.Role(role.value), name.value, None, _between(role, name))

    def predicate_with(
        self, role: Token, name: Token, _open: Token, *rest: Token | ast.Parameter
    ) -> ast.PredicateDeclaration:
        """``input P(x: string, y)``."""
        parameters = tuple(part for part in rest if isinstance(part, ast.Parameter))
        closing = rest[-1]
        assert isinstance(closing, Token)
        return ast.PredicateDeclaration(ast.Role(role.value), name.value, parameters, _between(role, closing))

    def parameter(self, name: Token, _colon: Token | None = None, kind: Token | None = None) -> ast.Parameter:
        """``vehicle: string``; the lexer takes ``vehicle:string`` for one name."""
        label, colon, adjoining = name.value.partition(":")
        type_text = kind.value if kind else adjoining if colon else "any"
        if type_text not in _TYPES:
            known = ", ".join(type_name.value for type_name in ast.TypeName)
            hint = did_you_mean(type_text, _TYPES) or f"the types are {known}"
            place = kind.span if kind else Span(name.source, name.start + len(label) + 1, name.end)
            raise Mistake("E133", place, f"there is no type {type_text}", hint)
        span = _between(name, kind or name)
        return ast.Parameter(None if label == "_" else label, _TYPES[type_text], span)

    def timeline(self, word: Token, name: Token, *limits: Token | Bound) -> ast.TimelineDeclaration:
        """``timeline integer from 0 to 50``."""
        known = [timeline.value for timeline in Timeline]
        if name.value not in known:
            hint = did_you_mean(name.value, known) or "write timeline rational or timeline integer"
            raise Mistake("E134", name.span, f"there is no timeline {name}", hint)
        start, end = _timeline_limits(limits)
        return ast.TimelineDeclaration(name.value, start, end, _between(word, limits[-1] if limits else name))

    def unit(self, word: Token, length: Token) -> ast.UnitDeclaration:
        """``unit 1ms`` or ``unit ms``."""
        number = _duration(length)
        if number.unit is None:
            hint = f"write unit {length}s, say; the units are {', '.join(UNITS)}"
            raise Mistake("E132", length.span, "the number has no unit of time", hint)
        return ast.UnitDeclaration(number, _between(word, length))

    def tick(self, word: Token, length: Token) -> ast.TickDeclaration:
        """``tick 1/2`` or ``tick 10ms``."""
        return ast.TickDeclaration(_duration(length), _between(word, length))

    def last_argument(self, word: Token, *rest: Token) -> ast.LastArgumentDeclaration:
        """``time in last argument``."""
        return ast.LastArgumentDeclaration(_between(word, rest[-1]))

    def pattern(self, name: Token, *rest: Token | list[Term]) -> _Pattern:
        """``Temp``, ``Temp()`` or ``Temp(X, _)`` in a delay or a probability."""
        arguments = next((part for part in rest if isinstance(part, list)), [])
        return _Pattern(name.value, tuple(arguments) if rest else None)

    def delay(
        self, word: Token, pattern: _Pattern, _equals: Token, length: Bound, *rest: Token | Bound
    ) -> ast.DelayDeclaration:
        """``delay Temp(X, _) = 2`` or ``delay Temp = 1 with 0.9, 0.1``."""
        arrivals = tuple(part for part in rest if not isinstance(part, Token))
        span = _between(word, rest[-1] if rest else length)
        return ast.DelayDeclaration(pattern.predicate, pattern.arguments, length, arrivals or None, span)

    def probability(self, word: Token, pattern: _Pattern, _equals: Token, value: Bound) -> ast.ProbabilityDeclaration:
        """``probability Temp(_, high) = 0.1``."""
        return ast.ProbabilityDeclaration(pattern.predicate, pattern.arguments, value, _between(word, value))

    def constant_declaration(self, word: Token, name: Token, _equals: Token, value: Term) -> ast.ConstantDeclaration:
        """``const limit = 50``."""
        if _is_variable(name.value):
            hint = f"begin it with a lower-case letter: {name.value.lower().lstrip('_') or 'limit'}"
            raise Mistake("E135", name.span, f"{name} would be read as a variable", hint)
        if not isinstance(value, Text | Number):
            hint = f'write a number, or a text in quotes: "{_text_of(value)}"'
            raise Mistake("E135", _span_of(value), "the value of a constant is a number or a text", hint)
        return ast.ConstantDeclaration(name.value, value, _between(word, value))

    def negative_number(self, minus: Token, number: Token) -> Number:
        """A constant such as ``-5``."""
        value, unit = read_number(number.value)
        return Number(-value, unit, _between(minus, number))

    def group(self, opening: Token, formula: Formula, closing: Token) -> Formula:
        """A formula in parentheses is that formula."""
        return replace(formula, span=_between(opening, closing))

    def implies(self, left: Formula, _implies: Token, right: Formula) -> ast.Implies:
        """``left implies right``."""
        return ast.Implies(left, right, _between(left, right))

    def disjunction(self, *parts: Formula | Token) -> Formula:
        """``A or B``; one alone is itself."""
        operands = _operands(parts)
        return operands[0] if len(operands) == 1 else ast.Or(operands, _between(operands[0], operands[-1]))

    def inner_conjunction(self, formulas: list[Formula]) -> Formula:
        """A conjunction inside parentheses; one alone is itself."""
        if len(formulas) == 1:
            return formulas[0]
        return ast.And(tuple(formulas), _between(formulas[0], formulas[-1]))

    def conjunction(self, *parts: Formula | Token) -> list[Formula]:
        """The formulas of a head, a body or a group."""
        return list(_operands(parts))

    def since(self, left: Formula, _word: Token, interval: IntervalText, right: Formula) -> ast.Since:
        """``A since[0,1] B``."""
        return ast.Since(interval, left, right, _between(left, right))

    def until(self, left: Formula, _word: Token, interval: IntervalText, right: Formula) -> ast.Until:
        """``A until[0,1] B``."""
        return ast.Until(interval, left, right, _between(left, right))

    def boxminus(self, word: Token, interval: IntervalText, operand: Formula) -> ast.BoxMinus:
        """``boxminus[0,1] A``."""
        return ast.BoxMinus(interval, operand, _between(word, operand))

    def boxplus(self, word: Token, interval: IntervalText, operand: Formula) -> ast.BoxPlus:
        """``boxplus[0,1] A``."""
        return ast.BoxPlus(interval, operand, _between(word, operand))

    def diamondminus(self, word: Token, interval: IntervalText, operand: Formula) -> ast.DiamondMinus:
        """``diamondminus[0,1] A``."""
        return ast.DiamondMinus(interval, operand, _between(word, operand))

    def diamondplus(self, word: Token, interval: IntervalText, operand: Formula) -> ast.DiamondPlus:
        """``diamondplus[0,1] A``."""
        return ast.DiamondPlus(interval, operand, _between(word, operand))

    def windowed(
        self, word: Token, _open: Token, parts: list[WindowPart], closing: Token, operand: Formula
    ) -> ast.Windowed:
        """``window[last 10] A``."""
        window = build_window(parts, _between(word, closing))
        return ast.Windowed(window, operand, _between(word, operand))

    def windowed_briefly(self, word: Token, length: Bound, operand: Formula) -> ast.Windowed:
        """``window 10 A``, which is ``window[last 10] A``."""
        window = build_window([self.window_number(length)], _between(word, length))
        return ast.Windowed(window, operand, _between(word, operand))

    def some(self, word: Token, operand: Formula) -> ast.Some:
        """``some A``."""
        return ast.Some(operand, _between(word, operand))

    def all_points(self, word: Token, operand: Formula) -> ast.All:
        """``all A``."""
        return ast.All(operand, _between(word, operand))

    def negation(self, word: Token, operand: Formula) -> ast.Not:
        """``not A``."""
        return ast.Not(operand, _between(word, operand))

    def at(self, operand: Formula, _word: Token, time: Term) -> ast.At:
        """``A at T``."""
        return ast.At(operand, time, _between(operand, time))

    def top(self, word: Token) -> ast.Top:
        """⊤."""
        return ast.Top(word.span)

    def bottom(self, word: Token) -> ast.Bottom:
        """⊥."""
        return ast.Bottom(word.span)

    def comparison(self, left: Term, operator: Token, right: Term) -> ast.Comparison:
        """``S < 5``."""
        return ast.Comparison(_COMPARISONS[operator.value], left, right, _between(left, right))

    def aggregate_on_right(self, result: Term, operator: Token, aggregate: _AggregateText) -> ast.Aggregate:
        """``N = count { V : P(V) }``."""
        span = _span_of(result).to(aggregate.span)
        return _aggregate(_COMPARISONS[operator.value], result, aggregate, span)

    def aggregate_on_left(self, aggregate: _AggregateText, operator: Token, result: Term) -> ast.Aggregate:
        """``count { V : P(V) } > 3``, which is ``3 < count { V : P(V) }``."""
        meaning = _COMPARISONS[operator.value]
        span = aggregate.span.to(_span_of(result))
        return _aggregate(_FLIPPED.get(meaning, meaning), result, aggregate, span)

    def aggregate(
        self, word: Token, _open: Token, elements: list[Term], _colon: Token, body: list[Formula], closing: Token
    ) -> _AggregateText:
        """``count { V, T : P(V, T), Q(V) }``."""
        kind = ast.AggregateKind(word.value)
        return _AggregateText(kind, tuple(elements), tuple(body), _between(word, closing))

    def elements(self, *parts: Term | Token) -> list[Term]:
        """The terms before the colon of an aggregate."""
        return [part for part in parts if not isinstance(part, Token)]

    def atom(self, name: Token, *brackets: Token) -> ast.Atom:
        """``Alarm`` or ``Alarm()``."""
        return ast.Atom(name.value, (), _between(name, brackets[-1] if brackets else name))

    def atom_with(self, name: Token, _open: Token, arguments: list[Term], closing: Token) -> ast.Atom:
        """``P(X, a)``."""
        return ast.Atom(name.value, tuple(arguments), _between(name, closing))

    def arguments(self, *parts: Term | Token) -> list[Term]:
        """The terms of an atom."""
        return [part for part in parts if not isinstance(part, Token)]

    def word(self, token: Token) -> Term:
        """A keyword that stands for itself, as an argument."""
        if not token.isalpha():
            raise Mistake("E127", token.span, f"{token} is not a value", "write a name, a number or a text")
        return self.name(token)

    def arithmetic(self, left: Term, operator: Token, right: Term) -> ast.Arithmetic:
        """``X + 1``."""
        return ast.Arithmetic(_ARITHMETIC[operator.type], left, right, _between(left, right))

    def negative(self, minus: Token, operand: Term) -> Term:
        """``-X``; ``-5`` is a number."""
        span = _between(minus, operand)
        if isinstance(operand, Number):
            return Number(-operand.value, operand.unit, span)
        return ast.Negative(operand, span)

    def number(self, token: Token) -> Number:
        """``5``, ``1.5``, ``3/2`` or ``10min``."""
        value, unit = read_number(token.value)
        return Number(value, unit, token.span)

    def string(self, token: Token) -> Text:
        """``"a text"``."""
        return Text(read_string(token.value), token.span)

    def name(self, token: Token) -> Variable | Text:
        """A variable or a bare text."""
        return Variable(token.value, token.span) if _is_variable(token.value) else Text(token.value, token.span)

    def term_group(self, opening: Token, term: Term, closing: Token) -> Term:
        """A term in parentheses is that term."""
        return replace(term, span=_between(opening, closing))

    def interval(self, *parts: Token | Bound) -> IntervalText:
        """The interval of an operator."""
        interval = _interval(parts)
        for bound in (interval.start, interval.end):
            if isinstance(bound, ast.Infinity) and bound.negative:
                negative = True
            else:
                negative = isinstance(bound, Number) and bound.value < 0
            if negative:
                hint = "say how far as a positive number; minus or plus in its name says in which direction"
                raise Mistake("E119", bound.span, "the interval of an operator cannot be negative", hint)
        return interval

    def bound(self, *parts: Token) -> Bound:
        """A number or infinity, with or without a sign."""
        span, is_negative = _between(parts[0], parts[-1]), parts[0].type == "MINUS"
        if parts[-1].type == "INF":
            return ast.Infinity(is_negative, span)
        value, unit = read_number(parts[-1].value)
        return Number(-value if is_negative else value, unit, span)

    def window(self, *parts: WindowPart | Token) -> list[WindowPart]:
        """The parts of a window."""
        return [part for part in parts if isinstance(part, WindowPart)]

    def window_number(self, bound: Bound) -> WindowPart:
        """``10``."""
        return WindowPart(None, _span_of(bound), bound)

    def window_reach(self, word: Token, bound: Bound) -> WindowPart:
        """``last 10`` or ``next 5s``."""
        return WindowPart(word.value, _between(word, bound), bound)

    def window_count(self, word: Token, bound: Bound, tuples: Token, *per: Token | Bound) -> WindowPart:
        """``last 3 tuples per 1``."""
        position = per[-1] if per else None
        assert not isinstance(position, Token)
        return WindowPart(word.value, _between(word, position or tuples), bound, True, position)

    def window_slide(self, word: Token, bound: Bound) -> WindowPart:
        """``slide 2``."""
        return WindowPart("slide", _between(word, bound), bound)

    def window_stream(self, word: Token, stream: Token) -> WindowPart:
        """``of stream``."""
        return WindowPart("of", _between(word, stream))


def _head(
    formulas: list[Formula], existential: tuple[Variable, ...], per: tuple[Variable, ...] | None, start: Span
) -> Head:
    for formula in formulas:
        if isinstance(formula, ast.Comparison):
            hint = "move it to the body, after :-"
            raise Mistake("E123", formula.span, "a comparison cannot be derived", hint)
    return Head(tuple(formulas), existential, per, start.to(_span_of(formulas[-1])))


def _aggregate(operator: ast.ComparisonOperator, result: Term, aggregate: _AggregateText, span: Span) -> ast.Aggregate:
    return ast.Aggregate(operator, result, aggregate.kind, aggregate.elements, aggregate.body, span)


def _timeline_limits(parts: Sequence[Token | Bound]) -> tuple[Number | None, Number | None]:
    """The numbers after ``from`` and ``to``; an infinite end is none."""
    limits: dict[str, Bound] = {}
    for word, bound in zip(parts[::2], parts[1::2], strict=True):
        assert isinstance(word, Token)
        assert not isinstance(bound, Token)
        limits[word.type] = bound
    start, end = limits.get("FROM"), limits.get("TO")
    if isinstance(start, ast.Infinity):
        raise Mistake("E134", start.span, "a timeline starts at a number", "write from 0, say")
    if isinstance(end, ast.Infinity):
        if end.negative:
            raise Mistake("E134", end.span, "a timeline cannot end before all times", "write to 50, say")
        end = None
    return start, end


def _variable(name: Token) -> Variable:
    if not _is_variable(name.value) or name == "_":
        hint = "write a name that begins with an upper-case letter, such as Y"
        raise Mistake("E138", name.span, f"{name} is not a variable with a name", hint)
    return Variable(name.value, name.span)


def _is_variable(name: str) -> bool:
    return name[0].isupper() or name[0] == "_"


def _ground(atom: ast.Atom) -> ast.Atom:
    """The atom of a fact, whose arguments are texts and numbers."""
    for argument in atom.arguments:
        if isinstance(argument, Variable):
            hint = f'quote it if it is meant as a text: "{argument.name}"; a rule needs :-, and goes on after a comma'
            raise Mistake("E125", argument.span, f"the fact has a variable, {argument.name}", hint)
        if not isinstance(argument, Text | Number):
            message = "the arguments of a fact are texts and numbers"
            raise Mistake("E125", _span_of(argument), message, "write the value itself")
    return atom


def _duration(token: Token) -> Number:
    """A number, or a unit alone for one of it."""
    if token.type == "NUMBER":
        value, unit = read_number(token.value)
        return Number(value, unit, token.span)
    if token.value not in UNITS:
        hint = did_you_mean(token.value, UNITS) or f"the units are {', '.join(UNITS)}"
        raise Mistake("E105", token.span, f"{token} is not a unit of time", hint)
    return Number(Fraction(1), token.value, token.span)


def _interval(parts: Sequence[Token | Bound]) -> IntervalText:
    """The interval of an opening bracket, one or two bounds and a closing bracket."""
    opening, closing = parts[0], parts[-1]
    assert isinstance(opening, Token)
    assert isinstance(closing, Token)
    bounds = [part for part in parts if not isinstance(part, Token)]
    start, end, span = bounds[0], bounds[-1], _between(opening, closing)
    start_closed, end_closed = opening == "[", closing == "]"
    if len(bounds) == 1 and not (start_closed and end_closed):
        hint = f"write [{_text_of(start)}], or an interval with two ends"
        raise Mistake("E117", span, "a single time point stands in square brackets", hint)
    # Infinity is never reached, so [0,inf] says the same as [0,inf).
    start_closed = start_closed and not isinstance(start, ast.Infinity)
    end_closed = end_closed and not isinstance(end, ast.Infinity)
    _refuse_empty(start, end, start_closed and end_closed, span)
    return IntervalText(start, end, start_closed, end_closed, span)


def _refuse_empty(start: Bound, end: Bound, closed: bool, span: Span) -> None:
    ends = _comparable(start, end)
    if ends is None or is_valid(*ends, closed, closed):
        return
    if ends[0] > ends[1]:
        reversed_text = f"{_text_of(end)},{_text_of(start)}"
        message, hint = f"{span.text} ends before it starts", f"write the smaller end first: {reversed_text}"
    elif isinstance(start, ast.Infinity):
        message, hint = f"{span.text} lies at infinity", "write a number for one of the ends"
    else:
        point = f"[{_text_of(start)},{_text_of(end)}]"
        message, hint = f"{span.text} contains no time point", f"write {point} for that one time point"
    raise Mistake("E118", span, message, hint)


def _comparable(start: Bound, end: Bound) -> tuple[Endpoint, Endpoint] | None:
    """The two ends as numbers; None when only one has a unit, which the program's unit must settle."""
    units = {bound.unit is None for bound in (start, end) if isinstance(bound, Number)}
    return None if len(units) == 2 else (_endpoint(start), _endpoint(end))


def _endpoint(bound: Bound) -> Endpoint:
    if isinstance(bound, ast.Infinity):
        return -math.inf if bound.negative else math.inf
    return bound.value if bound.unit is None else bound.value * UNITS[bound.unit]


def _operands(parts: Sequence[Formula | Token]) -> tuple[Formula, ...]:
    return tuple(part for part in parts if not isinstance(part, Token))


def _between(first: _Part, last: _Part) -> Span:
    """From the start of one part to the end of another."""
    begin = first if isinstance(first, Token) else _span_of(first)
    end = last if isinstance(last, Token) else _span_of(last)
    return Span(begin.source, begin.start, end.end)


def _span_of(part: _Part) -> Span:
    span = part.span
    assert span is not None
    return span


def _text_of(part: _Part) -> str:
    return _span_of(part).text
