"""Facts given to ``materialise``: texts, files, tables."""

import datetime
import decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import thalweg

COPY = thalweg.parse("Q(X) :- P(X).")
SPEED = thalweg.parse("input Speed(vehicle: string, kmh: number). Q(V, S) :- Speed(V, S).")


def answers(facts, program=COPY, **options):
    return thalweg.materialise(program, facts, **options).to_text("Q").splitlines()


def table_answers(columns, program=COPY, **options):
    return answers({"P" if program is COPY else "Speed": columns}, program, **options)


def refused(columns, program=COPY, predicate="P"):
    with pytest.raises(thalweg.DataError) as caught:
        thalweg.materialise(program, {predicate: columns})
    return str(caught.value)


class TestTextsAndFiles:
    @pytest.fixture(autouse=True)
    def _in_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("a.facts").write_text("P(a)@1\n")
        Path("b.facts").write_text("P(b)@2\n")

    def test_a_text(self):
        assert answers("P(a)@1\nP(b)@[1/3,2.5)") == ["Q(a)@[1,1]", "Q(b)@[1/3,2.5)"]

    @pytest.mark.parametrize("nothing", ["", " \n", "% nothing\n", (), []])
    def test_nothing(self, nothing):
        assert answers(nothing) == []

    @pytest.mark.parametrize("path", ["a.facts", Path("a.facts")])
    def test_a_path(self, path):
        assert answers(path) == ["Q(a)@[1,1]"]

    def test_several_paths_and_a_text(self):
        assert answers(["a.facts", Path("b.facts"), "P(c)@3"]) == ["Q(a)@[1,1]", "Q(b)@[2,2]", "Q(c)@[3,3]"]

    def test_an_iterator_of_paths(self):
        assert answers(path for path in ["a.facts", "b.facts"]) == ["Q(a)@[1,1]", "Q(b)@[2,2]"]

    def test_a_path_that_looks_like_facts(self):
        Path("P(a)@1").write_text("P(z)@9\n")
        assert answers("P(a)@1") == ["Q(z)@[9,9]"]

    def test_background_facts_need_no_time(self):
        assert answers("On(a)", thalweg.parse("background On(x). Q(X) :- On(X).")) == ["Q(a)@(-inf,inf)"]

    def test_other_facts_do(self):
        with pytest.raises(thalweg.DataError, match=r"facts:1:1: error\[E412\]: the fact does not say when P holds"):
            answers("P(a)")

    def test_facts_of_the_program_and_of_files_together(self):
        assert answers("a.facts", thalweg.parse("Q(X) :- P(X). P(b)@7.")) == ["Q(a)@[1,1]", "Q(b)@[7,7]"]

    def test_the_program_may_be_a_path(self):
        Path("p.rules").write_text("Q(X) :- P(X).")
        assert answers("a.facts", "p.rules") == answers("a.facts", Path("p.rules")) == ["Q(a)@[1,1]"]

    def test_a_missing_file(self):
        with pytest.raises(thalweg.UsageError, match=r"there is no file nowhere\.facts"):
            answers("nowhere.facts")

    def test_meteor_json(self):
        Path("facts.json").write_text(
            '{"P": [{"a": {"left_value": 1, "right_value": 2, "left_open": false, "right_open": true}}]}'
        )
        assert answers("facts.json") == ["Q(a)@[1,2)"]

    def test_parquet(self):
        pyarrow.parquet.write_table(pa.table({"x": ["a"], "time": [1.5]}), "P.parquet")
        assert answers("P.parquet") == ["Q(a)@[1.5,1.5]"]


class TestCsv:
    @pytest.fixture(autouse=True)
    def _in_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def read(self, text, program=COPY, name="P"):
        Path(f"{name}.csv").write_text(text)
        return answers(f"{name}.csv", program)

    def test_points(self):
        assert self.read("x,time\na,1\nb,2\n") == ["Q(a)@[1,1]", "Q(b)@[2,2]"]

    def test_intervals_with_an_empty_end(self):
        assert self.read("x,start,end\na,1,\nb,,2\nc,3,4\n") == ["Q(a)@[1,inf)", "Q(b)@(-inf,2]", "Q(c)@[3,4]"]

    def test_all_ends_empty(self):
        assert self.read("x,start,end\na,1,\nb,2,\n") == ["Q(a)@[1,inf)", "Q(b)@[2,inf)"]

    def test_open_ends(self):
        text = "x,start,end,start_closed,end_closed\na,1,2,false,true\nb,1,2,,false\n"
        assert self.read(text) == ["Q(a)@(1,2]", "Q(b)@[1,2)"]

    def test_no_rows(self):
        assert self.read("x,time\n") == []

    def test_decimals_are_exact(self):
        # No float is 12345678901234567.1, nor 0.1.
        assert self.read("x,time\n0.1,12345678901234567.1\n") == ["Q(0.1)@[12345678901234567.1,12345678901234567.1]"]
        assert self.read("x,time\n2.50,1e-3\n") == ["Q(2.5)@[0.001,0.001]"]

    def test_fractions_are_exact(self):
        assert self.read("x,time\na,1/3\n") == ["Q(a)@[1/3,1/3]"]

    def test_timestamps_in_utc_and_with_a_zone(self):
        assert self.read("x,time\na,1970-01-01T00:01:00\nb,1970-01-02 00:00:00.25\n") == [
            "Q(a)@[60,60]",
            "Q(b)@[86400.25,86400.25]",
        ]
        assert self.read("x,time\na,1970-01-01T01:00:00+01:00\nb,1970-01-01T00:00:01Z\n") == [
            "Q(a)@[0,0]",
            "Q(b)@[1,1]",
        ]

    def test_dates_in_the_unit_of_the_program(self):
        assert self.read("x,time\na,1970-01-03\n", thalweg.parse("unit 1d. Q(X) :- P(X).")) == ["Q(a)@[2,2]"]

    def test_arguments_stay_as_they_are_written(self):
        text = "x,time\n00:01:00,1\n2020-01-01,2\ntrue,3\nNA,4\n"
        assert self.read(text) == ['Q("00:01:00")@[1,1]', 'Q("2020-01-01")@[2,2]', 'Q("NA")@[4,4]', "Q(true)@[3,3]"]

    def test_a_column_is_of_one_kind(self):
        assert self.read("x,time\n5,1\n7.5,2\n") == ["Q(5)@[1,1]", "Q(7.5)@[2,2]"]
        assert self.read("x,time\n5,1\na,2\n") == ['Q("5")@[1,1]', "Q(a)@[2,2]"]

    def test_declared_texts_are_texts(self):
        assert self.read("vehicle,kmh,time\n007,40,1\n", SPEED, "Speed") == ['Q("007",40)@[1,1]']

    def test_declared_names_reorder_columns(self):
        assert self.read("time,kmh,vehicle\n1,40,a\n", SPEED, "Speed") == ["Q(a,40)@[1,1]"]

    def test_an_empty_text_is_quoted(self):
        assert self.read('x,time\n"",1\n') == ['Q("")@[1,1]']

    def test_a_missing_argument(self):
        with pytest.raises(thalweg.DataError, match=r"P\.csv:3: error\[E442\]: there is no value in column x"):
            self.read("x,time\na,1\n,2\n")

    def test_a_time_that_is_none(self):
        with pytest.raises(thalweg.DataError, match=r"P\.csv:2: error\[E443\]: column time: 'yesterday' is not"):
            self.read("x,time\na,yesterday\n")

    def test_types_do_not_depend_on_the_first_rows(self):
        rows = "".join(f"v{i % 7},{i}\n" for i in range(80_000))
        assert self.read(f"x,time\n{rows}z,0.5\n")[-1] == "Q(z)@[0.5,0.5]"

    def test_the_wrong_separator(self):
        with pytest.raises(thalweg.DataError, match=r"E440.*\n.*did you mean time"):
            self.read("x;time\na;1\n")

    def test_a_ragged_file(self):
        with pytest.raises(thalweg.BadFactsError, match=r"P\.csv:2: error\[E476\]: the row has 3 columns"):
            self.read("x,time\na,1,2\n")


class TestTables:
    @pytest.mark.parametrize("make", [dict, pa.table, pd.DataFrame, pa.record_batch], ids=lambda make: make.__name__)
    def test_kinds_of_tables(self, make):
        assert table_answers(make({"x": ["a", "b"], "time": [1, 2]})) == ["Q(a)@[1,1]", "Q(b)@[2,2]"]

    def test_an_index_of_a_frame_is_no_argument(self):
        frame = pd.DataFrame({"x": ["a", "b"], "time": [1, 2]})
        assert table_answers(frame[frame.time > 1]) == ["Q(b)@[2,2]"]

    def test_start_and_end(self):
        assert table_answers({"x": ["a"], "start": [1], "end": [2]}) == ["Q(a)@[1,2]"]

    def test_closed_flags(self):
        columns = {"start_closed": [False, True, None, False], "end_closed": [True, False, None, False]}
        assert table_answers({"x": list("abcd"), "start": [1] * 4, "end": [2] * 4, **columns}) == [
            "Q(a)@(1,2]",
            "Q(b)@[1,2)",
            "Q(c)@[1,2]",
            "Q(d)@(1,2)",
        ]

    def test_null_ends_are_infinite(self):
        assert table_answers({"x": ["a", "b", "c"], "start": [None, 1, None], "end": [2, None, None]}) == [
            "Q(a)@(-inf,2]",
            "Q(b)@[1,inf)",
            "Q(c)@(-inf,inf)",
        ]

    def test_a_column_of_nulls_only(self):
        assert table_answers({"x": ["a"], "start": [None], "end": [2]}) == ["Q(a)@(-inf,2]"]

    def test_without_time_columns_rows_hold_always(self):
        assert table_answers({"x": ["a"]}) == ["Q(a)@(-inf,inf)"]

    @pytest.mark.parametrize("columns", [{"x": [], "time": []}, {"x": [], "start": [], "end": []}, {"x": []}])
    def test_no_rows(self, columns):
        assert table_answers(columns) == []

    def test_timestamps_count_from_1970_in_the_programs_unit(self):
        moment = datetime.datetime(1970, 1, 1, 0, 1, 30)
        for type_ in (pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("us", "Europe/Oslo")):
            column = pa.array([moment], pa.timestamp("us")).cast(type_)
            assert table_answers(pa.table({"x": ["a"], "time": column})) == ["Q(a)@[90,90]"]
        minutes = thalweg.parse("unit 1min. Q(X) :- P(X).")
        assert answers({"P": {"x": ["a"], "time": [moment]}}, minutes) == ["Q(a)@[1.5,1.5]"]

    def test_timestamps_are_exact_to_the_nanosecond(self):
        column = pa.array([1_000_000_001], pa.timestamp("ns"))
        assert table_answers(pa.table({"x": ["a"], "time": column})) == ["Q(a)@[1.000000001,1.000000001]"]

    def test_todays_nanoseconds_are_too_far_from_1970(self):
        column = pa.array([1_700_000_000_000_000_001], pa.timestamp("ns"))
        assert "error[E431]: the time 1700000000.000000001 is too far from 0" in refused({"x": ["a"], "time": column})
        whole_microseconds = pa.array([1_700_000_000_000_001_000], pa.timestamp("ns"))
        assert table_answers({"x": ["a"], "time": whole_microseconds}) == ["Q(a)@[1700000000.000001,1700000000.000001]"]

    def test_pandas_timestamps_with_a_missing_end(self):
        frame = pd.DataFrame(
            {"x": ["a"], "start": [pd.Timestamp(1, unit="s")], "end": pd.Series([None], dtype="datetime64[ns]")}
        )
        assert table_answers(frame) == ["Q(a)@[1,inf)"]

    @pytest.mark.parametrize("type_", [pa.date32(), pa.date64()], ids=str)
    def test_dates(self, type_):
        days = pa.array([datetime.date(1970, 1, 2)], type_)
        assert table_answers(pa.table({"x": ["a"], "time": days})) == ["Q(a)@[86400,86400]"]

    def test_decimals(self):
        columns = {"x": [decimal.Decimal("0.10")], "time": [decimal.Decimal("1.25")]}
        assert table_answers(columns) == ["Q(0.1)@[1.25,1.25]"]

    @pytest.mark.parametrize("type_", [pa.float64(), pa.float32()], ids=str)
    def test_floats_are_what_they_say(self, type_):
        column = pa.array([0.1], type_)
        assert table_answers(pa.table({"x": column, "time": column})) == ["Q(0.1)@[0.1,0.1]"]

    def test_times_in_texts_are_exact(self):
        assert table_answers({"x": ["a"], "start": ["1/3"], "end": ["0.5"]}) == ["Q(a)@[1/3,0.5]"]

    def test_texts_categories_and_truth_values(self):
        assert table_answers({"x": ["A b", "", 'say "x"'], "time": [1, 2, 3]}) == [
            'Q("")@[2,2]',
            'Q("A b")@[1,1]',
            'Q("say \\"x\\"")@[3,3]',
        ]
        assert table_answers(pd.DataFrame({"x": pd.Categorical(["a", "b"]), "time": [1, 2]})) == [
            "Q(a)@[1,1]",
            "Q(b)@[2,2]",
        ]
        assert table_answers({"x": [True, False], "time": [1, 2]}) == ["Q(false)@[2,2]", "Q(true)@[1,1]"]

    def test_declared_names_reorder_columns(self):
        assert table_answers({"kmh": [40], "time": [1], "vehicle": ["a"]}, SPEED) == ["Q(a,40)@[1,1]"]

    def test_other_names_go_by_order(self):
        assert table_answers({"v": ["a"], "s": [40], "time": [1]}, SPEED) == ["Q(a,40)@[1,1]"]

    def test_answers_go_in_again(self):
        first = thalweg.materialise(COPY, "P(a)@[1,2)\nP(b)@(1/3,inf)\nP(c)@(-inf,0.25]")
        assert answers({"P": first.table("Q")}) == first.to_text("Q").splitlines()

    def test_several_predicates(self):
        program = thalweg.parse("Q(X) :- P(X), R(X).")
        tables = {"P": {"x": ["a", "b"], "time": [1, 1]}, "R": {"x": ["b"]}}
        assert answers(tables, program) == ["Q(b)@[1,1]"]


class TestRefusedTables:
    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"x": ["a"], "start": [1]}, "error[E440]: the table has no end column"),
            ({"x": ["a"], "start": [1], "time": [1]}, "error[E440]: the table has both time and start/end columns"),
            ({"x": ["a"], "Time": [1]}, "error[E440]: the table has no time, start or end column"),
            (
                {"x": [[1]], "time": [1]},
                "error[E441]: column x has type list<item: int64>, which cannot be an argument",
            ),
            ({"x": ["a"], "time": [True]}, "error[E441]: column time has type bool, which is not a time"),
            (
                {"x": ["a"], "start": [1], "end": [2], "end_closed": [1]},
                "error[E441]: column end_closed has type int64",
            ),
            ({"x": ["a", "b"], "time": [1]}, "error[E445]: the columns do not make a table"),
            ({"x": ["a", 1], "time": [1, 2]}, "error[E445]: the columns do not make a table"),
            ([("a", 1)], "error[E445]: list is not a table"),
        ],
    )
    def test_as_a_whole(self, columns, message):
        assert refused(columns).startswith(f"table P: {message}")

    def test_a_column_twice(self):
        table = pa.table([pa.array(["a"]), pa.array([1]), pa.array([2])], names=["x", "time", "time"])
        assert refused(table).startswith("table P: error[E440]: the table has 2 columns named time")

    def test_row_by_row(self):
        columns = {"x": ["a", None, "c", "d"], "start": [1.0, 1.0, float("nan"), 5.0], "end": [2.0, 2.0, 2.0, 3.0]}
        assert [line for line in refused(columns).splitlines() if "error" in line] == [
            "table P:2: error[E442]: there is no value in column x",
            "table P:3: error[E443]: column start: nan is not a finite number",
            "table P:4: error[E444]: the row holds at no time: its end is not after its start",
        ]
        assert table_answers(columns, skip_bad=True) == ["Q(a)@[1,2]"]

    def test_an_open_point_holds_at_no_time(self):
        assert "E444" in refused({"x": ["a"], "start": [1], "end": [1], "end_closed": [False]})

    def test_another_arity(self):
        message = refused({"x": ["a"], "y": ["b"], "time": [1]})
        assert message.startswith("table P:1: error[E430]: P has 2 arguments here, but 1 elsewhere")

    def test_another_type(self):
        message = refused({"vehicle": ["a", "b"], "kmh": ["fast", "1"], "time": [1, 2]}, SPEED, "Speed")
        assert message.startswith("table Speed:1: error[E434]: fast is not a number")

    def test_what_64_bits_cannot_hold(self):
        assert "error[E431]: the number 2305843009213693952 is out of range" in refused({"x": [2**61], "time": [1]})
        assert "error[E431]: the time 1152921504606846976 is too far from 0" in refused({"x": ["a"], "time": [2**60]})

    def test_bad_rows_leave_no_trace(self):
        # Without the second row, whose time is finer, the tick is 1.
        columns = {"x": ["a", None], "time": [1.0, 1.0009765625]}
        assert thalweg.materialise(COPY, {"P": columns}, skip_bad=True).tick == 1
