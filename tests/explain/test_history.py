"""The order in which facts became known."""

import numpy as np

import thalweg
from thalweg.columnar.relation import Relation
from thalweg.engine.history import GIVEN, History
from thalweg.engine.read import read_facts_of
from thalweg.explain.known import Known


def relation(*rows):
    codes, starts, ends = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Relation((codes,), starts, ends)


def numbered(history):
    held, numbers = history.numbered("P", 1)
    rows = zip(held.columns[0], held.start, held.end, numbers, strict=True)
    return sorted(tuple(map(int, row)) for row in rows)


def test_given_facts_come_first_and_additions_in_their_order():
    history = History()
    history.set("P", relation((2, 0, 4)))
    history.add("P", relation((2, 3, 8), (4, 0, 1)))
    history.add("P", relation((2, 0, 10)))
    # code 2   ├────┤             given, [0,4]
    #                ├───┤        first addition: what is new of [3,8]
    #                     ├─┤     second addition: what is new of [0,10]
    assert numbered(history) == [(2, 0, 4, GIVEN), (2, 5, 8, 1), (2, 9, 10, 2), (4, 0, 1, 1)]


def test_an_addition_without_news_has_no_number():
    history = History()
    history.set("P", relation((2, 0, 4)))
    assert not len(history.add("P", relation((2, 1, 3))))
    history.add("P", relation((2, 6, 6)))
    assert numbered(history) == [(2, 0, 4, GIVEN), (2, 6, 6, 1)]


def test_what_is_known_is_what_a_run_derives():
    program = thalweg.parse("Reach(X, Y) :- Edge(X, Y). Reach(X, Z) :- Reach(X, Y), diamondminus[0,1] Edge(Y, Z).")
    facts = "Edge(a,b)@[0,3]\nEdge(b,c)@[2,4]\nEdge(c,a)@[5,6]"
    batches, _ = read_facts_of(program, facts)
    known = Known.of(program, batches)
    model = thalweg.materialise(program, facts)
    for (predicate, values), intervals in model.facts().items():
        assert known.times(predicate, values).intervals == intervals
    assert len(known.history.relation("Reach", 2)) == model.count("Reach")
