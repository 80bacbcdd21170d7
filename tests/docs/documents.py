"""What the documents show, as the program would show it today.

A fenced block says what it is after its back-ticks:

- ``prolog stops.rules``, ``text stops.facts``, ``csv Speed.csv``: a file with that name;
- ``console``: commands and what they print, on both outputs; ``thalweg``, ``cat`` and ``echo $?`` are understood;
- ``python``: a doctest;
- ``text example``: ``% rules``, ``% facts``, then ``% answers``, ``% timeline``, ``% error`` or ``% warning``;
- ``sh``, ``text`` and nothing at all: not run.

Console and python blocks of a document run in its order, in one folder that holds its files.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from timeline import draw

import thalweg
from thalweg.api import diagnose, unused_facts
from thalweg.cli.main import run_command
from thalweg.cli.run import default_queries
from thalweg.engine.read import read_facts_of
from thalweg.source import Source

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/adr/*.md")],
    key=lambda path: (path.name != "README.md", str(path)),
)

_BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"[a-z]+ ([\w.-]+\.[a-z]+)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    document: Path
    line: int
    info: str
    body: str

    @property
    def file(self) -> str | None:
        """The file it is the content of, if any."""
        match = _FILE.fullmatch(self.info)
        return match[1] if match else None

    def __str__(self) -> str:
        return f"{self.document.name}:{self.line}"


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document."""
    text = document.read_text()
    return [
        Block(document, text.count("\n", 0, match.start()) + 1, match[1].strip(), match[2])
        for match in _BLOCK.finditer(text)
    ]


def replay_console(body: str) -> str:
    """A console block with what its commands print now, in the current folder."""
    shown, code = io.StringIO(), 0
    for command in [line.removeprefix("$ ") for line in body.splitlines() if line.startswith("$ ")]:
        shown.write(f"$ {command}\n")
        words = shlex.split(command, comments=True)
        if words[0] == "thalweg":
            with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
                code = _exit_code(words[1:])
        elif words[0] == "cat":
            shown.writelines(Path(name).read_text() for name in words[1:])
        elif words == ["echo", "$?"]:
            shown.write(f"{code}\n")
        else:
            raise ValueError(f"a console block cannot run {command}")
    return shown.getvalue()


def replay_example(body: str) -> str:
    """An example with the answers, the timeline, the error or the warnings that belong to it now."""
    sections = _sections(body)
    rules, facts = sections.get("rules", ""), sections.get("facts", "")
    shown = "".join(f"% {title}\n{text}" for title, text in sections.items() if title in ("rules", "facts"))
    for title in sections:
        word, *options = title.split()
        if word in ("rules", "facts"):
            continue
        shown += f"% {title}\n" + "".join(f"{line}\n" for line in _REPLAY[word](rules, facts, *options).splitlines())
    return shown


def _sections(body: str) -> dict[str, str]:
    sections: dict[str, str] = {}
    title = ""
    for line in body.splitlines(keepends=True):
        if line.startswith("% ") and line.split()[1] in ("rules", "facts", *_REPLAY):
            title = line[2:].strip()
            sections[title] = ""
        else:
            sections[title] += line
    return sections


def _answers(rules: str, facts: str, *bounds: str) -> str:
    """``from 0 to 10`` may follow the word answers."""
    named = dict(zip(bounds[::2], bounds[1::2], strict=True))
    program = thalweg.parse(rules, "rules")
    model = thalweg.materialise(program, facts, start=named.get("from"), end=named.get("to"))
    return "\n".join(text for name in default_queries(program) if (text := model.to_text(name))) or "(nothing)"


def _timeline(rules: str, facts: str, first: str, last: str) -> str:
    """``0 8`` after the word timeline are its ends."""
    program = thalweg.parse(rules, "rules")
    model = thalweg.materialise(program, facts)
    derived = default_queries(program)
    rows = sorted(model.facts().items(), key=lambda row: row[0][0] in derived)
    return draw(rows, int(first), int(last))


def _error(rules: str, facts: str, *bounds: str) -> str:
    try:
        answers = _answers(rules, facts, *bounds)
    except thalweg.ThalwegError as error:
        return str(error)
    raise AssertionError(f"there is no error, but the answers {answers}")


def _warning(rules: str, facts: str) -> str:
    program, diagnostics = diagnose(Source("rules", rules))
    batches, _ = read_facts_of(program, facts)
    return "\n".join(each.render() for each in (*diagnostics, *unused_facts(program, batches)))


_REPLAY = {"answers": _answers, "timeline": _timeline, "error": _error, "warning": _warning}


def _exit_code(words: list[str]) -> int:
    try:
        return run_command(words)
    except SystemExit as exit_:  # argparse: --help, or a call it cannot read
        return int(exit_.code or 0)
