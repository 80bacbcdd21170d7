"""Models and homomorphisms of LARS+ (paper, Definition 2), and that the oracle's chase gives universal models."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from amount import amount
from oracle.reading import read
from oracle.test_strategies import sample
from thalweg.model.formula import skolems
from thalweg.null import Null
from thalweg.testing import naive_materialise
from thalweg.testing.lars_plus import homomorphism, is_model, restricted_chase, timed_atoms, timeline, violations
from thalweg.testing.strategies import Case, LarsKnobs, LarsPlusKnobs, lars_plus_cases

PURE = LarsPlusKnobs(endless=False)
MIXED = LarsPlusKnobs(endless=False, per=True, beyond=LarsKnobs())

OPERATORS = "timeline integer from 0 to 2. exists Y: op(X, Y) :- belt(X). belt(b)@[0,1]."
SHARED = "timeline integer from 0 to 2. exists Y: p(X, Y), q(Y) at T + 1 :- a(X) at T. a(c)@[0,2]."


def null(number):
    return Null(0, "n", (Fraction(number),))


def chased(case):
    """What the oracle's chase gives, at all points of the timeline."""
    points = timeline(case.program)
    answers = naive_materialise(case.program, case.facts, Fraction(points.start), Fraction(points[-1]))
    return frozenset(timed_atoms(answers, points))


def case_of(text):
    return Case(read(text), (), Fraction(0), Fraction(2))


def stream(*atoms):
    """Atoms from texts such as ``op b n1 @0``; n1, n2, … are nulls."""
    found = set()
    for text in atoms:
        predicate, *words, time = text.split()
        arguments = (null(int(word[1:])) if word[0] == "n" else word for word in words)
        found.add((predicate, tuple(arguments), int(time[1:])))
    return frozenset(found)


BELT = stream("belt b @0", "belt b @1")


@pytest.mark.parametrize(
    ("atoms", "verdict"),
    [
        (["op b n1 @0", "op b n2 @1"], True),
        (["op b n1 @0", "op b n1 @1"], True),
        (["op b anna @0", "op b n1 @1", "op c n1 @2"], True),
        (["op b n1 @0"], False),
        (["op b n1 @0", "op c n1 @1"], False),
        (["op b n1 @0", "op b n1 @2"], False),
        ([], False),
    ],
)
def test_some_value_must_do_for_an_existential_variable(atoms, verdict):
    assert is_model(read(OPERATORS), (), BELT | stream(*atoms)) is verdict


def test_a_model_has_the_data():
    assert not is_model(read(OPERATORS), (), stream("belt b @0", "op b n1 @0"))
    assert is_model(read(OPERATORS), (), stream("op b n1 @0", "op b n1 @1") | BELT)


@pytest.mark.parametrize(
    ("atoms", "verdict"),
    [
        # For T = 0 the body holds at 0, 1 and 2: p at each of them, with a value that is in q at 1.
        (["p c n1 @0", "p c n1 @1", "p c n1 @2", "q n1 @1", "q n1 @2"], True),
        (["p c n1 @0", "p c n2 @1", "p c n3 @2", *(f"q n{i} @{t}" for i in (1, 2, 3) for t in (1, 2))], True),
        (["p c n1 @0", "p c n1 @1", "p c n1 @2", "q n1 @1", "q n2 @2"], False),
        (["p c n1 @0", "p c n2 @1", "p c n1 @2", "q n1 @1", "q n1 @2"], False),
    ],
)
def test_one_value_must_do_for_all_head_atoms(atoms, verdict):
    given_ = stream("a c @0", "a c @1", "a c @2")
    assert is_model(read(SHARED), (), given_ | stream(*atoms)) is verdict


def test_a_head_outside_the_timeline_asks_for_nothing():
    # T = 2 would put q at 3.
    late = SHARED.replace("a(c)@[0,2]", "a(c)@2")
    assert is_model(read(late), (), stream("a c @2"))
    assert chased(case_of(late)) == stream("a c @2")


def test_violations_say_where():
    [violation] = violations(read(OPERATORS), BELT | stream("op b n1 @0"))
    assert (violation.rule.number, dict(violation.substitution), violation.time) == (1, {"X": "b"}, 1)


def test_boxes_windows_and_arithmetic():
    text = """
        timeline integer from 0 to 3.
        exists Y: boxplus[0,1] p(X, Y) :- window[last 1] all a(X).
        q(X) :- window[last 2] (a(X) at S), window[last 2] (a(X) at T), S = T + 1.
        a(c)@[0,1].
    """
    given_ = stream("a c @0", "a c @1", "p c n1 @0", "p c n1 @1", "p c n2 @1", "p c n2 @2")
    assert is_model(read(text), (), given_ | stream("q c @1", "q c @2"))
    assert not is_model(read(text), (), given_ | stream("q c @1"))
    assert not is_model(read(text), (), given_ - stream("p c n2 @2") | stream("q c @1", "q c @2"))


def test_negations_and_counts_are_checked_too():
    text = """
        timeline integer from 0 to 2.
        exists Y: p(X, Y) :- a(X), not b(X).
        q(N) :- a(_), N = count { Y : p(_, Y) }.
        a(c)@0. a(d)@0. b(d)@0.
    """
    given_ = stream("a c @0", "a d @0", "b d @0", "p c n1 @0")
    one, two = ("q", (Fraction(1),), 0), ("q", (Fraction(2),), 0)
    assert is_model(read(text), (), given_ | {one})
    assert not is_model(read(text), (), given_ | {two})
    assert not is_model(read(text), (), given_)


def test_homomorphisms_map_nulls_and_nothing_else():
    # p c n1 ─▶ n1 ↦ d
    assert homomorphism(stream("p c n1 @0"), stream("p c d @0")) == {null(1): "d"}
    assert homomorphism(stream("p c n1 @0"), stream("p c d @1")) is None
    assert homomorphism(stream("p c d @0"), stream("p c n1 @0")) is None
    assert homomorphism(stream("p c n1 @0", "q n1 @1"), stream("p c n1 @0", "p c n2 @0", "q n2 @1")) == {
        null(1): null(2)
    }
    assert homomorphism(stream("p n1 n2 @0", "p n2 n1 @0"), stream("p c d @0", "p d e @0", "p e c @0")) is None
    assert homomorphism(stream("p n1 n2 @0", "p n2 n1 @0"), stream("p c c @0")) == {null(1): "c", null(2): "c"}


def test_a_null_for_all_times_says_too_much():
    # That one operator stays does not follow: op(b, n1) and op(b, n2) is a model without.
    program = read(OPERATORS)
    staying = BELT | stream("op b n1 @0", "op b n1 @1")
    assert is_model(program, (), staying)
    assert homomorphism(staying, restricted_chase(program, ())) is None
    assert homomorphism(chased(case_of(OPERATORS)), staying) is not None


def test_the_restricted_chase_makes_no_null_without_need():
    text = "timeline integer from 0 to 1. exists Y: p(X, Y) :- a(X). a(c)@0. p(c, d)@0. a(d)@1."
    program = read(text)
    assert restricted_chase(program, ()) == {
        ("a", ("c",), 0),
        ("p", ("c", "d"), 0),
        ("a", ("d",), 1),
        ("p", ("d", Null(0, "new", (Fraction(1),))), 1),
    }


def test_the_restricted_chase_is_for_lars_plus_only():
    with pytest.raises(ValueError, match="no rule of LARS"):
        restricted_chase(read("timeline integer from 0 to 1. exists Y: p(Y) :- not a, b."), ())


@settings(max_examples=amount(40))
@given(lars_plus_cases(PURE))
def test_the_chase_gives_a_model(case):
    assert not list(violations(case.program, chased(case)))
    assert is_model(case.program, case.facts, chased(case))


@settings(max_examples=amount(20))
@given(lars_plus_cases(MIXED))
def test_the_chase_gives_a_model_beyond_lars_plus(case):
    assert is_model(case.program, case.facts, chased(case))


@settings(max_examples=amount(30))
@given(lars_plus_cases(PURE))
def test_the_chase_gives_a_universal_model(case):
    universal, numbers = chased(case), iter(range(10**6))
    for model in (
        restricted_chase(case.program, case.facts),
        restricted_chase(case.program, case.facts, lambda: "always the same"),
        restricted_chase(case.program, case.facts, lambda: f"a, b or c: {next(numbers) % 3}"),
    ):
        assert is_model(case.program, case.facts, model)
        assert homomorphism(universal, model) is not None


@settings(max_examples=amount(20))
@given(lars_plus_cases(PURE))
def test_what_is_left_out_is_found(case):
    whole = chased(case)
    derived = {predicate for predicate, _, _ in whole} & case.program.derived_predicates
    assume(derived)
    for predicate in derived:
        assert not is_model(case.program, case.facts, {atom for atom in whole if atom[0] != predicate})


def test_nulls_that_are_not_shared_are_found():
    cases = [case for case in sample(lars_plus_cases(PURE), 60) if any(_shared(case))]
    assert sum(any(map(is_found_in(case), _shared(case))) for case in cases) >= 10


def is_found_in(case):
    """Whether it is found that one head atom of a rule has other nulls than the rest."""
    whole = chased(case)

    def is_found(predicate):
        apart = {atom if atom[0] != predicate else _with_other_nulls(atom) for atom in whole}
        return any(True for _ in violations(case.program, apart))

    return is_found


def _shared(case):
    """The predicates that share a null with another one in a head."""
    heads: dict[tuple[int, str], set[str]] = {}
    for rule in case.program.rules:
        for term in skolems(rule.head):
            heads.setdefault((term.rule, term.variable), set()).add(rule.head_core.predicate)
    return sorted({name for names in heads.values() if len(names) > 1 for name in names})


def _with_other_nulls(atom):
    predicate, arguments, time = atom
    others = (Null(-1, "other", (value,)) if isinstance(value, Null) else value for value in arguments)
    return predicate, tuple(others), time
