"""What is wrong with the meaning of a query is reported where the query says it."""

import pytest

from thalweg.analysis.checks import check_program
from thalweg.model.lower import lower
from thalweg.source import Source
from thalweg.syntax.cql import translate

SCHEMA = "CREATE STREAM s (id TEXT, x INT);\n"


@pytest.mark.parametrize(
    ("query", "code", "place"),
    [
        ("SELECT x FROM s WHERE id > 3", "E207", "2:23"),
        ("SELECT id + 1 FROM s", "E207", "2:8"),
        ("SELECT a.x FROM s AS a, s AS b WHERE a.id = b.x", "E207", "2:25"),
        ("SELECT x FROM s WHERE x = 1\n  AND id = 5", "E207", "3:7"),
    ],
)
def test_a_wrong_type_is_found_in_the_query(query, code, place):
    tree, found = translate(Source("query.cql", f"{SCHEMA}{query};"))
    program, meaning = lower(tree)
    diagnostics = [*found, *meaning, *check_program(program)]
    assert [(each.code, each.span.place) for each in diagnostics] == [(code, f"query.cql:{place}")]


def test_rules_and_atoms_know_their_query_and_from_item():
    text = f"{SCHEMA}SELECT id FROM s [RANGE 5] AS t;"
    tree, _ = translate(Source("query.cql", text))
    rule = tree.statements[-1]
    assert rule.span.text == "id FROM s [RANGE 5] AS t"
    assert rule.head.formulas[0].span.text == "id"
    assert rule.body[0].span.text == "s"
    assert rule.body[0].window.span.text == "[RANGE 5]"
