"""Rules as papers on Temporal Datalog write them, body → head, where the time is the last argument of an atom.

Elsewhere → is an implication inside parentheses and -> no symbol at all, so that neither is taken for the other arrow.
"""

from __future__ import annotations

from thalweg.errors import Diagnostic
from thalweg.syntax.statements import StatementTokens
from thalweg.syntax.tokens import Token

_DECLARATION = ("time", "in", "last", "argument")
_ARROWS = ("→", "->")


def declares_last_argument(tokens: list[Token]) -> bool:
    """Whether the declaration ``time in last argument`` stands anywhere among the tokens."""
    places = (index for index, token in enumerate(tokens) if token.value == _DECLARATION[0] and token.type == "NAME")
    return any(tuple(token.value for token in tokens[index : index + 4]) == _DECLARATION for index in places)


def accept_right_arrows(tokens: list[Token], found: list[Diagnostic]) -> list[Diagnostic]:
    """Make symbols of all ``->``; what was found wrong, without them."""
    arrows = {token.start: token for token in tokens if token.type == "ERROR" and token.value in _ARROWS}
    for token in arrows.values():
        token.type = "IMPLIES"
    return [each for each in found if each.span is None or each.span.start not in arrows]


def settle_right_arrow(statement: StatementTokens) -> None:
    """Tell the arrow of a rule from an implication, which stands inside parentheses."""
    covered_until = -1
    for index, token in enumerate(statement.tokens):
        covered_until = max(covered_until, statement.pairs.get(index, -1))
        if token.type == "IMPLIES" and token.value in _ARROWS and index > covered_until:
            token.type = "RIGHT_ARROW"
