"""The answers of the rules are the answers of the queries (LARS paper, Proposition 1), far beyond the core fragment."""

import re

import pytest
from hypothesis import given, settings

import thalweg
from cql.generated import END, files, streams
from cql.reference import evaluate, exact
from thalweg.source import Source
from thalweg.syntax.cql import translate
from thalweg.syntax.printer import format_program

NORMAL, SOAK = 80, 3000


@given(files(), streams())
@settings(max_examples=NORMAL)
def test_the_rules_have_the_answers_of_the_queries(cql, data):
    check(cql, *data)


@pytest.mark.soak
@given(files(), streams())
@settings(max_examples=SOAK)
def test_the_rules_have_the_answers_of_the_queries_at_length(cql, data):
    check(cql, *data)


def check(cql, facts, tables):
    expected = evaluate(cql, facts, tables, END)
    assert answers_of_rules(cql, facts, tables, list(expected)) == expected, rules_of(cql)


def answers_of_rules(cql, facts, tables, queries):
    """The rows of each query at each time, by the engine."""
    model = thalweg.materialise(
        thalweg.parse(rules_of(cql)), fact_text(facts, tables), start=0, end=END, queries=queries
    )
    answers = {query: [set() for _ in range(END + 1)] for query in queries}
    for (predicate, row), intervals in model.facts().items():
        for interval in intervals if predicate in answers else ():
            for time in range(max(int(interval.start), 0), min(int(interval.end), END) + 1):
                answers[predicate][time].add(exact(row))
    return answers


def rules_of(cql):
    program, found = translate(Source("query.cql", cql))
    assert [diagnostic.render() for diagnostic in found] == []
    return re.sub(r"^timeline integer\.", f"timeline integer from 0 to {END}.", format_program(program))


def fact_text(facts, tables):
    timed = [f"{name}{_arguments(row)}@{time}" for name, tuples in facts.items() for time, row in tuples]
    return "\n".join([*timed, *(f"{name}{_arguments(row)}" for name, rows in tables.items() for row in rows)])


def _arguments(row):
    return f"({','.join(map(str, row))})"
