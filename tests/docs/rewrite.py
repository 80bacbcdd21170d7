"""Writes into the documents what their commands and examples print now: ``python tests/docs/rewrite.py``.

Read the difference before you keep it: the documents must still say what is meant.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from documents import DOCUMENTS, blocks, replay_console, replay_example


def rewrite(document: Path) -> None:
    """Bring a document up to date."""
    text = document.read_text()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = blocks(document)
        for block in found:
            if block.file:
                Path(block.file).write_text(block.body)
        for block in found:
            if block.info == "console":
                text = text.replace(block.body, replay_console(block.body), 1)
            elif block.info == "text example":
                text = text.replace(block.body, replay_example(block.body), 1)
    document.write_text(text)


if __name__ == "__main__":
    for path in DOCUMENTS:
        if path.name != "meteor.md":
            rewrite(path)
