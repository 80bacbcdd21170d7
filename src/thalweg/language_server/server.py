"""The server: what editors ask, in the words of the language server protocol."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from thalweg import __version__
from thalweg.errors import Diagnostic
from thalweg.language_server.complete import Suggestion, completions
from thalweg.language_server.definitions import definitions, references, symbols
from thalweg.language_server.document import Document
from thalweg.language_server.hover import hover
from thalweg.source import Source, Span
from thalweg.syntax.highlight import Kind

_LOG = logging.getLogger(__name__)

_ITEM_KINDS = {
    Kind.PREDICATE: types.CompletionItemKind.Function,
    Kind.TYPE: types.CompletionItemKind.TypeParameter,
    Kind.KEYWORD: types.CompletionItemKind.Keyword,
}


def make_server() -> LanguageServer:
    """A server with everything that it can do."""
    server = LanguageServer("thalweg", __version__)
    _add_diagnostics(server)
    _add_navigation(server)
    _add_help(server)
    return server


def _add_diagnostics(server: LanguageServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        _publish(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        _publish(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        _publish(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        empty = types.PublishDiagnosticsParams(uri=params.text_document.uri, diagnostics=[])
        server.text_document_publish_diagnostics(empty)


def _add_navigation(server: LanguageServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        text, document, offset = _asked(server, params)
        predicate = document.predicate_at(offset)
        return _locations(text, definitions(document, predicate) if predicate else ())

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def reference(params: types.ReferenceParams) -> list[types.Location]:
        text, document, offset = _asked(server, params)
        predicate = document.predicate_at(offset)
        found = (
            references(document, predicate, with_definitions=params.context.include_declaration) if predicate else ()
        )
        return _locations(text, found)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbol(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        text = server.workspace.get_text_document(params.text_document.uri)
        kinds = {"rule": types.SymbolKind.Function}
        return [
            types.DocumentSymbol(
                name=name,
                detail=what,
                kind=kinds.get(what, types.SymbolKind.Interface),
                range=_range(text, span),
                selection_range=_range(text, place),
            )
            for name, what, span, place in symbols(_document(text))
        ]


def _add_help(server: LanguageServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        _, document, offset = _asked(server, params)
        shown = hover(document, offset)
        return None if shown is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, shown))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        _, document, offset = _asked(server, params)
        with_snippets = _takes_snippets(server.client_capabilities)
        return [_item(each, with_snippets) for each in completions(document, offset)]


def _takes_snippets(capabilities: types.ClientCapabilities) -> bool:
    completion = capabilities.text_document.completion if capabilities.text_document else None
    item = completion.completion_item if completion else None
    return bool(item and item.snippet_support)


def _item(suggestion: Suggestion, with_snippets: bool) -> types.CompletionItem:
    return types.CompletionItem(
        label=suggestion.label,
        kind=_ITEM_KINDS[suggestion.kind],
        detail=suggestion.detail,
        insert_text=suggestion.snippet if with_snippets else suggestion.label,
        insert_text_format=types.InsertTextFormat.Snippet if with_snippets else types.InsertTextFormat.PlainText,
    )


def _publish(server: LanguageServer, uri: str) -> None:
    text = server.workspace.get_text_document(uri)
    document = _document(text)
    try:
        found = [_diagnostic(text, each) for each in document.diagnostics]
        found += [_diagnostic(text, each, types.DiagnosticSeverity.Information) for each in document.cycles]
    except Exception:  # whatever somebody types, the editor must keep its server
        _LOG.exception("cannot check %s", uri)
        return
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=text.version)
    )


def _diagnostic(
    text: TextDocument, diagnostic: Diagnostic, severity: types.DiagnosticSeverity | None = None
) -> types.Diagnostic:
    by_kind = types.DiagnosticSeverity.Error if diagnostic.is_error else types.DiagnosticSeverity.Warning
    start = types.Position(0, 0)
    hint = f"\nhint: {diagnostic.hint}" if diagnostic.hint else ""
    return types.Diagnostic(
        range=_range(text, diagnostic.span) if diagnostic.span else types.Range(start, start),
        severity=severity or by_kind,
        code=diagnostic.code,
        source="thalweg",
        message=f"{diagnostic.message}{hint}",
    )


class _AtPosition(Protocol):
    """What all questions about a place have."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


def _asked(server: LanguageServer, params: _AtPosition) -> tuple[TextDocument, Document, int]:
    text = server.workspace.get_text_document(params.text_document.uri)
    return text, _document(text), text.offset_at_position(params.position)


def _document(text: TextDocument) -> Document:
    path = unquote(urlparse(text.uri).path)
    return _known(path or text.uri, text.source)


@lru_cache(maxsize=16)
def _known(name: str, text: str) -> Document:
    """Documents are read once, as long as their text is the same."""
    return Document(Source(name, text))


def _locations(text: TextDocument, spans: Iterable[Span]) -> list[types.Location]:
    return [types.Location(text.uri, _range(text, span)) for span in spans]


def _range(text: TextDocument, span: Span) -> types.Range:
    """A place in the units that the client counts characters in."""
    ends = [types.Position(line - 1, column - 1) for line, column in map(span.source.position, (span.start, span.end))]
    return text.position_codec.range_to_client_units(text.lines, types.Range(*ends))
