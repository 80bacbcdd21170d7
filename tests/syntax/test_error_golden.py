"""The exact text of every kind of mistake.

Run with ``UPDATE_GOLDEN=1`` in the environment to write the ``.err`` files anew; then read them.
"""

import os
import re
from pathlib import Path

import pytest

from thalweg.errors import Diagnostic
from thalweg.source import Source
from thalweg.syntax.codes import FACT_CODES, PROGRAM_CODES
from thalweg.syntax.facts import read_facts
from thalweg.syntax.meteor_json import read_meteor_json
from thalweg.syntax.parser import parse_program

FOLDER = Path(__file__).parents[1] / "golden" / "errors" / "syntax"
CASES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".err")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_message_is_as_recorded(path: Path) -> None:
    found = _diagnose(path)
    assert found, "the case has no mistake"
    assert all(each.hint and each.span for each in found)
    rendered = "".join(f"{each.render()}\n" for each in found)
    expected = path.with_suffix(".err")
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(rendered, encoding="utf-8")
    assert rendered == expected.read_text(encoding="utf-8")


def test_every_code_has_a_case_and_every_case_a_known_code() -> None:
    recorded = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.err"))
    assert set(re.findall(r"error\[(E\d+)\]", recorded)) == {*PROGRAM_CODES, *FACT_CODES}


def test_every_record_has_its_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.err")} == {path.stem for path in CASES}


def _diagnose(path: Path) -> tuple[Diagnostic, ...]:
    source = Source(path.name, path.read_text(encoding="utf-8"))
    if path.suffix == ".rules":
        return parse_program(source)[1]
    return (read_facts(source) if path.suffix == ".facts" else read_meteor_json(source)).diagnostics
