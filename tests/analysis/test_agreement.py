"""Values for linked names, against trying all of them."""

import itertools
from dataclasses import dataclass
from random import Random

import pytest

from thalweg.analysis.sharding.agreement import Agreement, Link


@dataclass(frozen=True)
class Pairs(Link[str, int]):
    """Two names that may have these pairs of values."""

    allowed: frozenset[tuple[int, int]]

    def fits(self, value: int, other: int) -> bool:
        return (value, other) in self.allowed


EQUAL = frozenset((value, value) for value in range(3))


def chain(*names):
    return [Pairs(one, other, EQUAL) for one, other in itertools.pairwise(names)]


def test_a_choice_is_passed_on_along_the_links():
    agreement = Agreement(dict.fromkeys("abc", (0, 1, 2)), chain("a", "b", "c"))
    assert agreement.choose("a", 1) is None
    assert agreement.possible == {"a": (1,), "b": (1,), "c": (1,)}


def test_a_choice_that_cannot_be_changes_nothing_and_gives_the_link_that_forbids_it():
    possible = {"a": (0, 1, 2), "b": (0, 1, 2), "c": (2, 0)}
    links = chain("a", "b", "c")
    agreement = Agreement(possible, links)
    assert agreement.choose("a", 1) == links[1]
    assert agreement.possible == possible


def test_settling_drops_what_fits_nowhere_and_keeps_the_order_of_preference():
    agreement = Agreement({"a": (2, 1, 0), "b": (0, 2)}, chain("a", "b"))
    assert agreement.settle() is None
    assert agreement.possible == {"a": (2, 0), "b": (0, 2)}


def test_a_name_linked_to_itself_must_fit_itself():
    only_one = Pairs("a", "a", frozenset({(0, 1), (1, 1), (1, 0)}))
    agreement = Agreement({"a": (0, 1)}, [only_one])
    assert agreement.settle() is None
    assert agreement.possible == {"a": (1,)}


def test_choices_in_a_copy_are_not_choices_here():
    agreement = Agreement(dict.fromkeys("ab", (0, 1)), chain("a", "b"))
    assert agreement.copy().choose("a", 1) is None
    assert agreement.possible == dict.fromkeys("ab", (0, 1))


@pytest.mark.parametrize("seed", range(40))
def test_no_value_that_is_part_of_a_solution_is_dropped(seed):
    chance = Random(seed)
    names, values = "abcd", (0, 1, 2)
    links = [
        Pairs(*chance.choices(names, k=2), frozenset(chance.sample([*itertools.product(values, repeat=2)], 6)))
        for _ in range(4)
    ]
    agreement = Agreement(dict.fromkeys(names, values), links)
    conflict = agreement.settle()
    solutions = [
        dict(zip(names, chosen, strict=True))
        for chosen in itertools.product(values, repeat=4)
        if all(link.fits(chosen[names.index(link.one)], chosen[names.index(link.other)]) for link in links)
    ]
    if conflict is not None:
        assert solutions == []
    for solution in solutions:
        assert all(solution[name] in agreement.possible[name] for name in names)
    for link in links if conflict is None else ():
        # every value that is left has a partner over every link
        for value in agreement.possible[link.one]:
            others = (value,) if link.one == link.other else agreement.possible[link.other]
            assert any(link.fits(value, other) for other in others)
