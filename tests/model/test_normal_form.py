from __future__ import annotations

from fractions import Fraction

from thalweg.model.formula import Atom, BoxMinus, DiamondMinus, DiamondPlus, Since, Top, Variable
from thalweg.model.lower import lower
from thalweg.model.normal_form import normalise
from thalweg.model.program import Program, Rule
from thalweg.source import Source
from thalweg.syntax.parser import parse_program
from thalweg.time.interval import Interval, point

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


def normal(text: str) -> Program:
    tree, unreadable = parse_program(Source("test.rules", text))
    program, found = lower(tree)
    assert not [each.render() for each in (*unreadable, *found)]
    return normalise(program)


def within(start: int, end: int) -> Interval:
    return Interval(Fraction(start), Fraction(end))


def test_the_papers_example_is_normalised_as_in_the_paper() -> None:
    program = normal(
        "Flag(X, Z) :- Monit(X, Z), boxminus[0,4] diamondminus[0,2] Signal(Z)."
        "boxplus[0,3] Monit(X, Z) :- Flag(Y, Z), Connect(X, Y)."
    )
    assert program.rules == (
        Rule(Atom("Flag#2", (Z,)), (DiamondMinus(within(0, 2), Atom("Signal", (Z,))),)),
        Rule(Atom("Flag#1", (Z,)), (BoxMinus(within(0, 4), Atom("Flag#2", (Z,))),)),
        Rule(Atom("Flag", (X, Z)), (Atom("Monit", (X, Z)), Atom("Flag#1", (Z,)))),
        Rule(Atom("Monit#3", (X, Z)), (Atom("Flag", (Y, Z)), Atom("Connect", (X, Y)))),
        Rule(Atom("Monit", (X, Z)), (DiamondMinus(within(0, 3), Atom("Monit#3", (X, Z))),)),
    )


def test_rules_keep_number_and_origin() -> None:
    program = normal("A(X) :- B(X).\nP(X) :- Q(X), boxminus[0,1] R(X).")
    assert [rule.number for rule in program.rules] == [1, 2, 2]
    assert {rule.origin.place for rule in program.rules[1:] if rule.origin} == {"test.rules:2:1"}


def test_fresh_predicates_get_signatures() -> None:
    program = normal("P(X) :- Q(X), boxminus[0,1] R(X, Y).")
    assert program.signatures["P#1"].arity == 1


def test_nested_head_boxes_add_up() -> None:
    # body at t, head at t + [1, 2] + [3, 4]
    assert normal("boxplus[1,2] boxplus[3,4] P(X) :- Q(X).").rules == (
        Rule(Atom("P", (X,)), (DiamondMinus(within(4, 6), Atom("Q", (X,))),)),
    )


def test_head_boxes_both_ways_become_two_rules() -> None:
    # body at t, head at t + [1, 2] - [0, 3] = t + [-2, 2]
    assert normal("boxplus[1,2] boxminus[0,3] P(X) :- Q(X).").rules == (
        Rule(Atom("P", (X,)), (DiamondMinus(within(0, 2), Atom("Q", (X,))),)),
        Rule(Atom("P", (X,)), (DiamondPlus(within(0, 2), Atom("Q", (X,))),)),
    )


def test_a_diamond_forgets_what_no_one_needs_and_a_box_does_not() -> None:
    program = normal("P(X) :- A(X), diamondminus[0,1] diamondminus[0,1] B(X, Y), boxminus[0,1] boxminus[0,1] B(X, Z).")
    arities = {rule.head.predicate: len(rule.head.arguments) for rule in program.rules}
    assert arities == {"P#2": 1, "P#1": 1, "P#4": 2, "P#3": 1, "P": 1}


def test_a_since_whose_left_variable_is_bound_elsewhere_gets_a_guarded_case() -> None:
    since = within(0, 5)
    program = normal("P(X, Y) :- A(Y) since[0,5] B(X), C(Y).")
    later = Interval(since.start, since.end, start_closed=False)
    assert program.rules == (
        Rule(Atom("P#1", (Y, X)), (Atom("B", (X,)), Atom("C", (Y,)))),
        Rule(Atom("P#1", (Y, X)), (Since(later, Atom("A", (Y,)), Atom("B", (X,))),)),
        Rule(Atom("P", (X, Y)), (Atom("P#1", (Y, X)), Atom("C", (Y,)))),
    )


def test_a_since_whose_left_variable_is_its_own_stays_whole() -> None:
    program = normal("P(X) :- A(X, Y) since[0,5] B(X).")
    assert program.rules == (Rule(Atom("P", (X,)), (Since(within(0, 5), Atom("A", (X, Y)), Atom("B", (X,))),)),)


def test_a_guard_reaches_as_far_as_the_operators_around_it() -> None:
    # The since is needed at t - [0, 3], C holds at t: Y may matter up to 3 before C.
    program = normal("P(Y) :- boxminus[0,3] (A(Y) since[0,0] B), C(Y).")
    guards = [rule for rule in program.rules if DiamondPlus(within(0, 3), Atom("C", (Y,))) in rule.body]
    assert len(guards) == 1


def test_top_and_bottom_leave_no_trace_where_they_say_nothing() -> None:
    assert normal("P(X) :- Q(X), boxminus[0,1] ⊤.").rules == (Rule(Atom("P", (X,)), (Atom("Q", (X,)),)),)
    assert normal("P(X) :- Q(X), diamondplus[0,1] ⊥.").rules == ()
    assert normal("⊤ :- Q(X).").rules == ()
    assert normal("P :- diamondminus[0,1] ⊤.").rules == (Rule(Atom("P"), (Top(),)),)
    once = normal("P(X) :- ⊥ since[0,1] Q(X).").rules
    assert once == (Rule(Atom("P", (X,)), (Atom("Q", (X,)),)),)


def test_since_top_is_a_diamond() -> None:
    program = normal("P(X) :- ⊤ since[1,1] Q(X).")
    assert program.rules == (Rule(Atom("P", (X,)), (DiamondMinus(point(1), Atom("Q", (X,))),)),)


def test_normalising_again_changes_nothing() -> None:
    once = normal("P(X) :- Q(X), boxminus[0,4] diamondminus[0,2] R(X). boxplus[0,1] P(X) :- A(X), not B(X).")
    assert normalise(once).rules == once.rules
