from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from oracle.building import fact, interval
from thalweg.testing import ListSource, ManualClock, assert_same_answers
from thalweg.time.timeline import Timeline


def test_equal_answers_pass_however_they_are_cut():
    atom = ("P", ("a",))
    assert_same_answers({atom: [interval("[0,1)"), interval("[1,2]")]}, {atom: (interval("[0,2]"),), ("Q", ()): ()})


def test_neighbouring_integers_are_one_interval_on_the_integer_timeline():
    cut, whole = {("P", ()): [interval("[1,2]"), interval("[3,4]")]}, {("P", ()): [interval("[1,4]")]}
    assert_same_answers(cut, whole, Timeline.INTEGER)
    with pytest.raises(AssertionError):
        assert_same_answers(cut, whole)


def test_different_answers_name_the_atom_and_the_times():
    actual = {("P", ("a", Fraction(1, 2))): [interval("[0,2]")], ("R", ()): [interval("[5]")]}
    expected = {("P", ("a", Fraction(1, 2))): [interval("[1,3)")], ("R", ()): [interval("[5]")]}
    with pytest.raises(AssertionError) as caught:
        assert_same_answers(actual, expected)
    assert str(caught.value).splitlines() == [
        "the answers differ",
        "  P('a', 0.5)",
        "    expected    [1,3)",
        "    actual      [0,2]",
        "    missing     (2,3)",
        "    unexpected  [0,1)",
    ]


def test_a_manual_clock_stands_still_until_told():
    clock = ManualClock(5)
    assert clock() == clock() == 5
    clock.advance(Fraction(1, 2))
    assert clock() == Fraction(11, 2)
    clock.set(3)
    assert clock.now == 3


def test_a_list_source_gives_its_batches_once():
    source = ListSource([(1, [fact("P@[0]")]), (2, [])])
    assert next(source) == (Fraction(1), (fact("P@[0]"),))
    assert list(source) == [(Fraction(2), ())]
    assert list(source) == []


def test_testing_needs_no_hypothesis():
    check = "import sys; sys.modules['hypothesis'] = None; import thalweg.testing"
    subprocess.run([sys.executable, "-c", check], check=True)
