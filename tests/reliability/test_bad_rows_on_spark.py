"""Bad rows and broken files of batches on Spark: the same choice as in process, with the same words and counts."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.calling import call, call_as_it_is
from reliability.bad_rows import ANSWERS, CSV, FACTS, GOOD, MEGABYTE, NOTE, RULES, WAYS, is_fit_for_people

LONG = 20_000


@pytest.fixture(autouse=True)
def _in_folder(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(RULES)


def all_bad(way, kinds):
    """The name of a file with the good rows, and every bad one between them."""
    name, _, write = WAYS[way]
    write(Path(name), b"\n".join(bad.row for bad in kinds))
    return name


def codes(text):
    return sorted(part[:4] for part in text.split("error[")[1:])


@pytest.mark.parametrize(("way", "kinds"), [("facts", FACTS), ("csv", CSV)])
def test_a_batch_says_and_gives_what_it_does_in_process(way, kinds):
    name = all_bad(way, kinds)
    here = call("run", "p.rules", name, "--query", "Q", "--skip-bad")
    outcome = call_as_it_is("run", "p.rules", name, "--query", "Q", "--skip-bad")
    assert (outcome.code, outcome.out) == (0, ANSWERS)
    assert codes(outcome.err) == sorted(bad.code for bad in kinds) == codes(here.err)
    assert outcome.err.endswith(f"thalweg: {len(kinds)} bad facts skipped\n")
    assert is_fit_for_people(outcome.err, LONG)
    stopped = call_as_it_is("run", "p.rules", name, "--query", "Q")
    assert (stopped.code, stopped.out) == (1, "")
    assert stopped.err.endswith(NOTE)
    assert is_fit_for_people(stopped.err, LONG)


def test_a_fact_that_does_not_fit_is_named_by_its_file_and_line():
    Path("in").mkdir()
    for number in range(3):
        Path(f"in/{number}.facts").write_text(f"P(a,{number})@{number}\n" + "P(b,three)@1\n" * (number == 2))
    stopped = call_as_it_is("run", "p.rules", "in", "--query", "Q")
    assert stopped.err == (
        "in/2.facts:2: error[E434]: three is not an integer\n    hint: argument 2 of P is declared as integer\n" + NOTE
    )


def test_bad_rows_of_a_parquet_file():
    names = pa.array([b"a", b"b", None, b"d", b"e", b"f\xff"], pa.binary()).view(pa.string())
    columns = {"name": names, "n": [1, 2, 3, None, 5, 6], "time": [1, 2, 3, 4, None, 6]}
    pq.write_table(pa.table(columns), "P.parquet")
    outcome = call_as_it_is("run", "p.rules", "P.parquet", "--query", "Q", "--skip-bad")
    assert (outcome.code, outcome.out) == (0, ANSWERS)
    assert codes(outcome.err) == ["E442", "E442", "E442", "E474"]
    for column in ("name", "n", "time"):
        assert f"there is no value in column {column}" in outcome.err
    assert outcome.err.endswith("thalweg: 4 bad facts skipped\n")
    stopped = call_as_it_is("run", "p.rules", "P.parquet", "--query", "Q")
    assert (stopped.code, stopped.out) == (1, "")
    assert codes(stopped.err) == ["E442", "E442", "E442", "E474"]
    assert stopped.err.startswith("table P: ")
    assert stopped.err.endswith(NOTE)
    assert is_fit_for_people(stopped.err)


def test_values_that_are_not_finite_in_a_table():
    Path("d.rules").write_text("input P(name: string, n: number).\nQ(X, N) :- P(X, N).\n")
    columns = {"name": ["a", "b", "c", "d", "e"], "n": [1.0, 2.0, float("nan"), float("inf"), float("-inf")]}
    pq.write_table(pa.table({**columns, "time": [1, 2, 3, 4, 5]}), "P.parquet")
    outcome = call_as_it_is("run", "d.rules", "P.parquet", "--query", "Q", "--skip-bad")
    assert (outcome.code, outcome.out) == (0, ANSWERS)
    assert codes(outcome.err) == ["E443"] * 3
    assert call_as_it_is("run", "d.rules", "P.parquet", "--query", "Q").code == 1


GOOD_TEXTS = {
    "csv": b"name,n,time\na,1,1\nb,2,2\n",
    "json": b'{"name":"a","n":1,"time":1}\n{"name":"b","n":2,"time":2}\n',
}
BAD_TEXTS = {
    "csv": [
        ("E476", b"c,3"),
        ("E476", b"c,3,3,4"),
        ("E476", b"c,three,3"),
        ("E476", b"c,1.5,3"),
        ("E476", b"c,99999999999999999999,3"),
        ("E476", b"c,nan,3"),
        ("E474", b"\xff\xfe,3,3"),
        ("E442", b",3,3"),
        ("E442", b"c,,3"),
    ],
    "json": [
        ("E476", b'{"name":"c","n":"three","time":3}'),
        ("E476", b'{"name":"c","n":1.5,"time":3}'),
        ("E476", b'{"name":"c","n":99999999999999999999,"time":3}'),
        ("E476", b'{"name":"c","n":NaN,"time":3}'),
        ("E476", b'{"name":"c\xff","n":3,"time":3}'),
        ("E476", b'{"name":"c","n":[3],"time":3}'),
        ("E476", b'{"name":"c","n":{"x":3},"time":3}'),
        ("E476", b"nonsense"),
        ("E442", b'{"n":3,"time":3}'),
        ("E442", b'{"name":"c","n":null,"time":3}'),
    ],
}


OTHER_COLUMNS = ["n,name,time\n3,c,3\n", "name,n\nc,3\n", "name,n,time,more\nc,3,3,4\n", "name,k,time\nc,3,3\n"]
"""In another order, fewer, more, and with another name."""


class TestTextTables:
    """CSV and JSON that Spark reads, which by itself would guess, cut and replace."""

    def tables(self, kind):
        Path("t").mkdir(exist_ok=True)
        Path("tables.toml").write_text(
            f'[P]\nformat = "{kind}"\npath = "t"\nschema = "name string, n bigint, time bigint"\n'
        )
        return ("run", "p.rules", "--tables", "tables.toml", "--query", "Q")

    @pytest.mark.parametrize("kind", ["csv", "json"])
    def test_rows_that_cannot_be_read(self, kind):
        words = self.tables(kind)
        Path(f"t/0.{kind}").write_bytes(GOOD_TEXTS[kind] + b"\n".join(row for _, row in BAD_TEXTS[kind]) + b"\n")
        outcome = call_as_it_is(*words, "--skip-bad")
        assert (outcome.code, outcome.out) == (0, ANSWERS)
        assert codes(outcome.err) == sorted(code for code, _ in BAD_TEXTS[kind])
        assert outcome.err.endswith(f"thalweg: {len(BAD_TEXTS[kind])} bad facts skipped\n")
        stopped = call_as_it_is(*words)
        assert (stopped.code, stopped.out) == (1, "")
        assert stopped.err.endswith(NOTE)
        assert is_fit_for_people(stopped.err, LONG)

    def test_a_text_with_a_line_end_in_quotes_is_one_text(self):
        words = self.tables("csv")
        Path("t/0.csv").write_text('name,n,time\n"a\nb",1,1\n')
        assert call_as_it_is(*words).out == 'Q("a\\nb",1)@[1,1]\n'

    def test_files_with_other_columns_are_named_never_misread(self):
        words = self.tables("csv")
        Path("t/0.csv").write_bytes(GOOD_TEXTS["csv"])
        for number, text in enumerate(OTHER_COLUMNS, start=1):
            Path(f"t/{number}.csv").write_text(text)
        stopped = call_as_it_is(*words)
        assert (stopped.code, stopped.out) == (1, "")
        assert stopped.err.startswith(f"{Path('t').absolute()}/")
        assert ".csv: error[E475]: the file cannot be read: its first line" in stopped.err
        assert stopped.err.endswith(NOTE)
        assert is_fit_for_people(stopped.err)
        outcome = call_as_it_is(*words, "--skip-bad")
        assert (outcome.code, outcome.out) == (0, ANSWERS)
        for number in range(1, len(OTHER_COLUMNS) + 1):
            path = Path(f"t/{number}.csv").absolute()
            assert f"{path}: error[E475]: the file cannot be read: its first line" in outcome.err
        assert outcome.err.endswith(f"thalweg: {len(OTHER_COLUMNS)} bad facts skipped\n")


BROKEN = [
    (lambda data: data[: len(data) // 2], "no Parquet file, or not a whole one"),
    (lambda data: data[:-6], "no Parquet file, or not a whole one"),
    (lambda data: b"", "it has no bytes at all"),
    (lambda data: b"hello, this is no Parquet file at all", "no Parquet file, or not a whole one"),
]
"""Cut in the middle, cut in the footer, nothing at all, and something else."""
OTHER_TYPES = [
    ({"n": ["x"]}, "column n has the"),
    ({"n": [1.5]}, "column n has the"),
    ({"name": [7]}, "column name has"),
]


class TestBrokenFiles:
    """Files of a Parquet table that cannot be read, while others can."""

    def table(self, number, **columns):
        Path("t").mkdir(exist_ok=True)
        name, n, time = GOOD[min(number, 1)]
        path = Path(f"t/{number}.parquet")
        pq.write_table(pa.table({"name": [name], "n": [n], "time": [time], **columns}), path)
        return path

    def words(self):
        Path("tables.toml").write_text(
            '[P]\nformat = "parquet"\npath = "t"\nschema = "name string, n bigint, time bigint"\n'
        )
        return ("run", "p.rules", "--tables", "tables.toml", "--query", "Q")

    def check(self, says):
        """One of the files stops the run by its name, and without it and its like the answers are those of the rest."""
        stopped = call_as_it_is(*self.words())
        assert (stopped.code, stopped.out) == (1, "")
        place, _, rest = stopped.err.partition(": error[E475]: the file cannot be read: ")
        assert says[Path(place)] in rest
        assert stopped.err.endswith(NOTE)
        assert is_fit_for_people(stopped.err)
        outcome = call_as_it_is(*self.words(), "--skip-bad")
        assert (outcome.code, outcome.out) == (0, "Q(a,1)@[1,1]\n")
        for path, reason in says.items():
            (line,) = [line for line in outcome.err.splitlines() if line.startswith(f"{path}: ")]
            assert reason in line
        assert outcome.err.endswith(f"thalweg: {len(says)} bad facts skipped\n")

    def test_broken_files_are_named_and_can_be_left_out(self):
        self.table(0)
        says = {}
        for number, (spoil, reason) in enumerate(BROKEN, start=1):
            path = self.table(number)
            path.write_bytes(spoil(path.read_bytes()))
            says[path.absolute()] = reason
        self.check(says)

    @pytest.mark.soak
    def test_files_with_columns_of_other_types_are_named_and_can_be_left_out(self):
        self.table(0)
        says = {self.table(n, **columns).absolute(): reason for n, (columns, reason) in enumerate(OTHER_TYPES, start=1)}
        self.check(says)

    def test_columns_may_be_added_or_change_places_but_not_be_missing(self):
        other = pa.table({"time": [1], "more": [0], "n": pa.array([1], pa.int32()), "name": ["a"]})
        pq.write_table(other, self.table(0))
        pq.write_table(pa.table({"name": ["b"], "time": [2]}), self.table(1))
        stopped = call_as_it_is(*self.words())
        assert codes(stopped.err) == ["E442"]
        outcome = call_as_it_is(*self.words(), "--skip-bad")
        assert (outcome.code, outcome.out) == (0, "Q(a,1)@[1,1]\n")

    def test_without_a_schema_the_columns_are_those_of_a_file_that_can_be_read(self):
        self.table(0).rename("t/1.parquet")
        Path("t/0.parquet").write_bytes(b"hello, this is no Parquet file at all")
        self.words()
        Path("tables.toml").write_text('[P]\nformat = "parquet"\npath = "t"\n')
        outcome = call_as_it_is("run", "p.rules", "--tables", "tables.toml", "--query", "Q", "--skip-bad")
        assert (outcome.code, outcome.out) == (0, "Q(a,1)@[1,1]\n")
        assert codes(outcome.err) == ["E475"]


@pytest.mark.soak
def test_a_megabyte_is_a_value_as_good_as_any():
    Path("p.facts").write_text("".join(f'P("{MEGABYTE}{number}",{number})@{number}\n' for number in range(10)))
    outcome = call_as_it_is("run", "p.rules", "p.facts", "--query", "Q")
    assert outcome.lines == [f"Q({MEGABYTE}{number},{number})@[{number},{number}]" for number in range(10)]
