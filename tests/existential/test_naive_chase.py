"""The naive skolem chase (LARS+ paper, Appendix B)."""

import pytest

import thalweg
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.model.formula import Constant, Variable
from thalweg.null import Null
from thalweg.testing.existential.as_program import as_program
from thalweg.testing.existential.chase import EndlessChase, has_match, skolem_chase

X, Y, Z = map(Variable, "XYZ")
A, B = map(Constant, "ab")


def atom(predicate, *terms):
    return PlainAtom(predicate, terms)


def test_a_null_for_each_frontier():
    rule = ExistentialRule((atom("p", X, Y),), (atom("q", X, Z), atom("r", Z)), (Z,))
    null = Null(1, "Z", ("a",))
    facts = [atom("p", A, A), atom("p", A, B)]
    expected = {("p", ("a", "a")), ("p", ("a", "b")), ("q", ("a", null)), ("r", (null,))}
    assert skolem_chase([rule], facts) == expected
    assert set(thalweg.materialise(as_program([rule], facts)).facts()) == expected


def test_what_is_there_already_does_not_keep_a_rule_from_making_a_null():
    rule = ExistentialRule((atom("p", X),), (atom("q", X, Z),), (Z,))
    found = skolem_chase([rule], [atom("p", A), atom("q", A, B)])
    assert len(found) == 3


def test_nulls_go_on():
    rules = [
        ExistentialRule((atom("p", X),), (atom("q", X, Y),), (Y,)),
        ExistentialRule((atom("q", X, Y), atom("s", X)), (atom("p", Y),)),
    ]
    first = Null(1, "Y", ("a",))
    found = skolem_chase(rules, [atom("p", A), atom("s", A)])
    assert {values for name, values in found if name == "q"} == {("a", first), (first, Null(1, "Y", (first,)))}


@pytest.mark.parametrize("limits", [{}, {"max_facts": 10}, {"max_depth": 3}])
def test_a_chase_without_end_is_stopped(limits):
    rule = ExistentialRule((atom("p", X),), (atom("p", Y), atom("q", X, Y)), (Y,))
    with pytest.raises(EndlessChase):
        skolem_chase([rule], [atom("p", A)], **limits)


def test_queries():
    facts = {("p", ("a", "b")), ("p", ("b", "b"))}
    assert has_match([atom("p", X, Y), atom("p", Y, X)], facts)
    assert not has_match([atom("p", X, Y), atom("p", Y, A)], facts)
    assert has_match([], facts)
