"""The language for Pygments, which colours it in Sphinx, MkDocs, IPython and terminals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pygments import token as colours  # type: ignore[import-untyped]  # it ships no type stubs
from pygments.lexer import Lexer  # type: ignore[import-untyped]  # as above

from thalweg.syntax.highlight import Kind, pieces

TOKENS = {
    Kind.SPACE: colours.Text.Whitespace,
    Kind.COMMENT: colours.Comment.Single,
    Kind.KEYWORD: colours.Keyword,
    Kind.DECLARATION: colours.Keyword.Declaration,
    Kind.TYPE: colours.Keyword.Type,
    Kind.OPERATOR: colours.Operator.Word,
    Kind.CONSTANT: colours.Keyword.Constant,
    Kind.SYMBOL: colours.Operator,
    Kind.PREDICATE: colours.Name.Function,
    Kind.VARIABLE: colours.Name.Variable,
    Kind.NAME: colours.Name,
    Kind.NUMBER: colours.Number,
    Kind.STRING: colours.String,
    Kind.PUNCTUATION: colours.Punctuation,
    Kind.ERROR: colours.Error,
}
"""How Pygments calls the kinds of text."""


class ThalwegLexer(Lexer):  # type: ignore[misc]  # Pygments is untyped
    """Rules and facts of Thalweg."""

    name = "Thalweg"
    aliases: ClassVar[list[str]] = ["thalweg"]
    filenames: ClassVar[list[str]] = ["*.rules", "*.facts"]
    mimetypes: ClassVar[list[str]] = ["text/x-thalweg"]
    url = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Each piece of the text with its place and what Pygments calls it."""
        place = 0
        for kind, piece in pieces(text):
            yield place, TOKENS[kind], piece
            place += len(piece)
