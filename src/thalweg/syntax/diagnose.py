"""What a person probably meant where the parser got stuck.

Each recogniser knows one kind of mistake and answers None to others; the first that recognises it speaks.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thalweg.errors import did_you_mean
from thalweg.source import Span
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.tokens import (
    ARITHMETIC,
    ARROWS,
    COMPARISONS,
    DECLARATION_WORDS,
    FORMULA_END,
    FORMULA_START,
    METRIC,
    OPERATOR_WORDS,
    RESERVED_WORDS,
    WINDOW_WORDS,
    Token,
)

_DECLARATION_FORMS = {
    "ROLE": "input Speed(vehicle: string, kmh: number).",
    "TIMELINE": "timeline rational. or timeline integer from 0 to 50.",
    "UNIT": "unit 1ms.",
    "TICK": "tick 1/2. or tick 10ms.",
    "DELAY": "delay Temp = 10s., delay Temp(X, _) = 2. or delay Temp = 1 with 0.9, 0.1.",
    "PROBABILITY": "probability Temp = 0.5. or probability Temp(_, high) = 0.1.",
    "TIME": "time in last argument.",
    "CONST": "const limit = 50.",
}
_INFIX_WORDS = ("and", "or", "implies", "since", "until", "at")
_INFIX_TYPES = COMPARISONS | ARITHMETIC | {"AND", "OR", "IMPLIES", "SINCE", "UNTIL", "AT"}
_PREFIX_WORDS = ("not", "some", "all")


@dataclass(frozen=True)
class Stuck:
    """Where the parser stopped in a statement, and the types of token it could have gone on with.

    ``index`` is that of the token that does not fit, or the number of tokens at the statement's end;
    ``start`` is the rule of the grammar that was tried: rule, fact, declaration or query.
    """

    tokens: Sequence[Token]
    index: int
    expected: frozenset[str]
    start: str

    def at(self, offset: int) -> Token | None:
        """The token so many places after the one that does not fit."""
        index = self.index + offset
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def type_at(self, offset: int) -> str | None:
        """The type of that token."""
        token = self.at(offset)
        return token.type if token else None

    @property
    def span(self) -> Span:
        """The token that does not fit, or the place after the last one."""
        token = self.at(0)
        if token:
            return token.span
        last = self.tokens[-1]
        return Span(last.source, last.end, last.end)

    @property
    def has_body(self) -> bool:
        """Whether conditions can stand in it."""
        return self.start in ("rule", "query")

    @property
    def expects_formula(self) -> bool:
        """Whether a formula could have begun here."""
        return "NOT" in self.expected and "BOXMINUS" in self.expected

    @property
    def expects_value(self) -> bool:
        """Whether a value, but no formula, could have begun here."""
        return {"NUMBER", "NAME"} <= self.expected and not self.expects_formula


def explain(stuck: Stuck) -> Mistake:
    """The mistake, as well as it can be told."""
    for recognise in _RECOGNISERS:
        mistake = recognise(stuck)
        if mistake:
            return mistake
    return _unexpected(stuck)


def _missing_head(stuck: Stuck) -> Mistake | None:
    if stuck.index == 0 and stuck.type_at(0) == "ARROW":
        hint = "write what follows before the arrow, or bottom :- … for what must never hold"
        return Mistake("E113", stuck.span, "the rule has no head", hint)
    if stuck.at(0) or stuck.type_at(-1) != "RIGHT_ARROW":
        return None
    hint = "write what follows after the arrow, or bottom for what must never hold"
    return Mistake("E113", stuck.tokens[-1].span, "the rule has no head", hint)


def _missing_body(stuck: Stuck) -> Mistake | None:
    if not stuck.at(0) and stuck.type_at(-1) == "ARROW":
        place, where = stuck.tokens[-1].span, "after"
    elif stuck.index == 0 and stuck.type_at(0) == "RIGHT_ARROW":
        place, where = stuck.span, "before"
    else:
        return None
    hint = f"write a condition {where} the arrow; for a fact, leave the arrow out"
    return Mistake("E114", place, "the rule has no body", hint)


def _second_arrow(stuck: Stuck) -> Mistake | None:
    if stuck.type_at(0) not in ARROWS or all(token.type not in ARROWS for token in stuck.tokens[: stuck.index]):
        return None
    hint = "write one rule a line, or end the first with a full stop"
    return Mistake("E115", stuck.span, "the statement has a second arrow", hint)


def _misspelt_arrow(stuck: Stuck) -> Mistake | None:
    token, after = stuck.at(0), stuck.at(1)
    if stuck.start != "fact" or token is None or stuck.type_at(-1) not in FORMULA_END:
        return None
    backwards = token == "<" and after is not None and after.type == "MINUS"
    if not (token.type == "COLON" or backwards):
        return None
    both = after is not None and after.type == "MINUS"
    span = token.span.to(after.span) if both and after else token.span
    return Mistake("E120", span, f"{span.text} is not the arrow of a rule", "write :- between head and body")


def _misspelt_declaration(stuck: Stuck) -> Mistake | None:
    first = stuck.tokens[0]
    if stuck.index != 1 or first.type != "NAME" or stuck.type_at(0) not in ("NAME", "NUMBER"):
        return None
    known = [*DECLARATION_WORDS, "exists"] if stuck.start == "fact" else ["exists"]
    hint = None if first.value in known else did_you_mean(first.value, known)
    return Mistake("E120", first.span, f"{first} is not a keyword", hint) if hint else None


def _misspelt_operator(stuck: Stuck) -> Mistake | None:
    """A name before an interval in square brackets."""
    if stuck.type_at(0) == "LSQB" and stuck.type_at(-1) == "NAME":
        word = stuck.at(-1)
    elif stuck.type_at(0) == "NAME" and stuck.type_at(1) == "LSQB":
        word = stuck.at(0)
    else:
        return None
    assert word is not None
    known = sorted({operator.lower() for operator in OPERATOR_WORDS})
    hint = did_you_mean(word.value, [*known, "window"]) or f"the operators are {', '.join(known)}, window"
    return Mistake("E120", word.span, f"{word} is not an operator", hint)


def _misspelt_word(stuck: Stuck) -> Mistake | None:
    """``adn`` or ``nto`` between two formulas."""
    word, before = stuck.at(0), stuck.at(-1)
    if word is None or word.type != "NAME" or before is None or stuck.start == "declaration":
        return None
    if stuck.type_at(1) in FORMULA_START - {"LPAR", "MINUS"}:
        hint = _close_word(word.value, _INFIX_WORDS)
        if hint:
            return Mistake("E120", word.span, f"{word} is not a keyword", hint)
    if before.type == "NAME":
        hint = _close_word(before.value, _PREFIX_WORDS)
        if hint:
            return Mistake("E120", before.span, f"{before} is not a keyword", hint)
    return None


def _missing_interval(stuck: Stuck) -> Mistake | None:
    token, before, inside = stuck.at(0), stuck.at(-1), stuck.at(-3)
    operator = None
    if before is not None and (before.type in METRIC or _is_bare_operator(before)):
        operator = before if stuck.type_at(0) not in ("LSQB", "LPAR") else None
    elif _is_bare_operator(token):
        operator = token
    elif _is_bare_operator(inside) and stuck.type_at(0) == stuck.type_at(-2) == "LPAR":
        operator = inside
    if operator is None:
        return None
    hint = f"say how far: {operator}[0,5], {operator}(0,5] or {operator}[5]"
    return Mistake("E116", operator.span, f"{operator} has no interval", hint)


def _malformed_interval(stuck: Stuck) -> Mistake | None:
    before = stuck.at(-1)
    if stuck.type_at(0) not in ("LSQB", "LPAR") or before is None:
        return None
    if before.type not in METRIC and not (before.type == "AT" and stuck.start == "fact"):
        return None
    end = next((token for token in stuck.tokens[stuck.index :] if token.type in ("RSQB", "RPAR")), None)
    span = stuck.span.to(end.span) if end else stuck.span
    hint = "write two numbers and a comma between brackets: [0,5], (0,2.5], [1/2,inf); or one number: [5]"
    return Mistake("E117", span, f"{span.text} is not an interval", hint)


def _interval_in_rule(stuck: Stuck) -> Mistake | None:
    if stuck.type_at(-1) != "AT" or not stuck.has_body or stuck.type_at(0) not in ("TIME_OPEN", "LSQB"):
        return None
    hint = "write a time, P(X)@T, or an operator with an interval, boxminus[1,2] P(X)"
    return Mistake("E124", stuck.span, f"in a {stuck.start}, @ takes a time and not an interval", hint)


def _quantifier_with_interval(stuck: Stuck) -> Mistake | None:
    before = stuck.at(-1)
    if stuck.type_at(0) != "LSQB" or before is None or before.type not in ("ALL", "SOME"):
        return None
    names = {"ALL": "boxminus or boxplus", "SOME": "diamondminus or diamondplus"}
    message = f"{before} has no interval: it speaks of the whole window"
    return Mistake("E116", before.span, message, f"write {names[before.type]} to give an interval")


def _bad_elements(stuck: Stuck) -> Mistake | None:
    """Something wrong between the brace and the colon of an aggregate."""
    opening, token, before = _open_elements(stuck), stuck.at(0), stuck.at(-1)
    if opening is None or token is None or before is None:
        return None
    hint = f"write values, a colon and a condition: {_aggregate_form(stuck, opening)}"
    if before.type == "LBRACE" and token.type in ("COLON", "COMMA", "RBRACE"):
        return Mistake("E141", before.span.to(token.span), "the aggregate has no value before its colon", hint)
    rest = itertools.takewhile(lambda each: each.type != "RBRACE", stuck.tokens[stuck.index :])
    if any(each.type == "COLON" for each in rest):
        return None
    place = before if token.type == "LPAR" and before.type == "NAME" else token
    if ":" in place:
        hint += ", with spaces around the colon"
    return Mistake("E140", place.span, "the aggregate has no colon before its condition", hint)


def _bad_condition(stuck: Stuck) -> Mistake | None:
    """Nothing, or a second colon, after the colon of an aggregate."""
    opening = _last_index(stuck, "LBRACE")
    if opening is None or _last_index(stuck, "RBRACE", opening) or not _last_index(stuck, "COLON", opening):
        return None
    if stuck.type_at(0) == "COLON":
        hint = "keep the one between values and condition; a name with a prefix has no spaces in it: a1:P"
        return Mistake("E140", stuck.span, "the aggregate has a second colon", hint)
    if stuck.type_at(-1) == "COLON" and stuck.type_at(0) == "RBRACE":
        hint = f"write what must hold of the values: {_aggregate_form(stuck, opening)}"
        return Mistake("E142", stuck.span, "the aggregate has no condition after its colon", hint)
    return None


def _aggregate_in_value(stuck: Stuck) -> Mistake | None:
    """``1 + count {…}``, ``count {…} + 1``, ``P(count {…})`` or ``count {…} < sum {…}``."""
    token = stuck.at(0)
    if token is None or stuck.start == "declaration":
        return None
    is_operand = token.type == "AGGREGATE" and stuck.expects_value
    if not is_operand and not (token.type in ARITHMETIC and stuck.type_at(-1) == "RBRACE"):
        return None
    message = "an aggregate stands alone on its side of a comparison, with a value on the other"
    hint = "give it a variable of its own, and go on with that: M = count { V : P(V) }, N = M + 1"
    return Mistake("E145", token.span, message, hint)


def _aggregate_alone(stuck: Stuck) -> Mistake | None:
    """``count {…}`` that is compared with nothing."""
    start, closing = _last_index(stuck, "AGGREGATE"), stuck.at(-1)
    if start is None or closing is None or closing.type != "RBRACE" or "COMPARE" not in stuck.expected:
        return None
    word = stuck.tokens[start]
    hint = f"compare it with something: N = {_aggregate_form(stuck, start + 1)}"
    return Mistake("E128", word.span.to(closing.span), "an aggregate is a value; a condition is needed here", hint)


def _chained_since(stuck: Stuck) -> Mistake | None:
    token = stuck.at(0)
    if token is None or token.type not in ("SINCE", "UNTIL") or stuck.expects_formula:
        return None
    if not any(each.type in ("SINCE", "UNTIL") for each in stuck.tokens[: stuck.index]):
        return None
    hint = "say which comes first with parentheses: (A since[0,1] B) since[0,1] C"
    return Mistake("E121", token.span, f"a chain with {token} can be read in two ways", hint)


def _operator_on_atom(stuck: Stuck) -> Mistake | None:
    """``P(X) < 5``, or ``X < f(Y)``."""
    token = stuck.at(0)
    if token is None:
        return None
    if token.type in COMPARISONS | ARITHMETIC and stuck.type_at(-1) == "RPAR":
        message = "an atom has no value to compare or to calculate with"
    elif token.type == "LPAR" and stuck.type_at(-1) == "NAME":
        token = stuck.at(-1) or token
        message = f"{token}(…) stands where a value is needed"
    else:
        return None
    hint = "give the value a variable in an atom of its own: Speed(V, S), S < 5"
    return Mistake("E127", token.span, message, hint)


def _chained_comparison(stuck: Stuck) -> Mistake | None:
    token = stuck.at(0)
    if token is None or token.type not in COMPARISONS or stuck.expects_formula or stuck.expects_value:
        return None
    if not any(each.type in COMPARISONS for each in stuck.tokens[: stuck.index]):
        return None
    hint = "write two comparisons: 1 < X, X < 5"
    return Mistake("E122", token.span, "comparisons cannot be chained", hint)


def _bare_connective(stuck: Stuck) -> Mistake | None:
    token = stuck.at(0)
    if token is None or token.type not in ("OR", "IMPLIES") or stuck.start == "declaration":
        return None
    if stuck.type_at(-1) not in FORMULA_END or stuck.expects_formula or _in_arguments(stuck):
        return None
    alone = "ask a query" if stuck.start == "query" else "write a rule"
    hint = f"put the formula in parentheses, (A {token} B), or {alone} for each case"
    return Mistake("E129", token.span, f"{token} stands only inside parentheses", hint)


def _value_as_formula(stuck: Stuck) -> Mistake | None:
    before = stuck.at(-1)
    if "COMPARE" not in stuck.expected or before is None or not stuck.has_body:
        return None
    if stuck.type_at(0) in FORMULA_START and before.type not in ("NUMBER", "STRING"):
        return None
    hint = "compare it with something: X < 5"
    return Mistake("E128", before.span, f"{before} is a value; a condition is needed here", hint)


def _infinite_value(stuck: Stuck) -> Mistake | None:
    token = stuck.at(0)
    if token is None or token.type != "INF" or "NUMBER" not in stuck.expected:
        return None
    return Mistake("E130", token.span, "a value cannot be infinite", 'quote it if it is meant as a text: "inf"')


def _bad_window(stuck: Stuck) -> Mistake | None:
    opened = [token for token in stuck.tokens[: stuck.index] if token.type in ("LSQB", "RSQB")]
    if not opened or opened[-1].type != "LSQB":
        return None
    hint = "write window[10], window[last 10s, next 5s, slide 2s] or window[last 3 tuples per 1, 2]"
    token = stuck.at(0)
    if token is not None and token.type == "NAME":
        hint = did_you_mean(token.value, WINDOW_WORDS) or hint
    return Mistake("E131", stuck.span, f"a window cannot be read at {_shown(token)}", hint)


def _bad_exists(stuck: Stuck) -> Mistake | None:
    if stuck.tokens[0].type != "EXISTS" or ("COLON" not in stuck.expected and "NAME" not in stuck.expected):
        return None
    if any(token.type == "COLON" for token in stuck.tokens[: stuck.index]):
        return None
    hint = "write exists Y, Z: A(X, Y), B(Y, Z)" + ("" if stuck.start == "query" else " :- …")
    if "COLON" in stuck.expected and stuck.type_at(0) in FORMULA_START:
        return Mistake("E138", stuck.span, "a colon is missing after the variables of exists", hint)
    return Mistake("E138", stuck.span, f"the variables of exists cannot be read at {_shown(stuck.at(0))}", hint)


def _exists_inside(stuck: Stuck) -> Mistake | None:
    if stuck.start != "query" or stuck.index == 0 or stuck.type_at(0) != "EXISTS":
        return None
    hint = "write all variables that are not asked for at the beginning: exists X, Y: A(X), B(X, Y)"
    return Mistake("E138", stuck.span, "exists stands before the whole query, once", hint)


def _reserved_word(stuck: Stuck) -> Mistake | None:
    token = stuck.at(0)
    if token is None or token.value not in RESERVED_WORDS or "NAME" not in stuck.expected:
        return None
    if token.type in ("AND", "OR", "IMPLIES") and stuck.expects_formula:
        return None
    hint = "choose another name" if stuck.start == "declaration" else f'choose another name, or quote it: "{token}"'
    return Mistake("E137", token.span, f"{token} is a reserved word", hint)


def _bad_declaration(stuck: Stuck) -> Mistake | None:
    if stuck.start != "declaration":
        return None
    word = stuck.tokens[0]
    if stuck.type_at(0) == "FROM" and any(token.type == "TO" for token in stuck.tokens[: stuck.index]):
        hint = "write timeline integer from 0 to 50."
        return Mistake("E132", stuck.span, "the start of a timeline stands before its end", hint)
    hint = f"write {_DECLARATION_FORMS[word.type]}"
    return Mistake("E132", stuck.span, f"the {word} declaration cannot be read at {_shown(stuck.at(0))}", hint)


def _missing_comma(stuck: Stuck) -> Mistake | None:
    token, before = stuck.at(0), stuck.at(-1)
    if token is None or before is None or "COMMA" not in stuck.expected:
        return None
    if before.type not in FORMULA_END | {"TIME_CLOSE"} or token.type not in FORMULA_START:
        return None
    hint = "write a comma"
    if stuck.start != "query":
        hint += ", and a full stop or a new line between statements"
    if _in_arguments(stuck):
        hint = "write a comma; a text with a space in it stands in quotes"
    return Mistake("E111", token.span, f"a comma is missing before {token}", hint)


def _missing_part(stuck: Stuck) -> Mistake | None:
    """Nothing where a formula or a value should be."""
    before, after = stuck.at(-1), stuck.at(0)
    if stuck.start == "fact" and not _in_arguments(stuck) and stuck.type_at(-1) != "AT":
        return None
    if not stuck.expects_formula and not stuck.expects_value:
        return None
    what = "formula" if stuck.expects_formula else "value"
    if after is not None and (before is None or after.type in _INFIX_TYPES):
        return Mistake("E139", after.span, f"a {what} is missing before {_shown(after)}", f"write a {what} there")
    assert before is not None
    hint = f"write a {what}" + (", or remove the comma" if before.type == "COMMA" else "")
    place = before.span if after is None else stuck.span
    return Mistake("E139", place, f"a {what} is missing after {_shown(before)}", hint)


def _not_a_fact(stuck: Stuck) -> Mistake | None:
    if stuck.start != "fact" or _in_arguments(stuck):
        return None
    if stuck.type_at(-1) == "AT":
        hint = "write @3, @[1,2) or @(0,inf)"
        return Mistake("E117", stuck.span, "a time or an interval is missing after @", hint)
    hint = "write one atom, such as P(a), P(a)@3 or P(a)@[1,2); in a rule, :- stands between head and body"
    return Mistake("E126", stuck.span, "a statement without :- is a fact, and this is not one", hint)


def _unexpected(stuck: Stuck) -> Mistake:
    names = {
        "COMMA": "a comma", "RPAR": ")", "LSQB": "[", "RSQB": "]", "ARROW": ":-", "COLON": "a colon", "$END": "the end",
        "EQUALS": "=", "NUMBER": "a number", "NAME": "a name",
    }  # fmt: skip
    choices = ["a formula"] if stuck.expects_formula else []
    choices += [name for kind, name in names.items() if kind in stuck.expected and not stuck.expects_formula]
    hint = f"here may stand {_either(choices)}" if choices else None
    return Mistake("E110", stuck.span, f"{_shown(stuck.at(0))} does not fit here", hint)


def _in_arguments(stuck: Stuck) -> bool:
    """Whether the place is inside the brackets of an atom."""
    open_brackets: list[bool] = []
    for index, token in enumerate(stuck.tokens[: stuck.index]):
        if token.type in ("LPAR", "TERM_OPEN"):
            open_brackets.append(index > 0 and stuck.tokens[index - 1].type == "NAME")
        elif token.type == "RPAR" and open_brackets:
            open_brackets.pop()
    return bool(open_brackets) and open_brackets[-1]


def _open_elements(stuck: Stuck) -> int | None:
    """The index of the brace, if the place is between the brace and the colon of an aggregate."""
    opening = _last_index(stuck, "LBRACE")
    if opening is None or _last_index(stuck, "RBRACE", opening) or _last_index(stuck, "COLON", opening):
        return None
    return opening


def _last_index(stuck: Stuck, kind: str, after: int = -1) -> int | None:
    """The index of the last token of a type before the place, if it comes after a given index."""
    places = (index for index in range(after + 1, stuck.index) if stuck.tokens[index].type == kind)
    return max(places, default=None)


def _aggregate_form(stuck: Stuck, brace: int) -> str:
    return f"{stuck.tokens[brace - 1]} {{ V : P(V) }}"


def _is_bare_operator(token: Token | None) -> bool:
    """Whether a token is an operator's name that was taken for an atom, since no interval follows."""
    return token is not None and token.type == "NAME" and token.value in OPERATOR_WORDS


def _close_word(word: str, known: Sequence[str]) -> str | None:
    """A hint for a word close to a short keyword; in those, two letters swapped are far apart."""
    swapped = next((each for each in known if sorted(each) == sorted(word.lower())), None)
    return f"did you mean {swapped}?" if swapped else did_you_mean(word, known)


def _shown(token: Token | None) -> str:
    if token is None:
        return "the end"
    return "the comma" if token.type == "COMMA" else token.value


def _either(choices: Sequence[str]) -> str:
    return " or ".join([", ".join(choices[:-1]), choices[-1]] if len(choices) > 1 else choices)


_RECOGNISERS: tuple[Callable[[Stuck], Mistake | None], ...] = (
    _missing_head,
    _missing_body,
    _second_arrow,
    _misspelt_arrow,
    _misspelt_declaration,
    _bad_elements,
    _bad_condition,
    _aggregate_in_value,
    _aggregate_alone,
    _quantifier_with_interval,
    _interval_in_rule,
    _missing_interval,
    _malformed_interval,
    _misspelt_operator,
    _misspelt_word,
    _chained_since,
    _chained_comparison,
    _operator_on_atom,
    _bare_connective,
    _infinite_value,
    _bad_window,
    _bad_exists,
    _exists_inside,
    _value_as_formula,
    _reserved_word,
    _bad_declaration,
    _missing_comma,
    _missing_part,
    _not_a_fact,
)
