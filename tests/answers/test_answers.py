"""Answers of programs that are not stratified (LARS paper, Definitions 8 and 9)."""

import sys

import pytest
from answering import answers, texts

import thalweg

CHOICE = "A :- P, not B.\nB :- P, not A.\n"


class TestLoops:
    def test_an_even_loop_leaves_a_choice(self):
        assert texts(answers(CHOICE, "P@1", queries=[*"AB"])) == ["A@[1,1]", "B@[1,1]"]

    def test_a_choice_is_made_at_every_time_point(self):
        found = texts(answers(CHOICE, "P@[1,2]", queries=[*"AB"]))
        assert found == ["A@[1,1] B@[2,2]", "A@[1,2]", "A@[2,2] B@[1,1]", "B@[1,2]"]

    def test_an_odd_loop_has_no_answer(self):
        assert answers("A :- P, not A.", "P@1").count == 0

    def test_an_odd_loop_that_does_not_fire_does_no_harm(self):
        assert texts(answers("A :- P, not A.")) == [""]

    def test_an_odd_loop_through_time_has_an_answer(self):
        # P  ├────┤   A  │ │ │   every second time point: the one before says no
        assert texts(answers("A :- P, not diamondminus[1,1] A.", "P@[1,5]", queries="A")) == ["A@[1,1] A@[3,3] A@[5,5]"]

    def test_a_positive_loop_holds_nothing_up(self):
        assert texts(answers(CHOICE + "C :- D, A. D :- C.", "P@1", queries=[*"CD"])) == [""]

    def test_what_depends_on_a_choice_follows_it(self):
        found = texts(answers(CHOICE + "C(X) :- D(X), not A.", "P@1\nD(d)@[1,2]", queries=[*"AC"]))
        assert found == ["A@[1,1] C(d)@[2,2]", "C(d)@[1,2]"]

    def test_facts_of_a_chosen_predicate_hold(self):
        assert texts(answers(CHOICE, "P@1\nA@[1,2]", queries=[*"AB"])) == ["A@[1,2]"]


class TestConstraints:
    def test_a_constraint_forbids_answers(self):
        assert texts(answers(CHOICE + "bottom :- A.", "P@1", queries=[*"AB"])) == ["B@[1,1]"]

    def test_constraints_can_leave_none(self):
        assert answers(CHOICE + "bottom :- A. bottom :- B.", "P@1").count == 0

    def test_a_constraint_over_time(self):
        found = answers(CHOICE + "bottom :- A, diamondminus[1,1] A.", "P@[1,3]", queries="A")
        assert texts(found) == ["", "A@[1,1]", "A@[1,1] A@[3,3]", "A@[2,2]", "A@[3,3]"]

    def test_a_constraint_that_nothing_chosen_is_in(self):
        assert answers(CHOICE + "bottom :- P, Q.", "P@1\nQ@1").count == 0
        assert answers(CHOICE + "bottom :- P, Q.", "P@1\nQ@2").count == 2

    def test_no_answer_is_a_result(self):
        found = answers("A :- not A.")
        assert (found.count, len(found), list(found), found.to_text()) == (0, 0, [], "No answer.")


class TestReduct:
    """The FLP reduct keeps or drops rules as they are; nested negation is no choice."""

    def test_a_tautology_is_no_condition(self):
        assert texts(answers("A :- P, (A or not A).", "P@1", queries="A")) == ["A@[1,1]"]

    def test_a_double_negation_is_none(self):
        assert texts(answers("A :- P, not not A.", "P@1", queries="A")) == [""]

    def test_nothing_supports_itself_through_two_negations(self):
        assert texts(answers("A :- P, not (Q or not A).", "P@1", queries="A")) == [""]

    def test_implications_between_each_other(self):
        # {A, B} satisfies both, but {A} satisfies its reduct, too.
        found = answers("A :- P, (B implies A).\nB :- P, (A implies B).", "P@1", queries=[*"AB"])
        assert texts(found) == ["A@[1,1]", "B@[1,1]"]

    def test_a_disjunction_is_not_two_rules(self):
        # With A :- P, B. and A :- P, not A. there would be no answer: the second rule drops out of the reduct.
        assert texts(answers("A :- P, (B or not A).\nB :- A.\nA :- B.", "P@1", queries=[*"AB"])) == ["A@[1,1] B@[1,1]"]

    def test_a_disjunction_of_negations(self):
        assert texts(answers("A :- P, not (A and B).\nB :- P, not A.", "P@1", queries=[*"AB"])) == ["A@[1,1]"]


class TestModes:
    RULES = CHOICE + "C :- A. C :- B."

    def test_all(self):
        assert answers(self.RULES, "P@[1,3]").count == 8

    def test_all_with_a_limit(self):
        assert answers(self.RULES, "P@[1,3]", limit=3).count == 3

    def test_one(self):
        (answer,) = answers(self.RULES, "P@[1,3]", mode="one")
        assert answer.holds("C", at=2)

    def test_cautious(self):
        assert texts(answers(self.RULES, "P@[1,3]", mode="cautious", queries=[*"ABC"])) == ["C@[1,3]"]

    def test_brave(self):
        assert texts(answers(self.RULES, "P@1", mode="brave", queries=[*"ABC"])) == ["A@[1,1] B@[1,1] C@[1,1]"]

    @pytest.mark.parametrize("mode", ["one", "cautious", "brave"])
    def test_without_an_answer(self, mode):
        found = answers("A :- not A.", mode=mode)
        assert (found.count, found.to_text()) == (0, "No answer.")

    @pytest.mark.parametrize(("mode", "expected"), [("cautious", [""]), ("brave", ["A@[1,1] B@[1,1]"])])
    def test_by_guessing(self, mode, expected):
        found = answers("A :- P, (B implies A).\nB :- P, (A implies B).", "P@1", mode=mode, queries=[*"AB"])
        assert texts(found) == expected

    def test_answers_that_agree_on_what_is_asked_count_once(self):
        assert answers(self.RULES, "P@[1,3]", queries="C").count == 1
        assert answers(self.RULES, "P@[1,3]", at=2).count == 2

    def test_an_unknown_mode(self):
        with pytest.raises(thalweg.UsageError, match="there is no mode 'some': it is one of all, one, cautious, brave"):
            answers(CHOICE, mode="some")

    def test_a_limit_that_is_none(self):
        with pytest.raises(thalweg.UsageError, match="limit=0 is not a positive number"):
            answers(CHOICE, limit=0)


class TestStratified:
    RULES = "Q :- P, not R. S :- diamondminus[1,1] Q."

    def test_it_has_one_answer(self):
        assert texts(answers(self.RULES, "P@[1,2]\nR@2", queries=("Q", "S"))) == ["Q@[1,1] S@[2,2]"]

    def test_it_is_what_materialise_says(self):
        program = thalweg.parse(self.RULES)
        found = thalweg.answers(program, "P@[1,2.5)\nR@2", start=0, end=9)
        assert found[0].to_text() == thalweg.materialise(program, "P@[1,2.5)\nR@2", start=0, end=9).to_text()

    def test_a_constraint_leaves_none(self):
        assert answers(self.RULES + "bottom :- Q, S.", "P@[1,2]").count == 0
        assert answers(self.RULES + "bottom :- Q, S.", "P@[1,2]", mode="cautious").to_text() == "No answer."

    def test_at_a_time_no_bound_is_needed(self):
        rules = "Q :- P. boxplus[1,1] Q :- Q."
        assert texts(answers(rules, "P@1", opening="timeline integer.\n", at=100)) == ["Q@[100,100]"]

    def test_it_needs_no_clingo(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "clingo", None)
        assert answers(self.RULES, "P@1").count == 1


class TestStretch:
    def test_a_stretch_without_an_end_is_refused(self):
        with pytest.raises(thalweg.UsageError, match="finite stretch of time\n    hint: give start and end"):
            answers(CHOICE, "P@1", opening="timeline integer.\n")

    def test_a_stretch_can_be_given(self):
        found = answers(CHOICE, "P@[1,9]", opening="timeline integer.\n", start=3, end=3, queries=[*"AB"])
        assert texts(found) == ["A@[3,3]", "B@[3,3]"]

    def test_facts_outside_the_stretch_count(self):
        late = CHOICE.replace("P", "diamondminus[1,1] P")
        found = answers(late, "P@2", opening="timeline integer.\n", start=3, end=3, queries=[*"AB"])
        assert texts(found) == ["A@[3,3]", "B@[3,3]"]

    def test_a_timeline_may_begin_late(self):
        found = answers(CHOICE + "C :- all A.", "P@[7,8]", opening="timeline integer from 7 to 8.\n", queries="C")
        assert texts(found) == ["", "C@[7,8]"]

    def test_a_time_outside_the_timeline(self):
        windowed = CHOICE + "C :- all A."
        with pytest.raises(thalweg.UsageError, match="the time 9 is not on the timeline, which goes from 0 to 5"):
            answers(windowed, at=9)
        with pytest.raises(thalweg.UsageError, match=r"the time 1\.5 is not on the integer timeline"):
            answers(windowed, at="1.5")

    def test_a_time_outside_the_stretch(self):
        with pytest.raises(thalweg.UsageError, match="the time 4 lies outside the stretch"):
            answers(CHOICE, at=4, start=0, end=3)

    def test_the_rational_timeline_is_refused(self):
        with pytest.raises(thalweg.ProgramError, match=r"error\[E331\]: A depends on its own absence; such programs"):
            answers(CHOICE, "P@1", opening="", start=0, end=2)


class TestRefusals:
    def test_other_ways_to_reason_ask_for_stratified_programs(self):
        with pytest.raises(thalweg.ProgramError, match=r"E310.*A depends on its own absence"):
            thalweg.parse(CHOICE)
        program = thalweg.parse(CHOICE, stratified=False)
        with pytest.raises(thalweg.ProgramError, match=r"or ask for answers: thalweg run --answers all"):
            thalweg.materialise(program, "P@1")

    def test_an_aggregate_over_a_choice(self):
        with pytest.raises(thalweg.ProgramError) as error:
            answers("A(X) :- P(X), not B(X). B(X) :- P(X), not A(X). C(N) :- N = count { X : A(X) }.")
        (diagnostic,) = error.value.diagnostics
        assert diagnostic.code == "E330"
        assert diagnostic.message == "an aggregate counts A in rule 3, but what holds of A is a choice"
        assert diagnostic.hint == "let it read predicates that do not depend on the choice"

    def test_a_window_over_tuples_of_a_choice(self):
        with pytest.raises(thalweg.ProgramError, match=r"E330.*a window over tuples counts A in rule 3"):
            answers(CHOICE + "C :- window[last 1 tuple] some A.")

    def test_bad_facts(self):
        with pytest.raises(thalweg.DataError):
            answers(CHOICE, "P@")
