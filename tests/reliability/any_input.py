"""Everything that reads a text, with what must be true whatever the text: it is read, or refused with a diagnostic.

Each reader raises ``AssertionError`` where that is broken; any other exception is a fault as well. A reader that takes
more processor time than :data:`MOST_SECONDS` is interrupted: that is what a hang looks like.
"""

from __future__ import annotations

import contextlib
import re
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from thalweg.analysis.checks import check_program
from thalweg.analysis.report import analyse
from thalweg.analysis.stratification import check_stratified
from thalweg.api import parse
from thalweg.engine.query import read_query
from thalweg.engine.tables_file import read_tables_file
from thalweg.errors import DataError, Diagnostic, ProgramError, UsageError
from thalweg.explain.asked import read_asked
from thalweg.language_server.complete import completions
from thalweg.language_server.document import Document
from thalweg.language_server.hover import hover
from thalweg.model.lower import lower
from thalweg.plan.plan import make_plan
from thalweg.plan.streaming import Streaming
from thalweg.source import Source
from thalweg.syntax.cql import translate
from thalweg.syntax.fact_batch import FactBatch
from thalweg.syntax.fact_line import read_line
from thalweg.syntax.facts import format_fact, read_facts
from thalweg.syntax.highlight import pieces
from thalweg.syntax.meteor_json import read_meteor_json
from thalweg.syntax.mistake import Mistake
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_program
from thalweg.syntax.pygments_lexer import ThalwegLexer
from thalweg.syntax.statements import is_unfinished
from thalweg.time.interval import Interval

MOST_SECONDS = 30
"""Of processor time, for one text of a few thousand characters; it takes milliseconds."""

PROGRAM = parse(
    "timeline integer. input Speed(v: string, s: number). background Near(a, b). input Clear(v).\n"
    "Slow(V) :- Speed(V, S), S < 30. Jam(V) :- window[last 5] all Slow(V), not Clear(V)."
)
"""What queries ask, and what tables are for."""


class TakesTooLongError(AssertionError):
    """A reader did not come to an end in good time."""


def read_rules(text: str) -> None:
    """A program: read, printed, read again; given its meaning, checked, analysed and planned."""
    tree, found = parse_program(Source("any.rules", text))
    _all_are_told(found, text)
    if not found:
        printed = format_program(tree)
        assert parse_program(Source("printed.rules", printed)) == (tree, ()), "it prints as another program"
    program, meaning = lower(tree)
    _all_are_told(meaning, text)
    if any(each.is_error for each in (*found, *meaning)):
        return
    checked = check_program(program, stratified=False)
    _all_are_told(checked, text)
    if any(each.is_error for each in checked):
        return
    report = analyse(program, domain_size=10)
    assert report.to_text()
    assert report.to_json()
    if not any(True for _ in check_stratified(program)):
        assert Streaming.of(program).to_text()
        make_plan(program, start=0, end=10)


def read_fact_file(text: str) -> None:
    """Facts, in columns: they are those that one reads line by line, and those that one reads when they are printed."""
    for time_is_last in (False, True):
        source = Source("any.facts", text)
        file = read_facts(source, ("B",), time_is_last=time_is_last)
        _all_are_told(file.diagnostics, text)
        facts = {line: fact for batch in file.batches for line, fact in _facts(batch)}
        assert facts == dict(_line_by_line(source, time_is_last))
        again = read_facts(Source("printed.facts", "\n".join(facts.values())), ("B",))
        assert not again.diagnostics
        assert sorted(fact for batch in again.batches for _, fact in _facts(batch)) == sorted(facts.values())


def _line_by_line(source: Source, time_is_last: bool) -> Iterator[tuple[int, str]]:
    start = 0
    for number, line in enumerate(source.text.split("\n"), start=1):
        with contextlib.suppress(Mistake):
            row = read_line(source, number, start, start + len(line), frozenset({"B"}), time_is_last)
            if row is not None:
                interval = Interval(row.start, row.end, row.start_closed, row.end_closed)
                yield number, format_fact(row.predicate, row.values, interval)
        start += len(line) + 1


def _facts(batch: FactBatch) -> Iterator[tuple[int, str]]:
    for row, line in enumerate(batch.lines.tolist()):
        values = [column.values[column.codes[row]] for column in batch.arguments]
        start, end = (ends.values[ends.codes[row]] for ends in (batch.starts, batch.ends))
        interval = Interval(start, end, bool(batch.start_closed[row]), bool(batch.end_closed[row]))
        yield line, format_fact(batch.predicate, values, interval)


def read_json(text: str) -> None:
    """Facts in the JSON of MeTeoR."""
    file = read_meteor_json(Source("any.json", text))
    _all_are_told(file.diagnostics, text)
    for batch in file.batches:
        assert [fact for _, fact in _facts(batch)]


def read_cql(text: str) -> None:
    """Queries in CQL: what they are translated to can be read."""
    tree, found = translate(Source("any.cql", text))
    _all_are_told(found, text)
    assert parse_program(Source("printed.rules", format_program(tree))) == (tree, ())
    if not found:
        program, meaning = lower(tree)
        _all_are_told(meaning, None)
        _all_are_told(check_program(program), None)


def read_question(text: str) -> None:
    """A query, and a fact that somebody asks about."""
    for given in (None, {"Clear": 1}):
        try:
            read_query(text, PROGRAM, given)
        except ProgramError as error:
            refused = error.diagnostics
        else:
            continue
        assert refused
        _all_are_told(refused, text)
    with contextlib.suppress(UsageError):
        read_asked(text, PROGRAM)


def read_tables(text: str) -> None:
    """A file that ties predicates to tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.toml"
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        refused: tuple[Diagnostic, ...] = ()
        try:
            read_tables_file(path, PROGRAM)
        except DataError as error:
            refused = error.diagnostics
        except UsageError:
            return
        for each in refused:
            assert each.message
            assert each.hint
            assert each.place
            assert each.place.startswith(str(path))


def read_in_editor(text: str) -> None:
    """What editors, terminals and the page ask of a text, in the middle of typing, too."""
    assert "".join(piece for _, piece in pieces(text)) == text
    list(ThalwegLexer().get_tokens(text))
    is_unfinished(text)
    for name in ("any.rules", "any.facts"):
        document = Document(Source(name, text))
        _all_are_told(document.diagnostics, text)
        for offset in {0, len(text) // 2, len(text)}:
            hover(document, offset)
            completions(document, offset)


READERS: Mapping[str, Callable[[str], None]] = {
    "rules": read_rules,
    "facts": read_fact_file,
    "json": read_json,
    "cql": read_cql,
    "question": read_question,
    "tables": read_tables,
    "editor": read_in_editor,
}


def read_any(reader: str, text: str) -> None:
    """Read a text; raises if it is neither read nor refused as it should be, or if that takes too long."""
    with _limited():
        READERS[reader](text)


def _all_are_told(diagnostics: Iterable[Diagnostic], text: str | None) -> None:
    """Each has a code, a message, and a place inside the text."""
    for each in diagnostics:
        assert re.fullmatch(r"[EW]\d{3}", each.code)
        assert each.message
        assert each.render()
        assert text is None or each.span is not None, each.render()
        if text is not None and each.span is not None:
            assert 0 <= each.span.start <= each.span.end <= len(text), each.render()


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Interrupt what takes more processor time than there is: other programs on the machine do not count."""

    def interrupt(*_: object) -> None:
        raise TakesTooLongError(f"still at it after {MOST_SECONDS} s of processor time")

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
