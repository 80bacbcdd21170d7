"""Where a predicate is defined, and where it is used."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.language_server.document import Document
from thalweg.model.formula import Atom
from thalweg.model.program import Rule
from thalweg.source import Span
from thalweg.syntax.tokens import DECLARATION_WORDS


def definitions(document: Document, predicate: str) -> list[Span]:
    """The declaration, then the heads of rules; where there are none, the first mention."""
    declared = [token.span for token in document.occurrences(predicate) if _is_declared(document, token.start)]
    heads = [span for rule in document.program.rules_for(predicate) if (span := _name_in_head(rule, document))]
    found = list(dict.fromkeys((*declared, *heads)))
    return found or [token.span for token in document.occurrences(predicate)][:1]


def references(document: Document, predicate: str, *, with_definitions: bool) -> list[Span]:
    """Wherever a predicate is named."""
    left_out = () if with_definitions else {span.start for span in definitions(document, predicate)}
    return [token.span for token in document.occurrences(predicate) if token.start not in left_out]


def symbols(document: Document) -> Iterator[tuple[str, str, Span, Span]]:
    """Declarations and rules in the order of the text: name, what it is, all of it, and the name alone."""
    found = [*_declarations(document), *_rules(document)]
    yield from sorted(found, key=lambda each: each[2].start)


def _declarations(document: Document) -> Iterator[tuple[str, str, Span, Span]]:
    for name, signature in document.program.signatures.items():
        if signature.declared and signature.span is not None and signature.span.source == document.source:
            place = next((t.span for t in document.occurrences(name) if t.start >= signature.span.start), None)
            if place is not None:
                yield name, str(signature.role.value), signature.span.to(place), place


def _rules(document: Document) -> Iterator[tuple[str, str, Span, Span]]:
    for rule in document.program.rules:
        core = rule.head_core
        name = core.predicate if isinstance(core, Atom) else "⊥"
        place = _name_in_head(rule, document)
        if rule.origin is not None and place is not None:
            yield name, "rule", rule.origin, place


def _name_in_head(rule: Rule, document: Document) -> Span | None:
    """The name of the predicate in the head of a rule; all of the head where it has none."""
    core, origin = rule.head_core, rule.origin
    if origin is None or origin.source != document.source:
        return None
    if not isinstance(core, Atom):
        return core.span or origin
    places = (t.span for t in document.occurrences(core.predicate) if origin.start <= t.start < origin.end)
    return next(places, None)


def _is_declared(document: Document, start: int) -> bool:
    """Whether the word before an offset begins a declaration."""
    before = [token for token, _ in document.tokens if token.end <= start]
    return bool(before) and before[-1].type == "ROLE" and before[-1].value in DECLARATION_WORDS
