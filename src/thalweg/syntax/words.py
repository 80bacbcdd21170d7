"""Words and brackets that mean different things in different places.

``Box(X)`` is an atom and ``Box[0,1] P(X)`` an operator; ``(X + 1) < 5`` opens a term and ``(P(X), Q(X))`` a
formula. A parser that looks one token ahead cannot tell, so the types of such tokens are settled first, by
looking at their neighbours.
"""

from __future__ import annotations

from thalweg.syntax.tokens import (
    AGGREGATE_WORDS,
    ARITHMETIC,
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

_INFIX_WORDS = frozenset({"and", "or", "implies", "at", "since", "until"})
_SPECIAL_WORDS = {*OPERATOR_WORDS, *RESERVED_WORDS, *AGGREGATE_WORDS, "window", "exists", "at"}


def settle_words(tokens: list[Token]) -> None:
    """Tell keywords from names, and the brackets of intervals from others."""
    inside_window = inside_exists = False
    for index, token in enumerate(tokens):
        if token.type == "NAME":
            if inside_window:
                token.type = WINDOW_WORDS.get(token.value, "NAME")
            elif inside_exists:
                token.type = "PER" if token.value == "per" else "NAME"
            else:
                _settle_name(tokens, index)
        kind = token.type
        if kind in METRIC:
            _mark_interval(tokens, index + 1, "INTERVAL")
        elif kind == "AT":
            _mark_interval(tokens, index + 1, "TIME")
        elif kind == "WINDOW":
            inside_window = not _gives_length(tokens, index + 1)
        elif kind in ("RSQB", "LPAR", "ARROW", "DOT"):
            inside_window = False
        inside_exists = kind == "EXISTS" or (inside_exists and kind in ("NAME", "PER", "COMMA"))


def settle_declaration(tokens: list[Token]) -> None:
    """Give a declaration's first word its type (``input(X)`` is an atom, ``input P(x)`` a declaration)."""
    first, second = tokens[0], _type_at(tokens, 1)
    if first.type != "NAME" or first not in DECLARATION_WORDS:
        return
    if second in ("NAME", "NUMBER", "TOP", "BOTTOM", "INF", "NOT", "SOME", "ALL"):
        first.type = DECLARATION_WORDS[first]
        if first.type == "TIMELINE":
            _settle(tokens[2:], ("from", "to"))
        elif first.type == "DELAY":
            _settle(tokens[_index_after(tokens, "EQUALS") :], ("with",))
        elif first.type == "TIME":
            _settle(tokens[1:], ("in", "last", "argument"))


def settle_term_brackets(tokens: list[Token], pairs: dict[int, int]) -> None:
    """Mark the brackets of terms: an operator on values, or ``at``, stands beside them.

    ``pairs`` maps the index of each opening bracket to that of its closing one, outer brackets first.
    """
    beside = ARITHMETIC | COMPARISONS
    term_end = -1
    for opening, closing in sorted(pairs.items()):
        if tokens[opening].type != "LPAR" or _type_at(tokens, opening - 1) == "NAME":
            continue
        before, after = _type_at(tokens, opening - 1), _type_at(tokens, closing + 1)
        if opening < term_end or before in beside or before == "AT" or after in beside:
            tokens[opening].type = "TERM_OPEN"
            term_end = max(term_end, closing)


def interval_end(tokens: list[Token], opening: int) -> int | None:
    """The index of the bracket that closes a well-formed interval, ``[a]`` or ``[a, b]``; not ``(a)``."""
    if _type_at(tokens, opening) not in ("LPAR", "LSQB"):
        return None
    closing = _after_bound(tokens, opening + 1)
    has_comma = closing is not None and _type_at(tokens, closing) == "COMMA"
    if closing is not None and has_comma:
        closing = _after_bound(tokens, closing + 1)
    if closing is None or _type_at(tokens, closing) not in ("RPAR", "RSQB"):
        return None
    round_brackets = tokens[opening].type == "LPAR" and tokens[closing].type == "RPAR"
    return None if round_brackets and not has_comma else closing


def _settle(tokens: list[Token], words: tuple[str, ...]) -> None:
    """Tell words that only one declaration knows from names."""
    for token in tokens:
        if token.type == "NAME" and token.value in words:
            token.type = token.value.upper()


def _index_after(tokens: list[Token], kind: str) -> int:
    """The index after the first token of a type."""
    return next((index + 1 for index, token in enumerate(tokens) if token.type == kind), len(tokens))


def _settle_name(tokens: list[Token], index: int) -> None:
    token = tokens[index]
    word = token.value
    if word not in _SPECIAL_WORDS:
        return
    after = _type_at(tokens, index + 1)
    if word in OPERATOR_WORDS:
        if after == "LSQB" or (after == "LPAR" and _is_interval_not_arguments(tokens, index + 1)):
            token.type = OPERATOR_WORDS[word]
    elif word in RESERVED_WORDS:
        if after != "LPAR" or RESERVED_WORDS[word] not in ("TOP", "BOTTOM", "INF"):
            token.type = RESERVED_WORDS[word]
    elif word in AGGREGATE_WORDS:
        token.type = "AGGREGATE" if after == "LBRACE" else "NAME"
    elif word == "window":
        token.type = "WINDOW" if after == "LSQB" or _gives_length(tokens, index + 1) else "NAME"
    elif word == "exists":
        token.type = "EXISTS" if after == "NAME" and not _is_infix(tokens, index + 1) else "NAME"
    elif _type_at(tokens, index - 1) in FORMULA_END and not _names_predicate(tokens, index):
        token.type = "AT"


def _gives_length(tokens: list[Token], index: int) -> bool:
    """Whether a number follows on the same line, as in ``window 5 all P``."""
    return _is_number(tokens, index) and not tokens[index].starts_line


def _names_predicate(tokens: list[Token], index: int) -> bool:
    """Whether ``at`` after a name is a predicate: on a new line, or declared (``input at(x)``)."""
    before, has_arguments = tokens[index - 1], _has_arguments(tokens, index)
    if tokens[index].starts_line:
        return has_arguments
    ends = has_arguments or _type_at(tokens, index + 1) in ("EQUALS", "DOT", None)
    is_first = index == 1 or before.starts_line or tokens[index - 2].type == "DOT"
    return before.value in DECLARATION_WORDS and is_first and (ends or tokens[index + 1].starts_line)


def _has_arguments(tokens: list[Token], index: int) -> bool:
    """Whether a bracket follows at once, as after a predicate."""
    return _type_at(tokens, index + 1) == "LPAR" and tokens[index + 1].start == tokens[index].end


def _is_interval_not_arguments(tokens: list[Token], opening: int) -> bool:
    """Whether ``(0,2)`` after ``Box`` is its interval: a formula follows, or the last bracket is ``]``."""
    closing = interval_end(tokens, opening)
    if closing is None or tokens[closing].type == "RSQB":
        return closing is not None
    return _formula_follows(tokens, closing + 1)


def _formula_follows(tokens: list[Token], index: int) -> bool:
    """Whether a formula, and not an infix word, begins at an index, on the same line."""
    if _type_at(tokens, index) not in FORMULA_START or tokens[index].starts_line:
        return False
    word = tokens[index].value
    if OPERATOR_WORDS.get(word) in ("SINCE", "UNTIL"):
        closing = interval_end(tokens, index + 1)
        return closing is None or _type_at(tokens, closing + 1) not in FORMULA_START or _is_infix(tokens, closing + 1)
    return not _is_infix(tokens, index)


def _is_infix(tokens: list[Token], index: int) -> bool:
    word = tokens[index].value
    if OPERATOR_WORDS.get(word) in ("SINCE", "UNTIL"):
        return interval_end(tokens, index + 1) is not None
    if word != "at":
        return word in ("and", "or", "implies")
    takes_time = _type_at(tokens, index + 1) in ("NAME", "NUMBER", "STRING", "MINUS", "LPAR")
    before_infix = takes_time and tokens[index + 1].value in _INFIX_WORDS
    return takes_time and not before_infix and not _has_arguments(tokens, index)


def _mark_interval(tokens: list[Token], opening: int, kind: str) -> None:
    """Give the brackets of an interval a type of their own; one that is not well formed stays as it is."""
    closing = interval_end(tokens, opening)
    if closing is not None:
        tokens[opening].type = f"{kind}_OPEN"
        tokens[closing].type = f"{kind}_CLOSE"


def _after_bound(tokens: list[Token], index: int) -> int | None:
    if _type_at(tokens, index) in ("PLUS", "MINUS"):
        index += 1
    return index + 1 if _is_number(tokens, index) else None


def _is_number(tokens: list[Token], index: int) -> bool:
    return _type_at(tokens, index) in ("NUMBER", "INF") or (index < len(tokens) and tokens[index].value == "inf")


def _type_at(tokens: list[Token], index: int) -> str | None:
    return tokens[index].type if 0 <= index < len(tokens) else None
