"""The prompt of ``thalweg repl`` on a terminal: history, colours, completion, entries of several lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import ColorDepth

from thalweg.cli.colours import in_colour
from thalweg.cli.repl.commands import COMMANDS
from thalweg.cli.repl.session import Session, predicates_of
from thalweg.syntax.highlight import Kind, pieces
from thalweg.syntax.statements import is_unfinished
from thalweg.syntax.tokens import AGGREGATE_WORDS, DECLARATION_WORDS, OPERATOR_WORDS, RESERVED_WORDS

PROMPT, CONTINUED = "thalweg> ", "       … "

_WORDS = sorted({*AGGREGATE_WORDS, *DECLARATION_WORDS, *OPERATOR_WORDS, *RESERVED_WORDS, "exists", "window", "at"})
_COLOURS = {
    Kind.COMMENT: "ansibrightblack italic",
    Kind.KEYWORD: "ansimagenta",
    Kind.DECLARATION: "ansimagenta",
    Kind.OPERATOR: "ansimagenta",
    Kind.CONSTANT: "ansiyellow",
    Kind.NUMBER: "ansiyellow",
    Kind.STRING: "ansigreen",
    Kind.TYPE: "ansigreen",
    Kind.PREDICATE: "ansiblue",
    Kind.ERROR: "ansired",
}


def typed_entries(session: Session) -> Iterator[str]:
    """What is typed, entry after entry, until Ctrl-D; Ctrl-C drops what has been typed so far."""
    prompt: PromptSession[str] = PromptSession(
        history=_history(),
        lexer=RuleLexer(),
        completer=SessionCompleter(session),
        complete_while_typing=Condition(lambda: False),
        auto_suggest=AutoSuggestFromHistory(),
        multiline=True,
        prompt_continuation=lambda *_: CONTINUED,
        key_bindings=_keys(),
        color_depth=None if in_colour(sys.stdout) else ColorDepth.DEPTH_1_BIT,
    )
    while True:
        try:
            yield prompt.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


class RuleLexer(Lexer):
    """Colours of what is typed; commands and questions, too."""

    def lex_document(self, document: Document):  # type: ignore[no-untyped-def]  # Callable[[int], StyleAndTextTuples]
        """The lines of a text in pieces with their styles."""
        lines: list[StyleAndTextTuples] = [[]]
        for kind, text in pieces(document.text):
            style = "" if text == "?" else _COLOURS.get(kind, "")
            first, *others = text.split("\n")
            lines[-1].append((style, first))
            for line in others:
                lines.append([(style, line)])
        return lambda number: lines[number] if number < len(lines) else []


class SessionCompleter(Completer):
    """Commands after a colon, files after :load and :save, and otherwise predicates and words of the language."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What the text before the cursor may be the beginning of."""
        before = document.text_before_cursor.lstrip()
        command, blank, words = before.partition(" ")
        if command.startswith(":") and not blank:
            names = (f":{name}" for name in COMMANDS)
            return [Completion(name, -len(command)) for name in names if name.startswith(command)]
        if command in (":load", ":save"):
            return self._paths.get_completions(Document(words, len(words)), complete_event)
        return self._names(document.get_word_before_cursor(pattern=None), command)

    def _names(self, word: str, command: str) -> Iterator[Completion]:
        word = word.rpartition("(")[2].rpartition(",")[2]
        if not word:
            return
        signatures = self._session.program.signatures
        for name in predicates_of(self._session):
            if name.startswith(word):
                arity = signatures[name].arity if name in signatures else 0
                yield Completion(name + "(" * bool(arity), -len(word), display=f"{name}/{arity}")
        if not command.startswith(":"):
            yield from (Completion(each, -len(word)) for each in _WORDS if each.startswith(word))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        text = buffer.text.strip()
        is_rule = not text.startswith((":", "?")) and not text.endswith("?")
        if is_rule and is_unfinished(text) and buffer.document.current_line.strip():
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _history() -> History:
    """The history in the user's folder for such files; in memory alone where there is no such folder."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = Path(home) / "thalweg"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "history").touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(folder / "history")
