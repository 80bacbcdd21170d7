"""The journal paper's Table 2 on few facts: what is counted, that answers are compared, and what is checked."""

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

import thalweg
from thalweg.bench.journal import table_2, table_2_measure
from thalweg.bench.journal.lubm_answers import differing
from thalweg.bench.journal.stored_facts import Streamed, count_streamed, time_streamed, values_by
from thalweg.bench.journal.table_2_checks import check
from thalweg.bench.journal.table_2_measure import Found, measure, slices_until
from thalweg.bench.journal.table_2_queries import NAMES, QUERIES, SIZES
from thalweg.bench.result import DisagreementError
from thalweg.bench.workbench import Size, Workbench
from thalweg.engine.stream import StreamReasoner
from thalweg.generators.lubm import Lubm
from thalweg.generators.stream import Slice

HORIZON = Fraction(12)
NON_RECURSIVE, RECURSIVE, THREE_RULES = QUERIES


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, 7, Size.QUICK)


def test_stored_are_what_was_held_and_what_came_before_anything_is_forgotten() -> None:
    # Lecturer at 0 and 0.5; candidates at 1 and 1.5, and again as associate at 2 and 2.5
    people = pa.table({"person": ["a", "b"], "time": pa.array(["0", "0.5"])})
    steps = [Slice(Fraction(n, 2), {"Lecturer": people.slice(n, 1)} if n < 2 else {}) for n in range(6)]
    found = count_streamed(NON_RECURSIVE.program, steps, keep=True)
    # At 1 it is Lecturer(a), Lecturer(b), AssistantProfessorCandidate(a); at 2.5 both candidates of either kind.
    assert found.most == [1, 2, 3, 4, 4, 4]
    assert found.facts == 6
    assert found.left[-1] < found.most[-1]
    assert {name: sum(map(len, parts)) for name, parts in found.answers.items()} == {
        "AssistantProfessorCandidate": 2,
        "AssociateProfessorCandidate": 2,
    }


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.figure)
def test_as_much_is_stored_when_only_the_query_is_asked_for(query) -> None:
    slices = list(slices_until(Lubm(20_000, 7, only=query.reads), HORIZON))
    reasoner, left = StreamReasoner(query.program, query.predicate), []
    for each in slices:
        reasoner.advance(each.tables, each.now)
        left.append(reasoner.stored.total)
    assert count_streamed(query.program, slices, keep=False).left == left
    assert len(time_streamed(query.program, query.predicate, slices)) == len(left)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.figure)
def test_streaming_and_all_at_once_agree(query, bench: Workbench) -> None:
    found = measure(bench, query, "D10", 30_000, HORIZON)
    assert found.differing == 0
    assert found.whole == found.streamed.facts > found.streamed.maximum
    assert 0 < found.bounded < 1


def test_the_recursion_stores_everyone_that_came_and_three_rules_do_not(bench: Workbench) -> None:
    recursive, three = (measure(bench, query, "D10", 30_000, 3 * HORIZON) for query in (RECURSIVE, THREE_RULES))
    assert recursive.streamed.came == three.streamed.came
    assert recursive.streamed.left[-1] >= recursive.streamed.came[-5]
    assert three.streamed.maximum < three.streamed.came[-1] / 2


def test_facts_that_differ_are_counted() -> None:
    program = thalweg.parse("P(X) :- Q(X).")
    some, other = (
        thalweg.materialise(program, facts, start=0, end=5).table("P")
        for facts in ("Q(a)@1\nQ(b)@1.5", "Q(a)@1\nQ(b)@2.5")
    )
    assert differing([some.slice(0, 1), some.slice(1)], some) == 0
    assert differing([other], some) == 2
    assert differing([some.slice(0, 1)], some) > 0
    assert differing([some, some], some) > 0
    assert differing([], some) > 0


def test_values_are_counted_from_when_they_first_come() -> None:
    table = pa.table({"a": ["x", "y", "x"], "b": ["y", "z", "w"], "time": pa.array([0, 1, 2])})
    assert values_by([Fraction(0), Fraction(1), Fraction(2)], {"P": table}) == [2, 3, 4]


def test_the_experiment_prints_the_papers_table_beside_ours(bench: Workbench, monkeypatch) -> None:
    _make_small(monkeypatch)
    result = table_2.run(bench)
    assert len(result.table.rows) == 12
    assert [row[6:9] for row in result.table.rows[:2]] == [("41,612", "1,006", "41"), ("83,196", "2,015", "41")]
    assert [figure.name for figure in result.figures] == ["figure-1", "figure-2", "figure-3", "figure-3-three-rules"]
    assert all(len(figure.lines) == 4 for figure in result.figures)


def test_whether_memory_is_flat_is_judged_where_facts_are_many(tmp_path: Path) -> None:
    flat = Streamed(times=[Fraction(0)] * 99, most=[10] * 99, left=[5] * 99, came=[10] * 99)
    growing = Streamed(times=[Fraction(0)] * 99, most=[*range(1, 100)], left=[5] * 99, came=[*range(1, 100)])
    found = [Found(q, n, 100, growing if q.grows else flat, 1000, 0, 0.1) for q in QUERIES for n in NAMES]
    quick, normal = (
        list(check(Workbench(tmp_path, 7, size), found, Fraction(300))) for size in (Size.QUICK, Size.NORMAL)
    )
    assert not [each for each in quick if "third" in each.promise]
    [missed] = [each for each in normal if "third" in each.promise and not each.kept]
    assert missed.promise.startswith("Π_r, D20")
    assert missed.why


def test_facts_of_data_sets_as_large_as_the_papers_are_compared_with_its_numbers(bench: Workbench) -> None:
    def found(away: float) -> list[Found]:
        stream = Streamed(times=[Fraction(0)] * 30, most=[10] * 30, left=[5] * 30, came=[10] * 30)
        return [
            Found(query, name, size, stream, round(at_once * (1 + away)), 0, 0.1)
            for query in QUERIES
            for name, size, (at_once, _) in zip(NAMES, SIZES, query.paper, strict=True)
        ]

    for away, kept in ((0.01, True), (0.1, False)):
        compared = [each for each in check(bench, found(away), Fraction(300)) if "paper's number" in each.promise]
        assert [each.kept for each in compared] == [kept, kept]  # Π_nr, and the first three rules of Π_r


def test_no_result_is_given_where_answers_differ(bench: Workbench, monkeypatch) -> None:
    _make_small(monkeypatch)
    monkeypatch.setattr(table_2, "SIZES", (1_000_000,))
    monkeypatch.setattr(table_2, "NAMES", ("D5",))
    monkeypatch.setattr(table_2_measure, "differing", lambda parts, whole: 1)
    with pytest.raises(DisagreementError, match="answers differ"):
        table_2.run(bench)


def _make_small(monkeypatch) -> None:
    monkeypatch.setattr(table_2, "SIZES", (1_000_000, 2_000_000, 3_000_000, 4_000_000))
    monkeypatch.setattr(table_2, "QUICK_HORIZON", Fraction(5))
