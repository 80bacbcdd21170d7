"""What the stories show is what happens: every console block runs, in a copy of the story's folder."""

import os
import re
import shlex
import shutil

import pytest
from stories import ROOT, STORIES

from cli.calling import call_as_it_is

READMES = [ROOT / "README.md", *(story.folder / "README.md" for story in STORIES)]
NOT_RUN = ("sh", "prolog", "sql")
RULE = re.compile(r"^(?:exists [^:]+: )?\w+\([^)]*\)\s+:- .*?\.$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_commands_print_what_is_shown(story, tmp_path, monkeypatch):
    folder = tmp_path / story.name
    shutil.copytree(story.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    shown = consoles(story.folder / "README.md")
    assert shown
    for body in shown:
        assert replay(story, body) == body


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_every_rule_is_explained(story):
    """The README has each rule of the program, to the letter."""
    text = (story.folder / "README.md").read_text()
    rules = RULE.findall(story.rules.read_text())
    assert len(rules) == len(story.program.rules)
    assert [rule for rule in rules if rule not in text] == []


@pytest.mark.parametrize("document", READMES, ids=lambda path: path.parent.name)
def test_no_block_escapes_and_links_lead_somewhere(document):
    text = document.read_text()
    assert set(re.findall(r"^```(\w+)", text, flags=re.MULTILINE)) <= {"console", *NOT_RUN}
    for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
        assert (document.parent / target).resolve().exists(), f"{document} links to {target}"


def consoles(document):
    return re.findall(r"^```console\n(.*?)^```$", document.read_text(), flags=re.MULTILINE | re.DOTALL)


def replay(story, body):
    """A block with what its commands print now; ``python generate.py`` and ``thalweg`` are understood."""
    shown = ""
    for command in [line.removeprefix("$ ") for line in body.splitlines() if line.startswith("$ ")]:
        shown += f"$ {command}\n"
        program, *words = shlex.split(command)
        if program == "thalweg":
            outcome = call_as_it_is(*words)
            shown += outcome.out + outcome.err
        else:
            assert (program, *words) == ("python", "generate.py"), command
            story.script("generate").main([])
            assert "data" in os.listdir()
    return shown
