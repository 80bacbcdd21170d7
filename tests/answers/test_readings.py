"""Rules satisfied at all time points, and at the evaluation time only (LARS paper, Definition 8)."""

import pytest
from answering import OPENING, answers, texts

import thalweg

RULES = "Q :- window[last 2] some P.\nR :- diamondminus[1,1] Q.\n"


class TestStratified:
    def test_at_all_times_rules_build_on_earlier_times(self):
        # P   │          1
        # Q   ├───┤      [1,3]
        # R     ├───┤    [2,4]
        assert texts(answers(RULES, "P@1")) == ["Q@[1,3] P@[1,1] R@[2,4]"]

    def test_at_the_evaluation_time_they_do_not(self):
        found = answers(RULES, "P@1", reading="evaluation-time", at=2)
        assert texts(found) == ["Q@[2,2] P@[1,1]"]

    def test_what_holds_at_a_time(self):
        assert texts(answers(RULES, "P@1", at=2)) == ["Q@[2,2] R@[2,2]"]

    def test_heads_at_a_time_reach_other_times(self):
        rules = "Due at T + 3 :- window[last 2] P at T.\n"
        assert texts(answers(rules, "P@1", reading="evaluation-time", at=2, queries="Due")) == ["Due@[4,4]"]
        assert texts(answers(rules, "P@1", reading="evaluation-time", at=4, queries="Due")) == [""]

    def test_counts_see_only_what_is_derived_then(self):
        rules = "Q(X) :- P(X).\nN(C) :- C = count { X : window[last 2] some Q(X) }.\n"
        assert texts(answers(rules, "P(a)@1\nP(b)@2", at=2, queries="N")) == ["N(2)@[2,2]"]
        assert texts(answers(rules, "P(a)@1\nP(b)@2", reading="evaluation-time", at=2, queries="N")) == ["N(1)@[2,2]"]

    def test_constraints_hold_then_only(self):
        rules = RULES + "bottom :- P.\n"
        assert answers(rules, "P@1", reading="evaluation-time", at=2).count == 1
        assert answers(rules, "P@1", reading="evaluation-time", at=1).count == 0

    def test_without_windows(self):
        assert texts(answers("boxplus[0,2] Q :- P.", "P@[1,2]", opening="", reading="evaluation-time", at="1.5")) == [
            "Q@[1.5,3.5] P@[1,2]"
        ]


class TestChoices:
    CHOICE = "A :- P, not B.\nB :- P, not A.\nC :- window[last 2] some A.\n"

    def test_at_all_times(self):
        assert texts(answers(self.CHOICE, "P@[1,2]", at=2, queries=[*"ABC"])) == [
            "A@[2,2] C@[2,2]",
            "B@[2,2]",
            "B@[2,2] C@[2,2]",
        ]

    def test_at_the_evaluation_time(self):
        found = answers(self.CHOICE, "P@[1,2]", reading="evaluation-time", at=2, queries=[*"ABC"])
        assert texts(found) == ["A@[2,2] C@[2,2]", "B@[2,2]"]

    def test_no_bound_on_time_is_needed_then(self):
        opening = OPENING.replace(" from 0 to 5", "")
        found = answers(self.CHOICE, "P@[1,900]", opening=opening, reading="evaluation-time", at=800, queries=[*"AB"])
        assert texts(found) == ["A@[800,800]", "B@[800,800]"]

    def test_a_head_for_ever_needs_one(self):
        with pytest.raises(thalweg.UsageError, match="finite stretch of time"):
            answers(
                "boxplus[0,inf) A :- P, not B. B :- P, not A.",
                "P@1",
                opening="timeline integer.\n",
                reading="evaluation-time",
                at=1,
            )

    def test_an_odd_loop_at_another_time_does_no_harm(self):
        assert answers("A :- P, not A.", "P@1", reading="evaluation-time", at=2).count == 1
        assert answers("A :- P, not A.", "P@1", reading="evaluation-time", at=1).count == 0


def test_the_evaluation_time_must_be_given():
    with pytest.raises(thalweg.UsageError, match="the reading evaluation-time needs the time"):
        answers(RULES, reading="evaluation-time")


def test_an_unknown_reading():
    with pytest.raises(thalweg.UsageError, match="there is no reading 'always'"):
        answers(RULES, reading="always")
