"""The windows of the reference, and the example of the paper by it and by the engine."""

import pytest

from cql.reference import evaluate, window
from cql.test_proposition_1 import answers_of_rules

#  time   0   1   2   3   4   5
#  s      a       b   c,d     e
TUPLES = [(0, ("a",)), (2, ("b",)), (3, ("d",)), (3, ("c",)), (5, ("e",))]


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        ("NOW", 3, "cd"),
        ("NOW", 4, ""),
        ("RANGE 0", 3, "cd"),
        ("RANGE 1", 3, "bcd"),
        ("RANGE 2", 5, "cde"),
        ("RANGE UNBOUNDED", 3, "abcd"),
        ("RANGE 2 SLIDE 2", 3, "ab"),
        ("RANGE 2 SLIDE 2", 4, "bcd"),
        ("ROWS 1", 4, "d"),
        ("ROWS 2", 4, "cd"),
        ("ROWS 3", 4, "bcd"),
        ("ROWS 9", 1, "a"),
        ("PARTITION BY x ROWS 1", 5, "abcde"),
    ],
)
def test_the_tuples_in_a_window(text, now, expected):
    assert "".join(sorted(row[0] for _, row in window(TUPLES, text, ["x"], now))) == expected


def test_greater_arguments_are_more_recent_and_numbers_come_before_texts():
    tuples = [(1, ("b", 2)), (1, ("b", 10)), (1, ("a", 30)), (1, (7, 1))]
    assert window(tuples, "ROWS 1", ["x", "y"], 1) == [(1, ("b", 10))]
    assert (1, (7, 1)) not in window(tuples, "ROWS 3", ["x", "y"], 1)


def test_partitions_keep_the_last_of_each_key():
    tuples = [(0, ("a", 1)), (1, ("a", 2)), (1, ("b", 5)), (2, ("b", 3))]
    assert window(tuples, "PARTITION BY x ROWS 1", ["x", "y"], 2) == [(1, ("a", 2)), (2, ("b", 3))]


def test_stream_operators_compare_neighbouring_times():
    cql = """CREATE STREAM s (x INT);
    CREATE VIEW now AS RSTREAM(SELECT a.x AS x FROM s [RANGE 1] AS a);
    CREATE VIEW come AS ISTREAM(SELECT a.x AS x FROM s [RANGE 1] AS a);
    CREATE VIEW gone AS DSTREAM(SELECT a.x AS x FROM s [RANGE 1] AS a)"""
    answers = evaluate(cql, {"s": [(1, (7,))]}, {}, 4)
    assert {name: [len(rows) for rows in held] for name, held in answers.items()} == {
        "now": [0, 1, 1, 0, 0],
        "come": [0, 1, 0, 0, 0],
        "gone": [0, 0, 0, 1, 0],
    }


TRAMS = """CREATE STREAM tram (id TEXT, x TEXT, t1 INT);
CREATE TABLE line (id TEXT, l TEXT);
CREATE TABLE plan (l TEXT, x TEXT, y TEXT, z INT);
CREATE VIEW rel AS SELECT b.l AS l, a.x AS x FROM tram [RANGE 5] AS a, line AS b WHERE a.id = b.id;
CREATE VIEW exp AS SELECT a.id AS id, c.y AS y, a.t1 + c.z AS t2
FROM tram [PARTITION BY id ROWS 1] AS a, line AS b, plan AS c
WHERE a.id = b.id AND b.l = c.l AND a.x = c.x"""


def test_the_example_of_the_paper():
    # Example 2, six times as fast: tram a1 at p1 at time 0, tram a2 at p2 at time 1; the plan says how long to p3.
    facts = {"tram": [(0, ("a1", "p1", 0)), (1, ("a2", "p2", 1))]}
    tables = {
        "line": [("a1", "l1"), ("a2", "l2")],
        "plan": [("l1", "p1", "p3", 8), ("l2", "p2", "p3", 3)],
    }
    expected = evaluate(TRAMS, facts, tables, 7)
    assert expected["rel"][6] == {("l2", "p2")}
    assert expected["exp"][7] == {("a1", "p3", 8), ("a2", "p3", 4)}
    assert answers_of_rules(TRAMS, facts, tables, ["rel", "exp"]) == expected
