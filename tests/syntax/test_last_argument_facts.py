"""Fact files of programs whose facts have their time as last argument."""

import random
import time
from fractions import Fraction

import pytest

from thalweg.source import Source
from thalweg.syntax.facts import FactFile, Value, read_facts

Row = tuple[int, str, tuple[Value, ...], object, object, bool, bool]
BACKGROUND = ("Near",)


def read(text: str) -> FactFile:
    return read_facts(Source("test", text), BACKGROUND, time_is_last=True)


def rows(file: FactFile) -> list[Row]:
    assert not file.diagnostics, file.diagnostics[0].render()
    found = [
        (
            int(batch.lines[row]),
            batch.predicate,
            tuple(column.values[column.codes[row]] for column in batch.arguments),
            batch.starts.values[batch.starts.codes[row]],
            batch.ends.values[batch.ends.codes[row]],
            bool(batch.start_closed[row]),
            bool(batch.end_closed[row]),
        )
        for batch in file.batches
        for row in range(len(batch))
    ]
    return sorted(found, key=lambda row: row[0])


@pytest.mark.parametrize("copies", [1, 40], ids=["line by line", "as columns"])
def test_the_last_argument_is_the_time(copies: int) -> None:
    lines = ["Temp(wt2, high, 0)", "Temp(wt2,high,1).", "Temp( wt2 , high , +2 ) .", "Alarm(3)", "Alarm( -4 )."]
    apart = ["Temp(wt2, high)@0", "Temp(wt2,high)@1", "Temp(wt2, high)@2", "Alarm@3", "Alarm@-4"]
    assert rows(read("\n".join(lines * copies))) == rows(read("\n".join(apart * copies)))


@pytest.mark.parametrize("copies", [1, 40], ids=["line by line", "as columns"])
def test_facts_with_their_time_after_at_keep_it(copies: int) -> None:
    text = "Temp(wt2, 5)@[0,3)\nTemp(wt2, 5)@7\nAlarm@(0,inf)\nNear(a, 3)@1\n" * copies
    assert rows(read(text)) == rows(read_facts(Source("test", text)))


@pytest.mark.parametrize("copies", [1, 40], ids=["line by line", "as columns"])
def test_background_facts_have_no_time(copies: int) -> None:
    text = "Near(wt2, 3)\nNear(wt2, 4).\n" * copies
    assert rows(read(text)) == rows(read_facts(Source("test", text), BACKGROUND))


def test_both_forms_of_a_predicate_are_one_batch() -> None:
    (batch,) = read("Temp(wt2, high, 0)\nTemp(wt2, high)@1\n" * 30).batches
    assert len(batch) == 60
    assert len(batch.arguments) == 2
    assert batch.lines.tolist() == list(range(1, 61))


@pytest.mark.parametrize("copies", [1, 40], ids=["line by line", "as columns"])
@pytest.mark.parametrize(
    ("line", "code", "shown"),
    [
        ("Temp(wt2, high)", "E413", "high"),
        ('Temp(wt2, "0")', "E413", '"0"'),
        ("Temp(wt2, 1.5)", "E413", "1.5"),
        ("Temp(wt2, -1/2).", "E413", "-1/2"),
        ("Temp(wt2, 3/1)", None, ""),
        ("Temp(wt2, T)", "E411", "T"),
        ("Temp(wt2, inf)", "E419", "inf"),
        ("Temp(wt2, 3s)", "E405", "3s"),
        ("Alarm", "E412", "Alarm"),
        ("Alarm()", "E412", "Alarm()"),
    ],
)
def test_a_last_argument_that_is_no_time_point_is_named(line: str, code: str | None, shown: str, copies: int) -> None:
    found = read(f"{line}\n" * copies).diagnostics
    assert [each.code for each in found] == ([code] * copies if code else [])
    assert all(each.span is not None and each.span.text == shown for each in found)
    assert [each.span.line for each in found if each.span] == (list(range(1, copies + 1)) if code else [])


def test_columns_and_single_lines_read_the_same() -> None:
    lines = [_line(random.Random(number)) for number in range(600)]
    together = rows(read("\n".join(lines)))
    alone = [(number, *rest) for number, line in enumerate(lines, 1) for _, *rest in rows(read(line))]
    assert together == [tuple(row) for row in alone]


def _line(choice: random.Random) -> str:
    when, text = choice.randint(-3, 9), choice.choice(["a", "b1", '"c, d"', '"(x)"', "7", "1.5"])
    forms = (
        f"Temp({text},{when})", f"Temp( {text} , {when} ).", f"Temp({text})@{when}", f"Temp({text},{when})@[{when},9]",
        f"Temp({text},{when}) % why", f"Near({text},{when})", f"Near({text})@{when}", f"Alarm({when})",
        f"Alarm@{when}.", "% nothing",
    )  # fmt: skip
    return choice.choice(forms)


def test_nothing_changes_for_other_programs() -> None:
    found = read_facts(Source("test", "Temp(wt2, high, 0)\n" * 40)).diagnostics
    assert [each.code for each in found] == ["E412"] * 40


def test_a_hundred_thousand_lines_take_seconds() -> None:
    text = "\n".join(f"Speed(veh{i % 5000}, {i % 997 / 10}, {i // 3})" for i in range(100_000))
    start = time.process_time()
    (batch,) = read(text).batches
    assert len(batch.lines) == 100_000
    assert batch.starts.values[-1] == Fraction(33_333)
    assert time.process_time() - start < 5
