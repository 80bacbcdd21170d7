"""Answers at every time point as time advances."""

import pytest
from answering import texts

import thalweg

CHOICE = "timeline integer.\nA :- P, not B.\nB :- P, not A.\nC :- window[last 2] some A.\n"


def stream(rules=CHOICE, **options):
    return thalweg.AnswerStream(thalweg.parse(rules, stratified=False), **options)


def seen(found):
    return {each.time: texts(each.answers) for each in found}


def test_every_time_point_is_answered():
    answering = stream(queries=[*"ABC"])
    assert seen(answering.advance("P@1", to=2)) == {1: ["A@[1,1] C@[1,1]", "B@[1,1]"], 2: ["", "C@[2,2]"]}
    assert seen(answering.advance("P@4", to=4)) == {3: ["", "C@[3,3]"], 4: ["A@[4,4] C@[4,4]", "B@[4,4]"]}
    assert answering.now == 4


def test_answers_are_those_of_the_current_window():
    answering = stream(queries=[*"ABC"])
    facts = "P@1\nP@2\nP@5\nP@6"
    program = thalweg.parse(CHOICE, stratified=False)
    for each in answering.advance(facts, to=8):
        around = thalweg.answers(
            program, facts, start=max(0, each.time - 2), end=each.time, at=each.time, queries=[*"ABC"]
        )
        assert texts(each.answers) == texts(around)


def test_the_window_reaches_as_far_as_the_rules():
    assert stream().window == 2
    assert stream(CHOICE + "D :- diamondminus[1,3] C.").window == 5
    assert stream(CHOICE + "D :- diamondminus[1,3] C.", reading="evaluation-time").window == 3
    assert stream(window=7).window == 7


def test_rules_that_reach_back_for_ever_need_a_window():
    rules = "timeline integer.\nA :- P, not diamondminus[1,1] A.\n"
    with pytest.raises(thalweg.UsageError, match="the rules reach back without a bound"):
        stream(rules)
    answering = stream(rules, window=1, queries="A")
    # With two time points in the window, the first of them has no A before it.
    assert seen(answering.advance("P@[1,3]", to=3)) == {1: ["A@[1,1]"], 2: [""], 3: [""]}


def test_old_facts_are_forgotten():
    answering = stream()
    answering.advance("P@1\nP@2", to=100)
    assert sum(map(len, answering._given.values())) == 0


def test_a_window_that_has_no_answer_is_told():
    answering = stream("timeline integer.\nA :- P, not A.\n")
    assert {each.time: each.answers.count for each in answering.advance("P@2", to=3)} == {2: 0, 3: 1}


def test_evaluation_time_gives_whole_answers():
    answering = stream(CHOICE, reading="evaluation-time", queries=[*"PA"])
    assert seen(answering.advance("P@2\nP@3", to=3))[3] == ["P@[2,3]", "P@[2,3] A@[3,3]"]


def test_stratified_programs_have_one_answer_at_a_time():
    answering = stream("timeline integer.\nQ :- window[last 1] some P.\n", queries="Q")
    assert seen(answering.advance("P@1", to=3)) == {1: ["Q@[1,1]"], 2: ["Q@[2,2]"], 3: [""]}


def test_a_stream_can_start_before_its_first_fact():
    assert [each.time for each in stream(start=0).advance("P@2", to=2)] == [0, 1, 2]


def test_facts_of_the_program_and_the_background_count():
    rules = "timeline integer.\nbackground D(x).\ninput P.\nP@2.\nA(X) :- P, D(X), not B.\nB :- P, not A(_).\n"
    answering = stream(rules, queries=[*"AB"])
    assert seen(answering.advance("D(d)", to=2)) == {2: ["A(d)@[2,2]", "B@[2,2]"]}


def test_late_facts_are_refused():
    answering = stream()
    answering.advance("P@1", to=2)
    with pytest.raises(thalweg.DataError, match=r"error\[E450\]: P at 2 comes too late: answers up to 2 are out"):
        answering.advance("P@2", to=3)


def test_time_does_not_go_back():
    answering = stream()
    answering.advance("P@1", to=2)
    with pytest.raises(thalweg.UsageError, match="cannot advance to 2: answers up to 2 are out"):
        answering.advance(to=2)


def test_the_rational_timeline_has_no_time_points():
    with pytest.raises(thalweg.UsageError, match="declare timeline integer"):
        stream("Q :- P.")
