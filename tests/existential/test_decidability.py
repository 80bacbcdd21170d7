"""Whether the chase of LARS+ programs ends (LARS+ paper, Section 4): strip, wfree, groundings, LWA and TLWA."""

import gc
from fractions import Fraction

import pytest
from acyclicity_helpers import (
    critical,
    ends,
    ends_on_stream,
    lars_plus_program,
    program,
    rew,
    rules,
    stream,
    traveller_program,
    wider_program,
)
from both_routes import Rewritten
from hypothesis import given, settings

import thalweg
from thalweg.analysis.existential import every_timeline, termination
from thalweg.analysis.existential.assignments import Budget, TooLargeError, projections
from thalweg.analysis.existential.every_timeline import returns_in_time
from thalweg.analysis.existential.flows import flows
from thalweg.analysis.existential.grounding import tfgrnd, tgrnd
from thalweg.analysis.existential.strip import null_positions, strip
from thalweg.analysis.existential.termination import (
    Choice,
    Verdict,
    chase_termination,
    require_terminating,
)
from thalweg.analysis.existential.timeline_facts import stream_facts
from thalweg.analysis.existential.weak_acyclicity import PositionGraph, is_weakly_acyclic, offending_cycle
from thalweg.analysis.existential.wfree import refined_wfree, wfree
from thalweg.errors import ProgramError
from thalweg.model.formula import Variable
from thalweg.testing.strategies import LarsKnobs, LarsPlusKnobs, lars_plus_cases

EXAMPLE_3 = "exists V: p(Y, V) at T2 :- p(X, Y) at T, T2 = T + 1."
EXAMPLE_4 = "exists Y: q(X, Y) :- window[last 3] all p(X).\np(Y) at U :- q(X, Y) at T, U = T + 1."
ENDLESS = "exists Y: q(X, Y) :- p(X).\np(Y) :- window[last 2] some q(X, Y)."


def shown(some_rules):
    """Rules as they are written in these tests."""
    return [f"{', '.join(map(_atom, r.body))} -> {', '.join(map(_atom, r.head))}" for r in some_rules]


def _atom(atom):
    return f"{atom.predicate}({', '.join(str(getattr(t, 'name', None) or t.value) for t in atom.arguments)})"


def timed(some_rules):
    """Rules of wfree(P), with their arithmetic counted only."""

    def atoms(some):
        return ", ".join(f"{_atom(each.atom)}@{each.time}" for each in some)

    return [f"{atoms(r.body)} [{len(r.arithmetic)}] -> {atoms(r.head)}" for r in some_rules]


# strip


def test_strip_deletes_arithmetic_windows_and_temporal_quantifiers():
    found = strip(program("exists Y: q(X, Y) at U :- window[last 3] some p(X), window[last 1] (r(X) at T), U = T + 1."))
    assert shown(found) == ["p(X), r(X) -> q(X, Y)"]
    assert found == tuple(rules("p(X), r(X) -> q(X, Y)"))


def test_the_atoms_of_a_head_stay_together():
    assert shown(strip(program("exists Y: q(X, Y), r(Y, V) :- p(X, V)."))) == ["p(X, V) -> q(X, Y), r(Y, V)"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p(X), not r(X)", ["p(X)"]),
        ("r(X) since[0,2] p(X)", ["p(X)"]),
        ("r(X) until[0,2] p(X)", ["p(X)"]),
        ("diamondminus[0,2] (p(X), r(X))", ["p(X), r(X)"]),
        ("(p(X) or r(X))", ["p(X)", "r(X)"]),
        ("(p(X) or r(X)), (s(X) or t(X))", ["p(X), s(X)", "p(X), t(X)", "r(X), s(X)", "r(X), t(X)"]),
        ("window[last 3 tuples] some p(X)", ["p(X)"]),
        ("p(X), V > 3, s(X, V)", ["p(X), s(X, V)"]),
        ("p(V), X = V", ["p(X)"]),
        ("r(V), p(X), N = count { Z : s(X, Z) }", ["r(V), p(X)", "r(V), p(X), s(X, Z)"]),
        ("p(X), bottom", []),
    ],
)
def test_what_lars_plus_does_not_have_is_weakened(body, expected):
    found = shown(strip(program(f"exists Y: q(X, Y) :- {body}.")))
    assert [text.split(" -> ")[0] for text in found] == expected


def test_equal_variables_are_one():
    assert shown(strip(program("q(X) :- p(V), X = V."))) == ["p(X) -> q(X)"]
    assert shown(strip(program("q(X) :- p(V), X = W, V = W."))) in (["p(X) -> q(X)"], ["p(V) -> q(V)"])


def test_what_is_calculated_is_no_null():
    assert shown(strip(program("q(N, X) :- p(X, M), N = M + 1."))) == ["p(X, M) -> q(*, X)"]
    assert "p(X, V) -> q(*, X)" in shown(strip(program("q(N, X) :- N = count { V : p(X, V) }.")))
    assert shown(strip(program("q(T, X) :- p(X) at T."))) == ["p(X) -> q(*, X)"]


def test_a_frontier_of_its_own_is_kept():
    (found,) = strip(program("exists Y per X: q(X, Z, Y) :- p(X, Z)."))
    assert found.frontier == (Variable("X"),)
    (found,) = strip(program("exists Y per Z: q(X, Y) :- p(X, Z)."))
    assert found.frontier == (Variable("Z"),)


def test_too_many_disjunctions_are_read_at_once():
    either = ", ".join(f"(a{n}(X) or b{n}(X))" for n in range(10))
    found = strip(program(f"q(X) :- {either}."))
    assert len(found) < 10
    assert len({atom for each in found for atom in each.body}) == 20
    assert null_positions(program(f"q(X) :- {either}.")) is None


# wfree


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p(X)", "p(X)@now# [0] -> q(X)@now#"),  # (9)
        ("window[last 3] all p(X)", "p(X)@now# [0] -> q(X)@now#"),  # (10)
        ("window[last 3] (p(X) at T)", "p(X)@T [0] -> q(X)@now#"),  # (11)
        ("window[last 3] some p(X)", "p(X)@U#1 [0] -> q(X)@now#"),  # (12)
        ("p(X) at T", "p(X)@T [0] -> q(X)@now#"),
        ("window[last 3, slide 2] all p(X)", "p(X)@U#1 [0] -> q(X)@now#"),
        ("window[last 3, next 1, slide 2] all p(X)", "p(X)@now# [0] -> q(X)@now#"),
        ("diamondminus[1,1] p(X)", "p(X)@U#1 [1] -> q(X)@now#"),
        ("diamondminus[1,2] p(X)", "p(X)@U#1 [2] -> q(X)@now#"),
        ("diamondplus[1,inf) p(X)", "p(X)@U#1 [1] -> q(X)@now#"),
        ("boxminus[0,2] p(X)", "p(X)@now# [0] -> q(X)@now#"),
        ("boxminus[1,2] p(X)", "p(X)@U#1 [1] -> q(X)@now#"),
        ("r(X) since[0,2] p(X)", "p(X)@U#1 [2] -> q(X)@now#"),
    ],
)
def test_window_free_rules(body, expected):
    assert timed(wfree(program(f"q(X) :- {body}."))) == [expected]


def test_refined_rules_keep_times_in_their_windows():
    assert timed(refined_wfree(program("q(X) :- window[last 3] some p(X)."))) == ["p(X)@U#1 [2] -> q(X)@now#"]
    assert timed(refined_wfree(program("q(X) :- window[last 0] (p(X) at T)."))) == ["p(X)@T [1] -> q(X)@now#"]


def test_all_in_a_window_holds_at_the_time_that_some_has_chosen():
    nested = refined_wfree(program("q(X) :- window[last 3] some (window[last 2] all p(X))."))
    assert timed(nested) == timed(refined_wfree(program("q(X) :- window[last 3] some p(X).")))


def test_all_in_a_window_holds_at_the_time_that_at_names():
    assert timed(wfree(program("q(X) :- window[last 3] ((all p(X)) at T)."))) == ["p(X)@T [0] -> q(X)@now#"]


def test_an_equation_of_a_variable_with_itself_solves_nothing():
    # U = T + 2 stays; V = V * 1 becomes T + 1 = (T + 1) * 1.
    found = wfree(program("q(X) at U :- p(X) at T, V = V * 1, V = T + 1, U = V + 1."))
    assert timed(found) == ["p(X)@T [2] -> q(X)@U"]


def test_head_boxes_spread():
    assert timed(wfree(program("boxplus[0,2] q(X) :- p(X)."))) == ["p(X)@now# [2] -> q(X)@U#1"]
    assert len(tfgrnd(wfree(program("boxplus[0,2] q(X) :- p(X).")), range(4))) == 3 + 3 + 2 + 1


def test_background_holds_always():
    text = "input p(x).\nbackground b(x).\nq(X) :- p(X), diamondminus[5,5] b(X)."
    assert len(tfgrnd(wfree(program(text)), range(3))) == 3


# groundings


def test_example_5():
    found = tgrnd(wfree(program(EXAMPLE_4)), range(2))
    assert shown(found) == [
        "box_p(X, 0, 0) -> box_q(X, Y, 0, 0)",
        "box_p(X, 0, 1) -> box_q(X, Y, 0, 1)",
        "box_q(X, Y, 0, 0) -> box_p(Y, 0, 1)",
    ]


def test_example_6():
    found = tfgrnd(wfree(program(EXAMPLE_4)), range(2))
    assert shown(found) == ["p@0(X) -> q@0(X, Y)", "p@1(X) -> q@1(X, Y)", "q@0(X, Y) -> p@1(Y)"]
    assert is_weakly_acyclic(found)


@pytest.mark.parametrize(
    ("arithmetic", "expected"),
    [
        ("", [(t, u) for t in range(3) for u in range(3)]),
        ("U = T + 1", [(0, 1), (1, 2)]),
        ("U = T + S, S = 2", [(0, 2)]),
        ("T <= U", [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]),
        ("T < U, U != 1", [(0, 2), (1, 2)]),
        ("U = 2 * T", [(0, 0), (1, 2)]),
        ("U = T * T", [(0, 0), (1, 1)]),
        ("2 * U = T", [(0, 0), (2, 1)]),
        ("V = T + 1, W = V + 1, U = W", [(0, 2)]),
        ("U = T + 5", []),
        ("U >= 1, 1 >= T, T = 3 - U", [(1, 2)]),
        ("U = T / S, S = 0, T >= 0", []),
        ("1 > 2", []),
    ],
)
def test_arithmetic_restricts_the_grounding(arithmetic, expected):
    extra = f", {arithmetic}" if arithmetic else ""
    found = shown(tfgrnd(wfree(program(f"q(X) at U :- p(X) at T, r(X) at U, top at S{extra}.")), range(3)))
    assert found == [f"p@{t}(X), r@{u}(X) -> q@{u}(X)" for t, u in sorted(expected)]


def test_a_later_time_is_not_the_same():
    found = shown(tfgrnd(wfree(program("q(X) at U :- p(X) at T, r(X) at U, U > T.")), range(3)))
    assert found == [f"p@{t}(X), r@{u}(X) -> q@{u}(X)" for t, u in [(0, 1), (0, 2), (1, 2)]]


def test_times_outside_the_timeline_are_none():
    assert tfgrnd(wfree(program("q(X) at 5 :- p(X).")), range(3)) == ()
    assert shown(tfgrnd(wfree(program("q(X) at 2 :- p(X) at 1.")), range(3))) == ["p@1(X) -> q@2(X)"]


def test_a_grounding_that_is_too_large_is_given_up():
    many = program("q(X) :- " + ", ".join(f"window[last 1] some p{n}(X)" for n in range(9)) + ".")
    with pytest.raises(TooLargeError):
        tfgrnd(wfree(many), range(64), 1000)
    with pytest.raises(TooLargeError):
        list(projections([Variable(f"T{n}") for n in range(9)], [], range(64), Budget(1000)))


def test_a_budget_may_be_spent_to_its_end():
    budget = Budget(2)
    budget.spend(2)
    with pytest.raises(TooLargeError):
        budget.spend()


# Theorems 2, 3 and 5


@pytest.mark.parametrize("seed", range(80))
def test_theorem_2_ii(seed):
    some = lars_plus_program(seed)
    assert is_weakly_acyclic(strip(some)) is is_weakly_acyclic(rew(some))


@pytest.mark.parametrize("seed", range(40))
def test_theorem_2_i(seed):
    some = lars_plus_program(seed)
    if ends(*critical(strip(some)), max_facts=150):
        assert ends(*critical(rew(some)), max_facts=2000)
    else:
        assert not ends(*critical(rew(some)), max_facts=150)


@pytest.mark.parametrize("seed", range(60))
def test_theorem_3(seed):
    """Where the chase ends on rew(wfree(P)), here grounded over T (Lemma 1), and rew(D), it does on rew(P)."""
    some, facts = lars_plus_program(seed, 2), stream(seed, 2)
    if ends(tgrnd(wfree(some), range(3)), stream_facts(facts, 2), max_facts=400):
        rewritten = Rewritten.of(some, facts)
        assert ends(rewritten.rules, rewritten.facts, max_facts=20_000)


def test_theorem_3_speaks_of_many_programs():
    programs = [(lars_plus_program(seed, 2), stream(seed, 2)) for seed in range(60)]
    verdicts = [ends(tgrnd(wfree(p), range(3)), stream_facts(f, 2), max_facts=400) for p, f in programs]
    assert 10 < sum(verdicts) < 60


@pytest.mark.parametrize("seed", range(60))
def test_theorem_5(seed):
    some = wider_program(seed)
    rules_ = wfree(some)
    for length in (2, 3):
        if is_weakly_acyclic(strip(some)):
            assert is_weakly_acyclic(tfgrnd(rules_, range(length)))


def test_theorem_5_is_strict():
    for text in (EXAMPLE_3, EXAMPLE_4):
        some = program(text)
        assert not is_weakly_acyclic(strip(some))
        assert all(is_weakly_acyclic(tfgrnd(wfree(some), range(length))) for length in range(1, 8))


# The quick ways to decide are right.


@pytest.mark.parametrize("seed", range(60))
def test_flows_have_the_cycles_of_the_grounding(seed):
    some = wider_program(seed)
    for make in (wfree, refined_wfree):
        rules_ = make(some)
        cut = tuple(flows(rules_, PositionGraph.of(strip(some))))
        for length in (1, 2, 4):
            whole, parts = (offending_cycle(tfgrnd(each, range(length))) for each in (rules_, cut))
            assert (whole is None) is (parts is None)
            assert whole is None or len(whole.edges) == len(parts.edges)


@pytest.mark.parametrize("seed", range(60))
def test_what_never_returns_in_time_is_acyclic_over_every_timeline(seed):
    some = wider_program(seed)
    for make in (wfree, refined_wfree):
        rules_ = tuple(flows(make(some)))
        if not returns_in_time(rules_):
            assert all(is_weakly_acyclic(tfgrnd(rules_, range(length))) for length in (1, 3, 6))


@pytest.mark.parametrize(
    ("forth", "back", "expected"),
    [(1, 0, False), (2, 1, False), (1, 1, True), (1, 2, False), (0, 0, True), (0, 1, False)],
)
def test_a_cycle_returns_in_time_if_its_distances_add_up_to_0(forth, back, expected):
    text = f"exists Y: q(X, Y) at T + {forth} :- p(X) at T.\np(Y) at T - {back} :- q(X, Y) at T."
    assert returns_in_time(flows(wfree(program(text)))) is expected
    assert is_weakly_acyclic(tfgrnd(wfree(program(text)), range(12))) is not expected


def test_cycles_both_ways_return_in_time_together():
    # Twice 3 to the future and three times 2 to the past.
    text = "exists Y: p(Y, X) at T + 3 :- p(X, _) at T.\nexists Y: p(Y, X) at T - 2 :- p(X, _) at T."
    assert returns_in_time(flows(wfree(program(text))))
    assert is_weakly_acyclic(tfgrnd(wfree(program(text)), range(4)))
    assert not is_weakly_acyclic(tfgrnd(wfree(program(text)), range(5)))


def test_a_cycle_without_special_edges_may_return_in_time():
    # q -> r -> q stays at its time; the special edge leads on.
    text = "q(X) :- r(X).\nr(X) :- q(X).\nexists Y: q(Y) at T + 1, s(X) :- r(X) at T."
    assert not returns_in_time(flows(wfree(program(text))))


@pytest.mark.parametrize("strict", ["<", "<="])
def test_comparisons_say_how_far_times_are_apart(strict):
    text = f"exists Y: p(X, Y) at S :- p(_, X) at T, top at S, T {strict} S."
    assert returns_in_time(flows(wfree(program(text)))) is (strict == "<=")


@pytest.mark.parametrize("strict", [">", ">="])
def test_comparisons_say_so_also_from_the_other_side(strict):
    text = f"exists Y: p(X, Y) at S :- p(_, X) at T, top at S, S {strict} T."
    assert returns_in_time(flows(wfree(program(text)))) is (strict == ">=")


def test_a_time_may_be_divided_by_a_number():
    text = "exists Y: p(X, Y) at S :- p(_, X) at T, top at S, S = (2 * T + 2) / 2."
    assert not returns_in_time(flows(wfree(program(text))))


def test_what_holds_at_the_same_time_is_no_step_to_the_future():
    # q is made from p at its time, p from q one time point before: around and around into the past.
    text = "exists Y: q(X, Y) :- p(X).\np(Y) at T - 1 :- q(X, Y) at T."
    assert not returns_in_time(flows(wfree(program(text))))


# Theorems 3 and 4, and the verdict as a whole: what is promised is kept.


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("make", [lars_plus_program, wider_program])
def test_what_is_promised_to_end_ends(make, seed):
    check_promise(make(seed, 3), seed)


@pytest.mark.parametrize("seed", range(120))
def test_what_is_promised_to_end_ends_however_nulls_travel_in_time(seed):
    check_promise(traveller_program(seed, 3), seed)


def test_a_wrong_promise_would_be_found(monkeypatch):
    # As if every rule led at least one time point on.
    monkeypatch.setattr(every_timeline, "_distance", lambda *_: (Fraction(1), Fraction(2)))
    promised = [seed for seed in range(20) if chase_termination(traveller_program(seed, 3)).is_promise]
    assert not all(ends_on_stream(traveller_program(seed, 3), stream(seed, 3), 3, 100) for seed in promised)


@pytest.mark.soak
@pytest.mark.parametrize("make", [lars_plus_program, wider_program, traveller_program])
def test_what_is_promised_to_end_ends_at_length(make):
    for seed in range(100, 5000):
        check_promise(make(seed, 3), seed)


def check_promise(some, seed):
    if chase_termination(some).is_promise:
        assert ends_on_stream(some, stream(seed, 3), 3, max_nulls=3000), seed


@pytest.mark.parametrize("seed", range(40))
def test_what_is_acyclic_over_a_timeline_ends_on_streams_over_it(seed):
    """Theorem 4 as it stands."""
    some = lars_plus_program(seed, 2)
    if is_weakly_acyclic(tfgrnd(wfree(some), range(3))):
        assert ends_on_stream(some, stream(seed, 2), 2, max_nulls=3000)


@given(lars_plus_cases(LarsPlusKnobs(per=True, beyond=LarsKnobs())))
@settings(max_examples=60)
def test_any_program_gets_a_verdict(case):
    found = chase_termination(case.program)
    assert (found.verdict is Verdict.NO_NULLS) is not case.program.is_existential
    assert found.verdict in (Verdict.NO_NULLS, Verdict.LWA) or found.cycle is not None


def test_the_generated_programs_are_of_all_kinds():
    kinds = set()
    for seed in range(40):
        some = traveller_program(seed, 3)
        kinds.add((chase_termination(some).verdict, ends_on_stream(some, stream(seed, 3), 3, max_nulls=40)))
    assert {(Verdict.LWA, True), (Verdict.TLWA, True), (Verdict.NEITHER, True), (Verdict.NEITHER, False)} <= kinds


# The verdict


def test_a_program_without_exists_has_no_nulls():
    some = program("q(X) :- p(X).")
    assert chase_termination(some).verdict is Verdict.NO_NULLS
    require_terminating(some)


def test_a_program_that_ends_on_every_input():
    found = chase_termination(program("exists Y: q(X, Y) :- p(X)."))
    assert (found.verdict, found.refined, found.cycle, found.is_promise) == (Verdict.LWA, False, None, True)


def test_values_that_an_input_atom_also_has_are_no_nulls():
    text = "input e(x).\nexists Y: q(X, Y) :- p(X), e(X).\np(Y) :- q(X, Y)."
    found = chase_termination(program(text))
    assert (found.verdict, found.refined, found.is_promise) == (Verdict.LWA, True, True)
    assert null_positions(program(text)) == {"q.2", "p.1"}
    assert str(found.cycle) == "p.1 -*-> q.2 (rule 1), q.2 -> p.1 (rule 2)"


@pytest.mark.parametrize("text", [EXAMPLE_3, EXAMPLE_4])
def test_examples_3_and_4_end_over_every_timeline(text):
    found = chase_termination(program(text))
    assert (found.verdict, found.timeline, found.refined, found.is_promise) == (Verdict.TLWA, None, False, True)
    assert found.cycle is not None


def test_a_declared_timeline_is_taken():
    found = chase_termination(program(EXAMPLE_3, "timeline integer from 2 to 9."))
    assert (found.verdict, found.timeline, found.choice) == (Verdict.TLWA, (2, 9), Choice.DECLARED)


def test_another_timeline_may_be_given():
    found = chase_termination(program(EXAMPLE_3), (0, 20))
    assert (found.verdict, found.timeline, found.choice) == (Verdict.TLWA, (0, 20), Choice.GIVEN)


def test_windows_are_taken_into_account():
    text = "exists Y: q(X, Y) at T + 1 :- window[last 0] (top at T), window[last 3] some p(X).\np(Y) :- q(X, Y)."
    found = chase_termination(program(text))
    assert (found.verdict, found.refined, found.is_promise) == (Verdict.TLWA, True, True)
    assert not is_weakly_acyclic(tfgrnd(wfree(program(text)), range(2)))


def test_a_program_in_neither_class():
    found = chase_termination(program(ENDLESS))
    assert (found.verdict, found.timeline, found.choice) == (Verdict.NEITHER, (0, 2), Choice.REACH)
    assert str(found.cycle) == "p.1 -*-> q.2 (rule 1), q.2 -> p.1 (rule 2)"
    assert str(found.timed_cycle) == "p@0.1 -*-> q@0.2 (rule 1), q@0.2 -> p@0.1 (rule 2)"
    assert not found.is_promise


def test_a_cycle_that_needs_a_longer_timeline_is_found():
    steps = "\n".join(f"p{n + 1}(X) at T + 1 :- p{n}(X) at T." for n in range(20))
    back = "\n".join(f"q{n + 1}(X) at T - 1 :- q{n}(X) at T." for n in range(20))
    text = f"{steps}\n{back}\nexists Y: q0(Y), s(X) :- p20(X).\np0(X) :- q20(X)."
    found = chase_termination(program(text))
    assert (found.verdict, found.choice) == (Verdict.NEITHER, Choice.REACH)
    assert found.timeline[1] >= 20
    assert chase_termination(program(text), (0, 10)).is_promise


def test_a_timeline_that_is_too_long_is_not_decided():
    text = (
        "exists Y: q(X, Y) at U :- p(X) at T, U = 2 * T, window[last 5] (top at S), S * S = T * U.\n"
        "p(Y) at U :- q(X, Y) at T, top at U, T = U + U + 1."
    )
    long = chase_termination(program(text, "timeline integer from 0 to 2000."))
    assert (long.verdict, long.timeline, long.is_promise) == (Verdict.NOT_DECIDED, (0, 2000), False)
    assert long.choice is Choice.DECLARED


def test_what_is_not_decided_for_the_start_of_a_long_timeline_is_not_for_all_of_it(monkeypatch):
    def too_large(*_):
        raise TooLargeError

    monkeypatch.setattr(termination, "tfgrnd", too_large)
    found = chase_termination(program(ENDLESS, "timeline integer from 0 to 100000."))
    assert (found.verdict, found.timeline) == (Verdict.NOT_DECIDED, (0, 100_000))


def test_a_cycle_at_the_start_of_a_long_timeline_is_one():
    found = chase_termination(program(ENDLESS, "timeline integer from 0 to 100000."))
    assert found.verdict is Verdict.NEITHER


def test_times_that_are_named():
    # Over every timeline 5 may be before or after T, but it is never after itself.
    text = "exists Y: q(X, Y) at 6 :- p(X) at 5.\np(Y) at 7 :- q(X, Y) at 6."
    assert chase_termination(program(text)).verdict is Verdict.TLWA
    assert chase_termination(program(text.replace("at 7", "at 5"))).verdict is Verdict.NEITHER


def test_times_that_are_named_are_counted_from_the_start_of_the_timeline():
    text = "exists Y: q(X, Y) at 6 :- p(X) at 5.\np(Y) at 5 :- q(X, Y) at 6."
    found = chase_termination(program(text, "timeline integer from 5."))
    assert (found.verdict, found.timeline) == (Verdict.NEITHER, (5, 6))


def test_what_looks_everywhere_looks_no_certain_way():
    text = "exists Y: q(X, Y) :- window[last inf, next inf] some p(X).\np(Y) :- q(X, Y)."
    assert chase_termination(program(text)).timeline == (0, 0)


def test_an_endless_chase_on_the_rational_timeline_is_refused_with_its_cycle():
    some = program("exists Y per X: q(X, Y) :- p(X).\np(Y) :- q(X, Y).", "timeline rational.")
    assert str(chase_termination(some).cycle) == "p.1 -*-> q.2 (rule 1), q.2 -> p.1 (rule 2)"
    with pytest.raises(ProgramError, match="nulls are made from nulls along "):
        require_terminating(some)


def test_the_rational_timeline():
    later = "exists Y per X: boxplus[1,1] q(X, Y) :- p(X).\np(Y) :- diamondminus[0,1] q(X, Y)."
    now = later.replace("boxplus[1,1]", "boxplus[0,1]")
    assert chase_termination(thalweg.parse(later)).verdict is Verdict.TLWA
    assert chase_termination(thalweg.parse(now)).verdict is Verdict.NEITHER
    assert chase_termination(thalweg.parse(now.replace("p(Y)", "p(X)"))).verdict is Verdict.LWA


# E345


def test_a_program_that_may_not_end_is_refused():
    some = program(ENDLESS)
    with pytest.raises(ProgramError) as caught:
        require_terminating(some)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("E345", 2)
    assert "p.1 -*-> q.2 (rule 1), q.2 -> p.1 (rule 2)" in found.message
    assert "--max-nulls or --max-depth" in found.hint


@pytest.mark.parametrize("limit", [{"max_nulls": 100}, {"max_depth": 3}])
def test_a_limit_is_enough(limit):
    require_terminating(program(ENDLESS), **limit)


def test_a_promise_over_a_short_timeline_is_none_over_an_endless_one():
    text = (
        "exists Y: q(X, Y) at U :- p(X) at T, U = 2 * T.\n"
        "p(Y) at U :- q(X, Y) at T, top at U, T = U + U + 1."  # an odd time, while that of q is even
    )
    found = chase_termination(program(text))
    assert (found.verdict, found.choice, found.is_promise) == (Verdict.TLWA, Choice.REACH, False)
    with pytest.raises(ProgramError, match="on timelines longer than"):
        require_terminating(program(text))
    require_terminating(program(text, "timeline integer from 0 to 9."))


def test_the_answer_is_remembered_as_long_as_the_program(monkeypatch):
    asked = []
    decide = termination._decide
    monkeypatch.setattr(termination, "_decide", lambda *given: asked.append(given[1]) or decide(*given))
    some = program(ENDLESS)
    for _ in range(3):
        chase_termination(some)
        chase_termination(some, (0, 3))
    assert asked == [None, (0, 3)]
    asked.clear()
    known = id(some)
    assert known in termination._known
    del some
    gc.collect()
    assert known not in termination._known
