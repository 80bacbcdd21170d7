"""Streams that are written down and read again have the facts, and the answers, that they have as they are made."""

from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thalweg
from thalweg.engine.read import read_facts_of
from thalweg.generators.catalogue import CATALOGUE
from thalweg.generators.text import fact_lines, joined
from thalweg.generators.traffic import Traffic
from thalweg.generators.turbines import Turbines
from thalweg.generators.write import write_facts, write_parquet
from thalweg.syntax.facts import format_value
from thalweg.syntax.tokens import OPERATOR_WORDS, RESERVED_WORDS

SMALL = {
    "lubm": {"facts": 3_000},
    "traffic": {"vehicles": 15, "times": 25},
    "belts": {"belts": 5, "times": 12, "slow": 0.3, "hot": 0.5, "lasting": 0.5},
    "turbines": {"turbines": 6, "times": 12, "delay": 3, "loss": 0.1},
    "trams": {"trams": 8, "times": 40},
    "network": {"hosts": 8, "times": 2_000},
}
KINDS = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)


def rows(tables):
    """All facts, as predicate, values and time."""
    return sorted(
        (predicate, *map(str, row.values())) for predicate, table in tables for row in pa.table(table).to_pylist()
    )


def slices_of(stream):
    return [(predicate, table) for part in stream.slices() for predicate, table in part.tables.items()]


def answers(program, facts):
    model = thalweg.materialise(program, facts)
    return {name: model.to_text(name) for name in program.derived_predicates}


@KINDS
def test_a_file_of_facts_gives_the_answers_of_the_slices(kind, tmp_path):
    stream = kind.make(**SMALL[kind.name], seed=1)
    program = thalweg.parse(kind.program(stream))
    count = write_facts(stream, tmp_path / "x.facts")
    batches, problems = read_facts_of(program, tmp_path / "x.facts")
    assert not problems
    assert sum(map(len, batches)) == count == sum(map(len, stream.slices()))
    whole = {}
    for predicate, table in slices_of(stream):
        whole[predicate] = pa.concat_tables([whole[predicate], table]) if predicate in whole else table
    expected = answers(program, whole)
    assert answers(program, batches) == expected
    assert expected[kind.query]


@KINDS
def test_parquet_has_the_facts_of_the_slices(kind, tmp_path):
    stream = kind.make(**SMALL[kind.name], seed=1)
    count = write_parquet(stream, tmp_path, Fraction(5))
    files = sorted(tmp_path.glob("*/*.parquet"))
    assert rows((path.parent.name, pq.read_table(path)) for path in files) == rows(slices_of(stream))
    assert count == len(rows(slices_of(stream)))


def test_facts_are_in_the_order_of_arrival(tmp_path):
    turbines = Turbines(5, 10, 3, seed=2)
    write_facts(turbines, tmp_path / "x.facts")
    found = turbines.readings()
    levels = ["high" if is_high else "low" for is_high in found.is_high.tolist()]
    rows = zip(found.device.tolist(), levels, found.time.tolist(), strict=True)
    assert (tmp_path / "x.facts").read_text().splitlines() == [f"Temp(wt{d},{level})@{t}" for d, level, t in rows]


def test_files_of_a_predicate_are_stretches_of_time_whose_names_and_changes_are_in_order(tmp_path):
    write_parquet(Traffic(10, 23, seed=1), tmp_path, Fraction(5))
    files = sorted((tmp_path / "NotPos").iterdir())
    times = [pq.read_table(path)["time"].to_pylist() for path in files]
    assert [{time // 5 for time in each} for each in times] == [{0}, {1}, {2}, {3}, {4}]
    changed = [path.stat().st_mtime_ns // 10**6 for path in files]
    assert changed == sorted({*changed})


def test_no_file_is_written_where_nothing_arrives(tmp_path):
    write_parquet(Turbines(1, 30, 0, loss=0.9, seed=1), tmp_path, Fraction(1))
    assert 0 < len(list((tmp_path / "Temp").iterdir())) < 30


def test_spark_follows_the_tables(spark, tmp_path, capsys):
    from thalweg.cli.main import run_command

    traffic = Traffic(12, 20, seed=4)
    write_parquet(
        traffic, tmp_path / "data", Fraction(8), tied={"Pos": pa.schema({"vehicle": pa.string(), "time": pa.int64()})}
    )
    write_facts(traffic, tmp_path / "traffic.facts")
    (tmp_path / "still.rules").write_text("input Pos(vehicle: string).\nStill(V) :- Pos(V), boxminus[1,1] Pos(V).\n")
    streamed = ["--stream", "--trigger", "available-now", "--final"]
    by_tables = ["--tables", str(tmp_path / "data" / "tables.toml"), *streamed]
    said = []
    for given in (by_tables, [str(tmp_path / "traffic.facts"), "--in-process"]):
        assert run_command(["run", str(tmp_path / "still.rules"), *given]) == 0
        said.append(sorted(capsys.readouterr().out.splitlines()))
    assert said[0] == said[1] != []


@pytest.mark.parametrize(
    "value", ["veh7", "a_B", "Upper", "_x", "two words", "9lives", 'say "hi"', "back\\slash", "a\nb", "a:b", "é", ""]
)
def test_texts_are_quoted_where_they_must_be(value):
    line = fact_lines("P", pa.table({"x": [value], "time": [3]}))[0].as_py()
    batch = read_facts_of(thalweg.parse("Q(X) :- P(X)."), [line])[0][0]
    assert batch.arguments[0].values == (value,)


def test_words_of_the_language_are_written_as_the_printer_does():
    words = sorted({*OPERATOR_WORDS, *RESERVED_WORDS, "window", "exists", "at", "low", "inf"})
    lines = fact_lines("P", pa.table({"x": words, "time": [3] * len(words)}))
    assert lines.to_pylist() == [f"P({format_value(word)})@3" for word in words]


def test_facts_may_have_no_arguments_and_no_time():
    assert fact_lines("P", pa.table({"time": [1, 2]})).to_pylist() == ["P@1", "P@2"]
    assert fact_lines("P", pa.table({"x": ["a"], "n": [5]})).to_pylist() == ["P(a,5)"]
    assert joined(fact_lines("P", pa.table({"x": pa.array([], pa.string())}))) == ""


def test_values_that_cannot_be_written_are_refused():
    with pytest.raises(TypeError, match="double"):
        fact_lines("P", pa.table({"x": [0.1]}))
