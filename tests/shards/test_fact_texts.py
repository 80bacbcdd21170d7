"""Facts in packets as texts that are read back as the same facts."""

import math
from fractions import Fraction

import pytest

import thalweg
from thalweg.engine.fact_texts import fact_texts, holds_until
from thalweg.engine.packing import pack_batch
from thalweg.engine.read import read_facts_of

PROGRAM = thalweg.parse("Q(X) :- P(X). R(X) :- S(X, Y).")
INTEGERS = thalweg.parse("timeline integer. Q(X) :- P(X). R(X) :- S(X, Y).")
LINES = [
    "P(a)@[1,2.5)",
    "P(5)@(1/3,inf)",
    'P("5")@(-inf,-2]',
    'P("Up \\"and\\" down,\\n(")@[0,0]',
    "S(-1/7,x)@(-inf,inf)",
    "S(2.5,y)@(0,1)",
]


@pytest.mark.parametrize("line", LINES)
def test_a_fact_is_written_as_it_is_read(line):
    (batch,), problems = read_facts_of(PROGRAM, [line + "\n"])
    assert not problems
    assert fact_texts(pack_batch(batch, PROGRAM), PROGRAM.timeline).to_pylist() == [line]


def test_rows_keep_their_order_and_texts_agree_with_answers():
    facts = "P(b)@3\nP(a)@[1,2)\nP(7)@0\n"
    (batch,), _ = read_facts_of(PROGRAM, facts)
    texts = fact_texts(pack_batch(batch, PROGRAM), PROGRAM.timeline).to_pylist()
    assert texts == ["P(b)@[3,3]", "P(a)@[1,2)", "P(7)@[0,0]"]
    assert sorted(texts) == sorted(thalweg.materialise(PROGRAM, facts, queries="P").lines("P").to_pylist())


def test_on_whole_numbers_ends_are_closed():
    (batch,), _ = read_facts_of(INTEGERS, ["P(a)@(1,5)\nP(b)@[3,inf)\n"])
    packet = pack_batch(batch, INTEGERS)
    assert fact_texts(packet, INTEGERS.timeline).to_pylist() == ["P(a)@[2,4]", "P(b)@[3,inf)"]
    assert holds_until(packet, INTEGERS.timeline) == 4


@pytest.mark.parametrize(
    ("facts", "until"),
    [
        ("P(a)@[1,2.5)\nP(b)@1", Fraction(5, 2)),
        ("P(a)@[-3,-2]", -2),
        ("P(a)@(-4,-3)", -3),
        ("P(a)@[1,inf)", -math.inf),
    ],
)
def test_until_when_facts_with_an_end_hold(facts, until):
    (batch,), _ = read_facts_of(PROGRAM, [facts + "\n"])
    assert holds_until(pack_batch(batch, PROGRAM), PROGRAM.timeline) == until
