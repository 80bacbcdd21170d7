"""Whatever the text, there is a program that reads back, or a mistake with a place: never an exception."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.source import Source
from thalweg.syntax.cql import translate
from thalweg.syntax.cql.codes import CQL_CODES
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_program

SCHEMA = "CREATE STREAM s (id TEXT, x INT); CREATE TABLE line (id TEXT, l TEXT); "
VOCABULARY = """
    SELECT FROM WHERE GROUP BY HAVING AND OR NOT EXISTS IN BETWEEN AS JOIN ON DISTINCT ISTREAM RSTREAM CREATE VIEW
    STREAM TABLE COUNT SUM MAX RANGE SLIDE ROWS PARTITION NOW UNBOUNDED SECONDS UNION ORDER LIMIT CASE NULL TRUE LIKE
    WITH s line t id x l rowtime v TEXT INT 'a' 'b''c' "id" 1 2.5 -3 ( ) [ ] , ; . * + - / = <> < >= % :: ? -- /* */
    ' " { } @ #
"""
WORDS = re.findall(r"\S+", VOCABULARY)
words = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
selects = st.lists(
    st.sampled_from(["id", "x", "s.x", "COUNT(*)", "*", "x + 1", "'a'", "SUM(x) AS n"]), min_size=1, max_size=3
)
froms = st.lists(
    st.sampled_from(["s", "s [RANGE 5]", "s AS t", "s AS t [ROWS 2]", "line", "(SELECT id FROM s) AS q"]),
    min_size=1,
    max_size=3,
)
tails = st.lists(
    st.sampled_from(
        ["WHERE x > 1", "WHERE id = 'a'", "WHERE EXISTS (SELECT 1 FROM line WHERE line.id = s.id)", "GROUP BY id",
         "HAVING COUNT(*) > 1", "WHERE x = 1 OR x = 2", "ORDER BY x", "WHERE s.rowtime < 3"]
    ),
    max_size=2,
)  # fmt: skip
queries = st.builds(
    lambda select, source, tail: f"SELECT {', '.join(select)} FROM {', '.join(source)} {' '.join(tail)};",
    selects, froms, tails,
)  # fmt: skip


@given(st.text(max_size=60) | words | words.map(SCHEMA.__add__) | queries.map(SCHEMA.__add__))
@settings(max_examples=amount(160))
def test_a_text_has_a_translation_or_a_mistake(text):
    program, found = translate(Source("any.cql", text))
    assert all(each.code in CQL_CODES and each.hint and each.span for each in found)
    assert all(each.span.end <= len(text) for each in found)
    again, wrong = parse_program(Source("any.rules", format_program(program)))
    assert [diagnostic.render() for diagnostic in wrong] == []
    assert again == program
    if not found:
        assert any("output" in line for line in format_program(program).splitlines())
