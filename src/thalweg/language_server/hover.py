"""What is shown of a word under the pointer."""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.analysis.report import Report
from thalweg.analysis.report_json import role_of
from thalweg.language_server.document import DOMAIN, Document
from thalweg.language_server.meanings import MEANINGS
from thalweg.model.program import Signature
from thalweg.syntax.ast import TypeName
from thalweg.time.interval import format_endpoint, format_rational


def hover(document: Document, offset: int) -> str | None:
    """Markdown about the predicate or the operator at an offset; None where there is neither."""
    predicate = document.predicate_at(offset)
    if predicate is not None:
        signature = document.program.signatures.get(predicate)
        return None if signature is None else "\n\n".join(_of_predicate(document, signature))
    found = document.token_at(offset)
    return MEANINGS.get(found[0].type) if found else None


def signature_text(signature: Signature) -> str:
    """``Speed(vehicle: string, kmh: number)``; parameters without names are numbered."""
    words = []
    for place, each in enumerate(signature.parameters, start=1):
        name = each.name or f"arg{place}"
        words.append(name if each.type is TypeName.ANY else f"{name}: {each.type.value}")
    return f"{signature.predicate}({', '.join(words)})" if words else signature.predicate


def _of_predicate(document: Document, signature: Signature) -> Iterator[str]:
    yield f"```thalweg\n{signature_text(signature)}\n```"
    yield f"**{role_of(document.program, signature)}**, {_defined(document, signature)}"
    streaming = document.streaming
    if streaming is not None and signature.predicate in streaming.delays:
        delay = format_rational(streaming.delays[signature.predicate])
        yield f"On a stream its answers come {delay} later than the data: it looks ahead."
    if document.report is not None:
        yield " · ".join(_of_program(document.report))


def _defined(document: Document, signature: Signature) -> str:
    lines = [rule.origin.line for rule in document.program.rules_for(signature.predicate) if rule.origin]
    if not lines:
        return "which no rule derives"
    places = ", ".join(map(str, lines))
    return f"derived by {len(lines)} rule{'s' * (len(lines) > 1)} (line{'s' * (len(lines) > 1)} {places})"


def _of_program(report: Report) -> Iterator[str]:
    """What holds of the program as a whole."""
    yield f"program: {report.dialect}"
    if report.program.is_windowed:
        return
    yield f"window {format_rational(report.window)}"
    yield f"granularity {format_endpoint(report.granularity)}"
    if report.memory is not None:
        held = report.memory.algorithm_6.as_proved if report.memory.algorithm_6 else report.memory.algorithm_1
        yield f"a stream with {DOMAIN} values needs at most {held:,} facts in memory"
