"""What ``Materialisation`` gives back: tables, texts, counts."""

import math
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest

import thalweg
from thalweg.time.interval import Interval

FLAGS = [("start_closed", pa.bool_()), ("end_closed", pa.bool_())]


def model_of(facts, rules="Q(X) :- P(X).", **options):
    return thalweg.materialise(thalweg.parse(rules), facts, **options)


def columns(table):
    return list(zip(table.column_names, table.schema.types, strict=True))


def rows(table):
    return [tuple(row.values()) for row in table.to_pylist()]


class TestTimes:
    def test_whole_numbers(self):
        table = model_of("P(a)@3\nP(b)@[1,inf)\nP(c)@(-inf,2)").table("Q")
        assert columns(table) == [("arg1", pa.string()), ("start", pa.int64()), ("end", pa.int64()), *FLAGS]
        assert rows(table) == [
            ("a", 3, 3, True, True),
            ("b", 1, None, True, False),
            ("c", None, 2, False, False),
        ]

    def test_decimals(self):
        table = model_of("P(a)@(0.5,3.25]\nP(b)@[1,inf)").table("Q")
        assert columns(table)[1:3] == [("start", pa.decimal128(38, 2)), ("end", pa.decimal128(38, 2))]
        assert rows(table) == [
            ("a", Decimal("0.50"), Decimal("3.25"), False, True),
            ("b", Decimal("1.00"), None, True, False),
        ]

    def test_thirds_are_texts(self):
        table = model_of("P(a)@[1/3,2]\nP(b)@(-inf,0)").table("Q")
        assert columns(table)[1:3] == [("start", pa.string()), ("end", pa.string())]
        assert rows(table) == [("a", "1/3", "2", True, True), ("b", None, "0", False, False)]

    def test_a_tick_of_many_decimals(self):
        assert rows(model_of("P(a)@0.123456789012345678").table("Q"))[0][1] == Decimal("0.123456789012345678")
        assert rows(model_of("P(a)@1/1099511627776").table("Q"))[0][1] == "0.0000000000009094947017729282379150390625"

    @pytest.mark.parametrize(
        ("tick", "time", "shown"), [("2", "6", 6), ("1000000", "3000000", 3000000), ("1.5", "4.5", Decimal("4.5"))]
    )
    def test_declared_ticks(self, tick, time, shown):
        model = model_of(f"P(a)@{time}\nP(b)@[{time},inf)", f"tick {tick}. Q(X) :- P(X).")
        assert model.tick == Fraction(tick)
        assert rows(model.table("Q")) == [("a", shown, shown, True, True), ("b", shown, None, True, False)]

    def test_the_integer_timeline_has_closed_ends(self):
        table = model_of("P(a)@(4,7)\nP(b)@(4,inf)", "timeline integer. Q(X) :- P(X).").table("Q")
        assert rows(table) == [("a", 5, 6, True, True), ("b", 5, None, True, False)]

    def test_infinities_that_operators_moved(self):
        model = model_of("P(a)@(-inf,2]\nP(b)@[5,inf)", "Q(X) :- diamondminus[1/2,3] P(X).")
        assert rows(model.table("Q")) == [
            ("a", None, Decimal("5.0"), False, True),
            ("b", Decimal("5.5"), None, True, False),
        ]


class TestArguments:
    @pytest.mark.parametrize(
        ("values", "type_", "shown"),
        [
            (["1", "-7"], pa.int64(), [-7, 1]),
            (["1.5", "2"], pa.decimal128(38, 1), [Decimal("1.5"), Decimal("2.0")]),
            (["1/3", "2"], pa.string(), ["1/3", "2"]),
            (["a", "B c"], pa.string(), ["B c", "a"]),
            (["a", "5", "1.5"], pa.string(), ["1.5", "5", "a"]),
            (["2305843009213693951"], pa.int64(), [2305843009213693951]),
        ],
    )
    def test_types_and_order(self, values, type_, shown):
        quoted = [f'"{value}"' if " " in value else value for value in values]
        table = model_of("\n".join(f"P({value})@1" for value in quoted)).table("Q")
        assert table.schema.field("arg1").type == type_
        assert table.column("arg1").to_pylist() == shown

    def test_no_arguments(self):
        assert rows(model_of("P@1", "Q :- P.").table("Q")) == [(1, 1, True, True)]

    def test_no_facts_but_columns(self):
        table = model_of("", "output Q(x: string). Q(X) :- P(X).").table("Q")
        assert (table.num_rows, table.column_names) == (0, ["x", "start", "end", "start_closed", "end_closed"])

    def test_declared_names(self):
        table = model_of("P(a,1)@1", "output Q(car: string, _: number). Q(X, Y) :- P(X, Y).").table("Q")
        assert table.column_names[:2] == ["car", "arg2"]

    @pytest.mark.parametrize("names", ["start, end", "x, x", "_, arg1"])
    def test_names_that_a_table_cannot_have(self, names):
        table = model_of("P(a,b)@1", f"output Q({names}). Q(X, Y) :- P(X, Y).").table("Q")
        assert table.column_names == ["arg1", "arg2", "start", "end", "start_closed", "end_closed"]
        assert rows(table) == [("a", "b", 1, 1, True, True)]


class TestTexts:
    def test_one_fact_a_line_sorted_by_arguments_and_time(self):
        model = model_of("P(b)@1\nP(10)@1\nP(a)@5\nP(a)@[1,2)\nP(9)@1")
        assert model.to_text("Q").splitlines() == [
            "Q(9)@[1,1]",
            "Q(10)@[1,1]",
            "Q(a)@[1,2)",
            "Q(a)@[5,5]",
            "Q(b)@[1,1]",
        ]

    def test_exact_numbers(self):
        facts = "P(1/3)@[0.1,1/7)\nP(2.50)@(-1.5,inf)\nP(-4)@(-inf,1/3]"
        assert model_of(facts).to_text("Q").splitlines() == [
            "Q(-4)@(-inf,1/3]",
            "Q(1/3)@[0.1,1/7)",
            "Q(2.5)@(-1.5,inf)",
        ]

    def test_texts_read_back_as_the_same(self):
        facts = 'P("A b")@[0,1)\nP(x)@(1/3,inf)\nP("not")@3\nP(1/3)@[0.5,0.75]\nP("quote \\" and \\\\")@(-inf,2)'
        text = model_of(facts).to_text("Q")
        assert model_of(text.replace("Q(", "P(")).to_text("Q") == text

    def test_all_predicates_in_the_order_of_the_program(self):
        assert model_of("P(a)@1").to_text() == "Q(a)@[1,1]\nP(a)@[1,1]"

    def test_nothing(self):
        assert model_of("").to_text() == ""
        assert model_of("").lines("Q").to_pylist() == []


class TestTheRest:
    def test_predicates_and_counts(self):
        model = model_of("P(a)@[0,1)\nP(a)@[1,2]\nP(b)@1")
        assert model.predicates == ("Q", "P")
        assert model.count("Q") == 2

    def test_facts(self):
        half_open = Interval(Fraction(1), math.inf, True, False)
        assert model_of("P(a)@[1,inf)").facts()["Q", ("a",)] == (half_open,)

    def test_an_unknown_predicate(self):
        with pytest.raises(thalweg.UsageError, match=r"there are no answers for q; did you mean Q\?"):
            model_of("P(a)@1").table("q")
