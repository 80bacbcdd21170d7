"""Fact files: plain lines, unusual lines, mistakes, and the way back to text."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import SHARED_DATA, needs_shared_data

from amount import amount
from thalweg.source import Source
from thalweg.syntax.facts import Coded, FactFile, Value, format_fact, read_facts
from thalweg.syntax.meteor_json import read_meteor_json
from thalweg.time.interval import ALWAYS, Endpoint, Interval, point

Row = tuple[str, tuple[Value, ...], Endpoint, Endpoint, bool, bool]


def rows(file: FactFile) -> dict[int, Row]:
    """The facts of a file by line."""
    found: dict[int, Row] = {}
    for batch in file.batches:
        columns = [decoded(column) for column in batch.arguments]
        starts, ends = decoded(batch.starts), decoded(batch.ends)
        for index, line in enumerate(batch.lines.tolist()):
            values = tuple(column[index] for column in columns)
            closed = bool(batch.start_closed[index]), bool(batch.end_closed[index])
            found[line] = (batch.predicate, values, starts[index], ends[index], *closed)
    return found


def decoded(column: Coded) -> list[object]:
    assert len(set(column.values)) == len(column.values)
    return [column.values[code] for code in column.codes]


def read(text: str, always: tuple[str, ...] = ()) -> dict[int, Row]:
    file = read_facts(Source("test", text), always)
    assert not file.diagnostics, file.diagnostics[0].render()
    return rows(file)


def codes(text: str) -> list[str]:
    return [each.code for each in read_facts(Source("test", text)).diagnostics]


def test_points_and_intervals() -> None:
    assert read("P(a,b)@[1,2.5)\nP(a,b)@3\nQ@(0,inf)\nQ()@(-inf,1/2].") == {
        1: ("P", ("a", "b"), Fraction(1), Fraction(5, 2), True, False),
        2: ("P", ("a", "b"), Fraction(3), Fraction(3), True, True),
        3: ("Q", (), Fraction(0), math.inf, False, False),
        4: ("Q", (), -math.inf, Fraction(1, 2), False, True),
    }


def test_values_are_names_strings_and_exact_numbers() -> None:
    text = 'P(veh21, a1:b, "Main, (street)", 5, -4, 0.1, 3/2, "x\\"y", straße)@1'
    (row,) = read(text).values()
    tenth = Fraction(1, 10)
    assert row[1] == (
        "veh21", "a1:b", "Main, (street)", Fraction(5), Fraction(-4), tenth, Fraction(3, 2), 'x"y', "straße"
    )  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "P(a,b)@3",
        "P(a,b)@3.",
        "  P ( a , b ) @ 3 .  ",
        "P(a,b)@[3,3]",
        "P(a,b)@[3]",
        'P("a",b)@3.0 % c',
        "P(a,b)@6/2\r",
    ],
)
def test_a_fact_may_be_spaced_and_spelt_in_many_ways(line: str) -> None:
    assert list(read(line).values()) == [("P", ("a", "b"), Fraction(3), Fraction(3), True, True)]


def test_blank_lines_and_comments_count_as_lines() -> None:
    assert list(read("\n% one\nP(a)@1\n  # two\n// three\n\r\nP(b)@2 // four")) == [3, 7]


def test_batches_are_by_predicate_and_arity_in_order_of_appearance() -> None:
    file = read_facts(Source("test", 'Q("x,y")@1\nP(a)@1\nP(a,b)@1\nQ(b)@2\nP(c)@2'))
    assert [(batch.predicate, batch.lines.tolist()) for batch in file.batches] == [
        ("Q", [1, 4]),
        ("P", [2, 5]),
        ("P", [3]),
    ]


def test_equal_values_have_one_code_however_they_are_written() -> None:
    file = read_facts(Source("test", 'P(1)@1\nP(1.0)@2\nP(2/2)@3\nP("a")@4\nP(a)@5\nP("a\\\\b")@6\nP("1")@7'))
    (batch,) = file.batches
    column = batch.arguments[0]
    assert sorted(column.values, key=str) == [Fraction(1), "1", "a", "a\\b"]
    assert [column.values[code] for code in column.codes] == [1, 1, 1, "a", "a", "a\\b", "1"]


def test_facts_of_background_predicates_may_lack_a_time() -> None:
    always = ("P", -math.inf, math.inf, False, False)
    assert [(row[0], *row[2:]) for row in read('P(a)\nP(b).\nP("c,d").\nP', ("P",)).values()] == [always] * 4
    assert codes("P(a)\nP(b).") == ["E412", "E412"]


def test_good_lines_are_kept_among_bad_ones() -> None:
    file = read_facts(Source("test", 'P(a)@1\nP(X)@2\nP("b\nP(c)@4\nP(d)@[5,4]\nP(e f)@6\nP(g)@7'))
    assert sorted(rows(file)) == [1, 4, 7]
    assert [(each.code, each.span.line) for each in file.diagnostics if each.span] == [
        ("E411", 2), ("E402", 3), ("E414", 5), ("E409", 6)
    ]  # fmt: skip


def test_ends_that_are_equal_as_floats_are_compared_exactly() -> None:
    third = "0." + "3" * 40
    assert codes(f"P@[{third}3,{third}4]\nP@[{third}4,{third}3]\nP@({third},{third})") == ["E414", "E414"]


def test_a_text_with_lone_surrogates_is_read_the_slow_way() -> None:
    assert read('P("\udc80")@1') == {1: ("P", ("\udc80",), Fraction(1), Fraction(1), True, True)}


def test_facts_print_without_spaces_and_with_exact_numbers() -> None:
    assert format_fact("ShortStop", ["veh21"], point(7)) == "ShortStop(veh21)@[7,7]"
    interval = Interval(Fraction(1), Fraction(5, 2), True, False)
    assert format_fact("P", ["a", "Upper", Fraction(1, 3)], interval) == 'P(a,"Upper",1/3)@[1,2.5)'
    assert format_fact("Q", [], ALWAYS) == "Q@(-inf,inf)"


_values = st.text(max_size=8) | st.fractions(max_denominator=40)
_ends = st.fractions(-50, 50, max_denominator=12)


@settings(max_examples=amount(80), deadline=None)
@given(st.lists(_values, max_size=3), st.tuples(_ends, _ends).map(sorted), st.booleans(), st.booleans())
def test_a_printed_fact_reads_back_as_itself(
    values: list[Value], ends: list[Fraction], start_closed: bool, end_closed: bool
) -> None:
    start, end = ends
    closed = (True, True) if start == end else (start_closed, end_closed)
    text = format_fact("P", values, Interval(start, end, *closed))
    assert list(read(text).values()) == [("P", tuple(values), start, end, *closed)]


_pieces = st.sampled_from(
    ["P", "veh21", "X", "(", ")", ",", "@", "[", "]", "1", "2.5", "3/2", "inf", "-", ".", '"', "a b", "%", " ", "\n"]
)


@settings(max_examples=amount(120), deadline=None)
@given(st.text(max_size=40) | st.lists(_pieces, max_size=25).map("".join))
def test_any_text_gives_facts_or_diagnostics(text: str) -> None:
    file = read_facts(Source("test", text), ("P",))
    lines = [line for batch in file.batches for line in batch.lines.tolist()]
    lines += [each.span.line for each in file.diagnostics if each.span]
    assert len(set(lines)) == len(lines)
    blank = sum(1 for line in text.split("\n") if not line.strip() or line.strip().startswith(("%", "#", "//", ".")))
    assert len(lines) >= text.count("\n") + 1 - blank - text.count("\ufeff")
    assert all(each.render() for each in file.diagnostics)


def test_a_hundred_thousand_lines_take_seconds() -> None:
    text = "\n".join(f"Speed(veh{i % 5000},{i % 997 / 10})@[{i // 100},{i // 100}.5)" for i in range(100_000))
    start = time.process_time()
    (batch,) = read_facts(Source("test", text)).batches
    assert len(batch.lines) == 100_000
    assert time.process_time() - start < 5


@needs_shared_data
def test_the_traffic_stream_is_read_whole() -> None:
    text = (SHARED_DATA / "hackathon" / "S1.txt").read_text(encoding="utf-8")
    file = read_facts(Source("S1.txt", text))
    assert not file.diagnostics
    assert sum(len(batch.lines) for batch in file.batches) == 23_828
    assert {end for batch in file.batches for end in batch.ends.values} == set(map(Fraction, range(1, 201)))


@needs_shared_data
def test_the_weather_is_read_whole() -> None:
    text = (SHARED_DATA / "weather" / "weather.json").read_text(encoding="utf-8")
    file = read_meteor_json(Source("weather.json", text))
    assert not file.diagnostics
    assert [(batch.predicate, len(batch.lines)) for batch in file.batches] == [
        ("NoPrecipitation", 3541), ("Precipitation", 3541), ("TempAbove24", 1099), ("HeavyWindForce", 3)
    ]  # fmt: skip
    first = file.batches[0]
    assert (first.starts.values[0], first.ends.values[0]) == (Fraction(1), Fraction(3))
    assert not first.start_closed.any()
    assert first.end_closed.all()
    assert np.all(np.diff(first.lines) > 0)


def test_meteor_json_is_read_exactly() -> None:
    interval = '{"left_value": 0.1, "right_value": Infinity, "left_open": false, "right_open": false}'
    text = f'{{"P": [{{"a,5": {interval}}},\n {{"nan": {interval}}}]}}'
    file = read_meteor_json(Source("test", text))
    assert not file.diagnostics
    assert rows(file) == {
        1: ("P", ("a", Fraction(5)), Fraction(1, 10), math.inf, True, False),
        2: ("P", (), Fraction(1, 10), math.inf, True, False),
    }


@settings(max_examples=amount(40), deadline=None)
@given(st.text(max_size=20) | st.lists(st.sampled_from(list('{}[]:,"P1 ')), max_size=20).map("".join))
def test_any_json_text_gives_facts_or_diagnostics(text: str) -> None:
    file = read_meteor_json(Source("test", text))
    assert all(each.render() for each in file.diagnostics)


def test_deep_json_is_a_diagnostic() -> None:
    file = read_meteor_json(Source("test", '{"P": ' + "[" * 100_000))
    assert [each.code for each in file.diagnostics] == ["E417"]
