"""docs/errors.md knows every code, and no others."""

import re

import pytest
from documents import ROOT

from thalweg.syntax.codes import FACT_CODES, PROGRAM_CODES

DOCUMENT = (ROOT / "docs" / "errors.md").read_text()
ROWS = dict(re.findall(r"^\| ([EW]\d{3}) \| (.+) \|$", DOCUMENT, flags=re.MULTILINE))


def codes_in_the_source():
    texts = (path.read_text() for path in (ROOT / "src").rglob("*.py"))
    return {code for text in texts for code in re.findall(r'"([EW]\d{3})"', text)}


def test_every_code_is_documented():
    assert sorted(codes_in_the_source() - ROWS.keys()) == []


def test_every_documented_code_exists():
    assert sorted(ROWS.keys() - codes_in_the_source()) == []


@pytest.mark.parametrize("codes", [PROGRAM_CODES, FACT_CODES], ids=["program", "facts"])
def test_meanings_are_those_of_the_source(codes):
    assert {code: ROWS[code] for code in codes} == dict(codes)


def test_codes_stand_in_order_under_the_heading_of_their_group():
    section, last = "", ""
    for line in DOCUMENT.splitlines():
        heading = re.match(r"## ([EW][\dx])xx", line)
        row = re.match(r"\| ([EW]\d{3}) \|", line)
        if heading:
            section, last = heading[1].rstrip("x"), ""
        elif row:
            assert row[1].startswith(section), f"{row[1]} stands under {section}xx"
            assert row[1] > last, f"{row[1]} stands after {last}"
            last = row[1]
