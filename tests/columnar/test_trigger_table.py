"""Triggers against a plain dictionary: known ones are found again, new ones get the next number."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from thalweg.columnar import nulls as nulls_module
from thalweg.columnar.nulls import Group, NullLimitError, Nulls, null_codes, trigger_numbers
from thalweg.columnar.trigger_table import Shape, distinct_triggers, trigger_hashes
from thalweg.columnar.values import Values
from thalweg.null import Null

PLAIN = Shape(1, 2, timed=False)
TIMED = Shape(2, 1, timed=True)

pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)


def column(*numbers):
    return np.array(numbers, dtype=np.int64)


def columns_of(rows):
    return [np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1)]


@pytest.fixture(params=["all hashes apart", "hashes that often meet"])
def hashes(request, monkeypatch):
    if request.param == "hashes that often meet":
        monkeypatch.setattr(nulls_module, "trigger_hashes", lambda columns, size: sum(columns) % 3)


class TestNumbers:
    @pytest.mark.usefixtures("hashes")
    @pytest.mark.parametrize("foreign", [False, True])
    def test_many_batches_of_triggers_agree_with_a_dictionary(self, foreign):
        chance, nulls, known = np.random.default_rng(3), Nulls(), {}
        for _ in range(30):
            rows = [(int(a), int(b)) for a, b in chance.integers(0, 12, (int(chance.integers(0, 9)), 2))]
            found = nulls.triggers(PLAIN, columns_of(rows), len(rows), foreign=foreign).tolist()
            # New triggers are numbered in the order of their first rows.
            assert found == [known.setdefault(row, len(known)) for row in rows]
        assert (len(nulls), nulls.next_number) == (len(known), len(known))

    @pytest.mark.usefixtures("hashes")
    def test_each_trigger_fires_once_whatever_the_batches(self):
        chance, nulls, fired = np.random.default_rng(4), Nulls(), {}
        for _ in range(30):
            rows = [(int(a), int(b)) for a, b in chance.integers(0, 9, (int(chance.integers(0, 9)), 2))]
            if chance.integers(0, 2):
                nulls.triggers(TIMED, columns_of(rows), len(rows), foreign=True)
            before = {*fired}
            chosen, numbers = nulls.fire(TIMED, columns_of(rows), len(rows))
            for row, number in zip(chosen.tolist(), numbers.tolist(), strict=True):
                assert rows[row] not in fired
                fired[rows[row]] = number
            assert {*fired} - before == {*rows} - before
        again = nulls.triggers(TIMED, columns_of([*fired]), len(fired)).tolist()
        assert again == [*fired.values()]

    def test_triggers_that_the_caller_knows_to_be_distinct_are_numbered_as_they_come(self):
        nulls = Nulls()
        assert nulls.triggers(PLAIN, [column(8, 2, 4), column(0, 0, 0)], 3, distinct=True).tolist() == [0, 1, 2]

    @settings(max_examples=amount(60))
    @given(pairs, st.integers(1, 4))
    def test_the_first_row_of_each_trigger_and_the_trigger_of_each_row(self, rows, different_hashes):
        hashes = np.array([(3 * a + b) % different_hashes for a, b in rows], dtype=np.int64)
        first, group = distinct_triggers(columns_of(rows), hashes)
        distinct = [*dict.fromkeys(rows)]
        assert first.tolist() == [rows.index(row) for row in distinct]
        assert group.tolist() == [distinct.index(row) for row in rows]
        assert first.dtype == group.dtype == np.int64

    @pytest.mark.parametrize("hashes", [np.zeros(400, dtype=np.int64), np.arange(400) % 3])
    def test_of_many_equal_rows_the_first_is_chosen(self, hashes):
        first, group = distinct_triggers([np.arange(400) % 3], hashes)
        assert (first.tolist(), group.tolist()) == ([0, 1, 2], [i % 3 for i in range(400)])

    def test_near_values_have_far_hashes(self):
        rows = [*itertools.product(range(-40, 40), repeat=2)]
        words = trigger_hashes(columns_of(rows), len(rows))
        assert len({*words.tolist()}) == len(rows)
        # Bits as of chance: each is set in about half of the words, high ones as well as low ones.
        for bit in range(64):
            assert 0.45 < np.mean((words >> bit) & 1) < 0.55


class TestSettling:
    def test_settled_triggers_are_new_to_rules_and_known_to_what_comes_from_elsewhere(self):
        nulls = Nulls()
        assert nulls.triggers(TIMED, [column(2, 2, 2), column(6, 7, 8)], 3).tolist() == [0, 1, 2]
        nulls.settle(7)
        assert nulls.triggers(TIMED, [column(2, 2, 2), column(6, 7, 8)], 3, foreign=True).tolist() == [0, 1, 2]
        nulls.settle(5)
        assert nulls.triggers(TIMED, [column(2), column(8)], 1).tolist() == [2]
        assert nulls.triggers(TIMED, [column(2), column(7)], 1).tolist() == [3]

    def test_triggers_settled_at_several_times_are_all_found_again(self):
        nulls = Nulls()
        for time in range(6):
            nulls.triggers(TIMED, [column(2, 4), column(time, time)], 2)
            nulls.settle(time - 2)
        rows = [(value, time) for time in range(6) for value in (2, 4)]
        for _ in range(2):
            assert nulls.triggers(TIMED, columns_of(rows), 12, foreign=True).tolist() == [*range(12)]

    def test_the_time_is_the_last_of_the_columns_whatever_their_number(self):
        nulls, shape = Nulls(), Shape(3, 2, timed=True)
        rows = [column(2, 2), column(100, 1), column(6, 8)]
        assert nulls.triggers(shape, rows, 2).tolist() == [0, 1]
        nulls.settle(7)
        assert nulls.triggers(shape, [each[1:] for each in rows], 1).tolist() == [1]
        assert nulls.triggers(shape, [each[:1] for each in rows], 1).tolist() == [2]

    def test_triggers_without_a_time_are_never_settled(self):
        nulls = Nulls()
        nulls.triggers(PLAIN, [column(2), column(4)], 1)
        nulls.settle(1000)
        assert nulls.triggers(PLAIN, [column(2), column(4)], 1).tolist() == [0]


class TestMoving:
    """What is held here can be held elsewhere, with the same numbers."""

    def filled(self):
        values = Values()
        inner = Null(1, "Y", ("a", "b"))
        made = [
            inner,
            Null(1, "Z", ("a", "b")),
            Null(2, "Z", (inner,), 5),
            Null(2, "Z", ("c",), 9),
            Null(1, "Y", (inner, "c")),
        ]
        return values, made, values.encode(made)

    def test_held_elsewhere_nulls_stand_for_the_same(self):
        values, made, codes = self.filled()
        moved = Nulls()
        moved.hold(values.nulls.held())
        assert (len(moved), moved.next_number) == (len(values.nulls), values.nulls.next_number) == (4, 4)
        values.nulls = moved
        assert values.decode(codes) == made
        assert values.encode(made).tolist() == codes.tolist()

    def test_what_is_new_follows_what_was_held(self):
        values, _, codes = self.filled()
        middle = 2
        moved = Nulls()
        moved.hold([each.take(each.numbers < middle) for each in values.nulls.held()])
        assert (len(moved), moved.next_number) == (2, 2)
        moved.hold(values.nulls.held(middle))
        assert [moved.origin(int(code)) for code in codes] == [values.nulls.origin(int(code)) for code in codes]
        assert (len(moved), moved.next_number) == (4, 4)
        moved.hold([])
        assert moved.next_number == 4

    def test_depths_move_along(self):
        values, made, _ = self.filled()
        moved = Nulls()
        moved.hold(values.nulls.held())
        moved.deepest = 2
        values.nulls = moved
        values.code(Null(1, "Y", (made[0], "d")))
        with pytest.raises(NullLimitError, match="more than 2 deep") as refused:
            values.code(Null(1, "Y", ("d", made[2])))
        assert refused.value.rule == 1

    def test_a_time_is_no_null_whatever_its_code(self):
        nulls = Nulls()
        nulls.deepest = 1
        assert nulls.triggers(TIMED, [column(2, 2), column(-5, -129)], 2).tolist() == [0, 1]
        assert nulls.held()[0].depths.tolist() == [1, 1]

    def test_values_are_recoded_and_times_are_not(self):
        nulls = Nulls()
        nulls.triggers(PLAIN, [column(2), column(4)], 1)
        nulls.triggers(TIMED, [column(6), column(8)], 1)
        codes = [int(nulls.codes(shape, "Y", column(i))[0]) for i, shape in enumerate((PLAIN, TIMED))]
        recoded = nulls.recoded(lambda given_: given_ + 100)
        assert [recoded.origin(code) for code in codes] == [(1, "Y", (102, 104), None), (2, "Y", (106,), 8)]

    def test_limits_and_groups_and_the_next_number_are_kept_with_the_triggers(self):
        values, _, codes = self.filled()
        values.nulls.most, values.nulls.deepest, values.nulls.groups = 10, 20, {7: Group(PLAIN, (), ())}
        kept = values.nulls.kept([codes[3:4]])
        assert (kept.most, kept.deepest, kept.groups) == (10, 20, values.nulls.groups)
        assert (len(kept), kept.next_number) == (1, 4)

    def test_a_null_may_be_made_from_negative_numbers(self):
        values = Values()
        made = [Null(1, "Y", (Fraction(-3), Fraction(-1, 2))), Null(1, "Y", (Fraction(0), "a"))]
        codes = values.encode(made)
        values.nulls.written.clear()
        assert values.decode(codes) == made

    def test_nulls_made_from_nulls_made_from_nulls_are_kept(self):
        values = Values()
        chain = [Null(1, "Y", ("a", "b"))]
        for _ in range(4):
            chain.append(Null(1, "Y", ("a", chain[-1])))
        codes = values.encode([*chain, Null(1, "Y", ("c", "c"))])
        # the deepest of the chain alone is held: it needs all before it, and not the other
        values.nulls = values.nulls.kept([codes[4:5]])
        assert len(values.nulls) == 5
        values.nulls.written.clear()
        assert values.decode(codes[:5]) == chain


class TestSharedTables:
    """Rules of one form share a table: the number of the rule, then a value for each variable of the body."""

    def test_a_null_of_a_shared_table_says_its_rule_its_variable_and_what_counts(self):
        shared = Shape(-1, 3, timed=True)
        nulls = Nulls()
        nulls.groups = {4: Group(shared, (1,), ("Y", "Z")), 5: Group(shared, (0, 1), ("V",))}
        triggers = nulls.triggers(shared, [column(8, 10), column(0, 22), column(20, 24), column(6, 7)], 2)
        z, v = null_codes(triggers, column(1, 0)).tolist()
        assert nulls.origin(z) == (4, "Z", (20,), 6)
        assert nulls.origin(v) == (5, "V", (22, 24), 7)
        assert nulls.foreign(4, "Z", [20], 6) == z
        assert nulls.foreign(5, "V", [22, 24], 7) == v
        assert nulls.foreign(4, "Y", [20], 6) == int(null_codes(triggers, 0)[0])
        assert len(nulls) == 2

    def test_codes_of_nulls_are_apart_and_say_their_trigger(self):
        codes = [int(null_codes(column(trigger), slot)[0]) for trigger in range(5) for slot in range(64)]
        assert len({*codes}) == len(codes)
        assert trigger_numbers(np.array(codes)).tolist() == [trigger for trigger in range(5) for _ in range(64)]
        assert all(code < 0 and code & 1 for code in codes)


def test_a_null_from_elsewhere_is_one_that_no_rule_meets_any_more():
    nulls = Nulls()
    number = nulls.triggers(TIMED, [column(8), column(3)], 1)
    code = int(nulls.codes(TIMED, "Z", number)[0])
    nulls.settle(5)
    assert nulls.foreign(TIMED.rule, "Z", [8], 3) == code
    assert len(nulls) == 1


def test_triggers_that_are_kept_keep_their_depths():
    nulls = Nulls()
    outer = nulls.triggers(PLAIN, [column(2, 4), column(2, 4)], 2)
    inner = nulls.codes(PLAIN, "Z", outer)
    deep = nulls.triggers(TIMED, [inner[1:], column(7)], 1)
    left = nulls.kept([nulls.codes(TIMED, "Y", deep)])
    assert [each.depths.tolist() for each in left.held()] == [[1], [2]]
    assert [each.numbers.tolist() for each in left.held()] == [[1], [2]]


def test_the_depth_of_a_trigger_is_that_of_all_its_values_and_not_of_its_time():
    nulls = Nulls()
    (inner,) = nulls.codes(PLAIN, "Z", nulls.triggers(PLAIN, [column(2), column(2)], 1))
    nulls.triggers(Shape(3, 2, timed=True), [column(4), column(inner), column(inner)], 1)
    nulls.triggers(Shape(4, 1, timed=True), [column(4), column(inner)], 1)
    assert [each.depths.tolist() for each in nulls.held()] == [[1], [2], [1]]


def test_which_numbers_are_held():
    nulls = Nulls()
    assert (nulls.last_number, nulls.next_number, nulls.knows(column(0))) == (-1, 0, False)
    nulls.hold([])
    assert nulls.next_number == 0
    codes = nulls.codes(PLAIN, "Z", nulls.triggers(PLAIN, [column(2, 4, 6), column(2, 4, 6)], 3))
    assert not nulls.kept([codes[:1]]).knows(column(7))
    left = nulls.kept([codes[[0, 2]]])
    assert (left.last_number, left.next_number) == (2, 3)
    assert [left.knows(column(number)) for number in range(4)] == [True, False, True, False]
    assert left.knows(column(0, 2))
    assert not left.knows(column(0, 1, 2))
