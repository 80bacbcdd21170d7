"""What queries answer: at a time, over time, with and without nulls."""

from fractions import Fraction

import pytest
from asking import DATA, EXAMPLE_1, ask, holds

import thalweg
from thalweg.null import Null


class TestBooleanQueries:
    def test_the_query_of_the_paper(self):
        # beltTmp(b1, 90)            x x x x x . . . . .
        # warn(b1)                   x x x x x . . . . .
        # window 5 all warn(b1)      x x x x x . . . . .
        query = "exists X: window 5 all warn(X)"
        assert [time for time in range(10) if holds(query, time)] == [0, 1, 2, 3, 4]
        assert ask(query) == ["answer@[0,4]"]

    def test_example_1(self):
        both = "exists V: warn(b1), beltOperator(b1, V)"
        assert holds(both, at=4)
        assert not holds(both, at=5)
        assert holds("exists V: beltOperator(b1, V)", at=5)

    def test_a_query_without_variables_is_boolean(self):
        assert ask("warn(b1)") == ["answer@[0,4]"]
        assert ask("warn(b2)") == []

    def test_anonymous_variables_are_not_asked_for(self):
        assert ask("warn(_), beltTmp(_, _)") == ["answer@[0,4]"]

    def test_top_holds_on_the_whole_timeline(self):
        assert ask("top") == ["answer@[0,9]"]
        assert ask("top", "timeline integer.", "") == ["answer@(-inf,inf)"]

    def test_one_value_serves_at_all_time_points_of_a_window(self):
        facts = "p(a)@[1,2]\np(b)@[3,4]"
        rules = "timeline integer from 0 to 9. predicate p(x)."
        assert ask("exists X: window 1 all p(X)", rules, facts) == ["answer@[2,2]", "answer@[4,4]"]
        assert ask("window 1 all (p(a) or p(b))", rules, facts) == ["answer@[2,4]"]


class TestAnswers:
    def test_variables_are_columns_in_the_order_in_which_they_were_written(self):
        program = thalweg.parse(EXAMPLE_1)
        found = thalweg.query(program, DATA, "window 0 (beltTmp(X, Y) at T), high(Y)", at=2)
        assert found.columns == ("X", "Y", "T")
        assert list(found) == [("b1", Fraction(90), Fraction(2))]

    def test_existential_variables_are_projected_away(self):
        assert ask("exists Y: beltTmp(X, Y)") == ["answer(b1)@[0,9]"]
        assert ask("beltTmp(X, Y)") == ["answer(b1,70)@[5,9]", "answer(b1,90)@[0,4]"]

    def test_the_same_row_at_several_times(self):
        facts = "p(a)@1\np(a)@[4,6]\np(b)@1"
        found = thalweg.query(thalweg.parse("timeline integer. predicate p(x)."), facts, "p(X)")
        assert list(found) == [("a",), ("b",)]
        assert [str(each) for each in found.times("a")] == ["[1,1]", "[4,6]"]
        assert found.holds("a", at=5)
        assert not found.holds("a", at=2)
        assert not found.holds("c", at=1)

    def test_a_join_over_two_atoms(self):
        facts = "e(a,b)@[0,5]\ne(b,c)@[3,9]\ne(c,a)@[9,9]"
        assert ask("exists Y: e(X, Y), e(Y, Z)", "timeline integer.", facts) == [
            "answer(a,c)@[3,5]",
            "answer(b,a)@[9,9]",
        ]

    def test_a_variable_twice_in_an_atom(self):
        assert ask("e(X, X)", "timeline integer.", "e(a,b)@1\ne(c,c)@2") == ["answer(c)@[2,2]"]

    def test_the_time_points_of_a_window(self):
        # warn(b1)   x x x x x . . . . .
        # at 6, window 3:  . [3 4 5 6]
        assert ask("window 3 (warn(X) at T)", at=6) == ["answer(b1,3)@[6,6]", "answer(b1,4)@[6,6]"]

    def test_times_as_they_go_on(self):
        assert ask("window 1 (warn(b1) at T)", start=4) == ["answer(3)@[4,4]", "answer(4)@[4,5]"]

    def test_arithmetic(self):
        assert ask("beltTmp(X, Y), D = Y - 75, D > 0") == ["answer(b1,90,15)@[0,4]"]
        assert ask("window 3 (warn(X) at T), S = T + 1, S <= 4", at=5) == [
            "answer(b1,2,3)@[5,5]",
            "answer(b1,3,4)@[5,5]",
        ]

    def test_negation_and_aggregates(self):
        assert ask("belt(X), not warn(X)") == ["answer(b1)@[5,9]"]
        assert ask("N = count { X : warn(X) }") == ["answer(0)@[5,9]", "answer(1)@[0,4]"]

    def test_declared_constants_and_units(self):
        rules = "unit 1s. timeline integer. const limit = 80. hot(X) :- temp(X, T), T > limit."
        facts = "temp(b1,90)@[0,4]"
        assert ask("hot(X), temp(X, T), T - limit = D", rules, facts) == ["answer(b1,90,10)@[0,4]"]
        assert ask("window 1min some hot(X)", rules, facts, end=100) == ["answer(b1)@[0,64]"]

    def test_predicates_that_only_facts_have(self):
        facts = DATA + "extra(b1,3)@[8,9]\nextra(b2,3)@[8,9]"
        assert ask("extra(X, N), belt(X)", facts=facts) == ["answer(b1,3)@[8,9]"]

    def test_facts_in_the_program(self):
        assert ask("p(X)", "p(a)@[1,2]. p(b)@2.", "", at=2) == ["answer(a)@[2,2]", "answer(b)@[2,2]"]

    def test_a_program_may_have_a_predicate_that_is_called_answer(self):
        assert ask("answer(X)", "timeline integer. answer(X) :- p(X).", "p(a)@1") == ["answer(a)@[1,1]"]

    def test_as_a_table(self):
        table = thalweg.query(thalweg.parse(EXAMPLE_1), DATA, "beltTmp(Belt, Degrees)", at=3).table()
        assert table.to_pylist() == [
            {"Belt": "b1", "Degrees": 90, "start": 3, "end": 3, "start_closed": True, "end_closed": True}
        ]


class TestNulls:
    def test_answers_are_certain(self):
        assert ask("beltOperator(X, Y)") == []
        assert ask("beltOperator(X, Y)", at=3) == []

    def test_nulls_when_asked_for(self):
        assert ask("beltOperator(X, Y)", at=3, nulls=True) == ["answer(b1,_:Y.2(b1@3))@[3,3]"]
        found = thalweg.query(thalweg.parse(EXAMPLE_1), DATA, "beltOperator(_, Y)", at=3, nulls=True)
        assert list(found) == [(Null(2, "Y", ("b1",), 3),)]
        assert found.holds(Null(2, "Y", ("b1",), 3), at=3)

    def test_nulls_do_for_values_that_are_not_asked_for(self):
        assert ask("exists Y: beltOperator(X, Y)") == ["answer(b1)@[0,9]"]
        assert ask("exists X, Y: beltOperator(X, Y)") == ["answer@[0,9]"]

    def test_values_of_the_facts_are_certain_beside_nulls(self):
        facts = DATA + "beltOperator(b1,joe)@[2,3]\n"
        assert ask("beltOperator(X, Y)", facts=facts) == ["answer(b1,joe)@[2,3]"]

    def test_nulls_join(self):
        rules = """
            timeline integer from 0 to 9.
            exists Y: works(X, Y), person(Y) :- belt(X).
            lazy(Y) :- works(X, Y), idle(X).
        """
        facts = "belt(b1)@[0,5]\nidle(b1)@[4,5]"
        assert ask("exists Y: works(X, Y), lazy(Y), person(Y)", rules, facts) == ["answer(b1)@[4,5]"]

    def test_a_null_that_does_not_depend_on_time_lasts(self):
        rules = "timeline integer from 0 to 9. exists Y per X: op(X, Y) :- belt(X)."
        per_point = rules.replace(" per X", "")
        query = "exists X, Y: window 2 all op(X, Y)"
        assert ask(query, rules, "belt(b1)@[0,4]", start=2) == ["answer@[2,4]"]
        assert ask(query, per_point, "belt(b1)@[0,4]", start=2) == []


class TestTimes:
    def test_at_a_time_or_inside_a_stretch(self):
        assert ask("warn(X)", start=2, end=7) == ["answer(b1)@[2,4]"]
        assert ask("warn(X)", at=4) == ["answer(b1)@[4,4]"]
        assert ask("warn(X)", at="4") == ["answer(b1)@[4,4]"]

    def test_the_rational_timeline(self):
        rules = "Hot(X) :- diamondminus[0,1/2] Temp(X)."
        assert ask("Hot(X)", rules, "Temp(a)@[1,2)") == ["answer(a)@[1,2.5)"]
        assert holds("Hot(a)", Fraction(9, 4), rules, "Temp(a)@[1,2)")
        assert not holds("Hot(a)", 2.5, rules, "Temp(a)@[1,2)")

    @pytest.mark.parametrize(
        ("at", "message"),
        [
            ("2.5", "at 2.5: the integer timeline has no time between two integers"),
            (12, r"at 12 lies outside the timeline, \[0,9\]"),
            (-1, r"at -1 lies outside the timeline, \[0,9\]"),
            ("noon", "at='noon' is not an exact number"),
            (float("inf"), "at inf: write a time at which the query is asked"),
        ],
    )
    def test_times_that_there_are_not(self, at, message):
        with pytest.raises(thalweg.UsageError, match=message):
            ask("warn(X)", at=at)

    def test_a_time_beside_the_tick(self):
        with pytest.raises(thalweg.UsageError, match=r"at 1/3 is not a multiple of the tick, 0\.5"):
            ask("P(X)", "tick 1/2. P(X) :- Q(X).", "Q(a)@1", at="1/3")

    def test_a_time_and_a_stretch(self):
        with pytest.raises(thalweg.UsageError, match="at=3 does not go with start or end"):
            ask("warn(X)", at=3, end=4)

    def test_without_windows_all_times_can_be_asked_for(self):
        rules = "timeline integer. p(X) :- q(X)."
        assert ask("p(X)", rules, "q(a)@-3") == ["answer(a)@[-3,-3]"]

    def test_a_query_with_a_window_makes_it_a_program_with_windows(self):
        rules = "timeline integer. p(X) :- q(X)."
        assert ask("window 2 some p(X)", rules, "q(a)@3") == ["answer(a)@[3,5]"]
        with pytest.raises(thalweg.DataError, match="outside the timeline"):
            ask("window 2 some p(X)", rules, "q(a)@-3")


class TestCalls:
    def test_programs_and_facts_as_files(self, tmp_path):
        (tmp_path / "belts.rules").write_text(EXAMPLE_1)
        (tmp_path / "belts.facts").write_text(DATA)
        assert thalweg.query(tmp_path / "belts.rules", tmp_path / "belts.facts", "warn(b1)", at=4)

    def test_bad_facts(self):
        with pytest.raises(thalweg.DataError):
            ask("warn(X)", facts=DATA + "belt(b1)@\n")
        assert ask("warn(X)", facts=DATA + "belt(b1)@\n", skip_bad=True) == ["answer(b1)@[0,4]"]

    def test_a_program_that_is_not_stratified(self):
        program = thalweg.parse("timeline integer. p :- q, not p.", stratified=False)
        with pytest.raises(thalweg.ProgramError, match="not stratified"):
            thalweg.query(program, "", "p", at=3)

    def test_a_limit_on_rounds_reaches_the_engine(self):
        rules = "timeline integer. n(N) :- start(N). n(M) :- n(N), M = N + 1."
        with pytest.raises(thalweg.ReasoningError, match="rule 2 still derives new facts of n after 5 rounds"):
            ask("exists N: n(N)", rules, "start(0)@0", max_rounds=5)

    def test_the_restricted_chase_makes_fewer_nulls(self):
        rules = "timeline integer from 0 to 9. exists Y: op(X, Y) :- belt(X). op(X, joe) :- belt(X), night(X)."
        facts = "belt(b1)@[0,2]\nnight(b1)@0\nop(b1,ann)@1"
        skolem = ask("op(b1, Y)", rules, facts, nulls=True, end=1)
        restricted = ask("op(b1, Y)", rules, facts, nulls=True, end=1, chase="restricted")
        assert len(skolem) == 4
        assert "answer(ann)@[1,1]" in restricted
        assert len(restricted) < 4
        assert ask("op(b1, Y)", rules, facts, chase="restricted") == ask("op(b1, Y)", rules, facts)
        with pytest.raises(thalweg.UsageError, match="chase='core': write skolem or restricted"):
            ask("op(b1, Y)", rules, facts, chase="core")

    def test_values_that_do_not_fit_the_columns(self):
        found = thalweg.query(thalweg.parse(EXAMPLE_1), DATA, "warn(X)")
        with pytest.raises(thalweg.UsageError, match="the query asks for X, and 0 values were given"):
            found.times()
