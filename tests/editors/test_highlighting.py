"""Colours: every spelling of the language is known to both highlighters, and both agree with the parser."""

import json
import re
import shutil
import subprocess
from importlib.resources import files
from itertools import accumulate
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Error

from editors.grammar_reader import GRAMMAR, ROOT, read
from thalweg.syntax.ast import TypeName
from thalweg.syntax.highlight import Kind, pieces
from thalweg.syntax.pygments_lexer import TOKENS, ThalwegLexer
from thalweg.syntax.tokens import (
    AGGREGATE_WORDS,
    DECLARATION_WORDS,
    OPERATOR_WORDS,
    RESERVED_WORDS,
    SYMBOLS,
    WINDOW_WORDS,
)
from thalweg.time.timeline import Timeline
from thalweg.time.units import UNITS

TEXTMATE = Path(__file__).with_name("textmate")

SCOPES = {
    Kind.COMMENT: ("comment",),
    Kind.KEYWORD: ("keyword",),
    Kind.DECLARATION: ("keyword.declaration",),
    Kind.OPERATOR: ("keyword.operator.word",),
    Kind.CONSTANT: ("constant.language",),
    Kind.SYMBOL: ("keyword.operator",),
    Kind.TYPE: ("support.type",),
    Kind.NUMBER: ("constant.numeric",),
    Kind.STRING: ("string",),
    Kind.PUNCTUATION: ("punctuation", "source"),
    # A grammar that reads a line at a time cannot tell all names apart.
    **dict.fromkeys((Kind.PREDICATE, Kind.VARIABLE, Kind.NAME), ("entity.name", "variable")),
}
"""How the scopes of TextMate begin for each kind of text."""

SAMPLES = {
    **dict.fromkeys(("BOXMINUS", "BOXPLUS", "DIAMONDMINUS", "DIAMONDPLUS"), "A(X) :- {}[0,1] P(X)."),
    **dict.fromkeys(("SINCE", "UNTIL"), "A(X) :- P(X) {}(0,1] Q(X)."),
    **dict.fromkeys(("AND", "OR"), "A(X) :- (P(X) {} Q(X))."),
    "IMPLIES": "A(X) :- P(X), (P(X) {} Q(X)).",
    "NOT": "A(X) :- P(X), {} Q(X).",
    **dict.fromkeys(("SOME", "ALL"), "A(X) :- window[last 5] {} P(X)."),
    "WINDOW": "A(X) :- {}[last 5] some P(X).",
    **dict.fromkeys(("LAST", "NEXT", "SLIDE"), "A(X) :- window[last 5, {} 5] some P(X)."),
    "TUPLES": "A(X) :- window[last 5 {}] some P(X).",
    "PER": "A(X) :- window[last 5 tuples {} 1] some P(X).",
    "OF": "A(X) :- window[last 5, {} stream] some P(X).",
    "STREAM": "A(X) :- window[last 5, of {}] some P(X).",
    "AT": "A(X) :- P(X) {} T.",
    "TOP": "A :- {}.",
    "BOTTOM": "{} :- P(X).",
    "INF": "A(X) :- diamondminus[0,{}) P(X).",
    "EXISTS": "{} Y: A(X, Y) :- P(X).",
    "AGGREGATE": "A(N) :- N = {} {{ X : P(X) }}.",
    "ARROW": "A(X) {} P(X).",
    **dict.fromkeys(("COMPARE", "EQUALS"), "A(X) :- P(X), X {} 5."),
    **dict.fromkeys(("PLUS", "MINUS", "TIMES", "DIVIDE"), "A(X) :- P(X), X < Y {} 5."),
    "ROLE": "{} P(x: string).",
    "TIMELINE": "{} integer.",
    "UNIT": "{} 1s.",
    "TICK": "{} 0.5.",
    "DELAY": "{} P = 3.",
    "PROBABILITY": "{} P = 0.5.",
    "CONST": "{} Limit = 90.",
    "TIME": "{} in last argument.",
    "IN": "time {} last argument.",
    "ARGUMENT": "time in last {}.",
    "FROM": "timeline integer {} 0.",
    "TO": "timeline integer {} 9.",
    "WITH": "delay P = 1 {} 0.5, 0.5.",
    **dict.fromkeys(("LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "COMMA", "COLON", "DOT"), "A(X) {}"),
}
"""A statement for each type of token, with a place for its spelling."""

WORDS = {
    "WINDOW": ("window",),
    "EXISTS": ("exists",),
    "AT": ("at", "@"),
    "FROM": ("from",),
    "TO": ("to",),
    "WITH": ("with",),
    "IN": ("in",),
    "ARGUMENT": ("argument",),
}
"""Spellings that no table of the language has."""

NAMELESS = {"NAME", "NUMBER", "STRING", "RIGHT_ARROW", "AGGREGATE"} | {
    f"{kind}_{side}" for kind in ("INTERVAL", "TIME", "TERM") for side in ("OPEN", "CLOSE")
}
"""Types of tokens without a spelling of their own, or with one that a table has under another type."""


def spellings():
    """All spellings with the types of their tokens, from the tables of the language."""
    tables = (SYMBOLS, OPERATOR_WORDS, RESERVED_WORDS, WINDOW_WORDS, DECLARATION_WORDS)
    found = [(spelling, kind) for table in tables for spelling, kind in table.items()]
    found += [(word, "AGGREGATE") for word in AGGREGATE_WORDS]
    found += [(word, kind) for kind, words in WORDS.items() for word in words]
    return sorted(set(found))


def terminals():
    """The types of tokens that the grammar of the parser knows."""
    grammar = files("thalweg.syntax").joinpath("grammar.lark").read_text()
    return {name for line in re.findall(r"^%declare (.*)$", grammar, flags=re.MULTILINE) for name in line.split()}


def documents():
    """The programs and facts of the repository, and those that its documents show."""
    for path in sorted((*ROOT.rglob("*.rules"), *ROOT.rglob("*.facts"))):
        relative = path.relative_to(ROOT)
        if not {".venv", "node_modules", "errors", "build", "dist"} & set(relative.parts):
            yield str(relative), path.read_text()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        blocks = re.findall(
            r"^```(?:prolog|text) ([\w.-]+\.(?:rules|facts))\n(.*?)^```$", path.read_text(), re.M | re.S
        )
        yield from ((f"{path.name}:{name}", text) for name, text in blocks if name != "mistakes.rules")


DOCUMENTS = [each for each in documents() if "%" not in each[0]]


def scopes_of(lines):
    """The scope of every character of a text, given its lines in pieces."""
    each_line = ([scope for piece, scope in line for _ in piece] for line in lines)
    return [scope for line in each_line for scope in (*line, "")]


def disagreements(text, lines):
    """Where a TextMate grammar sees something else than the parser."""
    scopes = scopes_of(lines)
    found = [(kind, piece) for kind, piece in pieces(text)]
    places = accumulate((len(piece) for _, piece in found), initial=0)
    return [
        (kind.value, piece, scopes[place])
        for (kind, piece), place in zip(found, places, strict=False)
        if kind not in (Kind.SPACE, Kind.ERROR) and not scopes[place].startswith(SCOPES[kind])
    ]


def test_every_type_of_token_has_a_sample():
    assert terminals() - NAMELESS <= set(SAMPLES)
    assert {kind for _, kind in spellings()} <= set(SAMPLES)


@pytest.mark.parametrize(("spelling", "kind"), spellings(), ids=str)
def test_both_know(spelling, kind):
    text = SAMPLES[kind].format(spelling)
    place = SAMPLES[kind].replace("{{", "{").index("{}")
    found = [(each, piece) for each, piece in pieces(text) if piece == spelling]
    assert found
    names = {Kind.PREDICATE, Kind.VARIABLE, Kind.NAME, Kind.ERROR, Kind.SPACE}
    assert not {each for each, _ in found} & names, found
    scope = scopes_of(read(text))[place]
    assert scope.startswith(tuple(start for each, _ in found for start in SCOPES[each])), scope


@pytest.mark.parametrize("word", [*(each.value for each in TypeName), *(each.value for each in Timeline)])
def test_both_know_the_type(word):
    text = f"timeline {word}." if word in {each.value for each in Timeline} else f"input P(x: {word})."
    assert (Kind.TYPE, word) in list(pieces(text))
    assert scopes_of(read(text))[text.index(word, 5)] == "support.type.thalweg"


@pytest.mark.parametrize("unit", UNITS)
def test_both_know_the_unit(unit):
    text = f"A(X) :- boxminus[0,5{unit}] P(X)."
    assert (Kind.NUMBER, f"5{unit}") in list(pieces(text))
    assert [f"5{unit}", "constant.numeric.thalweg"] in read(text)[0]


@pytest.mark.parametrize(("name", "text"), DOCUMENTS, ids=[name for name, _ in DOCUMENTS])
def test_no_document_has_errors(name, text):
    assert "".join(piece for _, piece in pieces(text)) == text
    assert [value for kind, value in ThalwegLexer().get_tokens(text) if kind is Error] == []


def test_the_grammar_agrees_with_the_parser_on_all_documents():
    found = {name: wrong for name, text in DOCUMENTS if (wrong := disagreements(text, read(text)))}
    assert found == {}


def test_a_disagreement_would_be_found():
    text = "A(X) :- P(X)."
    lines = [[[text, "comment.line.thalweg"]]]
    assert len(disagreements(text, lines)) == len([kind for kind, _ in pieces(text) if kind is not Kind.SPACE])


def test_names_are_told_apart():
    text = 'exists O: Op(B, O) :- Belt(B), Temp(B, T), T > limit, Calm, N = count { X, Y : P(X, Y) }, Q("a", b).'
    found = {piece: kind for kind, piece in pieces(text)}
    assert {name for name, kind in found.items() if kind is Kind.PREDICATE} == {"Op", "Belt", "Temp", "Calm", "P", "Q"}
    assert {name for name, kind in found.items() if kind is Kind.VARIABLE} == {"O", "B", "T", "N", "X", "Y"}
    assert {name for name, kind in found.items() if kind is Kind.NAME} == {"limit", "b"}


def test_what_does_not_belong_to_the_language_is_marked():
    assert (Kind.ERROR, ";") in list(pieces("A(X) :- P(X); Q(X)."))
    assert (Kind.ERROR, '"open') in list(pieces('A("open'))


@pytest.mark.parametrize("text", ["A(X :- ", "A(", ")", "exists", "input", "count {", "% only", "", "\n\n", '"', "[-"])
def test_half_a_statement_can_be_read(text):
    assert "".join(piece for _, piece in pieces(text)) == text
    assert "".join(piece for line in read(text) for piece, _ in line) == text.replace("\n", "")


def test_pygments_has_a_colour_for_every_kind():
    assert set(TOKENS) == set(Kind)


def test_pygments_finds_the_lexer():
    assert isinstance(get_lexer_by_name("thalweg"), ThalwegLexer)
    assert isinstance(get_lexer_for_filename("pumps.rules"), ThalwegLexer)
    assert isinstance(get_lexer_for_filename("pumps.facts"), ThalwegLexer)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
@pytest.mark.skipif(not (TEXTMATE / "node_modules").is_dir(), reason="npm ci in tests/editors/textmate, first")
def test_vs_code_reads_documents_as_we_do():
    texts = [text for _, text in DOCUMENTS]
    done = subprocess.run(
        ["node", TEXTMATE / "tokenize.js", GRAMMAR],
        input=json.dumps([text.split("\n") for text in texts]),
        capture_output=True,
        text=True,
        check=True,
    )
    for (name, text), lines in zip(DOCUMENTS, json.loads(done.stdout), strict=True):
        assert [[each for each in line if each[0]] for line in lines] == read(text), name


@pytest.mark.parametrize("name", ["vim/syntax/thalweg.vim", "emacs/thalweg-mode.el"])
def test_other_editors_know_the_words(name):
    text = (ROOT / "editors" / name).read_text().replace("[Dd]", "d").replace("[Bb]", "b").replace("[Ss]", "s")
    words = {spelling for spelling, _ in spellings() if re.fullmatch(r"[a-z]+", spelling)}
    minor = {"from", "to", "with", "in", "argument", "time"}  # they stand in declarations only, and may be names
    assert {word for word in words - minor if not re.search(rf"\b{word}\b", text.replace("[Uu]", "u"))} == set()


def test_the_extension_uses_the_grammar():
    folder = ROOT / "editors" / "vscode"
    package = json.loads((folder / "package.json").read_text())
    (grammar,) = package["contributes"]["grammars"]
    assert grammar["scopeName"] == json.loads(GRAMMAR.read_text())["scopeName"]
    assert Path(grammar["path"]).name in package["scripts"]["prepare"]
    (language,) = package["contributes"]["languages"]
    assert sorted(language["extensions"]) == sorted(each.removeprefix("*") for each in ThalwegLexer.filenames)
    configuration = json.loads((folder / language["configuration"]).read_text())
    assert configuration["comments"]["lineComment"] == "%"
