"""The parser: lark's tables for ``grammar.lark``, and a loop over them.

Programs have thousands of statements, and each is parsed on its own. So the tables are brought into a form in which a
step is one look-up; lark's own parser, which takes several times as long, is asked only where a text is stuck.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

import lark
from lark.parsers.lalr_analysis import Shift

from thalweg.syntax.ast import QueryText, Statement
from thalweg.syntax.build import Builder
from thalweg.syntax.diagnose import Stuck
from thalweg.syntax.tokens import Token

_Reduction = tuple[int, Callable[[list[Any]], Any], str]
"""How many parts to take off the stack, what makes one of them, and the name of that in the grammar."""

_Steps = Mapping[int, Mapping[str, int | _Reduction]]
"""By state and type of token: the next state, or a reduction. By state and name of a part: the next state."""

_END = "$END"


def run_parser(tokens: Sequence[Token], start: str) -> Statement | QueryText | Stuck:
    """The tree of the tokens, from a start rule of the grammar; or the place where the grammar does not go on."""
    tables = _tables()
    states, parts = [tables.first[start]], list[Any]()
    for token in tokens:
        state = _shifted(tables.steps, states, parts, token.type)
        if state is None:
            return _stuck(tokens, start)
        states.append(state)
        parts.append(token)
    _shifted(tables.steps, states, parts, _END)
    if states[-1] != tables.last[start]:
        return _stuck(tokens, start)
    tree: Statement | QueryText = parts[-1]
    return tree


def _shifted(steps: _Steps, states: list[int], parts: list[Any], kind: str) -> int | None:
    """The state that a token of a type leads to, after all reductions that it allows; None when there is none."""
    step = steps[states[-1]].get(kind)
    while isinstance(step, tuple):
        size, make, name = step
        made = make(parts[-size:])
        del states[-size:], parts[-size:]
        state = steps[states[-1]][name]
        assert isinstance(state, int)
        states.append(state)
        parts.append(made)
        step = steps[state].get(kind)
    return step


def _stuck(tokens: Sequence[Token], start: str) -> Stuck:
    """The first token that does not fit, and what would."""
    parser = _parser().parse_interactive(start=start)
    index = 0
    try:
        for token in tokens:
            parser.feed_token(token)
            index += 1
        parser.feed_eof()  # type: ignore[no-untyped-call]  # lark leaves it unannotated
    except lark.UnexpectedToken:
        return Stuck(tokens, index, frozenset(parser.accepts()), start)  # type: ignore[no-untyped-call]  # as above
    raise AssertionError("lark reads what its own tables do not")


@dataclass(frozen=True)
class _Tables:
    """The steps of the parser, and by start rule the states to begin and to end in."""

    steps: _Steps
    first: Mapping[str, int]
    last: Mapping[str, int]


_STARTS = ("rule", "fact", "declaration", "query")


@functools.cache
def _tables() -> _Tables:
    settings = {start: _parser().parse_interactive(start=start).parser_state.parse_conf for start in _STARTS}
    any_of_them = settings["rule"]
    steps = {
        state: {name: _step(action, argument, any_of_them.callbacks) for name, (action, argument) in row.items()}
        for state, row in any_of_them.states.items()
    }
    return _Tables(
        steps,
        {start: each.start_state for start, each in settings.items()},
        {start: each.end_state for start, each in settings.items()},
    )


def _step(action: object, argument: Any, callbacks: Mapping[Any, Callable[[list[Any]], Any]]) -> int | _Reduction:
    if action is Shift:
        state: int = argument
        return state
    assert argument.expansion, "no rule of the grammar is empty"
    return len(argument.expansion), callbacks[argument], argument.origin.name


@functools.cache
def _parser() -> lark.Lark:
    """The parser. The grammar has no terminals of its own, so lark's lexer is never asked for a token."""
    return lark.Lark(
        files("thalweg.syntax").joinpath("grammar.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        start=list(_STARTS),
        transformer=_callbacks(),
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


def _callbacks() -> Any:
    """The methods of the builder, as lark calls them: with a list."""
    builder = Builder()
    names = [name for name in dir(builder) if not name.startswith("_")]
    return SimpleNamespace(**{name: _taking_a_list(getattr(builder, name)) for name in names})


def _taking_a_list(method: Callable[..., object]) -> Callable[[list[Any]], object]:
    return lambda parts: method(*parts)
