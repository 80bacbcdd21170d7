"""Formulas in windows over tuples: what a stream keeps for them, and how far they reach ahead."""

import thalweg


def test_a_stream_keeps_the_tuples_that_a_formula_in_a_window_counts():
    # P   a b             c
    #     1 2             9
    rules = "timeline integer. Two(X) :- window[last 2 tuples] (P(X) at T, P(b) at S)."
    reasoner = thalweg.StreamReasoner(thalweg.parse(rules), "Two")
    facts = {2: "P(a)@1\nP(b)@2", 9: "P(c)@9"}
    found = [reasoner.advance(facts.get(time, ""), time).to_text().split("\n") for time in (2, 5, 9, 20)]
    assert found == [
        ["Two(a)@[2,2]", "Two(b)@[2,2]"],
        ["Two(a)@[3,5]", "Two(b)@[3,5]"],
        ["Two(a)@[6,8]", "Two(b)@[6,9]", "Two(c)@[9,9]"],
        ["Two(b)@[10,20]", "Two(c)@[10,20]"],
    ]


def test_the_next_tuples_of_a_formula_in_a_window_are_no_more_than_asked_for():
    # P   a     b c      b
    #     1     3 4      8
    rules = "timeline integer. Next(X) :- window[next 2 tuples] (P(X) at T, P(b) at S)."
    model = thalweg.materialise(thalweg.parse(rules), "P(a)@1\nP(b)@3\nP(c)@4\nP(b)@8", start=0, end=9)
    assert model.to_text("Next") == "Next(a)@[0,0]\nNext(b)@[0,7]\nNext(c)@[1,3]"
