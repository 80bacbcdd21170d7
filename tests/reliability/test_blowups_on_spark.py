"""On Spark, too, a program that blows up ends with the name of the rule: in a batch, on a stream, in the command."""

import pytest

import thalweg
from spark.running import Stream
from thalweg.spark.worker_errors import user_errors

PRODUCT = "Q(X) :- A(X).\nP(X, Y) :- A(X), B(Y)."
CHASE = "timeline integer.\nexists Y: Next(X, Y) :- Node(X).\nNode(Y) :- Next(X, Y)."
COUNTING = "N(X) :- S(X).\nN(Y) :- N(X), Y = X + 1."


def table(spark, count):
    rows = [(f"x{i}", 1) for i in range(count)]
    return spark.createDataFrame(rows, "x string, time bigint")


def failure(frame):
    """The diagnostic that the driver makes of what a worker says."""
    with pytest.raises(thalweg.ReasoningError) as raised, user_errors():
        frame.collect()
    assert "Traceback" not in str(raised.value)
    (found,) = raised.value.diagnostics
    return found


def test_a_product_in_a_batch_names_the_rule(spark):
    inputs = {"A": table(spark, 4000), "B": table(spark, 4000)}
    program = thalweg.parse(PRODUCT, name="pairs.rules")
    found = failure(thalweg.spark.reason(program, inputs, "P", time="time", max_memory="60m"))
    assert (found.code, found.span.line) == ("E507", 2)
    assert found.span.source.name == "pairs.rules"
    assert "60 MB" in found.message


def test_counting_without_end_in_a_batch_names_the_rule(spark):
    inputs = {"S": spark.createDataFrame([(0, 1)], "x bigint, time bigint")}
    found = failure(thalweg.spark.reason(thalweg.parse(COUNTING), inputs, "N", time="time", max_rounds=100))
    assert (found.code, found.span.line) == ("E504", 2)


def test_a_chase_without_end_in_a_batch_names_the_rule(spark):
    inputs = {"Node": table(spark, 1)}
    found = failure(thalweg.spark.reason(thalweg.parse(CHASE), inputs, "Node", time="time", max_nulls=500))
    assert (found.code, found.span.line) == ("E506", 2)


def test_hypotheses_in_a_batch_name_the_rule(spark):
    program = thalweg.parse("timeline integer.\nP(X, Y) :- A(X), B(Y).")
    inputs = {"A": table(spark, 4000), "B": table(spark, 4000)}
    found = failure(thalweg.spark.hypotheses(program, inputs, "P", time="time", max_memory="60m"))
    assert (found.code, found.span.line) == ("E507", 2)


COUNT = "timeline integer.\nN(C) :- C = count { X, Y : A(X), B(Y) }."
PER_TIME = 1500


@pytest.mark.soak
def test_a_stream_that_is_stopped_goes_on_with_a_larger_limit(spark, tmp_path):
    def source(folder):
        reader = spark.readStream.format("thalweg-facts").option("maxFilesPerTrigger", 1)
        return reader.option("settleSeconds", 0).load(folder)

    program = thalweg.parse(COUNT)
    small = Stream(spark, tmp_path, program, "N", source, max_memory="60m")
    small.feed(lambda path: path.write_text("A(a)@0\nB(b)@0\n"))
    small.run()
    many = "".join(f"A(a{i})@{i % 3 + 1}\nB(b{i})@{i % 3 + 1}\n" for i in range(3 * PER_TIME))
    small.feed(lambda path: path.write_text(f"{many}A(last)@9\n"))
    with pytest.raises(thalweg.ReasoningError) as raised, user_errors():
        small.run()
    (found,) = raised.value.diagnostics
    assert (found.code, found.span.line) == ("E507", 2)
    assert "Traceback" not in str(raised.value)

    large = Stream(spark, tmp_path, program, "N", source, max_memory="3g")
    large.run()
    pairs = [row for row in (*small.rows, *large.rows) if int(row[0])]  # at other times there is none
    counted = sorted(tuple(map(int, (row["start"], row["end"], row[0]))) for row in pairs)
    assert counted == [(0, 0, 1), (1, 3, PER_TIME * PER_TIME)]
