"""Temporal LUBM as a stream: MeTeoR's parts as Algorithm 1, and Thalweg's answers against theirs."""

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("meteor_reasoner")

from thalweg.bench.journal.table_2_queries import QUERIES
from thalweg.bench.peers import lubm_stream
from thalweg.bench.peers.lubm_stream_meteor import rules_of, stream_of, windowed
from thalweg.bench.result import DisagreementError
from thalweg.bench.workbench import Size, Workbench
from thalweg.generators.stream import Slice

NON_RECURSIVE, RECURSIVE, _ = QUERIES


def _steps(predicate: str, person: str, count: int) -> list[Slice]:
    """A fact at 0, and steps of 0.5 after it."""
    table = pa.table({"person": [person], "time": [0]})
    return [Slice(Fraction(n, 2), {predicate: table} if n == 0 else {}) for n in range(count)]


def test_rules_are_read_as_they_are_written() -> None:
    assert [len(rules_of(query.rules)) for query in QUERIES] == [3, 4, 3]


def test_a_lecturer_becomes_a_candidate_after_two_time_units() -> None:
    found = windowed(rules_of(NON_RECURSIVE.rules), stream_of(_steps("Lecturer", "a", 6)), NON_RECURSIVE.predicate)
    assert found.answers == {("a", Fraction(2))}
    assert found.stored == 2


def test_the_recursion_goes_on_as_far_as_the_stream() -> None:
    # FullProfessor  0     2     4
    # Scientist         1     3     5
    found = windowed(rules_of(RECURSIVE.rules), stream_of(_steps("FullProfessor", "a", 11)), "Scientist")
    assert found.answers == {("a", Fraction(n)) for n in (1, 3, 5)}


def test_both_systems_agree_and_store_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lubm_stream, "QUICK", ((NON_RECURSIVE, 200_000, 4), (RECURSIVE, 100_000, 4)))
    result = lubm_stream.run(Workbench(tmp_path, 7, Size.QUICK))
    assert result.kept
    assert len(result.table.rows) == 6
    assert all(low == high for low, high in (run["stored"] for run in result.raw.values()))


def test_no_times_are_given_where_answers_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lubm_stream, "QUICK", ((RECURSIVE, 100_000, 4),))
    monkeypatch.setattr(lubm_stream, "rules_of", lambda rules: rules_of(rules)[:3])
    with pytest.raises(DisagreementError):
        lubm_stream.run(Workbench(tmp_path, 7, Size.QUICK))
