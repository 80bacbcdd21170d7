"""Which facts make a formula hold: few of them, and no longer than they are needed."""

import pytest

import thalweg


def premises(body, facts, question="Q(a)@5", rules="", head="Q(X)"):
    """The premises of the one rule for Q, as texts."""
    program = thalweg.parse(f"{rules} {head} :- {body}.")
    data = thalweg.why(program, facts, question).to_json()
    (piece,) = data["pieces"]
    return [each["fact"]["text"] for each in piece["premises"]]


def absent(body, facts, question="Q(a)@5"):
    data = thalweg.why(thalweg.parse(f"Q(X) :- {body}."), facts, question).to_json()
    return [f"{each['text']} {each['interval']}" for each in data["pieces"][0]["absent"]]


def test_an_atom_is_used_when_it_is_asked_for():
    # P   ├─────────┤   [0,9]
    # Q        •        [5,5]
    assert premises("P(X)", "P(a)@[0,9]") == ["P(a)@[5,5]"]


def test_a_diamond_needs_one_of_several_stretches_the_nearest():
    # P  ├┤ ├┤ ├┤       [0,1] [2,3] [4,4.5]
    # Q         •       [5,5], looks back to [1,5]
    assert premises("diamondminus[0,4] P(X)", "P(a)@[0,1]\nP(a)@[2,3]\nP(a)@[4,4.5]") == ["P(a)@[4,4.5]"]


def test_a_diamond_over_a_stretch_needs_as_many_as_cover_it():
    # P  • • •   •      0 1 2 4
    # Q    ├───┤        [1,5], each time looks back 2
    facts = "P(a)@0\nP(a)@1\nP(a)@2\nP(a)@4"
    assert premises("diamondminus[0,2] P(X)", facts, "Q(a)@[1,5]") == ["P(a)@[1,1]", "P(a)@[2,2]", "P(a)@[4,4]"]


def test_a_diamond_into_the_future():
    # Q     •           [5,5], looks ahead to [6,8]
    # P        ├──────┤ [7,12]
    assert premises("diamondplus[1,3] P(X)", "P(a)@[7,12]") == ["P(a)@[7,8]"]


def test_a_box_needs_the_whole_stretch():
    # P  ├───────┤      [0,9]
    # Q     ├┤          [5,6], looks back to (2,5]
    assert premises("boxminus[1,3) P(X)", "P(a)@[0,9]", "Q(a)@[5,6]") == ["P(a)@(2,5]"]


def test_a_box_into_the_future():
    assert premises("boxplus[0,2] P(X)", "P(a)@[0,9]") == ["P(a)@[5,7]"]


def test_since_needs_a_witness_and_what_lies_between():
    # R   •             2
    # L   (────┤        (2,9]
    assert premises("L(X) since[0,5] R(X)", "R(a)@2\nL(a)@(2,9]") == ["R(a)@[2,2]", "L(a)@(2,5)"]


def test_since_needs_no_left_operand_where_the_right_holds():
    assert premises("L(X) since[0,5] R(X)", "R(a)@5\nL(a)@(2,9]") == ["R(a)@[5,5]"]


def test_until_is_since_backwards():
    assert premises("L(X) until[1,5] R(X)", "R(a)@8\nL(a)@(2,9]") == ["R(a)@[8,8]", "L(a)@(5,8)"]


def test_since_on_the_integers_may_begin_a_step_before():
    rules = "timeline integer."
    assert premises("L(X) since[1,5] R(X)", "R(a)@4\nL(a)@[9,9]", rules=rules) == ["R(a)@[4,4]"]
    assert premises("L(X) since[1,5] R(X)", "R(a)@3\nL(a)@[4,4]", rules=rules) == ["R(a)@[3,3]", "L(a)@[4,4]"]


def test_a_disjunction_needs_one_of_its_parts():
    assert premises("(P(X) or R(X))", "P(a)@[0,4]\nR(a)@[4,9]") == ["R(a)@[5,5]"]
    facts = "P(a)@[0,5]\nR(a)@[4,9]"
    assert premises("boxminus[0,3] (P(X) or R(X))", facts, "Q(a)@6") == ["P(a)@[3,5]", "R(a)@(5,6]"]


def test_nested_operators_add_up():
    # P  ├┤   ├┤        [0,1] [3,4]
    # Q       •         [5,5]: throughout [3,5], P at most 2 before
    facts = "P(a)@[0,1]\nP(a)@[3,4]"
    assert premises("boxminus[0,2] diamondminus[0,2] P(X)", facts) == ["P(a)@[3,4]"]


def test_a_negation_speaks_of_the_times_it_is_asked_at():
    assert absent("P(X), not R(X)", "P(a)@[0,9]", "Q(a)@[5,6]") == ["R(a) [5,6]"]
    assert absent("P(X), not R(X, _)", "P(a)@[0,9]\nR(b,c)@5") == ["R(a,_) [5,5]"]
    assert absent("P(X), not diamondminus[0,2] R(X)", "P(a)@[0,9]") == ["diamondminus[0,2] R(a) [5,5]"]


def test_a_negation_inside_a_diamond_holds_somewhere():
    # R  ├──┤           [4,9]
    assert absent("P(X), diamondminus[0,2] not R(X)", "P(a)@[0,9]\nR(a)@[4,9]") == ["R(a) [3,4)"]


def test_a_head_in_the_future_rests_on_the_past():
    assert premises("P(X)", "P(a)@2", head="boxplus[0,5] Q(X)") == ["P(a)@[2,2]"]


def test_a_conclusion_in_pieces_when_no_instance_gives_all_of_it():
    program = thalweg.parse("Q(X) :- P(X, Y).")
    data = thalweg.why(program, "P(a,b)@[0,3]\nP(a,c)@[2,6]\nQ(a)@[6,9]", "Q(a)@[1,8]").to_json()
    shown = [(each["interval"], each["kind"], each.get("instance", {}).get("Y")) for each in data["pieces"]]
    assert shown == [("[1,3]", "rule", "b"), ("(3,6]", "rule", "c"), ("(6,8]", "given", None)]


def test_given_facts_that_meet_are_told_apart():
    data = thalweg.why(thalweg.parse("Q(X) :- P(X)."), "P(a)@[0,3]\nP(a)@[3,6]", "P(a)@[1,5]").to_json()
    assert [(each["interval"], each["source"]) for each in data["pieces"]] == [
        ("[1,3]", "facts:1"),
        ("(3,5]", "facts:2"),
    ]


WINDOWS = "timeline integer from 0 to 20. input P. input R."


@pytest.mark.parametrize(
    ("body", "question", "expected"),
    [
        ("window[last 3] some P(X)", "Q(a)@[5,7]", ["P(a)@[4,4]"]),
        ("window[last 3] all R(X)", "Q(a)@6", ["R(a)@[3,6]"]),
        ("window[last 3, next 2] all R(X)", "Q(a)@5", ["R(a)@[2,7]"]),
        ("window[last 4] (P(X) at T), T < 5", "Q(a)@6", ["P(a)@[4,4]"]),
        ("window[last 5, slide 5] some P(X)", "Q(a)@9", ["P(a)@[4,4]"]),
        ("window[last 1 tuples per 1] some P(X)", "Q(a)@[12,20]", ["P(a)@[9,9]"]),
        ("window[last 3 tuples] some P(X)", "Q(b)@[12,20]", ["P(b)@[12,12]"]),
        ("window[last 6] some (P(X), window[last 2] some R(X))", "Q(a)@9", ["P(a)@[9,9]", "R(a)@[8,8]"]),
        ("window[last 6] all (P(X) or R(X))", "Q(a)@7", ["R(a)@[1,7]"]),
    ],
)
def test_windows(body, question, expected):
    facts = "P(a)@4\nP(a)@9\nP(b)@12\nR(a)@[1,8]\nP(a)@1"
    assert premises(body, facts, question, rules=WINDOWS) == expected


def test_an_aggregate_rests_on_its_elements():
    program = thalweg.parse("Q(X, N) :- G(X), N = count { Y : P(X, Y) }.")
    data = thalweg.why(program, "G(a)@[0,9]\nP(a,b)@[0,9]\nP(a,c)@[4,6]\nP(d,c)@[4,6]", "Q(a,2)@5").to_json()
    (piece,) = data["pieces"]
    assert [each["fact"]["text"] for each in piece["premises"]] == ["G(a)@[5,5]", "P(a,b)@[5,5]", "P(a,c)@[5,5]"]
    assert piece["conditions"] == ["2 = count { Y : P(a,Y) }"]


def test_an_aggregate_of_many_elements_shows_some():
    facts = "\n".join(["G(a)@5", *(f"P(a,{number})@5" for number in range(80))])
    data = thalweg.why(thalweg.parse("Q(X, N) :- G(X), N = count { Y : P(X, Y) }."), facts, "Q(a,80)@5").to_json()
    (piece,) = data["pieces"]
    assert len(piece["premises"]) == 51
    assert piece["conditions"] == ["80 = count { Y : P(a,Y) }, 30 of 80 elements not shown"]
