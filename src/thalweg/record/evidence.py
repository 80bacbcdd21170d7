"""The facts that came in, kept so that answers can be explained, as they lie in a folder.

======================  ==============================================================================================
``batch=000012.facts``  the facts of a batch, one a line, after a line that says how many and until when they hold
``lasting.facts``       facts without an end, of batches that have been dropped
``background.facts``    what was known before the stream began
``horizon``             a time: at later ones no dropped fact holds
======================  ==============================================================================================

Small batches are put together: a file then has the name of the last of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from thalweg.record.files import batch_number
from thalweg.source import Source
from thalweg.time.exact import exact_endpoint
from thalweg.time.interval import Endpoint, format_endpoint

_HEADER = re.compile(r"% (\d+) facts until (\S+)")
LASTING, BACKGROUND, HORIZON = "lasting.facts", "background.facts", "horizon"


@dataclass(frozen=True)
class KeptFacts:
    """Facts as lines of text; ``until`` is the latest time at which one that has an end still holds."""

    lines: Sequence[str]
    until: Endpoint = -math.inf


class Evidence:
    """The folder with the facts, read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def is_kept(self) -> bool:
        """Whether there is any."""
        return self.folder.is_dir()

    @property
    def horizon(self) -> Endpoint:
        """No fact that has been dropped holds after this time; −∞ when none has been dropped.

        While a run goes on, ask after reading the text.
        """
        try:
            text = (self.folder / HORIZON).read_text(encoding="utf-8").strip()
        except OSError:
            return -math.inf
        return _endpoint(text)

    def text(self) -> str:
        """All facts kept, as the text of a fact file."""
        return "".join(source.text for source in self.sources())

    def sources(self) -> list[Source]:
        """The same, file by file."""
        paths = [self.folder / BACKGROUND, self.folder / LASTING, *self.batches()]
        return [Source(str(path), text_of(path)) for path in paths]

    def batches(self) -> list[Path]:
        """The files of batches, the oldest first."""
        try:
            paths = list(self.folder.iterdir())
        except OSError:
            return []
        numbered = [(number, path) for path in paths if (number := batch_number(path.name)) is not None]
        return [path for _, path in sorted(numbered)]


def to_bytes(facts: KeptFacts) -> bytes:
    """The content of a file."""
    head = f"% {len(facts.lines)} facts until {format_endpoint(facts.until)}"
    return "".join(f"{line}\n" for line in (head, *facts.lines)).encode()


def text_of(path: Path) -> str:
    """The text of a file; nothing where there is none."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def head_of(path: Path) -> tuple[int, Endpoint]:
    """How many facts a file has, and until when they hold; the worst where it does not say."""
    with suppress(OSError), path.open(encoding="utf-8") as file:
        match = _HEADER.match(file.readline())
        return (int(match[1]), _endpoint(match[2])) if match else (0, math.inf)
    return 0, -math.inf


def facts_of(path: Path) -> list[str]:
    """The facts of a file, without the line before them."""
    return [line for line in text_of(path).split("\n") if line and not line.startswith("%")]


def _endpoint(text: str) -> Endpoint:
    try:
        return exact_endpoint(text)
    except ValueError:
        return math.inf
