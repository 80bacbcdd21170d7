"""Reading what a run has written, also while it writes."""

import datetime
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet
import pytest

from record.runs import folder_of, put
from thalweg.errors import UsageError
from thalweg.record.folder import RunFolder, find_runs

ROWS = [
    {"arg1": "a", "start": "1", "end": "2.5", "start_closed": True, "end_closed": False, "id": "0123456789ab"},
    {"arg1": '"Two words"', "start": None, "end": "1/3", "start_closed": False, "end_closed": True, "id": None},
]

EVIDENCE = [{"predicate": "P", "arguments": ["a"], "time": 3}]
AWAITED = [
    {"predicate": "P", "arguments": [None], "time": None, "until": 9, "negated": False},
    {"predicate": "Off", "arguments": [], "time": 4, "until": 4, "negated": True},
]
EXPECTED = {
    "arg1": "a",
    "start": "5",
    "end": "5",
    "start_closed": True,
    "end_closed": True,
    "status": "opened",
    "evidence": ["P(a)@3"],
    "hypotheses": ["P(_)@? until 9", "not Off@4 until 4"],
    "deadline": "9",
    "confidence": 0.5,
}


def rows(folder, query="Q", after=-1):
    return {number: table.to_pylist() for number, table in RunFolder(folder).answers(query, after)}


def parquet(table):
    buffer = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, buffer)
    return buffer.getvalue().to_pybytes()


def written(name):
    """The same rows as a run would write them."""
    plain = [{**row, "arg1": row["arg1"].strip('"')} for row in ROWS]
    if name == "parquet":
        return parquet(pa.Table.from_pylist(plain))
    if name == "json":
        return "".join(json.dumps(row) + "\n" for row in plain)
    if name == "csv":
        return (
            "arg1,start,end,start_closed,end_closed,id\na,1,2.5,true,false,0123456789ab\nTwo words,,1/3,false,true,\n"
        )
    return 'Q(a)@[1,2.5)  % 0123456789ab\nQ("Two words")@(-inf,1/3]\n'


class TestAnswers:
    @pytest.mark.parametrize("format_", ["parquet", "json", "csv", "facts"])
    def test_all_formats_give_the_same(self, tmp_path, format_):
        suffix = "txt" if format_ == "facts" else format_
        put(folder_of(tmp_path / "o", answers=format_), 3, f"part-00000-ab-c.{suffix}", written(format_))
        assert rows(tmp_path / "o") == {3: ROWS}

    def test_quotes_and_lines_in_csv_of_spark_and_of_others(self, tmp_path):
        folder = folder_of(tmp_path / "o", answers="csv")
        head = "arg1,start,end,start_closed,end_closed\n"
        put(folder, 0, "part-00000-ab-c.csv", head + '"say \\"a, b\\"",1,1,true,true\n')
        put(folder, 1, "part-0.csv", head + '"say ""a, b""\nc",1,1,true,true\n')
        assert [found[0]["arg1"] for found in rows(folder).values()] == ['"say \\"a, b\\""', '"say \\"a, b\\"\\nc"']

    @pytest.mark.parametrize(
        ("clock", "unit", "values", "exact", "shown"),
        [
            ("number", "1", [7, -2], ["7", "-2"], ["7", "-2"]),
            ("number", "1", [Decimal("7.50"), Decimal("-0.125")], ["7.5", "-0.125"], ["7.5", "-0.125"]),
            ("text", "60", ["1/3", "2"], ["1/3", "2"], ["1/3", "2"]),
            (
                "timestamp",
                "60",
                [
                    datetime.datetime(1970, 1, 1, 0, 1, 0, 500_000, datetime.UTC),
                    datetime.datetime(1969, 12, 31, 23, 59),
                ],
                ["121/120", "-1"],
                ["1970-01-01 00:01:00.500000", "1969-12-31 23:59:00"],
            ),
            ("timestamp", "1", ["1970-01-01T00:00:01.5Z", "1970-01-01T01:00:00+01:00"], ["1.5", "0"], [None, None]),
            ("timestamp", "60", ["1709294402.750001", "1/3"], ["1709294402.750001", "1/3"], [None, None]),
            ("date", "86400", [datetime.date(1970, 1, 3), datetime.date(1969, 12, 31)], ["2", "-1"], [None, None]),
            ("date", "3600", ["1970-01-02", "1970-01-01"], ["24", "0"], ["1970-01-02", "1970-01-01"]),
        ],
    )
    def test_times_of_every_clock_are_exact(self, tmp_path, clock, unit, values, exact, shown):
        folder = folder_of(tmp_path / "o", answers="parquet", clock=clock, unit=unit)
        for number, value in enumerate(values):
            table = pa.table({"time": [value]})
            put(folder, number, "part-0.parquet", parquet(table))
        found = rows(folder)
        assert [found[number][0]["start"] for number in range(2)] == exact
        assert [found[number][0]["end"] for number in range(2)] == exact
        for text, wanted in zip(exact, shown, strict=True):
            assert wanted in (None, RunFolder(folder).shown(text))

    def test_arguments_are_printed_as_the_language_has_them(self, tmp_path):
        values = {
            "whole": pa.array([5]),
            "decimal": pa.array([Decimal("2.50")]),
            "double": pa.array([0.1]),
            "flag": pa.array([True]),
            "name": pa.array(["Up"]),
            "null": pa.array(["_:Y.1(a)"]),
            "number": pa.array(["95"]),
        }
        folder = folder_of(tmp_path / "o", answers="parquet")
        put(folder, 0, "part-0.parquet", parquet(pa.table({**values, "time": ["1"]})))
        (row,) = rows(folder)[0]
        assert list(row.values())[:7] == ["5", "2.5", "0.1", "true", '"Up"', "_:Y.1(a)", "95"]

    def test_an_argument_called_id_is_an_argument(self, tmp_path):
        folder = folder_of(tmp_path / "o", answers="json")
        put(
            folder,
            0,
            "part-0.json",
            '{"id": "x", "start": "1", "end": "1", "start_closed": true, "end_closed": true}\n',
        )
        assert list(rows(folder)[0][0]) == ["id", "start", "end", "start_closed", "end_closed"]

    def test_changes_have_one_time(self, tmp_path):
        folder = folder_of(tmp_path / "o", answers="facts")
        put(folder, 0, "part-0.txt", "began Q(a)@(1\nended Q(a)@2.5]\n")
        began, ended = rows(folder)[0]
        assert (began["change"], began["start"], began["end"], began["start_closed"]) == ("began", "1", "1", False)
        assert (ended["change"], ended["start"], ended["end"], ended["end_closed"]) == ("ended", "2.5", "2.5", True)

    def test_a_batch_run_is_batch_0(self, tmp_path):
        folder = folder_of(tmp_path / "o", kind="batch", answers="csv", queries=("a:Q",))
        (folder / "a_Q.csv").write_text('"arg1","start","end","start_closed","end_closed"\n"a",1,2,true,true\n')
        assert [row["arg1"] for row in rows(folder, "a:Q")[0]] == ["a"]
        assert rows(folder, "a:Q", after=0) == {}

    def test_values_with_every_kind_of_mark_in_them_stay_whole(self, tmp_path):
        folder = folder_of(tmp_path / "o")
        put(folder, 0, "part-0.facts", 'Q("a,b)@(",_:Y.1(a,"(",_:Z.2(b@4)@3),-1/3)@[1,2]\nQ@[1,2]\n')
        first, second = rows(folder)[0]
        assert [first[f"arg{n}"] for n in (1, 2, 3)] == ['"a,b)@("', '_:Y.1(a,"(",_:Z.2(b@4)@3)', "-1/3"]
        assert second["arg1"] is None


class TestHypotheses:
    @pytest.mark.parametrize("format_", ["parquet", "json", "csv", "facts"])
    def test_all_formats_give_the_same(self, tmp_path, format_):
        row = {"arg1": "a", "time": 5, "status": "opened", "evidence": EVIDENCE, "hypotheses": AWAITED}
        row |= {"deadline": 9, "confidence": 0.5}
        content = {
            "parquet": lambda: parquet(pa.Table.from_pylist([row])),
            "json": lambda: json.dumps(row) + "\n",
            "csv": lambda: parquet(pa.Table.from_pylist([row])),
            "facts": lambda: (
                "opened    Q(a)@5; has P(a)@3; awaits P(_)@? until 9, not Off@4 until 4; decided by 9; confidence 0.5\n"
            ),
        }
        suffix = {"facts": "txt", "csv": "parquet"}.get(format_, format_)
        folder = folder_of(tmp_path / "o", kind="hypotheses", answers=format_)
        put(folder, 0, f"part-0.{suffix}", content[format_]())
        assert rows(folder)[0] == [EXPECTED]

    def test_lists_in_csv_are_json(self, tmp_path):
        folder = folder_of(tmp_path / "o", kind="hypotheses", answers="csv")
        said = json.dumps(EVIDENCE).replace('"', '\\"')
        put(
            folder,
            0,
            "part-00000-ab-c.csv",
            f'arg1,time,status,evidence,hypotheses,deadline,confidence\na,5,confirmed,"{said}",[],,\n',
        )
        (row,) = rows(folder)[0]
        assert (row["evidence"], row["hypotheses"], row["deadline"]) == (["P(a)@3"], [], None)

    def test_why_a_line_is_refuted(self, tmp_path):
        folder = folder_of(tmp_path / "o", kind="hypotheses")
        put(folder, 0, "part-0.txt", "refuted   Q@?; lacks P(b)@4 until 4; but Off@4, Off@5 came\n")
        (row,) = rows(folder)[0]
        assert (row["status"], row["start"], row["confidence"]) == ("refuted", None, 0.0)
        assert row["hypotheses"] == ["P(b)@4 until 4", "not Off@4", "not Off@5"]


class TestWhileARunWrites:
    def test_only_batches_after_one_are_read(self, tmp_path):
        folder = folder_of(tmp_path / "o")
        for number in (0, 2, 10):
            put(folder, number, "part-0.txt", f"Q({number})@[1,1]\n")
        assert list(rows(folder)) == [0, 2, 10]
        assert list(rows(folder, after=0)) == [2, 10]
        assert list(rows(folder, after=10)) == []

    def test_batches_that_are_being_written_are_not_seen(self, tmp_path):
        folder = folder_of(tmp_path / "o", answers="parquet")
        hidden = put(folder, 0, "part-0.parquet", b"half").parent
        hidden.rename(hidden.with_name("_writing-000000"))
        put(folder, 1, ".part-0.parquet.crc", b"x")
        put(folder, 1, "_SUCCESS", b"")
        assert rows(folder) == {}

    def test_what_cannot_be_read_yet_and_all_after_it_is_for_the_next_call(self, tmp_path):
        folder = folder_of(tmp_path / "o", answers="parquet")
        whole = parquet(pa.table({"time": ["1"]}))
        put(folder, 0, "part-0.parquet", whole)
        broken = put(folder, 1, "part-0.parquet", whole[:50])
        put(folder, 2, "part-0.parquet", whole)
        assert list(rows(folder)) == [0]
        broken.write_bytes(whole)
        assert list(rows(folder)) == [0, 1, 2]

    def test_nothing_is_there_yet(self, tmp_path):
        folder = RunFolder(folder_of(tmp_path / "o"))
        assert (folder.answers("Q"), folder.progress(), folder.quarantine(), folder.evidence()) == ([], [], [], "")

    def test_of_a_batch_that_ran_again_the_last_word_counts(self, tmp_path):
        folder = folder_of(tmp_path / "o")
        lines = ['{"batch": 0, "rows": 1}', '{"batch": 1, "rows": 2}', "nonsense", '{"batch": 1, "rows": 3}', '{"bat']
        (folder / "_thalweg" / "progress.jsonl").write_text("\n".join(lines))
        assert [(each.batch, each.rows) for each in RunFolder(folder).progress()] == [(0, 1), (1, 3)]
        assert [each.batch for each in RunFolder(folder).progress(after_batch=0)] == [1]

    def test_what_was_set_aside(self, tmp_path):
        folder = folder_of(tmp_path / "o")
        put(folder, 4, "part-0.json", '{"predicate": null, "row": "f:1", "reason": "no"}\n', "quarantine")
        ((number, table),) = RunFolder(folder).quarantine()
        assert (number, table.to_pylist()) == (4, [{"predicate": None, "row": "f:1", "reason": "no"}])


class TestFinding:
    def test_runs_are_found_a_few_levels_deep_and_not_inside_each_other(self, tmp_path):
        for name in ("b", "a/c", "a/d/e/f", "1/2/3/4/5", "b/Q/inner", ".hidden/g", "_h"):
            folder_of(tmp_path / name)
        assert [str(run.path.relative_to(tmp_path)) for run in find_runs(tmp_path)] == ["a/c", "a/d/e/f", "b"]
        assert [run.path for run in find_runs(tmp_path / "b")] == [tmp_path / "b"]

    def test_there_is_none(self, tmp_path):
        assert find_runs(tmp_path) == find_runs(tmp_path / "nowhere") == []

    def test_a_folder_without_a_record_is_refused(self, tmp_path):
        with pytest.raises(UsageError, match=r"holds no record of a run: there is no _thalweg/run\.json in it"):
            _ = RunFolder(tmp_path).record
