"""A stream that is played live comes when it is due, on a clock that the test moves."""

import io
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq

from thalweg.generators.live import as_lines, as_parquet, play
from thalweg.generators.traffic import Traffic
from thalweg.generators.turbines import Turbines
from thalweg.generators.write import write_facts


class Clock:
    """Time goes by only where somebody sleeps, or is slow."""

    def __init__(self):
        self.now = 100.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def test_slices_come_when_they_are_due():
    clock, delivered = Clock(), []
    play(Turbines(3, 4, 2, seed=1), lambda part: delivered.append((clock.now, part.now)), 2, clock, clock.sleep)
    # Two time units a second: the first at once, then one every half second.
    assert delivered == [(100 + now / 2, now) for now in range(6)]


def test_time_lost_in_delivering_is_made_up_for():
    clock, delivered = Clock(), []

    def slow(part):
        delivered.append(clock.now - 100)
        clock.now += 2.5 if part.now == 1 else 0.25

    play(Traffic(5, 5, seed=1), slow, 1, clock, clock.sleep)
    # due         0    1     2    3     4
    # delivered   0    2.5   2.75 3     4
    assert delivered == [0, 2.5, 2.75, 3, 4]


def test_nothing_is_waited_for_before_the_first_slice_and_after_the_last():
    clock = Clock()
    play(Traffic(5, 3, seed=1), lambda _: None, 1, clock, clock.sleep)
    assert clock.slept == [1, 1]


def test_lines_are_those_of_the_file_and_are_flushed_slice_by_slice(tmp_path):
    traffic, clock = Traffic(8, 6, seed=1), Clock()

    class Out(io.StringIO):
        flushed = 0

        def flush(self):
            self.flushed += 1

    out = Out()
    assert play(traffic, as_lines(out), 10, clock, clock.sleep) == write_facts(traffic, tmp_path / "x.facts")
    assert out.getvalue() == (tmp_path / "x.facts").read_text()
    assert out.flushed == 6


def test_parquet_files_appear_one_slice_after_another(tmp_path):
    traffic, clock, seen = Traffic(8, 4, seed=1), Clock(), []
    deliver = as_parquet(tmp_path)

    def look(part):
        deliver(part)
        files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix == ".parquet"]
        assert not [path for path in files if path.name.startswith(".")]
        seen.append(sum(pq.read_table(path).num_rows for path in files))

    total = play(traffic, look, 1, clock, clock.sleep)
    counts = [len(part) for part in traffic.slices()]
    assert seen == [sum(counts[: n + 1]) for n in range(4)]
    assert seen[-1] == total


def test_folders_and_tables_are_there_before_the_first_slice(tmp_path):
    deliver = as_parquet(tmp_path, tied={"Pos": pa.schema({"vehicle": pa.string(), "time": pa.int64()})})
    assert (tmp_path / "Pos").is_dir()
    deliver(next(Traffic(1, 1, seed=1).slices()))
    assert (tmp_path / "SouthHeading").is_dir()
    assert (tmp_path / "tables.toml").read_text() == (
        '[Pos]\nformat = "parquet"\npath = "Pos"\nschema = "`vehicle` string, `time` bigint"\n'
    )


def test_all_tables_are_tied_together_unless_some_are_named(tmp_path):
    as_parquet(tmp_path)(next(Turbines(2, 1, seed=1).slices()))
    assert tomllib.loads((tmp_path / "tables.toml").read_text()) == {
        "Temp": {"format": "parquet", "path": "Temp", "schema": "`device` string, `level` string, `time` bigint"}
    }
