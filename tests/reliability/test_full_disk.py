"""A disk fills up: one clear error, nothing half-written; with space freed, the same command goes on."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import call, call_as_it_is
from reliability.killing import run_to_end
from reliability.near_stream import answers, words, write_stream
from reliability.small_disk import small_disk
from thalweg.record.folder import RunFolder

FILES = 6
NO_ROOM = "error[E471]: there is no room to write: No space left on device\n"
GOES_ON = "    hint: free some space there, then run the same command again: it goes on from its checkpoint\n"
AGAIN = "    hint: free some space there, then run it again\n"
ANEW = "    hint: free some space there, then run it again into a new folder\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_stream(FILES)


def stream(checkpoint, output):
    return call_as_it_is(*words(checkpoint, output, "--format", "json", max_files=3))


@pytest.fixture(scope="module")
def expected(spark, tmp_path_factory):
    """The answers of a run that nothing disturbs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("whole"))
        write_stream(FILES)
        whole = stream("ck", "out")
        assert whole.code == 0, whole.err
        return answers("out")


class TestOnSpark:
    def goes_on(self, full, free, tmp_path, expected):
        with small_disk(tmp_path / "disk", free) as ballast:
            folders = ("ck", "disk/out") if full == "answers" else ("disk/ck", "out")
            failed = stream(*folders)
            place = folders[full == "answers"]
            assert (failed.code, failed.err) == (1, f"{place}: {NO_ROOM}{GOES_ON}")
            ballast.unlink()
            done = stream(*folders)
            assert (done.code, done.err) == (0, "")
            assert answers(folders[1]) == expected
            assert RunFolder(folders[1]).record.state == "finished"

    @pytest.mark.parametrize("full", ["answers", "checkpoint"])
    def test_the_run_says_so_and_goes_on_when_there_is_room(self, full, spark, tmp_path, expected):
        self.goes_on(full, 60_000, tmp_path, expected)

    # Room for nothing at all, for the beginning, for some batches.
    @pytest.mark.soak
    @pytest.mark.parametrize(
        ("full", "free"),
        [
            *(("answers", free) for free in (0, 16_000, 90_000)),
            *(("checkpoint", free) for free in (0, 8_000, 16_000, 24_000, 150_000)),
        ],
    )
    def test_wherever_it_runs_out(self, full, free, spark, tmp_path, expected):
        self.goes_on(full, free, tmp_path, expected)

    @pytest.mark.soak
    def test_the_folder_of_spark_itself_may_be_full(self, spark, tmp_path, expected):
        called = words("ck", "out", "--format", "json", max_files=3)
        with small_disk(tmp_path / "disk", 20_000) as ballast:
            settings = ("--spark-conf", f"spark.local.dir={tmp_path / 'disk'}")
            code, said = run_to_end(called, settings=settings)
            assert (code, said) == (1, f"{tmp_path / 'disk'}: {NO_ROOM}{GOES_ON}")
            ballast.unlink()
            assert run_to_end(called, settings=settings) == (0, "")
        assert answers("out") == expected


class TestInProcess:
    def all_files(self):
        return sorted(map(str, Path("in").iterdir()))

    def test_a_stream_into_a_folder_leaves_whole_batches_only(self, tmp_path):
        called = ("run", "near.rules", *self.all_files(), "--stream", "--explain", "--format", "json", "--output")
        assert call(*called, "whole").code == 0
        with small_disk(tmp_path / "disk", 100_000):
            failed = call(*called, "disk/out")
            assert (failed.code, failed.err) == (1, f"disk/out: {NO_ROOM}{ANEW}")
            found, whole = answers("disk/out"), answers("whole")
            assert 0 < len(found) < len(whole)
            assert found == {name: whole[name] for name in found}
            assert list(Path("disk/out").glob("*/_writing-*")) == []

    def test_a_batch_leaves_no_file(self, tmp_path):
        with small_disk(tmp_path / "disk", 4096) as ballast:
            Path("disk/more").write_bytes(bytes(4096))
            called = ("run", "near.rules", *self.all_files(), "--output", "disk/answers.facts")
            failed = call(*called)
            assert (failed.code, failed.err) == (1, f"disk/answers.facts: {NO_ROOM}{AGAIN}")
            assert sorted(os.listdir("disk")) == ["ballast", "more"]
            ballast.unlink()
            assert call(*called).code == 0

    @pytest.mark.parametrize(
        "command", [("run", "near.rules", "in/000.facts", "--in-process"), ("check", "near.rules")]
    )
    def test_standard_output_may_be_full(self, command):
        if not os.path.exists("/dev/full"):
            pytest.skip("this system has no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([thalweg(), *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, f"standard output: {NO_ROOM}{AGAIN}")

    def test_a_limit_on_the_size_of_files_is_such_a_case(self):
        command = [thalweg(), "run", "near.rules", *self.all_files(), "--in-process", "--output", "answers.facts"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=small_files)
        hint = "    hint: raise the limit on the size of files (ulimit -f), then run it again\n"
        said = f"answers.facts: error[E471]: there is no room to write: File too large\n{hint}"
        assert (done.returncode, done.stderr) == (1, said)
        assert not [name for name in os.listdir() if "answers" in name]


def thalweg():
    return Path(sys.executable).with_name("thalweg")


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
