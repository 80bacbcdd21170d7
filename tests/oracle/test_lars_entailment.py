"""Entailment against examples: those of the LARS paper, and what its definition says of corner cases."""

from fractions import Fraction

import pytest

from oracle.reading import formula
from thalweg.testing.lars import Stream, Structure, entails, valuation

# P(a)   . x . x x . .
# Q      . . . . x . .
HERE = Stream(
    0, 6, valuation([(1, ("P", ("a",))), (3, ("P", ("a",))), (4, ("P", ("a",))), (4, ("Q", ())), (5, ("P", ("b",)))])
)
WORLD = Structure(HERE, {"K": {("a",)}, "None": set()})


def at(text, world=WORLD, **values):
    """The times from −1 to 7 at which a formula is entailed in the whole stream."""
    literal = formula(text)
    return [time for time in range(-1, 8) if entails(world, world.stream, time, literal, values)]


def test_example_4():
    trams = Structure(
        Stream(
            0,
            50,
            valuation(
                [
                    (36, ("tram", ("a1", "p1"))),
                    (40, ("tram", ("a2", "p2"))),
                    (40, ("rel", ("a1", "p1"))),
                    (43, ("exp", ("a2", "p3"))),
                    (44, ("exp", ("a1", "p3"))),
                ]
            ),
        )
    )

    def entailed(time, text):
        return entails(trams, trams.stream, time, formula(text))

    # The paper writes tram(a2, p3) in the first, and shows it for exp(a2, p3).
    assert entailed(43, "window[last 0, next 5] some exp(a2, p3)")
    assert not entailed(43, "window[last 0, next 5] some tram(a2, p3)")
    assert not entailed(44, "window[last 0, next 5] some exp(a2, p3)")
    assert entailed(40, "window[last 10] some tram(a1, p1)")
    assert not entailed(47, "window[last 10] some tram(a1, p1)")


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("P(a)", [1, 3, 4]),
        ("some Q", [-1, 0, 1, 2, 3, 4, 5, 6, 7]),
        ("all P(a)", []),
        ("P(a) at 3", [-1, 0, 1, 2, 3, 4, 5, 6, 7]),
        ("P(a) at 7", []),
        ("window[last 1] some P(a)", [1, 2, 3, 4, 5]),
        ("window[last 1] all P(a)", [4]),
        ("window[last 0] all P(a)", [1, 3, 4]),
        ("window[last 2, next 1] P(a)", [1, 3, 4]),
        ("window[last 1] P(a) at 3", [3, 4]),
        ("window[last 1, slide 1] some Q", [4, 5]),
        ("window[last 3, slide 3] some P(a)", [3, 4, 5, 6, 7]),
        ("window[last 3, slide 3] P(a)", [3]),
        ("window[last 1] some window[last 2] some Q", [4, 5]),
        ("window[last 1] some window[last 2, of stream] some Q", [4, 5, 6, 7]),
        ("window[last 1 tuples] some P(a)", [1, 2, 3, 4]),
        ("window[last 1 tuples per 1] some P(a)", [1, 2, 3, 4, 5, 6, 7]),
        ("window[last 1] not P(a)", [-1, 0, 2, 5, 6, 7]),
        ("window[last 1] some not P(a)", [0, 1, 2, 3, 5, 6, 7]),
        ("not window[last 1] some P(a)", [-1, 0, 6, 7]),
        ("diamondminus[1,1] (P(a), Q)", [5]),
        ("(P(b) or Q)", [4, 5]),
        ("(Q implies P(b))", [-1, 0, 1, 2, 3, 5, 6, 7]),
    ],
)
def test_entailment(text, times):
    assert at(text) == times


def test_all_of_an_empty_window_is_false():
    assert at("window[last 1] all top") == [0, 1, 2, 3, 4, 5, 6, 7]
    assert at("window[last 0] all top") == [0, 1, 2, 3, 4, 5, 6]


def test_background_holds_always_and_in_every_window():
    assert at("K(a)") == list(range(-1, 8))
    assert at("window[last 0] boxminus[1,1] K(a)") == list(range(-1, 8))
    assert at("window[last 0] some K(a)") == list(range(7))
    assert at("K(b)") == []


def test_tuple_windows_do_not_count_the_background():
    # Counted as one that has no tuples, None would let the window begin at 0.
    assert at("window[last 1 tuples] all (Q or None or top)") == [0, 1, 2, 3, 4, 5, 6, 7]
    assert at("window[last 1 tuples] (None or Q) at 4") == [4, 5, 6, 7]
    assert at("window[last 1 tuples] (None or top) at 0") == [0, 1, 2, 3, 4, 5, 6, 7]
    assert at("window[last 1 tuples] (None or (Q or top)) at 0") == [0, 1, 2, 3]


def test_metric_operators_look_beyond_the_timeline_and_the_window():
    assert at("boxminus[0,2] not P(a)") == [-1, 0, 7]
    assert at("boxplus[1,2] top") == list(range(-1, 8))
    assert at("window[last 1] boxminus[1,1] P(a)") == [2, 4, 5]
    assert at("window[last 0] diamondminus[1,1] P(a)") == []
    assert at("window[last 0] boxminus[1,1] not P(a)") == list(range(-1, 8))


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("diamondminus[0,inf) Q", [4, 5, 6, 7]),
        ("diamondplus[2,inf) Q", [-1, 0, 1, 2]),
        ("boxplus[1,inf) not P(b)", [5, 6, 7]),
        ("boxminus[0,inf) not P(b)", [-1, 0, 1, 2, 3, 4]),
        ("boxplus[0,inf) diamondminus[3,inf) Q", [7]),
        ("not Q since[0,inf) P(b)", [5, 6, 7]),
        ("P(a) until[1,inf) P(b)", [2, 3, 4]),
        ("boxplus[0,inf) not window[last 3] some Q", []),
        ("boxminus[0,inf) not window[last 0, next 3] some Q", [-1, 0]),
        ("diamondplus[0,inf) boxplus[0,inf) not window[last 3] some Q", list(range(-1, 8))),
    ],
)
def test_operators_without_an_end(text, times):
    assert at(text) == times


def test_an_anonymous_variable_under_not_has_its_value_there():
    assert at("not P(_)") == [-1, 0, 2, 6, 7]
    assert at("(Q or not P(_))") == [-1, 0, 2, 4, 6, 7]
    assert at("not (P(_), not Q)") == [-1, 0, 2, 4, 6, 7]


def test_variables_have_the_values_they_are_given():
    assert at("P(X)", X="b") == [5]
    assert at("Q at T", T=Fraction(4)) == list(range(-1, 8))
    assert at("Q at T", T=Fraction(7, 2)) == []
    assert at("Q at T", T="a") == []
