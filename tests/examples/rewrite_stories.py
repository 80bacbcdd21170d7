"""Writes into the stories what their commands print now: ``python tests/examples/rewrite_stories.py``.

Expected answers are written anew as well. Read the difference before you keep it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stories import STORIES, Story
from test_story_readmes import consoles, replay

from cli.calling import call


def rewrite(story: Story) -> None:
    """Bring a story up to date."""
    document = story.folder / "README.md"
    text = document.read_text()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / story.name
        shutil.copytree(story.folder, folder)
        os.chdir(folder)
        facts = story.generate(folder / "data")
        until = ("--to", story.until) if story.until is not None else ()
        (story.folder / "expected.facts").write_text(call("run", story.rules, *facts, *until).out)
        for body in consoles(document):
            text = text.replace(body, replay(story, body), 1)
        os.chdir("/")
    document.write_text(text)


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    for each in STORIES:
        rewrite(each)
