"""Queries beside the rules they become, and mistakes beside what is said about them.

Run with ``UPDATE_GOLDEN=1`` in the environment to write the ``.rules`` and ``.err`` files anew; then read them.
"""

import os
import re
from pathlib import Path

import pytest

from thalweg.api import diagnose
from thalweg.source import Source
from thalweg.syntax.cql import translate
from thalweg.syntax.cql.codes import CQL_CODES
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_program

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(FOLDER.glob("*.cql"))
QUERIES = [path for path in CASES if not path.stem.startswith("error_")]
MISTAKES = [path for path in CASES if path.stem.startswith("error_")]
ERRORS_PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_the_rules_are_as_recorded(path):
    program, found = translate(Source(path.name, path.read_text(encoding="utf-8")))
    assert [diagnostic.render() for diagnostic in found] == []
    check_record(path.with_suffix(".rules"), format_program(program))


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_the_rules_read_back_as_the_same_tree(path):
    program, _ = translate(Source(path.name, path.read_text(encoding="utf-8")))
    again, found = parse_program(Source("rules", format_program(program)))
    assert [diagnostic.render() for diagnostic in found] == []
    assert again == program


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_the_rules_are_a_program_without_mistakes(path):
    program, _ = translate(Source(path.name, path.read_text(encoding="utf-8")))
    _, found = diagnose(Source("rules", format_program(program)))
    assert [diagnostic.render() for diagnostic in found if diagnostic.is_error] == []


@pytest.mark.parametrize("path", MISTAKES, ids=lambda path: path.stem)
def test_the_message_is_as_recorded(path):
    _, found = translate(Source(path.name, path.read_text(encoding="utf-8")))
    assert found, "the case has no mistake"
    assert all(each.hint and each.span for each in found)
    check_record(path.with_suffix(".err"), "".join(f"{each.render()}\n" for each in found))


def test_every_code_has_a_case_and_every_case_a_known_code():
    recorded = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.err"))
    assert set(re.findall(r"error\[(E\d+)\]", recorded)) == set(CQL_CODES)


def test_every_record_has_its_case():
    records = {path.stem for path in FOLDER.iterdir() if path.suffix != ".cql"}
    assert records == {path.stem for path in CASES}


def test_the_page_of_errors_says_what_the_codes_mean():
    rows = dict(re.findall(r"^\| (E\d{3}) \| (.+) \|$", ERRORS_PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert {code: rows.get(code) for code in CQL_CODES} == dict(CQL_CODES)


def check_record(record, text):
    if os.environ.get("UPDATE_GOLDEN"):
        record.write_text(text, encoding="utf-8")
    assert text == record.read_text(encoding="utf-8")
