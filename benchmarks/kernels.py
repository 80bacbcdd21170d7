"""The interval kernels beside polars, pyarrow and numba on the same relations. ``python -m benchmarks.kernels``.

Times are processor time, medians of several runs, on one thread, since a Spark task has one core. Each library runs
alone, after a run that does not count, so that it does not pay for the memory that another gave back. Every library
gets its tables in its own format, conversions not counted, and knows the spans of keys and times beforehand, which
our kernels must find out. A library that is not installed is left out.
"""

from __future__ import annotations

import functools
import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from thalweg.columnar.arrays import Ints, sort_order
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.join import containing_rows, intersection_join
from thalweg.columnar.relation import Relation, concat
from thalweg.columnar.subtract import subtract

RUNS = {10**4: 25, 10**5: 11, 10**6: 5}
"""How often each size is measured."""


@dataclass(frozen=True)
class Workload:
    """Relations over columns a and b: several a share a b; and what the libraries may know of them beforehand."""

    tables: dict[str, Relation]
    time_span: int
    key_span: int
    longest: int
    has_long_histories: bool

    def key(self, on: str, table: Any) -> Any:
        """The columns of ``on`` as one number, with room for a time; for arrays as well as expressions."""
        packed = table(on[0])
        for name in on[1:]:
            packed = packed * self.key_span + table(name)
        return packed * self.time_span


def many_keys(size: int) -> Workload:
    """Five ranges or so for each of size/5 keys, within 300 ticks."""
    return _workload(size, keys=size // 5, horizon=600, length=80)


def long_histories(size: int) -> Workload:
    """A hundred keys, each with size/100 ranges, one every 20 ticks."""
    return _workload(size, keys=100, horizon=size // 100 * 40, length=40)


def _workload(size: int, keys: int, horizon: int, length: int) -> Workload:
    arrived, right, more = (
        _facts(rows, keys, horizon, length, seed) for seed, rows in enumerate((size, size, size // 10))
    )
    known, part = coalesce(arrived), coalesce(more)
    tables = {
        "arrived": arrived,
        "right": right,
        "known": known,
        "part": part,
        "grown": concat((known, part), 2),
        "entities": coalesce(right.select_columns((0,))),
        "taken": coalesce(right),
    }
    longest = max(int((table.end - table.start).max()) for table in tables.values())
    return Workload(tables, horizon + length + 1, 2 * keys + 1, longest, has_long_histories=size > 50 * keys)


def _facts(size: int, keys: int, horizon: int, length: int, seed: int) -> Relation:
    random = np.random.default_rng(seed)
    entity = random.integers(0, keys, size)
    start = random.integers(0, horizon, size)
    return Relation((2 * entity + 1, 2 * (entity // 4) + 1), start, start + random.integers(0, length, size))


class Library(Protocol):
    """The kernels in one library's terms."""

    def load(self, relation: Relation) -> Any:
        """A relation in the library's format."""

    def columns(self, table: Any) -> list[Ints]:
        """A result's columns."""

    def coalesce(self, table: Any) -> Any:
        """Maximal ranges."""

    def join(self, left: Any, right: Any, on: str, *, disjoint: bool) -> Any:
        """Pairs that agree on a column, over their common time; disjoint: no two right ranges of a key overlap."""

    def containing(self, full: Any, part: Any) -> Any:
        """The coalesced rows that share time with a part."""

    def subtract(self, left: Any, taken: Any) -> Any:
        """The left rows without the time that is taken."""


KERNELS: dict[str, Callable[[Library, dict[str, Any]], Any]] = {
    "coalesce, in no order": lambda library, t: library.coalesce(t["arrived"]),
    "coalesce, a tenth added": lambda library, t: library.coalesce(t["grown"]),
    "join, all right columns": lambda library, t: library.join(t["arrived"], t["entities"], "a", disjoint=True),
    "join, one right column": lambda library, t: library.join(t["arrived"], t["right"], "b", disjoint=False),
    "containing rows": lambda library, t: library.containing(t["known"], t["part"]),
    "subtract": lambda library, t: library.subtract(t["arrived"], t["taken"]),
}


class Numpy:
    """The kernels of ``thalweg.columnar``; rows come without the indexes that earlier joins leave on them."""

    def __init__(self, workload: Workload) -> None:
        pass

    def load(self, relation: Relation) -> Relation:
        return relation

    def columns(self, table: Relation) -> list[Ints]:
        return [*table.columns, table.start, table.end]

    def coalesce(self, table: Relation) -> Relation:
        return coalesce(table)

    def join(self, left: Relation, right: Relation, on: str, *, disjoint: bool) -> Relation:
        position = "ab".index(on)
        return intersection_join(left, _without_indexes(right), [(position, position)])

    def containing(self, full: Relation, part: Relation) -> Relation:
        return containing_rows(_without_indexes(full), part)

    def subtract(self, left: Relation, taken: Relation) -> Relation:
        return subtract(left, _without_indexes(taken), [(0, 0), (1, 1)])


def _without_indexes(relation: Relation) -> Relation:
    return Relation(relation.columns, relation.start, relation.end, relation.coalesced)


class Polars:
    """Sorts on one packed column; hash joins, or binary search where a row has many of its key on the other side."""

    def __init__(self, workload: Workload) -> None:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        import polars

        self.pl, self.workload = polars, workload

    def load(self, relation: Relation) -> Any:
        columns = dict(zip("ab", relation.columns, strict=False))
        return self.pl.DataFrame({**columns, "start": relation.start, "end": relation.end})

    def columns(self, table: Any) -> list[Ints]:
        return [table[name].to_numpy() for name in table.columns]

    def coalesce(self, table: Any) -> Any:
        c, key = self.pl.col, self.workload.key("ab", self.pl.col)
        opens = (key + c.start > c.reached.shift() + 1).fill_null(True)
        return (
            table.lazy()
            .sort(key + c.start)
            .with_columns(reached=(key + c.end).cum_max())
            .with_columns(opens=opens)
            .select(
                *(c(name).filter(c.opens) for name in ("a", "b", "start")),
                end=(c.reached - key).filter(c.opens.shift(-1, fill_value=True)),
            )
            .collect()
        )

    def join(self, left: Any, right: Any, on: str, *, disjoint: bool) -> Any:
        rest = ["a_right"] if "b" in right.columns else []
        return self._overlaps(left, right, on, disjoint).select("a", "b", *rest, *self._common()).collect()

    def containing(self, full: Any, part: Any) -> Any:
        rows = full.with_row_index("row")
        touched = self._overlaps(part, rows, "ab", disjoint=True).select("row")
        return rows.lazy().join(touched, on="row", how="semi").drop("row").collect()

    def subtract(self, left: Any, taken: Any) -> Any:
        c, rows = self.pl.col, left.with_row_index("row")
        pairs = self._overlaps(rows, taken, "ab", disjoint=True).sort("row", "start_right")
        is_first = (c.row != c.row.shift()).fill_null(True)
        is_last = is_first.shift(-1, fill_value=True)
        begin = self.pl.when(is_first).then(c.start).otherwise(c.end_right.shift() + 1)
        before = pairs.select("a", "b", start=begin, end=c.start_right - 1)
        after = pairs.filter(is_last).select("a", "b", start=c.end_right + 1, end=c.end)
        untouched = rows.lazy().join(pairs, on="row", how="anti").drop("row")
        return self.pl.concat((untouched, before, after)).filter(c.start <= c.end).collect()

    def _common(self) -> tuple[Any, Any]:
        start = self.pl.max_horizontal("start", "start_right").alias("start")
        return start, self.pl.min_horizontal("end", "end_right").alias("end")

    def _overlaps(self, left: Any, right: Any, on: str, disjoint: bool) -> Any:
        c = self.pl.col
        if self.workload.has_long_histories or not disjoint:
            return self._searched(left, right, on, disjoint).lazy()
        pairs = left.lazy().join(right.lazy(), on=list(on))
        return pairs.filter((c.start <= c.end_right) & (c.start_right <= c.end))

    def _searched(self, left: Any, right: Any, on: str, disjoint: bool) -> Any:
        c = self.pl.col
        key = self.workload.key(on, c)
        left, right = (table.with_columns(s=key + c.start, e=key + c.end).sort("s") for table in (left, right))
        first = right["e" if disjoint else "s"].search_sorted(left["s"])
        pairs = self._expanded(first, right["s"].search_sorted(left["e"], "right")).rename({"owner": "l", "found": "r"})
        if not disjoint:
            first, last = (left["s"].search_sorted(right[name], "right") for name in ("s", "e"))
            begun = self._expanded(first, last).select(l="found", r="owner")
            pairs = self.pl.concat((pairs, begun))
        right = right.rename({name: f"{name}_right" for name in right.columns if name in left.columns})
        return self.pl.concat((left[pairs["l"]], right[pairs["r"]]), how="horizontal")

    def _expanded(self, first: Any, last: Any) -> Any:
        c, kind = self.pl.col, self.pl.UInt32
        ranges = self.pl.DataFrame({"first": first, "last": last}).with_row_index("owner").filter(c.first < c.last)
        return ranges.select("owner", found=self.pl.int_ranges("first", "last", dtype=kind)).explode("found")


class Arrow:
    """Sorts on one packed column; hash joins, by key and stretch of time where histories are long."""

    def __init__(self, workload: Workload) -> None:
        import pyarrow
        import pyarrow.compute

        pyarrow.set_cpu_count(1)
        self.pa, self.pc, self.workload = pyarrow, pyarrow.compute, workload

    def load(self, relation: Relation) -> Any:
        columns = dict(zip("ab", relation.columns, strict=False))
        return self.pa.table({**columns, "start": relation.start, "end": relation.end})

    def columns(self, table: Any) -> list[Ints]:
        return [column.to_numpy() for column in table.columns]

    def coalesce(self, table: Any) -> Any:
        pc, key = self.pc, self._key(table, "ab")
        starts = pc.add(key, table["start"])
        order = pc.sort_indices(starts)
        table, starts, key = (each.take(order).combine_chunks() for each in (table, starts, key))
        reached = pc.cumulative_max(pc.add(key, table["end"])).combine_chunks()
        opens = self._before(pc.greater(starts[1:], pc.add(reached[:-1], 1)), first=True)
        closes = self._after(opens[1:], last=True)
        ends = pc.subtract(reached, key).filter(closes)
        return table.select(["a", "b", "start"]).filter(opens).append_column("end", ends)

    def join(self, left: Any, right: Any, on: str, *, disjoint: bool) -> Any:
        pairs = self._overlaps(left, right, on)
        names = ["a", "b", "a_right"] if "b" in right.column_names else ["a", "b"]
        start = self.pc.max_element_wise(pairs["start"], pairs["start_right"])
        end = self.pc.min_element_wise(pairs["end"], pairs["end_right"])
        return pairs.select(names).append_column("start", start).append_column("end", end)

    def containing(self, full: Any, part: Any) -> Any:
        rows = self._numbered(full)
        touched = self._overlaps(part, rows, "ab").select(["row"])
        return rows.join(touched, "row", join_type="left semi", use_threads=False).drop(["row"])

    def subtract(self, left: Any, taken: Any) -> Any:
        pc, rows = self.pc, self._numbered(left)
        pairs = self._overlaps(rows, taken, "ab").sort_by([("row", "ascending"), ("start_right", "ascending")])
        pairs = pairs.combine_chunks()
        row, ends = (pairs[name].combine_chunks() for name in ("row", "end_right"))
        changes = pc.not_equal(row[1:], row[:-1])
        is_first, is_last = self._before(changes, first=True), self._after(changes, last=True)
        begin = pc.if_else(is_first, pairs["start"], pc.add(self._before(ends[:-1], first=0), 1))
        lasts = pairs.filter(is_last)
        untouched = rows.join(pairs.select(["row"]), "row", join_type="left anti", use_threads=False)
        pieces = (
            (untouched, untouched["start"], untouched["end"]),
            (pairs, begin, pc.subtract(pairs["start_right"], 1)),
            (lasts, pc.add(lasts["end_right"], 1), lasts["end"]),
        )
        remains = self.pa.concat_tables(
            table.select(["a", "b"]).append_column("start", start).append_column("end", end)
            for table, start, end in pieces
        )
        return remains.filter(pc.less_equal(remains["start"], remains["end"]))

    def _key(self, table: Any, on: str) -> Any:
        packed = table[on[0]]
        for name in on[1:]:
            packed = self.pc.add(self.pc.multiply(packed, self.workload.key_span), table[name])
        return self.pc.multiply(packed, self.workload.time_span)

    def _before(self, array: Any, first: Any) -> Any:
        return self.pa.concat_arrays((self.pa.array([first], array.type), array))

    def _after(self, array: Any, last: Any) -> Any:
        return self.pa.concat_arrays((array, self.pa.array([last], array.type)))

    def _numbered(self, table: Any) -> Any:
        return table.append_column("row", self.pa.array(np.arange(len(table))))

    def _overlaps(self, left: Any, right: Any, on: str) -> Any:
        pc, keys, stretch = self.pc, list(on), self.workload.longest + 1
        shared = {"a", "b", "start", "end"}.intersection(right.column_names).difference(on)
        right = right.rename_columns({name: f"{name}_right" for name in shared})
        if self.workload.has_long_histories:
            left, right = self._by_stretch(left, "start", "end"), self._by_stretch(right, "start_right", "end_right")
            keys.append("stretch")
        pairs = left.join(right, keys, join_type="inner", use_threads=False)
        meets = pc.less_equal(pairs["start"], pairs["end_right"])
        wanted = pc.and_(meets, pc.less_equal(pairs["start_right"], pairs["end"]))
        if self.workload.has_long_histories:
            begin = pc.max_element_wise(pairs["start"], pairs["start_right"])
            wanted = pc.and_(wanted, pc.equal(pairs["stretch"], pc.divide(begin, stretch)))
        return pairs.filter(wanted)

    def _by_stretch(self, table: Any, start: str, end: str) -> Any:
        """The rows once for each stretch of time they touch: one or two, as no range is longer than a stretch."""
        first, last = (self.pc.divide(table[name], self.workload.longest + 1) for name in (start, end))
        again = self.pc.greater(last, first)
        twice = table.append_column("stretch", last).filter(again)
        return self.pa.concat_tables((table.append_column("stretch", first), twice))


class Numba:
    """Sorts as ``thalweg.columnar`` does, then compiled loops over the sorted rows."""

    def __init__(self, workload: Workload) -> None:
        self.workload, self.loops = workload, numba_loops()

    def load(self, relation: Relation) -> dict[str, Ints]:
        return {**dict(zip("ab", relation.columns, strict=False)), "start": relation.start, "end": relation.end}

    def columns(self, table: list[Ints]) -> list[Ints]:
        return table

    def coalesce(self, table: dict[str, Ints]) -> list[Ints]:
        _, starts, ends, rows = self._sorted(table, "ab")
        first, end = self.loops.merge(starts, ends, table["end"], rows)
        return [table["a"][first], table["b"][first], table["start"][first], end]

    def join(self, left: dict[str, Ints], right: dict[str, Ints], on: str, *, disjoint: bool) -> list[Ints]:
        _, starts, ends, rows = self._sorted(left, on)
        _, right_starts, right_ends, right_rows = self._sorted(right, on)
        found = self.loops.overlaps(starts, ends, right_starts, right_ends)
        rows, right_rows = rows[found[0]], right_rows[found[1]]
        rest = [right["a"][right_rows]] if "b" in right else []
        start = np.maximum(left["start"][rows], right["start"][right_rows])
        end = np.minimum(left["end"][rows], right["end"][right_rows])
        return [left["a"][rows], left["b"][rows], *rest, start, end]

    def containing(self, full: dict[str, Ints], part: dict[str, Ints]) -> list[Ints]:
        _, starts, ends, _ = self._sorted(full, "ab")
        _, part_starts, part_ends, _ = self._sorted(part, "ab")
        rows = self.loops.touched(starts, ends, part_starts, part_ends)
        return [full[name][rows] for name in ("a", "b", "start", "end")]

    def subtract(self, left: dict[str, Ints], taken: dict[str, Ints]) -> list[Ints]:
        key, starts, ends, rows = self._sorted(left, "ab")
        _, taken_starts, taken_ends, _ = self._sorted(taken, "ab")
        row, start, end = self.loops.gaps(starts, ends, taken_starts, taken_ends)
        row = rows[row]
        return [left["a"][row], left["b"][row], start - key[row], end - key[row]]

    def _sorted(self, table: dict[str, Ints], on: str) -> tuple[Ints, Ints, Ints, Ints]:
        key = self.workload.key(on, table.get)
        starts, ends = key + table["start"], key + table["end"]
        order = sort_order(starts, self.workload.key_span ** len(on) * self.workload.time_span)
        if order is None:
            return key, starts, ends, np.arange(len(key))
        return key, starts[order], ends[order], order


@functools.cache
def numba_loops() -> SimpleNamespace:
    """The loops; keys and times come as single numbers, sorted by key and start."""
    from numba import njit

    @njit
    def merge(starts, ends, end, rows):  # type: ignore[no-untyped-def]  # numba infers the types
        first, reached, count, reach = np.empty_like(rows), np.empty_like(rows), 0, 0
        for i in range(len(rows)):
            if count == 0 or starts[i] > reach + 1:
                first[count], reached[count], reach = rows[i], end[rows[i]], ends[i]
                count += 1
            elif ends[i] > reach:
                reached[count - 1], reach = end[rows[i]], ends[i]
        return first[:count].copy(), reached[:count].copy()

    @njit
    def overlaps(starts, ends, right_starts, right_ends):  # type: ignore[no-untyped-def]
        nothing = np.empty(0, np.int64)
        size = started_within(starts, ends, right_starts, 0, nothing, nothing, 0)
        total = started_within(right_starts, right_ends, starts, 1, nothing, nothing, size)
        left, right = np.empty(total, np.int64), np.empty(total, np.int64)
        started_within(starts, ends, right_starts, 0, left, right, 0)
        started_within(right_starts, right_ends, starts, 1, right, left, size)
        return left, right

    @njit
    def started_within(starts, ends, others, after, owner, found, count):  # type: ignore[no-untyped-def]
        low = 0
        for i in range(len(starts)):
            while low < len(others) and others[low] < starts[i] + after:
                low += 1
            j = low
            while j < len(others) and others[j] <= ends[i]:
                if len(owner):
                    owner[count], found[count] = i, j
                count += 1
                j += 1
        return count

    @njit
    def touched(starts, ends, part_starts, part_ends):  # type: ignore[no-untyped-def]
        rows, count, i = np.empty(len(starts), np.int64), 0, 0
        for j in range(len(part_starts)):
            while i < len(starts) and ends[i] < part_starts[j]:
                i += 1
            while i < len(starts) and starts[i] <= part_ends[j]:
                rows[count] = i
                count += 1
                i += 1
        return rows[:count].copy()

    @njit
    def gaps(starts, ends, taken_starts, taken_ends):  # type: ignore[no-untyped-def]
        nothing = np.empty(0, np.int64)
        size = fill_gaps(starts, ends, taken_starts, taken_ends, nothing, nothing, nothing)
        row, start, end = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
        fill_gaps(starts, ends, taken_starts, taken_ends, row, start, end)
        return row, start, end

    @njit
    def fill_gaps(starts, ends, taken_starts, taken_ends, row, start, end):  # type: ignore[no-untyped-def]
        count, low = 0, 0
        for i in range(len(starts)):
            while low < len(taken_ends) and taken_ends[low] < starts[i]:
                low += 1
            at, j = starts[i], low
            while at <= ends[i]:
                reaches = j < len(taken_starts) and taken_starts[j] <= ends[i]
                until = taken_starts[j] - 1 if reaches else ends[i]
                if at <= until:
                    if len(row):
                        row[count], start[count], end[count] = i, at, until
                    count += 1
                at = taken_ends[j] + 1 if reaches else ends[i] + 1
                j += 1
        return count

    return SimpleNamespace(merge=merge, overlaps=overlaps, touched=touched, gaps=gaps)


LIBRARIES: dict[str, Callable[[Workload], Library]] = {
    "numpy": Numpy,
    "polars": Polars,
    "pyarrow": Arrow,
    "numba": Numba,
}


def main() -> None:
    """Measure everything and print the table."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.platform()}\n")
    libraries = {name: library for name, library in LIBRARIES.items() if _start(name, library)}
    print("\nnumpy: milliseconds for 10^4, 10^5 and 10^6 rows; the others: their time as a multiple of numpy's.\n")
    print(f"| relations | kernel | {' | '.join(libraries)} |")
    print("|---" * (2 + len(libraries)) + "|")
    for shape in (many_keys, long_histories):
        measured = [_measure(shape(size), runs, libraries) for size, runs in RUNS.items()]
        for kernel in KERNELS:
            cells = [_cell(name, [medians[kernel] for medians in measured]) for name in libraries]
            print(f"| {shape.__name__.replace('_', ' ')} | {kernel} | {' | '.join(cells)} |")


def _start(name: str, library: Callable[[Workload], Library]) -> bool:
    """Whether the library is there; says how long its import and the first run of its kernels take."""
    workload = many_keys(1000)
    began = time.perf_counter()
    try:
        started = library(workload)
    except ImportError:
        print(f"- {name}: not installed, left out")
        return False
    imported = time.perf_counter()
    tables = {key: started.load(relation) for key, relation in workload.tables.items()}
    for run in KERNELS.values():
        run(started, tables)
    done = time.perf_counter()
    version = importlib.metadata.version(name)
    print(f"- {name} {version}: import {imported - began:.2f} s, first calls {done - imported:.2f} s")
    return True


Medians = dict[str, float]
"""For every library, its median time in seconds."""


def _measure(workload: Workload, runs: int, makers: dict[str, Callable[[Workload], Library]]) -> dict[str, Medians]:
    """The times of every kernel."""
    libraries = {name: maker(workload) for name, maker in makers.items()}
    tables = {
        name: {key: library.load(relation) for key, relation in workload.tables.items()}
        for name, library in libraries.items()
    }
    measured: dict[str, Medians] = {}
    for kernel, run in KERNELS.items():
        prints, measured[kernel] = set(), {}
        for name, library in libraries.items():
            prints.add(_fingerprint(library.columns(run(library, tables[name]))))
            times = [_timed(run, library, tables[name]) for _ in range(runs)]
            measured[kernel][name] = statistics.median(times)
        assert len(prints) == 1, f"the libraries disagree on {kernel}: {prints}"
    return measured


def _timed(run: Callable[[Library, dict[str, Any]], Any], library: Library, tables: dict[str, Any]) -> float:
    began = time.process_time()
    run(library, tables)
    return time.process_time() - began


def _fingerprint(columns: list[Ints]) -> tuple[int, int]:
    """The number of rows, and the sum of a hash of each: the same in any order."""
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return len(mixed), int(mixed.sum())


def _cell(name: str, sizes: list[Medians]) -> str:
    if name == "numpy":
        return " / ".join(f"{1000 * medians[name]:.3g}" for medians in sizes)
    return " / ".join(f"{medians[name] / medians['numpy']:.2f}" for medians in sizes)


if __name__ == "__main__":
    main()
