"""Everything the documents show is what the program does, to the letter."""

import doctest
import re
from pathlib import Path

import pytest
from documents import DOCUMENTS, ROOT, blocks, replay_console, replay_example

from thalweg.api import diagnose
from thalweg.source import Source

IN_PROCESS = ("--in-process", "--answers", "--reading")
"""Options of ``thalweg run`` that do without Spark."""


def needs_spark(block):
    """Whether a block is run on Spark."""
    commands = re.findall(r"^\$ thalweg run (.*)$", block.body, flags=re.MULTILINE) if block.info == "console" else []
    in_python = block.info == "python" and "thalweg.spark." in block.body
    return in_python or any(not any(word in command for word in IN_PROCESS) for command in commands)


# This one shows runs over data that a clone does not have; tests/meteor covers what it says.
EXECUTED = [document for document in DOCUMENTS if document.name != "meteor.md"]
ON_SPARK = [document for document in EXECUTED if any(map(needs_spark, blocks(document)))]
EXAMPLES = [block for document in EXECUTED for block in blocks(document) if block.info == "text example"]
NOT_RUN = ("", "sh", "text", "{toctree}")


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize(
    "document", [each for each in EXECUTED if each not in ON_SPARK], ids=lambda document: document.name
)
def test_commands_and_python(document):
    run_document(document)


@pytest.mark.parametrize("document", ON_SPARK, ids=lambda document: document.name)
def test_commands_and_python_on_spark(document, spark):
    run_document(document)


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_example(block):
    assert replay_example(block.body) == block.body


@pytest.mark.parametrize("document", EXECUTED, ids=lambda document: document.name)
def test_no_block_escapes(document):
    kinds = (*NOT_RUN, "console", "python", "text example")
    for block in blocks(document):
        assert block.info in kinds or block.file, f"{block} is a block of an unknown kind, {block.info}"
        if block.info in NOT_RUN:
            assert "$ thalweg" not in block.body, f"{block} shows a command that nothing runs"
            assert ">>>" not in block.body, f"{block} shows Python that nothing runs"


@pytest.mark.parametrize("document", EXECUTED, ids=lambda document: document.name)
def test_rules_that_no_command_runs_are_right(document):
    found = blocks(document)
    run = "".join(block.body for block in found if block.info in ("console", "python", "sh"))
    for block in found:
        if block.file and block.file.endswith(".rules") and block.file not in run:
            assert diagnose(Source(block.file, block.body))[1] == (), str(block)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_lead_somewhere(document):
    prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose)):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        path = (document.parent / name).resolve() if name else document
        assert path.exists(), f"{document.name} links to {target}, which does not exist"
        assert path.is_relative_to(ROOT), f"{document.name} links to {target}, outside the project"
        if anchor:
            assert anchor in anchors(path), f"{document.name} links to {target}, but there is no such heading"


def anchors(document):
    """The headings of a document as they stand in links."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def run_document(document):
    """Run the blocks of a document in their order, in a folder with its files."""
    found = blocks(document)
    for block in found:
        if block.file:
            Path(block.file).write_text(block.body)
    names = {}
    for block in found:
        if block.info == "console":
            assert replay_console(block.body) == block.body, str(block)
        elif block.info == "python":
            run_doctest(block, names)


def run_doctest(block, names):
    """Run a python block; what it defines stays for the next."""
    test = doctest.DocTestParser().get_doctest(block.body, names, str(block), str(block.document), block.line)
    test.globs = names
    output = []
    doctest.DocTestRunner().run(test, out=output.append, clear_globs=False)
    assert not output, "".join(output)
