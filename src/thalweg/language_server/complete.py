"""What a word may be the beginning of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from thalweg.analysis.report_json import role_of
from thalweg.language_server.document import Document
from thalweg.language_server.hover import signature_text
from thalweg.language_server.meanings import MEANINGS
from thalweg.model.program import Signature
from thalweg.syntax.ast import TypeName
from thalweg.syntax.highlight import Kind
from thalweg.syntax.tokens import AGGREGATE_WORDS, DECLARATION_WORDS, OPERATOR_WORDS, RESERVED_WORDS, WINDOW_WORDS
from thalweg.time.timeline import Timeline

_WORDS: dict[str, str] = {
    **{word: kind for word, kind in OPERATOR_WORDS.items() if word.islower()},
    **{word: kind for word, kind in RESERVED_WORDS.items() if word.islower()},
    **WINDOW_WORDS,
    **DECLARATION_WORDS,
    **dict.fromkeys(AGGREGATE_WORDS, "AGGREGATE"),
    "exists": "EXISTS",
    "window": "WINDOW",
    "at": "AT",
}

_SHAPES = {
    "BOXMINUS": "{}[${{1:0}},${{2:5}}] ",
    "BOXPLUS": "{}[${{1:0}},${{2:5}}] ",
    "DIAMONDMINUS": "{}[${{1:0}},${{2:5}}] ",
    "DIAMONDPLUS": "{}[${{1:0}},${{2:5}}] ",
    "SINCE": "{}[${{1:0}},${{2:5}}] ",
    "UNTIL": "{}[${{1:0}},${{2:5}}] ",
    "WINDOW": "{}[last ${{1:5}}] ",
    "AGGREGATE": "{} {{ ${{1:X}} : ${{2:P(X)}} }}",
}
"""What belongs to a word, with places to fill in."""


@dataclass(frozen=True)
class Suggestion:
    """A word, what it is, and what is put in place of its beginning: plain, or with places to fill in."""

    label: str
    kind: Kind
    detail: str
    snippet: str


def completions(document: Document, offset: int) -> list[Suggestion]:
    """Everything that may stand where a word is being typed; types after a colon in a declaration."""
    if document.is_cql:
        return []
    before = [token for token, _ in document.tokens if token.end <= offset]
    word = before[-1] if before and before[-1].end == offset and before[-1].type != "COLON" else None
    earlier = [token for token in before if word is None or token.end <= word.start]
    on_line = [t for t in earlier if t.span.line == document.source.position(offset)[0]]
    if on_line and on_line[0].type == "ROLE" and on_line[-1].type == "COLON":
        return [Suggestion(each.value, Kind.TYPE, "type", each.value) for each in TypeName]
    if on_line and on_line[-1].value == "timeline":
        return [Suggestion(each.value, Kind.TYPE, "timeline", each.value) for each in Timeline]
    known = [each for each in document.program.signatures.values() if not _is_typed_now(document, each, word)]
    predicates = [_predicate(document, each) for each in known]
    return predicates if document.is_facts else [*predicates, *_words()]


def _is_typed_now(document: Document, signature: Signature, word: str | None) -> bool:
    """Whether a predicate is only the word that is being typed."""
    return signature.predicate == word and len(list(document.occurrences(signature.predicate))) <= 1


def _predicate(document: Document, signature: Signature) -> Suggestion:
    names = [each.name or f"arg{place}" for place, each in enumerate(signature.parameters, start=1)]
    filled = ", ".join(f"${{{place}:{name}}}" for place, name in enumerate(names, start=1))
    snippet = f"{signature.predicate}({filled})" if names else signature.predicate
    detail = f"{signature_text(signature)}, {role_of(document.program, signature)}"
    return Suggestion(signature.predicate, Kind.PREDICATE, detail, snippet)


def _words() -> Iterator[Suggestion]:
    for word, kind in sorted(_WORDS.items()):
        yield Suggestion(word, Kind.KEYWORD, MEANINGS.get(kind, ""), _SHAPES.get(kind, "{}").format(word))
