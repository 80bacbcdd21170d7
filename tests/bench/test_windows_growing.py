"""Queries under windows: the answers by hand are those of DuckDB, and differences are not passed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thalweg.bench.result import DisagreementError
from thalweg.bench.windows import growing
from thalweg.bench.windows.queries import QUERIES, STREAMS, WindowQuery
from thalweg.bench.windows.sightings import Sightings
from thalweg.bench.windows.steps import timed_steps
from thalweg.bench.workbench import Size, Workbench

CQL = [query for query in QUERIES if query.language == "CQL" and query.title != "ISTREAM"]


def titled(title: str) -> WindowQuery:
    return next(query for query in QUERIES if query.title == title)


def drawn(query: WindowQuery, times: int = 9) -> dict[str, Sightings]:
    return {name: Sightings.draw(40, times, seed, query.fresh) for seed, name in enumerate(STREAMS)}


@pytest.mark.parametrize("query", CQL, ids=lambda query: query.title)
def test_answers_by_hand_are_those_of_duckdb(query: WindowQuery) -> None:
    duckdb = pytest.importorskip("duckdb")
    streams, time, length = drawn(query), 8, 3
    sql = query.text.split("; ")[-1]
    with duckdb.connect() as connection:
        for name, stream in streams.items():
            connection.register(f"{name}_facts", stream.table(time - length, time))
            connection.execute(f"CREATE VIEW {name} AS SELECT id, x FROM {name}_facts")
        found = set(connection.execute(sql.replace("[RANGE $n]", "")).fetchall())
    assert found
    assert query.expected(streams, time, length) == found


def test_istream_by_hand_is_what_was_not_there_before() -> None:
    query = titled("ISTREAM")
    ids = np.array([[1, 2], [3, 4], [5, 1]])
    streams = {"s": Sightings(ids)}
    assert query.expected(streams, 2, 1) == {(5,)}
    assert query.expected(streams, 2, 0) == {(5,), (1,)}


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: f"{query.language} {query.title}")
@pytest.mark.parametrize("length", [1, 5])
def test_thalweg_answers_as_by_hand(query: WindowQuery, length: int) -> None:
    streams = drawn(query, length + 4)
    timing, answers = growing._run(query, length, streams, 3)
    assert len(timing.seconds) == len(answers) == 3
    assert any(answers.values())
    assert answers == {time: query.expected(streams, time, length) for time in answers}


def test_a_difference_ends_the_experiment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    by_hand: Callable[..., set[tuple[int, ...]]] = titled("some").by_hand
    wrong = replace(titled("some"), by_hand=lambda now, before: by_hand(now, before) | {(-1, -1)})
    monkeypatch.setattr(growing, "QUERIES", (wrong,))
    with pytest.raises(DisagreementError, match="LARS: some, n = 10"):
        growing.run(Workbench(tmp_path, 7, Size.QUICK))


def test_sightings_are_drawn_by_the_seed_and_some_are_new() -> None:
    first, second, other = (Sightings.draw(40, 6, seed, 0.1).ids for seed in (1, 1, 2))
    assert (first == second).all()
    assert (first != other).any()
    for time in range(1, 6):
        assert len(np.setdiff1d(first[time], first[:time])) >= 4
        assert len(np.unique(first[time])) == 40


def test_steps_are_timed_one_by_one() -> None:
    timing, results = timed_steps([lambda: 1, lambda: sum(range(200_000)), lambda: 3])
    assert results[::2] == [1, 3]
    assert timing.seconds[1] == max(timing.seconds)
