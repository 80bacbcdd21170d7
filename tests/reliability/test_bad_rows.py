"""Bad rows without Spark: by choice the run stops and says why, or does without them, and counts them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thalweg
from cli.calling import call
from reliability.bad_rows import ANSWERS, CELLS, MEGABYTE, NOTE, RULES, WAYS, WRONG_ALL, is_fit_for_people


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)


def written(way, bad):
    name, _, write = WAYS[way]
    write(Path(name), bad.row)
    return name


def cells(test):
    return pytest.mark.parametrize(("way", "bad"), CELLS, ids=[f"{way}: {bad.kind}" for way, bad in CELLS])(test)


@cells
def test_the_run_stops_and_says_why(way, bad):
    name = written(way, bad)
    outcome = call("run", "p.rules", name, "--query", "Q")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(name)
    assert f"error[{bad.code}]" in outcome.err
    assert bad.says in outcome.err
    assert outcome.err.endswith(NOTE)
    assert is_fit_for_people(outcome.err)


@cells
def test_or_it_does_without_the_row_and_counts_it(way, bad):
    name = written(way, bad)
    outcome = call("run", "p.rules", name, "--query", "Q", "--skip-bad")
    count = 3 if way == "parquet" and bad.kind in WRONG_ALL else 1
    assert (outcome.code, outcome.out) == (0, ANSWERS if count == 1 else "")
    assert outcome.err.count(f"error[{bad.code}]") == count
    assert outcome.err.endswith(f"thalweg: {count} bad fact{'s' * (count > 1)} skipped\n")
    assert is_fit_for_people(outcome.err)


@cells
def test_as_a_stream_it_is_the_same(way, bad):
    name = written(way, bad)
    stopped = call("run", "p.rules", name, "--query", "Q", "--stream")
    assert (stopped.code, stopped.out) == (1, "")
    assert f"error[{bad.code}]" in stopped.err
    outcome = call("run", "p.rules", name, "--query", "Q", "--stream", "--skip-bad")
    count = 3 if way == "parquet" and bad.kind in WRONG_ALL else 1
    assert outcome.code == 0
    # A point that is answered by steps is seen as the end of one and the start of the next.
    assert {line.partition("@")[0] for line in outcome.lines} == ({"Q(a,1)", "Q(b,2)"} if count == 1 else set())
    assert f"{count} bad fact" in outcome.err


@cells
def test_in_python_it_is_the_same(way, bad):
    name = written(way, bad)
    with pytest.raises(thalweg.BadFactsError) as caught:
        thalweg.materialise("p.rules", Path(name))
    assert {problem.code for problem in caught.value.diagnostics} == {bad.code}
    assert caught.value.__notes__ == ["skip_bad=True leaves such facts out"]
    assert is_fit_for_people(str(caught.value))
    expected = "" if way == "parquet" and bad.kind in WRONG_ALL else ANSWERS.rstrip("\n")
    assert thalweg.materialise("p.rules", Path(name), skip_bad=True).to_text("Q") == expected


@pytest.mark.parametrize("command", ["query", "why"])
@pytest.mark.parametrize("way", ["facts", "csv"])
def test_other_commands_give_the_same_choice(command, way):
    name = written(way, next(bad for bad in WAYS[way][1] if bad.kind == "text in an integer column"))
    words = (command, "p.rules", name, {"query": "Q(X, N)", "why": "Q(a,1)@1"}[command])
    stopped, skipped = call(*words), call(*words, "--skip-bad")
    assert (stopped.code, stopped.out) == (1, "")
    assert stopped.err.endswith(NOTE)
    assert skipped.code == 0
    assert skipped.err.endswith("thalweg: 1 bad fact skipped\n")


def test_answers_of_rules_that_leave_a_choice_have_it_too():
    rules = "timeline integer. input P(n: integer). Q(X) :- P(X), not R(X). R(X) :- P(X), not Q(X)."
    program = thalweg.parse(rules, stratified=False)
    facts = "P(1)@1\nP(x)@1"
    with pytest.raises(thalweg.BadFactsError, match="x is not an integer"):
        thalweg.answers(program, facts, start=0, end=2)
    assert len(thalweg.answers(program, facts, start=0, end=2, skip_bad=True)) == 2


FILES = {
    "an empty table": ("P.csv", b"", "Empty CSV file"),
    "a Parquet file of no bytes": ("P.parquet", b"", "Parquet file size is 0 bytes"),
    "a Parquet file that is none": ("P.parquet", b"this is no Parquet file, but long", "Parquet magic bytes not found"),
    "a first line that is not UTF-8": ("P.csv", b"name\xff,n,time\na,1,1\n", "the first line is not UTF-8"),
    "JSON that is not UTF-8": ("p.json", b'{"P": [{"\xff,1": {}}]}', "the file is not UTF-8"),
    "JSON that breaks off": ("p.json", b'{"P": [', "the file is not JSON"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_broken_is_named(kind):
    name, data, says = FILES[kind]
    Path(name).write_bytes(data)
    Path("good.facts").write_text("P(a,1)@1\nP(b,2)@2\n")
    stopped = call("run", "p.rules", name, "good.facts", "--query", "Q")
    assert (stopped.code, stopped.out) == (1, "")
    assert stopped.err.startswith(name)
    assert says in stopped.err
    assert is_fit_for_people(stopped.err)
    outcome = call("run", "p.rules", name, "good.facts", "--query", "Q", "--skip-bad")
    assert (outcome.code, outcome.out) == (0, ANSWERS)
    assert says in outcome.err
    assert outcome.err.endswith("thalweg: 1 bad fact skipped\n")


@pytest.mark.parametrize("part", [0.5, 0.98], ids=["in the middle", "in the footer"])
def test_a_parquet_file_that_was_cut_short_is_named(part):
    pq.write_table(pa.table({"name": ["a", "b"], "n": [1, 2], "time": [1, 2]}), "P.parquet")
    data = Path("P.parquet").read_bytes()
    Path("P.parquet").write_bytes(data[: int(len(data) * part)])
    outcome = call("run", "p.rules", "P.parquet")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("P.parquet: error[E475]: the file cannot be read: Parquet magic bytes not found")
    assert is_fit_for_people(outcome.err)


@pytest.mark.parametrize(
    ("name", "data"),
    [("P.csv", b"name,n,time\n"), ("P.csv", b"name,n,time"), ("p.facts", b""), ("p.facts", b"\n%"), ("p.json", b"{}")],
)
def test_files_without_rows_are_no_mistake(name, data):
    Path(name).write_bytes(data)
    outcome = call("run", "p.rules", name)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


@pytest.mark.parametrize(
    ("column", "type_"), [("n", "struct<x: int64>"), ("name", "list<item: int64>"), ("time", "string")]
)
def test_a_table_with_a_column_that_cannot_be_one_is_refused_whatever_is_skipped(column, type_):
    values = {"n": [{"x": 1}], "name": [[1]], "time": ["noon"]}[column]
    pq.write_table(pa.table({"name": ["a"], "n": [1], "time": [1], column: values}), "P.parquet")
    outcome = call("run", "p.rules", "P.parquet", "--skip-bad")
    assert column in outcome.err
    assert is_fit_for_people(outcome.err)
    assert outcome.out == ""


class TestManyAndLarge:
    def test_ten_megabytes_are_values_as_good_as_any(self):
        lines = [f'P("{MEGABYTE}{number}",{number})@{number}' for number in range(10)]
        Path("p.facts").write_text("\n".join(lines))
        outcome = call("run", "p.rules", "p.facts", "--query", "Q")
        assert outcome.code == 0
        assert outcome.lines == [f"Q({MEGABYTE}{number},{number})@[{number},{number}]" for number in range(10)]

    @pytest.mark.parametrize("way", ["csv", "parquet"])
    def test_and_so_they_are_in_tables(self, way):
        names, numbers = [f"{MEGABYTE}{number}" for number in range(10)], list(range(10))
        if way == "csv":
            rows = [f"{name},{number},{number}" for name, number in zip(names, numbers, strict=True)]
            Path("P.csv").write_text("name,n,time\n" + "\n".join(rows))
        else:
            pq.write_table(pa.table({"name": names, "n": numbers, "time": numbers}), "P.parquet")
        outcome = call("run", "p.rules", f"P.{way}", "--query", "Q")
        assert outcome.lines == [f"Q({MEGABYTE}{number},{number})@[{number},{number}]" for number in range(10)]

    def test_many_bad_rows_are_counted_not_listed(self):
        Path("p.facts").write_text("P(a,1)@1\nP(b,2)@2\n" + "P(c,three)@3\n" * 100_000)
        stopped = call("run", "p.rules", "p.facts", "--query", "Q")
        assert (stopped.code, stopped.out) == (1, "")
        assert stopped.err.endswith(f"and 99,950 more\n{NOTE}")
        outcome = call("run", "p.rules", "p.facts", "--query", "Q", "--skip-bad")
        assert (outcome.code, outcome.out) == (0, ANSWERS)
        assert outcome.err.endswith("and 99,950 more\nthalweg: 100,000 bad facts skipped\n")
        assert is_fit_for_people(outcome.err, 10_000)

    def test_characters_that_a_terminal_obeys_are_values_and_are_shown_as_pictures(self):
        Path("p.facts").write_bytes(b'P("x\x00\x1b[2Jy",1)@1\nP("x\x00\x1b[2J",y)@1\n')
        outcome = call("run", "p.rules", "p.facts", "--query", "Q", "--skip-bad", "--json")
        assert '"x\\u0000\\u001b[2Jy"' in outcome.out
        assert is_fit_for_people(outcome.err)


class TestColumns:
    def test_one_bad_moment_does_not_spoil_a_column_of_moments(self):
        Path("P.csv").write_text("name,n,time\na,1,1970-01-01 00:00:01\nc,3,yesterday\nb,2,1970-01-01 00:00:02\n")
        outcome = call("run", "p.rules", "P.csv", "--query", "Q", "--skip-bad")
        assert outcome.out == ANSWERS
        assert "P.csv:3: error[E443]: column time: 'yesterday' is not a timestamp, as most are" in outcome.err

    def test_rows_keep_their_numbers_when_others_are_set_aside(self):
        Path("P.csv").write_bytes(b"name,n,time\nx,1\na,1,1\n\xff,1,1\nb,2,2\nc,three,3\n")
        outcome = call("run", "p.rules", "P.csv", "--query", "Q", "--skip-bad")
        assert outcome.out == ANSWERS
        places = [line.split(": ")[0] for line in outcome.err.splitlines() if ": error[" in line]
        assert places == ["P.csv:2", "P.csv:4", "P.csv:6"]

    def test_a_column_that_is_declared_as_text_may_look_like_numbers(self):
        Path("P.csv").write_text("name,n,time\n007,1,1\nnan,2,2\n")
        outcome = call("run", "p.rules", "P.csv", "--query", "Q")
        assert outcome.lines == ['Q("007",1)@[1,1]', "Q(nan,2)@[2,2]"]
