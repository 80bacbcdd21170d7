"""The session in docs/terminal.md is what is shown when its lines are typed."""

import contextlib
import io
import re
from pathlib import Path

from thalweg.cli.repl.command import take
from thalweg.cli.repl.prompt import CONTINUED, PROMPT
from thalweg.cli.repl.session import Session

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "terminal.md"


def test_the_documented_session(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (block,) = re.findall(rf"^```text\n({PROMPT}.*?)^```$", DOCUMENT.read_text(), flags=re.MULTILINE | re.DOTALL)
    typed = re.findall(rf"^{PROMPT}.*\n(?:^{CONTINUED}.*\n)*", block, flags=re.MULTILINE)
    assert len(typed) > 5
    session, shown = Session(), io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        for lines in typed:
            shown.write(lines)
            words = [line.removeprefix(PROMPT).removeprefix(CONTINUED) for line in lines.splitlines()]
            take(session, "\n".join(words))
    assert shown.getvalue() == block
