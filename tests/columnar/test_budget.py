"""Kernels say beforehand how much memory they take, and stop where a limit does not allow it.

numpy tells tracemalloc of every array. So whatever a kernel really takes between two looks at the budget is compared
with what it had asked for.
"""

import os
import tracemalloc
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from thalweg.columnar import arithmetic
from thalweg.columnar.aggregate import count, extreme, total
from thalweg.columnar.arrays import expand_ranges
from thalweg.columnar.bridge import bridge
from thalweg.columnar.budget import Budget, MemoryLimitError, is_limited, look, reserve, resident, spending
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.difference import row_difference
from thalweg.columnar.intersect import intersect
from thalweg.columnar.join import containing_rows, intersection_join
from thalweg.columnar.matching import agreeing_pairs, group_numbers, occurs_in
from thalweg.columnar.nulls import Nulls
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.shift import box, clip, diamond
from thalweg.columnar.since import since
from thalweg.columnar.subtract import subtract
from thalweg.columnar.trigger_table import Shape
from thalweg.columnar.tuples import in_order
from thalweg.columnar.values import Values
from thalweg.columnar.windows import from_pivots, instants, near_pivots
from thalweg.time.timeline import Timeline

ROWS = 100_000
GRAIN = 1 << 20
MB = 1 << 20


@dataclass
class Watching(Budget):
    """Allows everything, and compares what is taken with what was asked for."""

    ceiling: int = 0
    worst: int = 0

    def look(self, needed):
        self.compare()
        self.asked = 0
        # What was found to be within the limit once stays so.
        self.ceiling = max(self.ceiling, tracemalloc.get_traced_memory()[0] + needed)

    def compare(self):
        self.worst = max(self.worst, tracemalloc.get_traced_memory()[1] - self.ceiling)


@contextmanager
def watched():
    tracemalloc.start()
    try:
        budget = Watching(0, 0)
        budget.look(0)
        with spending(budget):
            yield budget
        budget.compare()
    finally:
        tracemalloc.stop()


def relation(*, rows=ROWS, values=1000, length=5, seed=0, columns=2, span=100_000):
    draw = np.random.default_rng(seed)
    start = draw.integers(0, span, rows)
    arguments = tuple(2 * draw.integers(0, values, rows) for _ in range(columns))
    return Relation(arguments, start, start + draw.integers(0, length, rows))


def fractions(rows=ROWS):
    values = Values()
    codes = values.intern_rationals(np.arange(rows) * 2 + 1, np.full(rows, 2))
    return codes, values


def a_sum(mean):
    codes, values = fractions()
    rows = relation()
    return partial(total, Relation((rows.columns[0], codes), rows.start, rows.end), (0,), 1, values, mean=mean)


def a_minimum():
    codes, values = fractions()
    rows = relation()
    return partial(extreme, Relation((rows.columns[0], codes), rows.start, rows.end), (0,), 1, values, greatest=False)


def some_nulls():
    return partial(Nulls().triggers, Shape(1, 2, False), relation().columns, ROWS)


def decoding():
    codes, values = fractions()
    return partial(values.decode, codes)


def adding():
    codes, values = fractions()
    return partial(arithmetic.add, codes, codes, values)


one, other = relation(), relation(seed=1)
whole, another = coalesce(one), coalesce(other)
points = relation(length=1)
INTEGER = Timeline.INTEGER

KERNELS = {
    "coalesce": lambda: partial(coalesce, one),
    "coalesce wide": lambda: partial(coalesce, relation(columns=6, values=1 << 40)),
    "concat": lambda: partial(concat, [one, other], 2),
    "bridge": lambda: partial(bridge, one, 4),
    "join": lambda: partial(intersection_join, relation(length=200), relation(seed=1, length=200), [(0, 0)]),
    "join on a coalesced side": lambda: partial(intersection_join, one, coalesce(relation(seed=1)), [(0, 0), (1, 1)]),
    "product": lambda: partial(intersection_join, relation(rows=1000, length=90_000), relation(rows=1000), []),
    "containing rows": lambda: partial(containing_rows, coalesce(relation()), another),
    "since": lambda: partial(since, coalesce(relation(length=300)), relation(length=300), [(0, 0)], 0, 50, INTEGER),
    "subtract": lambda: partial(subtract, one, coalesce(relation(length=3000, seed=2, columns=1)), [(0, 0)]),
    "intersect": lambda: partial(intersect, [whole, another]),
    "difference": lambda: partial(row_difference, whole, another),
    "diamond": lambda: partial(diamond, one, 3, 9, Timeline.RATIONAL),
    "box": lambda: partial(box, whole, 1, 3, Timeline.RATIONAL),
    "clip": lambda: partial(clip, one, 20_000, 80_000),
    "all pairs": lambda: partial(agreeing_pairs, [], [], (1000, 2000)),
    "agreeing pairs": lambda: partial(agreeing_pairs, one.columns[:1], other.columns[:1], (ROWS, ROWS)),
    "occurs in": lambda: partial(occurs_in, one.columns, other.columns, (ROWS, ROWS)),
    "groups": lambda: partial(group_numbers, one.columns, ROWS),
    "instants": lambda: partial(instants, relation(length=100)),
    "pivots": lambda: partial(near_pivots, relation(length=100), 5, 2),
    "from pivots": lambda: partial(from_pivots, one, 5),
    "ranges": lambda: partial(expand_ranges, np.zeros(1000, dtype=np.int64), np.full(1000, 1000)),
    "tuples": lambda: partial(in_order, points.columns, points.start // 9, points.columns[:1], Values()),
    "count": lambda: partial(count, one, (0,)),
    "sum": lambda: a_sum(mean=False),
    "average": lambda: a_sum(mean=True),
    "minimum": a_minimum,
    "integers added": lambda: partial(arithmetic.add, one.columns[0], one.columns[1], Values()),
    "fractions added": adding,
    "integers ordered": lambda: partial(arithmetic.order, one.columns[0], one.columns[1], Values()),
    "nulls": some_nulls,
    "values decoded": decoding,
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_takes_no_more_than_it_asks_for(name):
    kernel = KERNELS[name]()
    with watched() as budget:
        kernel()
    assert budget.worst <= 2 * GRAIN, f"{budget.worst / MB:.1f} MB more than asked for"


def test_an_unannounced_array_is_noticed():
    """The comparison itself can fail."""
    with watched() as budget:
        reserve(ROWS, 1)
        kept = np.ones(20 * ROWS)
    assert budget.worst > 2 * GRAIN
    assert len(kept)


def test_a_product_beyond_the_limit_is_not_begun():
    left, right = relation(rows=30_000, length=90_000), relation(rows=30_000, length=90_000)
    before = resident()
    with spending(Budget(100 * MB, before)), pytest.raises(MemoryLimitError) as raised:
        intersection_join(left, right, [])
    assert raised.value.needed > 1000 * MB
    assert raised.value.limit == 100 * MB
    assert 0 < raised.value.left <= 100 * MB
    assert resident() - before < 50 * MB


def test_ranges_of_time_that_add_up_beyond_64_bits_are_refused():
    long = Relation((), np.zeros(40, dtype=np.int64), np.full(40, 1 << 59))
    with spending(Budget(100 * MB, resident())), pytest.raises(MemoryLimitError):
        expand_ranges(long.start, long.end)


def test_small_steps_that_add_up_are_stopped():
    kept = []

    def take_small_steps():
        for _ in range(10_000):
            reserve(10_000, 1)
            kept.append(np.ones(10_000))

    with spending(Budget(50 * MB, resident())), pytest.raises(MemoryLimitError):
        take_small_steps()
    assert 30 * MB < sum(each.nbytes for each in kept) < 60 * MB


def test_what_is_freed_may_be_taken_again():
    with spending(Budget(50 * MB, resident())):
        for _ in range(200):
            reserve(500_000, 2)
            np.ones(500_000).sum()


def test_memory_of_others_that_was_there_before_does_not_count():
    large = np.ones(10_000_000)
    with spending(Budget(20 * MB, resident())):
        reserve(1_000_000, 1)
        look()
    assert len(large)


def test_without_a_limit_nothing_is_counted():
    assert not is_limited()
    reserve(1 << 60, 1 << 10)
    look()


def test_a_look_finds_what_nobody_asked_for():
    with spending(Budget(20 * MB, resident())):
        assert is_limited()
        kept = np.ones(10_000_000)
        with pytest.raises(MemoryLimitError):
            look()
    assert len(kept)


def test_a_forked_process_looks_at_its_own_memory():
    resident()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        before = resident()
        kept = np.ones(20_000_000)
        os.write(writing, str(resident() - before).encode())
        os._exit(int(len(kept) < 1))
    os.waitpid(child, 0)
    assert int(os.read(reading, 100)) > 100 * MB
