"""The commands of ``thalweg repl``: they begin with a colon."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from thalweg.analysis.report import analyse
from thalweg.api import why, why_not
from thalweg.cli.repl.session import Session
from thalweg.cli.text_timeline import text_timeline
from thalweg.engine.lanes import lanes_of
from thalweg.errors import UsageError, did_you_mean

MOST_FACTS = 200

_ASK_ON = re.compile(r"thalweg (why|why-not) … '([^'\n]*)'")
"""How an answer says what to ask next, on the command line."""

HELP = """\
Type a rule, a fact, a declaration or a question:
  Hot(P) :- Temp(P, T), T > 90.      a rule
  Temp(p1, 95)@[0,4]                 a fact and its time
  ? Hot(P)                           a question; also Hot(P)?
  ? Hot(P) @ 2                       … at one time; also from 0 to 10
A line goes on where a bracket is open, or after a comma or :- ."""


class Quit(Exception):  # noqa: N818  # it is no error
    """The user has had enough."""


@dataclass(frozen=True)
class Command:
    """A command: what follows its name, what it does."""

    words: str
    about: str
    run: Callable[[Session, str], list[str]]


def run_command_line(session: Session, line: str) -> list[str]:
    """Run ``:name words``; the lines to show."""
    name, _, words = line.strip()[1:].partition(" ")
    names = [each for each in COMMANDS if each == name] or [each for each in COMMANDS if name and each.startswith(name)]
    if not names:
        hint = did_you_mean(f":{name}", [f":{each}" for each in COMMANDS])
        raise UsageError(f"there is no command :{name}; {hint or 'write :help'}")
    if len(names) > 1 and name != "why":
        raise UsageError(f":{name} is short for {' and '.join(f':{each}' for each in names)}")
    return COMMANDS[names[0]].run(session, words.strip())


def _help(_: Session, __: str) -> list[str]:
    shown = [f"  :{name} {each.words}".rstrip() for name, each in COMMANDS.items()]
    width = max(map(len, shown)) + 2
    abouts = (each.about for each in COMMANDS.values())
    return [HELP, *(f"{usage:<{width}}{about}" for usage, about in zip(shown, abouts, strict=True))]


def _check(session: Session, _: str) -> list[str]:
    return [*(each.render() for each in session.warnings), analyse(session.program).to_text().rstrip()]


def _program(session: Session, _: str) -> list[str]:
    return [session.contents.text.rstrip("\n")] if session.contents.entries else ["nothing has been typed"]


def _facts(session: Session, words: str) -> list[str]:
    names = _predicates(session, words)
    lines = [line for name in names for line in session.model.lines(name).slice(0, MOST_FACTS + 1).to_pylist()]
    more = sum(session.model.count(name) for name in names) - MOST_FACTS
    return (lines if more <= 0 else [*lines[:MOST_FACTS], f"… and {more:,} more"]) or ["no facts"]


def _timeline(session: Session, words: str) -> list[str]:
    lanes = [lane for name in _predicates(session, words) for lane in lanes_of(session.model, name, MOST_FACTS)]
    return [text_timeline(lanes, shutil.get_terminal_size((100, 24)).columns)] if lanes else ["no facts"]


def _why(session: Session, words: str) -> list[str]:
    contents = session.contents
    proof = why(session.program, contents.files, _fact(words), start=contents.start, end=contents.end)
    return [_as_typed(proof.to_text())]


def _why_not(session: Session, words: str) -> list[str]:
    contents = session.contents
    answer = why_not(session.program, contents.files, _fact(words), start=contents.start, end=contents.end)
    return [_as_typed(answer.to_text())]


def _as_typed(text: str) -> str:
    """An explanation that says what to ask next as it is typed here."""
    return _ASK_ON.sub(r":\1 \2", text.rstrip())


def _load(session: Session, words: str) -> list[str]:
    return session.load(_path(words, "load"))


def _save(session: Session, words: str) -> list[str]:
    return [session.save(_path(words, "save"))]


def _between(session: Session, words: str) -> list[str]:
    times = words.split()
    if len(times) not in (0, 2):
        raise UsageError("write :between FROM TO, or :between alone for all times")
    start, end = times or (None, None)
    return session.between(None if start == "-inf" else start, None if end == "inf" else end)


def _undo(session: Session, _: str) -> list[str]:
    return session.undo()


def _clear(session: Session, _: str) -> list[str]:
    session.clear()
    return ["all is forgotten; :undo takes it back"]


def _quit(_: Session, __: str) -> list[str]:
    raise Quit


COMMANDS: Mapping[str, Command] = {
    "help": Command("", "this page", _help),
    "check": Command("", "what the program promises, as thalweg check", _check),
    "program": Command("", "the rules and facts that were typed", _program),
    "facts": Command("[P…]", "all that holds, or what holds of some predicates", _facts),
    "timeline": Command("[P…]", "the same, drawn", _timeline),
    "why": Command("FACT", "a proof: :why Hot(p1)@2", _why),
    "why-not": Command("FACT", "what is missing for a fact", _why_not),
    "load": Command("FILE", "take in a file of rules, or of facts (.facts, .csv, .parquet)", _load),
    "save": Command("FILE", "write the rules and facts that were typed", _save),
    "between": Command("[FROM TO]", "reason about these times only, where rules go on for ever", _between),
    "undo": Command("", "take back the last entry", _undo),
    "clear": Command("", "forget everything", _clear),
    "quit": Command("", "leave; also Ctrl-D", _quit),
}


def _predicates(session: Session, words: str) -> tuple[str, ...]:
    names = tuple(words.replace(",", " ").split())
    for name in names:
        session.model.count(name)  # complains of a predicate that there is not
    return names or session.model.predicates


def _path(words: str, command: str) -> Path:
    if not words:
        raise UsageError(f"write :{command} FILE")
    return Path(words).expanduser()


def _fact(words: str) -> str:
    if not words:
        raise UsageError("write a fact and its time: :why Hot(p1)@2")
    return words.removesuffix(".")
