"""The stream reasoner's surface: output times, delays, refusals."""

from fractions import Fraction

import pytest

import thalweg
from thalweg.engine.output_times import DATA, OutputTimes
from thalweg.engine.read import read_facts_of
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import DataError, InconsistencyError, ProgramError, UsageError


def feed(reasoner, text, to):
    batches, problems = read_facts_of(reasoner.program, text)
    assert not problems
    return reasoner.advance(batches, to).to_text().splitlines()


def reasoner_of(rules, query="Q", *options, **named):
    return StreamReasoner(thalweg.parse(rules), query, *options, **named)


def test_answers_at_the_time_points_of_the_data():
    reasoner = reasoner_of("Q(X) :- diamondminus[0,3] P(X).", "Q", DATA)
    assert feed(reasoner, "P(a)@1\nP(b)@2.5", 4) == ["Q(a)@[1,1]", "Q(a)@[2.5,2.5]", "Q(b)@[2.5,2.5]"]


def test_answers_at_every_step_and_at_given_times():
    reasoner = reasoner_of("Q(X) :- diamondminus[0,3] P(X).", "Q", OutputTimes.every(2))
    assert feed(reasoner, "P(a)@1", 5) == ["Q(a)@[2,2]", "Q(a)@[4,4]"]
    reasoner = reasoner_of("Q(X) :- diamondminus[0,3] P(X).", "Q", OutputTimes.at([1, Fraction(7, 2), 9]))
    assert feed(reasoner, "P(a)@1", 5) == ["Q(a)@[1,1]", "Q(a)@[3.5,3.5]"]


def test_looking_ahead_delays_answers_by_as_much():
    # P        •        3
    # ◇⁺[1,2]  ├──┤     [1, 2], known only when 3 is past
    reasoner = reasoner_of("Q(X) :- diamondplus[1,2] P(X).")
    assert reasoner.delay == 2
    assert feed(reasoner, "", 2) == []
    assert feed(reasoner, "P(a)@3", 3) == ["Q(a)@[1,1]"]
    assert feed(reasoner, "", 4) == ["Q(a)@(1,2]"]
    assert feed(reasoner, "", 9) == []


def test_negation_waits_until_its_time_is_complete():
    reasoner = reasoner_of("Q(X) :- P(X), not R(X).")
    assert feed(reasoner, "P(a)@[0,10]\nR(a)@[3,4)", 2) == ["Q(a)@[0,2]"]
    assert feed(reasoner, "", 10) == ["Q(a)@(2,3)", "Q(a)@[4,10]"]


def test_an_unbounded_since_goes_on_for_as_long_as_its_left_operand():
    reasoner = reasoner_of("Q(X) :- A(X) since[0,inf) B(X).")
    assert feed(reasoner, "A(a)@(0,100]\nB(a)@0", 10) == ["Q(a)@[0,10]"]
    assert feed(reasoner, "", 50) == ["Q(a)@(10,50]"]
    assert feed(reasoner, "", 200) == ["Q(a)@(50,100]"]
    assert reasoner.stored.total <= 3


def test_a_break_at_a_single_point_ends_an_unbounded_since():
    reasoner = reasoner_of("Q(X) :- A(X) since[0,inf) B(X).")
    assert feed(reasoner, "B(a)@0\nA(a)@(0,5)\nA(a)@(5,9)", 5) == ["Q(a)@[0,5]"]
    assert feed(reasoner, "", 9) == []


def test_an_unbounded_diamond_remembers_what_the_window_can_no_longer_derive():
    # A             •            0
    # ◇⁻[1,1] A        •         1, derived from what lies before the window when it is 2
    reasoner = reasoner_of("Q :- diamondminus[0,inf) diamondminus[1,1] A, B.")
    assert feed(reasoner, "A@0", 0) == []
    assert feed(reasoner, "", 2) == []
    assert feed(reasoner, "B@3", 3) == ["Q@[3,3]"]


def test_a_late_fact_is_an_error_that_names_it():
    reasoner = reasoner_of("Q(X) :- P(X).")
    feed(reasoner, "P(a)@1", 5)
    with pytest.raises(DataError, match=r"P\(b\) at 4 comes too late: answers up to 5 are out"):
        feed(reasoner, "P(b)@4", 6)


def test_of_several_batches_the_first_late_fact_is_named_with_its_place():
    reasoner = reasoner_of("Q(X) :- P(X, Y).")
    feed(reasoner, "", 5)
    texts = "P(a, 1)@6\nP(a, 2)@6", "P(b, 2)@7\nP(c, 3)@4\nP(d, 4)@3"
    batches = [batch for text in texts for batch in read_facts_of(reasoner.program, text)[0]]
    with pytest.raises(DataError, match=r"P\(c,3\) at 4 comes too late") as refused:
        reasoner.advance(batches, 8)
    assert str(refused.value.diagnostics[0].place).endswith(":2")


def test_time_does_not_go_back():
    reasoner = reasoner_of("Q(X) :- P(X).")
    feed(reasoner, "", 5)
    with pytest.raises(UsageError, match="it is 5 already"):
        feed(reasoner, "", 5)


def test_a_declared_tick_is_kept():
    reasoner = reasoner_of("tick 1/2. Q(X) :- P(X).")
    with pytest.raises(DataError, match="not a multiple of the tick"):
        reasoner.advance("P(a)@0.25", 1)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("Q(X) :- boxminus[0,inf) P(X).", "boxminus without a bound in rule 1"),
        ("Q(X) :- diamondplus[0,inf) P(X).", "diamondplus without a bound in rule 1"),
        ("Q(X) :- A(X) until[0,inf) P(X).", "until without a bound in rule 1"),
        ("boxminus[0,inf) Q(X) :- P(X).", "boxminus without a bound in the head in rule 1"),
        ("Q(X) :- P(X). Q(X) :- diamondplus[1,1] Q(X).", "the recursion of Q looks ahead again and again"),
    ],
)
def test_what_no_stream_can_answer_is_refused_by_name(rules, message):
    with pytest.raises(ProgramError, match=message):
        reasoner_of(rules)


def test_algorithm_6_can_be_asked_for_only_where_it_applies():
    assert reasoner_of("Q(X) :- diamondminus[0,2] P(X).").algorithm == 6
    assert reasoner_of("Q(X) :- diamondminus[2,2] P(X).").algorithm == 1
    with pytest.raises(ProgramError, match="Algorithm 6 does not apply: an interval is a single time point"):
        reasoner_of("Q(X) :- diamondminus[2,2] P(X).", algorithm=6)


def test_algorithm_6_keeps_one_sharp_fact_for_a_dense_signal():
    program = "Q(X) :- diamondminus[0,4] P(X)."
    held = {}
    for algorithm in (1, 6):
        reasoner = reasoner_of(program, algorithm=algorithm)
        feed(reasoner, "\n".join(f"P(a)@{n / 10:g}" for n in range(1, 200)), Fraction(199, 10))
        held[algorithm] = reasoner.stored.total
    assert held[6] <= 4 < 40 <= held[1]


def test_a_contradiction_stops_the_stream_when_it_appears():
    reasoner = reasoner_of("Q(X) :- P(X). bottom :- P(X), R(X).")
    feed(reasoner, "P(a)@[0,9]\nR(a)@5", 4)
    with pytest.raises(InconsistencyError, match=r"its body holds at \[5,5\]"):
        feed(reasoner, "", 6)


def test_a_head_that_holds_for_ever():
    reasoner = reasoner_of("boxplus[2,inf) Q(X) :- P(X).")
    assert feed(reasoner, "P(a)@1", 2) == []
    assert feed(reasoner, "", 5) == ["Q(a)@[3,5]"]
    assert feed(reasoner, "", 500) == ["Q(a)@(5,500]"]
    assert reasoner.stored.total <= 4


def test_a_reasoner_restored_from_before_its_start_still_has_the_facts_of_its_program():
    rules = "Q(X) :- diamondminus[0,3] P(X). P(a)@1. P(b)@4."
    resumed = reasoner_of(rules)
    resumed.restore(reasoner_of(rules).snapshot())
    assert feed(resumed, "", 9) == feed(reasoner_of(rules), "", 9) == ["Q(a)@[1,4]", "Q(b)@[4,7]"]
