"""The data source thalweg-facts: fact files as tables, and errors that come back from workers."""

import json
import os
import time
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.functions import spark_partition_id
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles

from thalweg.errors import DataError, Diagnostic, InconsistencyError, UsageError
from thalweg.source import Source, Span
from thalweg.spark.sources import register
from thalweg.spark.sources.fact_files import FactPath
from thalweg.spark.sources.fact_ranges import plan_tasks
from thalweg.spark.sources.facts import FactsSource
from thalweg.spark.sources.taken import Taken
from thalweg.spark.worker_errors import decode, encode, encode_error, recover, user_errors
from thalweg.syntax.facts import read_facts

FACTS = """\
Speed(car1,50.5)@[0,3)
% a comment
Near(car1,"12")@1/3

Stop(car2)@(-inf,7]
Rain@2
"""


@pytest.fixture(scope="module")
def spark(spark):
    register(spark)
    register(spark)
    return spark


# Reading, without Spark


def test_rows_read_like_the_facts_they_come_from(tmp_path):
    texts = ["P(a,3,1/3,-2.5)@[1/7,2.5)", 'P("Big","12","a b","inf")@(-inf,inf)', "Q@-4", 'Q("")@[0,1]']
    rows = rows_of(reader(write(tmp_path / "a.facts", "\n".join(texts))))
    again = [fact_of(row) for row in rows]
    assert again == [fact for text in texts for fact in facts_of(text)]


def test_rows_stand_in_the_order_of_lines(tmp_path):
    rows = rows_of(reader(write(tmp_path / "a.facts", FACTS)))
    assert [(row["line"], row["predicate"]) for row in rows] == [(1, "Speed"), (3, "Near"), (5, "Stop"), (6, "Rain")]
    assert rows[1]["arguments"] == ["car1", '"12"']
    assert [rows[1]["start"], rows[2]["start"], rows[2]["end"]] == ["1/3", "-inf", "7"]
    assert rows[3]["arguments"] == []


@pytest.mark.parametrize("largest", [1, 10, 40, 100, 10_000])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_ranges_of_a_file_have_the_line_numbers_of_the_file(tmp_path, largest, line_end):
    path = write(tmp_path / "a.facts", "".join(f"P({n})@{n}{line_end * (1 + n % 3)}" for n in range(40)) + "P(x)@1")
    whole = read_facts(Source("x", path.read_text())).batches[0].lines.tolist()
    assert [row["line"] for row in rows_of(reader(path, maxPartitionBytes=str(largest)))] == whole
    (file,) = FactPath.of(str(path)).files()
    ranges = [part for task in plan_tasks([file], largest) for part in task]
    assert [part.start for part in ranges] == [0, *(part.end for part in ranges[:-1])]
    assert len(ranges) > 1 or largest == 10_000 or line_end == "\r"


def test_small_files_share_a_task(tmp_path):
    for n in range(20):
        write(tmp_path / f"{n}.facts", f"P({n})@{n}\n")
    assert len(reader(tmp_path).partitions()) == 1
    assert len(rows_of(reader(tmp_path))) == 20


def test_a_fact_of_a_named_predicate_may_lack_its_time(tmp_path):
    path = write(tmp_path / "a.facts", "Road(a,b)\n")
    (row,) = rows_of(reader(path, always="Road, Town"))
    assert (row["start"], row["end"], row["start_closed"], row["end_closed"]) == ("-inf", "inf", False, False)


def test_the_time_of_a_fact_may_be_its_last_argument(tmp_path):
    lines = [f"Temp(wt{n}, high, {n})\nTemp(wt{n}, high)@{n}\n" for n in range(40)]
    path = write(tmp_path / "a.facts", "".join(lines) + "Road(a,5)\n")
    *rows, road = rows_of(reader(path, always="Road", timeInLastArgument="true", maxPartitionBytes="100"))
    assert [(row["arguments"], row["start"], row["end"]) for row in rows] == [
        ([f"wt{n}", "high"], str(n), str(n)) for n in range(40) for _ in range(2)
    ]
    assert (road["arguments"], road["start"]) == (["a", "5"], "-inf")


def test_whole_numbers_beyond_64_bits_are_exact(tmp_path):
    number = str(10**30)
    (row,) = rows_of(reader(write(tmp_path / "a.facts", f"P({number})@[{number},inf)")))
    assert (row["arguments"], row["start"], row["end"]) == ([number], number, "inf")


def test_a_line_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "a.facts").write_bytes(b"P(a)@1\nP(\xff)@2\n")
    with pytest.raises(DataError, match=r"a\.facts:2:3: error\[E474\]: the line is not UTF-8"), user_errors():
        rows_of(reader(tmp_path / "a.facts"))


def test_many_bad_lines_are_counted(tmp_path):
    path = write(tmp_path / "a.facts", "P(\n" * 30)
    with pytest.raises(DataError) as caught, user_errors():
        rows_of(reader(path))
    assert len(caught.value.diagnostics) == 11
    assert caught.value.diagnostics[-1].message == "20 more lines cannot be read"


def test_bad_lines_can_be_kept_as_rows(tmp_path):
    path = write(tmp_path / "a.facts", "P(a)@1\nP(a b)@1\nP(b)@2\n")
    rows = rows_of(reader(path, mode="keep"))
    assert [(row["line"], row["predicate"], row["problem"] is None) for row in rows] == [
        (1, "P", True),
        (2, None, False),
        (3, "P", True),
    ]
    assert "a.facts:2:5: error[E409]: a comma is missing before b" in rows[1]["problem"]


# Which files


def test_files_come_by_time_and_then_by_name(tmp_path):
    for name, modified in (("c", 5), ("b", 7), ("a", 7)):
        write(tmp_path / name, "", modified)
    assert names(FactPath.of(str(tmp_path))) == ["c", "a", "b"]


def test_hidden_files_and_folders_are_left_alone(tmp_path):
    for name in ("a.facts", ".b.facts", "_c.facts", "sub/d.facts", "_sub/e.facts"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(tmp_path / name, "")
    assert names(FactPath.of(str(tmp_path))) == ["a.facts"]
    assert names(FactPath.of(str(tmp_path / "*.facts"))) == ["a.facts"]
    assert sorted(names(FactPath.of(str(tmp_path / "**" / "*.facts")))) == ["a.facts", "sub/d.facts"]
    assert names(FactPath.of(f"file://{tmp_path}/_c.facts")) == ["_c.facts"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", "there is no file or folder nowhere"),
        ("/nowhere/*.facts", "there is no file or folder /nowhere"),
        ("s3a://bucket/facts", "cannot read s3a://bucket/facts\n    hint: it reads files on a disk"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path, message):
    assert message in str(refusal(lambda: reader(path)))


def test_a_pattern_that_matches_nothing_is_refused_in_a_batch_only(tmp_path):
    assert "no file matches" in str(refusal(reader(tmp_path / "*.facts").partitions))
    assert stream(tmp_path / "*.facts").latestOffset(NOTHING, ReadAllAvailable()) == NOTHING


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"mode": "skip"},
            "the option mode must be fail or keep, not skip\n    hint: skipping lines unseen is not offered",
        ),
        ({"modes": "keep"}, "thalweg-facts has no option modes\n    hint: did you mean mode?"),
        ({"maxFilesPerTrigger": "0"}, "maxFilesPerTrigger must be a whole number above 0, not 0"),
        ({"settleSeconds": "soon"}, "settleSeconds must be a number of seconds, not soon"),
        ({"path": ""}, "thalweg-facts needs the option path"),
        ({"paths": '["a","b"]'}, "thalweg-facts reads one path"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, message):
    source = FactsSource({"path": str(tmp_path), **options})
    assert message in str(refusal(source.schema))


# Taking files from a folder, without Spark

NOTHING = {"taken": "", "files": []}


def test_a_file_that_appears_with_an_old_time_is_taken_and_none_twice(tmp_path):
    write(tmp_path / "new", "P@1\n", 2000)
    first = next_offset(tmp_path, NOTHING)
    write(tmp_path / "old", "P@2\n", 1000)
    second = next_offset(tmp_path, first)
    assert [first["files"], second["files"]] == [[["new", 4]], [["old", 4]]]
    assert next_offset(tmp_path, second) == second
    assert stream(tmp_path).partitions(second, second) == []


def test_a_limit_takes_the_oldest_first(tmp_path):
    for number, name in enumerate("cab"):
        write(tmp_path / name, "P@1\n", 1000 + number)
    first = next_offset(tmp_path, NOTHING, ReadMaxFiles(2))
    second = next_offset(tmp_path, first, ReadMaxFiles(2))
    assert [name for name, _ in first["files"]] == ["c", "a"]
    assert [name for name, _ in second["files"]] == ["b"]


def test_a_batch_run_again_reads_the_same_files_whatever_came_since(tmp_path):
    write(tmp_path / "a", "P(a)@1\n", 1000)
    offset = next_offset(tmp_path, NOTHING)
    write(tmp_path / "b", "P(b)@1\n", 500)
    assert [row["arguments"] for row in stream_rows(tmp_path, NOTHING, offset)] == [["a"]]


def test_a_file_that_vanished_before_it_was_read_is_an_error(tmp_path):
    write(tmp_path / "a", "P(a)@1\n", 1000)
    offset = next_offset(tmp_path, NOTHING)
    (tmp_path / "a").unlink()
    with pytest.raises(DataError, match="a: error\\[E475\\]: the file vanished before it was read"), user_errors():
        stream_rows(tmp_path, NOTHING, offset)


def test_a_file_that_changed_before_it_was_read_is_an_error(tmp_path):
    write(tmp_path / "a", "P(a)@1\n", 1000)
    offset = next_offset(tmp_path, NOTHING)
    write(tmp_path / "a", "P(a)@1\nP(b)@1\n", 1000)
    assert "changed while it was being read" in str(refusal(lambda: stream_rows(tmp_path, NOTHING, offset)))


def test_a_file_that_grows_after_it_was_read_is_an_error(tmp_path):
    write(tmp_path / "a", "P(a)@1\n", 1000)
    offset = next_offset(tmp_path, NOTHING)
    write(tmp_path / "a", "P(a)@1\nP(b)@1\n", 1000)
    assert "changed after it was read, from 7 to 14 bytes" in str(refusal(lambda: next_offset(tmp_path, offset)))


def test_a_file_that_left_the_folder_leaves_the_record(tmp_path):
    offset = NOTHING
    for name in "abc":
        write(tmp_path / name, "P@1\n", 1000)
        offset = next_offset(tmp_path, offset)
        (tmp_path / name).unlink()
    assert offset["taken"] == ""


def test_the_record_takes_sixteen_characters_a_file():
    taken = Taken().plus((f"file{number}", number) for number in range(1000))
    assert len(taken.write()) == 16_000
    assert Taken.parse(taken.write()) == taken


def test_a_file_that_is_still_being_written_is_left_for_later(tmp_path):
    write(tmp_path / "done", "P@1\n", 1000)
    write(tmp_path / "young", "P@1\n")
    write(tmp_path / "future", "P@1\n", time.time() + 3600)
    offset = next_offset(tmp_path, NOTHING, settleSeconds="60")
    assert [name for name, _ in offset["files"]] == ["done", "future"]


def test_available_now_takes_what_is_there_at_the_start(tmp_path):
    write(tmp_path / "a", "P@1\n")
    reading = stream(tmp_path, settleSeconds="0.05")
    reading.prepareForTriggerAvailableNow()
    write(tmp_path / "b", "P@1\n", 1000)
    offset = reading.latestOffset(NOTHING, ReadAllAvailable())
    assert [name for name, _ in offset["files"]] == ["a"]
    assert reading.latestOffset(offset, ReadAllAvailable()) == offset


# Errors on their way to the driver, without Spark


def test_a_diagnostic_reads_the_same_on_the_driver():
    source = Source("a.facts", "\n" * 41 + "P(\tx y)@1\nQ\n")
    found = (Diagnostic("E409", Span(source, 44, 45), "a comma is missing", "write one"), Diagnostic("E440", None, "é"))
    assert [d.render() for d in decode(encode(found))] == [d.render() for d in found]


def test_the_class_of_an_error_is_kept():
    errors = [InconsistencyError([Diagnostic("E501", None, "no")]), UsageError("no\nnever"), DataError([])]
    found = [recover(encode_error(error)) for error in errors]
    assert [(type(error), str(error)) for error in found] == [(type(error), str(error)) for error in errors]


def test_a_very_long_line_is_not_carried():
    source = Source("a.facts", "x" * 10_000)
    (found,) = decode(encode([Diagnostic("E407", Span(source, 9_000, 9_001), "wrong")]))
    assert found.render() == "a.facts:1:9001: error[E407]: wrong"


def test_very_many_diagnostics_are_counted():
    found = decode(encode(Diagnostic("E407", None, str(number)) for number in range(70)))
    assert [problem.message for problem in found] == [*map(str, range(50)), "and 20 more of the kind"]


def test_the_marker_in_a_line_of_code_is_not_taken_for_a_message():
    inner = str(encode([Diagnostic("E407", None, "wrong")]))
    assert decode(RuntimeError(f'raise X("thalweg-diagnostics: " + text)\n{inner}'))[0].message == "wrong"


def test_errors_deep_below_others_are_found():
    outer = ValueError("outer")
    outer.__cause__ = KeyError("inner")
    outer.__cause__.__context__ = encode([Diagnostic("E407", None, "wrong")])
    assert decode(outer)[0].message == "wrong"


def test_other_exceptions_pass():
    with pytest.raises(ZeroDivisionError), user_errors():
        _ = 1 / 0
    assert decode(ValueError("x")) is None


# Through Spark


def test_a_folder_is_read_by_several_tasks(spark, tmp_path):
    lines = [f"P(c{n % 7},{n})@[{n},{3 * n + 1}/3)" for n in range(1, 400)]
    write(tmp_path / "a.facts", "\n".join(lines[:300]))
    write(tmp_path / "b.facts", "\n".join(lines[300:]))
    frame = spark.read.format("thalweg-facts").option("maxPartitionBytes", 3000).load(str(tmp_path))
    rows = sorted(frame.withColumn("task", spark_partition_id()).collect(), key=lambda row: (row.source, row.line))
    assert len({row.task for row in rows}) > 2
    assert [fact_of(row.asDict()) for row in rows] == [fact for line in lines for fact in facts_of(line)]
    assert [row.line for row in rows] == [*range(1, 301), *range(1, 100)]
    assert {Path(row.source).name for row in rows} == {"a.facts", "b.facts"}


def test_an_empty_folder_is_an_empty_table(spark, tmp_path):
    frame = spark.read.format("thalweg-facts").option("mode", "keep").load(str(tmp_path))
    times = ["start", "end", "start_closed", "end_closed"]
    assert frame.columns == ["predicate", "arguments", *times, "source", "line", "problem"]
    assert frame.collect() == []


def test_bad_lines_of_a_batch_come_back_as_diagnostics(spark, tmp_path):
    text = FACTS + "P(a b)@1\nQ(x)\n"
    path = write(tmp_path / "a.facts", text)
    frame = spark.read.format("thalweg-facts").option("maxPartitionBytes", 30).load(str(tmp_path / "*.facts"))
    with pytest.raises(PySparkException) as raw:
        frame.collect()
    with pytest.raises(DataError) as caught, user_errors():
        raise raw.value
    expected = [problem.render() for problem in read_facts(Source(str(path), text)).diagnostics]
    assert {problem.render() for problem in decode(raw.value)} <= set(expected)
    assert str(caught.value) in expected or str(caught.value) == "\n".join(expected)


def test_mistakes_in_the_call_come_back_as_usage_errors(spark, tmp_path):
    with pytest.raises(UsageError, match="no option modes\n    hint: did you mean mode"), user_errors():
        spark.read.format("thalweg-facts").option("modes", "keep").load(str(tmp_path))
    with pytest.raises(UsageError, match="there is no file or folder"), user_errors():
        spark.readStream.format("thalweg-facts").load(str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="has columns of its own"), user_errors():
        spark.read.format("thalweg-facts").schema("predicate string").load(str(tmp_path)).collect()


def test_a_stream_goes_on_where_it_stopped(spark, tmp_path):
    inbox = tmp_path / "in"
    inbox.mkdir()
    write(inbox / "a", "P(a)@1\nP(b)@1\n", 2000)
    write(inbox / "b", "P(c)@1\n", 2001)
    first = run_stream(spark, tmp_path, maxFilesPerTrigger=1)
    assert [progress["numInputRows"] for progress in first] == [2, 1]
    write(inbox / "c", "P(d)@1\n", 1000)
    (inbox / "a").unlink()
    run_stream(spark, tmp_path)
    assert arguments(spark, tmp_path) == ["a", "b", "c", "d"]


def test_bad_lines_of_a_stream_come_back_as_diagnostics(spark, tmp_path):
    inbox = tmp_path / "in"
    inbox.mkdir()
    write(inbox / "a", "P(a)@1\nP(b\n", 2000)
    with pytest.raises(DataError, match="this \\( is never closed") as caught, user_errors():
        run_stream(spark, tmp_path)
    (problem,) = caught.value.diagnostics
    assert problem.span.place == f"{inbox}/a:2:2"
    (inbox / "a").unlink()
    with pytest.raises(DataError, match="vanished before it was read"), user_errors():
        run_stream(spark, tmp_path)


# Helpers


def write(path, text, modified=None):
    path.write_bytes(text.encode())
    if modified is not None:
        os.utime(path, (modified, modified))
    return path


def names(path):
    return [file.name for file in path.files()]


def reader(path, **options):
    with user_errors():
        return FactsSource({"path": str(path), **options}).reader(None)


def stream(path, **options):
    with user_errors():
        return FactsSource({"path": str(path), "settleSeconds": "0", **options}).streamReader(None)


def next_offset(path, start, limit=None, **options):
    with user_errors():
        return stream(path, **options).latestOffset(json.loads(json.dumps(start)), limit or ReadAllAvailable())


def rows_of(reading, tasks=None):
    tasks = reading.partitions() if tasks is None else tasks
    return [row for task in tasks for batch in reading.read(task) for row in batch.to_pylist()]


def stream_rows(path, start, end):
    reading = stream(path)
    return rows_of(reading, reading.partitions(start, end))


def refusal(call):
    with pytest.raises(UsageError) as caught, user_errors():
        call()
    return caught.value


def facts_of(text):
    return [
        (
            batch.predicate,
            tuple(column.values[column.codes[row]] for column in batch.arguments),
            batch.starts.values[batch.starts.codes[row]],
            batch.ends.values[batch.ends.codes[row]],
            bool(batch.start_closed[row]),
            bool(batch.end_closed[row]),
        )
        for batch in read_facts(Source("text", text)).batches
        for row in range(len(batch))
    ]


def fact_of(row):
    """A row written as a fact line and read again."""
    left, right = "[" if row["start_closed"] else "(", "]" if row["end_closed"] else ")"
    arguments = f"({','.join(row['arguments'])})" if row["arguments"] else ""
    (fact,) = facts_of(f"{row['predicate']}{arguments}@{left}{row['start']},{row['end']}{right}")
    return fact


def run_stream(spark, folder, **options):
    frame = spark.readStream.format("thalweg-facts").option("settleSeconds", 0).options(**options)
    query = (
        frame.load(str(folder / "in"))
        .writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "out"))
    )
    query.awaitTermination()
    return query.recentProgress


def arguments(spark, folder):
    return sorted(row.arguments[0] for row in spark.read.parquet(str(folder / "out")).collect())
