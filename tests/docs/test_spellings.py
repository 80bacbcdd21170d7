"""docs/language.md knows every word and symbol of the language."""

import re

from documents import ROOT

from thalweg.syntax.ast import TypeName
from thalweg.syntax.tokens import DECLARATION_WORDS, OPERATOR_WORDS, RESERVED_WORDS, SYMBOLS
from thalweg.time.units import UNITS

DOCUMENT = (ROOT / "docs" / "language.md").read_text()
PUNCTUATION = {"(", ")", "[", "]", "{", "}", ".", ":", "<", ">", "+"}


def section(title):
    return DOCUMENT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def quoted(text):
    return set(re.findall(r"`([^`\n]+)`", text))


def test_every_symbol_and_operator_is_in_the_table_of_spellings():
    rows = "\n".join(line for line in section("Spellings").splitlines() if line.startswith("|"))
    others = {"at", "window", "exists"}
    assert quoted(rows) == {*SYMBOLS, *OPERATOR_WORDS, *RESERVED_WORDS, *others} - PUNCTUATION


def test_reserved_words_are_listed():
    sentence = next(line for line in section("Words and values").split("\n\n") if line.startswith("Reserved words"))
    listed = quoted(sentence.split(". ")[0])
    assert listed == {word for word in RESERVED_WORDS if word.islower()}


def test_every_declaration_type_and_unit_is_described():
    declarations = section("Declarations") + section("Timelines")
    words = {piece.split()[0] for piece in quoted(declarations)}
    assert set(DECLARATION_WORDS) <= words
    assert {type_.value for type_ in TypeName} <= words
    durations = quoted(section("Words and values"))
    assert all(any(re.fullmatch(rf"\d*{unit}", piece) for piece in durations) for unit in UNITS)
