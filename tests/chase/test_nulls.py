"""Nulls as columns, and as values that people and other processes read."""

import numpy as np
import pytest

from thalweg.columnar import nulls as nulls_module
from thalweg.columnar.nulls import NullLimitError, Nulls, is_null
from thalweg.columnar.trigger_table import Shape
from thalweg.columnar.values import Values
from thalweg.engine.null_text import null_from_text, null_to_text
from thalweg.null import Null

PLAIN = Shape(1, 2, timed=False)
TIMED = Shape(2, 1, timed=True)


def column(*numbers):
    return np.array(numbers, dtype=np.int64)


class TestTriggers:
    def test_equal_triggers_have_one_number(self):
        nulls = Nulls()
        first = nulls.triggers(PLAIN, [column(2, 4, 2), column(6, 6, 6)], 3)
        again = nulls.triggers(PLAIN, [column(4, 2, 8), column(6, 6, 6)], 3)
        assert first.tolist() == [0, 1, 0]
        assert again.tolist() == [1, 0, 2]

    def test_rules_and_times_are_told_apart(self):
        nulls = Nulls()
        plain = nulls.triggers(PLAIN, [column(2), column(6)], 1)
        other_rule = nulls.triggers(Shape(3, 2, timed=False), [column(2), column(6)], 1)
        early, late = nulls.triggers(TIMED, [column(2, 2), column(5, 6)], 2)
        assert len({int(plain[0]), int(other_rule[0]), int(early), int(late)}) == 4

    def test_triggers_with_one_hash_are_told_apart(self, monkeypatch):
        monkeypatch.setattr(nulls_module, "trigger_hashes", lambda columns, size: np.zeros(size, dtype=np.int64))
        nulls = Nulls()
        first = nulls.triggers(PLAIN, [column(2, 4, 2, 8), column(6, 6, 6, 6)], 4)
        again = nulls.triggers(PLAIN, [column(8, 4, 10), column(6, 6, 6)], 3)
        assert first.tolist() == [0, 1, 0, 2]
        assert again.tolist() == [2, 1, 3]

    def test_a_trigger_fires_once(self):
        nulls = Nulls()
        rows, numbers = nulls.fire(TIMED, [column(2, 4, 2), column(5, 5, 5)], 3)
        assert (rows.tolist(), numbers.tolist()) == ([0, 1], [0, 1])
        rows, numbers = nulls.fire(TIMED, [column(4, 6), column(5, 5)], 2)
        assert (rows.tolist(), numbers.tolist()) == ([1], [2])

    def test_a_trigger_whose_null_came_from_elsewhere_still_fires(self):
        nulls = Nulls()
        nulls.triggers(TIMED, [column(2), column(5)], 1, foreign=True)
        rows, numbers = nulls.fire(TIMED, [column(2, 4), column(5, 5)], 2)
        assert (rows.tolist(), numbers.tolist()) == ([0, 1], [0, 1])

    def test_settled_triggers_are_known_where_nulls_come_from_elsewhere(self):
        nulls = Nulls()
        first = nulls.triggers(TIMED, [column(2, 4), column(5, 9)], 2)
        nulls.settle(7)
        again = nulls.triggers(TIMED, [column(4, 2), column(9, 5)], 2, foreign=True)
        assert again.tolist() == first[::-1].tolist()


class TestForgetting:
    def test_what_is_held_is_kept_and_what_it_was_made_from(self):
        values = Values()
        inner = Null(1, "Y", ("a", "b"))
        codes = values.encode([Null(2, "Z", (inner,), 5), Null(2, "Z", ("c",), 5)])
        kept = values.nulls.kept([codes[:1]])
        assert (len(values.nulls), len(kept)) == (3, 2)
        values.nulls = kept
        assert values.value(int(codes[0])) == Null(2, "Z", (inner,), 5)

    def test_a_view_still_knows_what_was_forgotten(self):
        values = Values()
        code = values.code(Null(1, "Y", ("a", "b")))
        view = values.view()
        values.nulls = values.nulls.kept([])
        assert view.value(code) == Null(1, "Y", ("a", "b"))

    def test_numbers_are_not_given_twice(self):
        values = Values()
        before = values.code(Null(1, "Y", ("a", "b")))
        values.nulls = values.nulls.kept([])
        assert values.code(Null(1, "Y", ("c", "d"))) != before


class TestLimits:
    def test_a_limit_on_their_number(self):
        nulls = Nulls()
        nulls.most = 2
        nulls.triggers(PLAIN, [column(2, 4), column(6, 6)], 2)
        nulls.triggers(PLAIN, [column(4, 2), column(6, 6)], 2)
        with pytest.raises(NullLimitError, match="more than 2"):
            nulls.triggers(PLAIN, [column(8), column(6)], 1)

    def test_a_limit_on_their_depth(self):
        values = Values()
        values.nulls.deepest = 2
        null = Null(1, "Y", ("a", Null(1, "Y", ("a", "b"))))
        values.code(null)
        with pytest.raises(NullLimitError, match="more than 2 deep"):
            values.code(Null(1, "Y", ("a", null)))


class TestValues:
    def test_nulls_are_apart_from_other_values(self):
        values = Values()
        codes = values.encode(["_:Y.1(a)", Null(1, "Y", ("a",)), Null(1, "Y", ("b",)), Null(1, "Z", ("a",))])
        assert len(set(codes.tolist())) == 4
        assert is_null(codes).tolist() == [False, True, True, True]

    def test_nothing_is_calculated_from_them(self):
        values = Values()
        code = np.array([values.code(Null(1, "Y", ("a",)))])
        with pytest.raises(TypeError, match=r"_:Y.1\(a\) is a new value"):
            values.rationals(code)

    def test_they_print_readably(self):
        inner = Null(1, "Y", ("b1",), 5)
        assert str(inner) == "_:Y.1(b1@5)"
        assert str(Null(2, "Z", (inner, "two words"))) == '_:Z.2(_:Y.1(b1@5),"two words")'
        deep = Null(3, "V", (Null(2, "Z", (inner,)),))
        assert str(deep) == f"_:V.3#{deep.digest[:12]}"

    def test_a_null_made_of_nulls_that_share_parts_is_quick(self):
        null = Null(1, "Y", ("a",))
        for _ in range(200):
            null = Null(1, "Y", (null, null, null))
        values = Values()
        assert values.value(values.code(null)) == null
        assert null_from_text(null_to_text(null)) == null

    def test_a_null_may_be_thousands_deep(self):
        null = Null(1, "Y", ("a",))
        for _ in range(3000):
            null = Null(1, "Y", (null,))
        values = Values()
        code = values.code(null)
        values.nulls.written.clear()
        assert values.value(code) == null
        assert null_from_text(null_to_text(null)) == null
