"""A command in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path

COMMAND = Path(sys.executable).with_name("thalweg")
_MOST = 60.0


def in_terminal(
    *words: str, until: str = "", then: bytes = b"", size: tuple[int, int] = (20, 100), **environment: str
) -> tuple[str, int]:
    """All that ``thalweg words…`` shows, and its exit code; keys are pressed when a text has appeared."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        # The size of the terminal counts, not what readline has left in the environment.
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        os.execve(COMMAND, ["thalweg", *words], {**kept, "TERM": "xterm-256color", **environment})
    shown, end, is_pressed = b"", time.monotonic() + _MOST, False
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 1 << 16)
            except OSError:  # the other side has gone
                break
        if until and not is_pressed and until in shown.decode(errors="replace"):
            os.write(terminal, then)
            is_pressed = True
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    return shown.decode(), os.waitstatus_to_exitcode(status)


def plain(text: str) -> str:
    """A text without what moves the cursor or gives it colours."""
    return re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text.replace("\x1b[1A", "\n")).replace("\r", "")
