"""``thalweg repl``: type rules and facts, ask, see."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg import __version__
from thalweg.cli.colours import in_colour, paint_code
from thalweg.cli.messages import tell
from thalweg.cli.repl.commands import Quit, run_command_line
from thalweg.cli.repl.question import read_question
from thalweg.cli.repl.session import Session
from thalweg.cli.run_options import add_memory
from thalweg.errors import DiagnosticError, ThalwegError
from thalweg.syntax.statements import is_unfinished

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_DESCRIPTION = """\
Takes rules, facts and questions as they are typed, and shows at once what follows. PROGRAM and FACTS are there from the
beginning. It works in this process, without Spark. A mistake shows what is wrong and changes nothing.

Where standard input is no terminal, its lines are taken for what is typed: mistakes go to standard error, and the exit
code is 1 if there was one.
"""

_EXAMPLES = """\
examples:
  thalweg repl
  thalweg repl pumps.rules pumps.facts
  thalweg repl pumps.rules < questions.txt

in it:
  Temp(p1, 95)@[0,4]                a fact
  Hot(P) :- Temp(P, T), T > 90.     a rule
  ? Hot(P) @ 2                      a question
  :why Hot(p1)@2                    a proof
  :help                             all commands
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "repl",
        help="type rules and facts, ask, see",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
    )
    parser.add_argument("program", metavar="PROGRAM", nargs="?", type=Path, help="file of rules to begin with")
    parser.add_argument("facts", metavar="FACTS", nargs="*", type=Path, help="files of facts")
    add_memory(parser)
    parser.set_defaults(command=repl)


def repl(options: argparse.Namespace) -> int:
    """Run the command."""
    session = Session()
    for path in (*([options.program] if options.program else ()), *options.facts):
        session.load(path)
    if not sys.stdin.isatty():
        return 1 if _count_mistakes(session) else 0
    from thalweg.cli.repl.prompt import typed_entries  # loading prompt-toolkit takes as long as all else

    print(f"Thalweg {__version__}. :help says what can be typed, :quit or Ctrl-D ends it.")
    try:
        for entry in typed_entries(session):
            take(session, entry)
    except Quit:
        pass
    return 0


def _count_mistakes(session: Session) -> int:
    """Take in what is piped; how much of it was wrong."""
    mistakes = 0
    try:
        for entry in _piped_entries():
            mistakes += not take(session, entry)
    except Quit:
        pass
    return mistakes


def take(session: Session, entry: str) -> bool:
    """Take in one entry and show what it does; False if it is a mistake."""
    words = entry.strip()
    if not words:
        return True
    try:
        _show(_reply(session, words))
    except DiagnosticError as error:
        tell(str(error))
        return False
    except ThalwegError as error:
        print(error, file=sys.stderr, flush=True)
        return False
    return True


def _reply(session: Session, words: str) -> list[str]:
    if words.startswith(":") and not words.startswith(":-"):
        return run_command_line(session, words)
    question = read_question(words)
    return session.add(words) if question is None else session.ask(question)


def _show(lines: list[str]) -> None:
    text = "\n".join(lines)
    if text:
        print(paint_code(text) if in_colour(sys.stdout) and all(map(_is_code, lines)) else text, flush=True)


def _is_code(text: str) -> bool:
    """Whether a text is facts or rules, and not words or a drawing for people."""
    return ("@" in text or ":-" in text) and not any(sign in text for sign in "└━")


def _piped_entries() -> Iterator[str]:
    """The entries on standard input, until it ends."""
    waiting = ""
    for line in sys.stdin:
        if waiting and _begins_another(waiting, line):
            yield waiting
            waiting = ""
        waiting += line
        if line.strip() and not _stands_alone(waiting) and is_unfinished(waiting):
            continue
        yield waiting
        waiting = ""
    yield waiting


def _begins_another(waiting: str, line: str) -> bool:
    """Whether an entry that seems to go on was only not finished."""
    return _stands_alone(line) or (":-" in waiting and ":-" in line)


def _stands_alone(text: str) -> bool:
    """Whether a text is a command or a question."""
    words = text.strip()
    return (words.startswith((":", "?")) and not words.startswith(":-")) or words.endswith("?")
