"""Windows, time points, values and counts beside what is chosen."""

import pytest
from answering import answers, texts

import thalweg

CHOICE = "A :- P, not B.\nB :- P, not A.\n"


class TestWindows:
    def test_some_in_a_window_of_chosen_atoms(self):
        # P       │ │         [1,2]
        # A         │         chosen at 2
        # C         ├───┤     [2,4]
        found = answers(CHOICE + "C :- window[last 2] some A.", "P@[1,2]", queries=[*"AC"])
        assert texts(found) == ["", "A@[1,1] C@[1,3]", "A@[1,2] C@[1,4]", "A@[2,2] C@[2,4]"]

    def test_all_in_a_window_is_clipped_to_the_timeline(self):
        found = answers(CHOICE + "C :- window[last 2] all A.", "P@[0,2]", queries="C", mode="brave")
        assert texts(found) == ["C@[0,2]"]

    def test_a_window_of_what_was_not_chosen(self):
        # Choose B only when there was no A for two time points.
        rules = "A :- P, not B.\nB :- P, not window[last 2] some A.\n"
        found = texts(answers(rules, "P@[1,3]", queries=[*"AB"]))
        assert found == ["A@[1,3]", "A@[2,3] B@[1,1]", "A@[3,3] B@[1,2]", "B@[1,3]"]

    def test_a_window_of_the_whole_stream_inside_another(self):
        inner = answers(CHOICE + "C :- window[last 1] (some Q and window[last 3] some A).", "P@1\nQ@[0,5]", queries="C")
        outer = answers(
            CHOICE + "C :- window[last 1] (some Q and window[last 3, of stream] some A).", "P@1\nQ@[0,5]", queries="C"
        )
        assert texts(inner) == ["", "C@[1,2]"]
        assert texts(outer) == ["", "C@[1,4]"]

    def test_a_sliding_window(self):
        found = answers(CHOICE + "C :- window[last 2, slide 2] some A.", "P@1", queries="C")
        assert texts(found) == ["", "C@[2,3]"]

    def test_a_window_over_tuples_of_facts(self):
        found = answers(CHOICE + "C(X) :- A, window[last 1 tuple] some D(X).", "P@4\nD(d)@1\nD(e)@2", queries="C")
        assert texts(found) == ["", "C(e)@[4,4]"]

    def test_a_window_over_tuples_beside_a_choice(self):
        rules = CHOICE + "C :- P, (window[last 1 tuple] some D(e) implies A).\n"
        assert texts(answers(rules, "P@4\nD(d)@1\nD(e)@2", queries=[*"AC"])) == ["", "A@[4,4] C@[4,4]"]
        assert texts(answers(rules, "P@4\nD(e)@1\nD(d)@2", queries=[*"AC"])) == ["A@[4,4] C@[4,4]", "C@[4,4]"]

    def test_windows_over_tuples_by_partition(self):
        rules = CHOICE + "C(X) :- P, D(X), not (A or window[last 1 tuple per 1] some D(X)).\nE :- C(_).\n"
        assert texts(answers(rules, "P@4\nD(e)@4", queries="E")) == [""]


class TestTimes:
    def test_a_head_at_another_time(self):
        rules = "A at T + 1 :- P at T, not B at T + 1.\nB at T + 1 :- P at T, not A at T + 1.\n"
        assert texts(answers(rules, "P@2", queries=[*"AB"])) == ["A@[3,3]", "B@[3,3]"]

    def test_a_time_outside_the_timeline_asks_for_nothing(self):
        assert texts(answers("A at T + 1 :- P at T, not A at T + 1.", "P@5", queries="A")) == [""]

    def test_a_head_with_a_box(self):
        found = answers("boxplus[1,2] A :- P, not B.\nB :- P, not diamondplus[1,1] A.", "P@2", queries=[*"AB"])
        assert texts(found) == ["A@[3,4]", "B@[2,2]"]

    def test_a_box_in_a_head_ends_with_the_timeline(self):
        found = answers("boxplus[1,inf) A :- P, not B.\nB :- P, not diamondplus[1,1] A.", "P@2", queries=[*"AB"])
        assert texts(found) == ["A@[3,5]", "B@[2,2]"]

    def test_since_and_until(self):
        found = answers(CHOICE + "C :- A since[1,2] S.\nD :- A until[1,2] S.", "P@[2,3]\nS@1\nS@4", queries=[*"ACD"])
        assert texts(found) == [
            "A@[2,2] C@[2,3] C@[5,5] D@[0,0] D@[3,3]",
            "A@[2,3] C@[2,3] C@[5,5] D@[0,0] D@[2,3]",
            "A@[3,3] C@[2,2] C@[5,5] D@[0,0] D@[2,3]",
            "C@[2,2] C@[5,5] D@[0,0] D@[3,3]",
        ]

    def test_operators_without_a_bound(self):
        found = answers(
            CHOICE + "C :- P, diamondminus[0,inf) A.\nD :- P, not diamondplus(0,inf) A.", "P@[1,2]", queries=[*"CD"]
        )
        assert texts(found) == ["C@[1,2] D@[1,2]", "C@[1,2] D@[2,2]", "C@[2,2] D@[2,2]", "D@[1,2]"]

    def test_facts_without_an_end(self):
        rules = "A :- P, not B.\nB :- P, not A.\nC :- P, diamondplus[0,inf) (Q and not A)."
        opening = "timeline integer.\n"
        assert texts(answers(rules, "P@1\nQ@[9,inf)", opening=opening, start=0, end=3, queries="C")) == ["C@[1,1]"]
        assert texts(answers(rules, "P@1\nQ@1", opening=opening, start=0, end=3, queries="C")) == ["", "C@[1,1]"]


class TestValues:
    def test_a_choice_for_every_value(self):
        rules = "In(X) :- P(X), not Out(X).\nOut(X) :- P(X), not In(X).\nbottom :- In(X), In(Y), X < Y.\n"
        found = answers(rules, "P(1)@1\nP(2)@1\nP(3)@1", queries="In")
        assert texts(found) == ["", "In(1)@[1,1]", "In(2)@[1,1]", "In(3)@[1,1]"]

    def test_any_value_under_not(self):
        rules = "Gets(X, W) :- Task(X), Worker(W), not Idle(W).\nIdle(W) :- Worker(W), not Gets(_, W).\n"
        found = answers(rules, "Task(t)@1\nTask(u)@1\nWorker(w)@1", queries=["Idle", "Gets"])
        assert texts(found) == ["Gets(t,w)@[1,1] Gets(u,w)@[1,1]", "Idle(w)@[1,1]"]

    def test_comparisons_inside_a_formula(self):
        rules = "A(X) :- P(X), not B(X).\nB(X) :- P(X), not A(X).\nC(X) :- P(X), not (A(X) and X > 1).\n"
        found = answers(rules, "P(1)@1\nP(2)@1", queries="C")
        assert texts(found) == ["C(1)@[1,1]", "C(1)@[1,1] C(2)@[1,1]"]

    def test_arithmetic_in_a_head(self):
        rules = "A(X + 1) :- P(X), not B(X).\nB(X) :- P(X), not A(X + 1).\n"
        assert texts(answers(rules, "P(1)@1", queries=[*"AB"])) == ["A(2)@[1,1]", "B(1)@[1,1]"]

    def test_background_holds_in_every_window(self):
        rules = "background D(x).\ninput P.\n" + CHOICE + "C(X) :- window[last 1] some (A and D(X)).\n"
        assert texts(answers(rules, "P@2\nD(d)", queries="C")) == ["", "C(d)@[2,3]"]

    def test_an_aggregate_of_facts(self):
        rules = "A(N) :- P, N = count { X : D(X) }, not B.\nB :- P, not A(_).\n"
        assert texts(answers(rules, "P@1\nD(d)@1\nD(e)@1", queries=[*"AB"])) == ["A(2)@[1,1]", "B@[1,1]"]

    def test_a_text_where_a_number_is_needed(self):
        rules = "A(X) :- P(X), not B(X).\nB(X) :- P(X), not A(X).\nC(X) :- P(X), not (A(X) and X > 1).\n"
        with pytest.raises(thalweg.ReasoningError, match=r"E502.*in rule 3"):
            answers(rules, "P(a)@1")
