"""``thalweg bench``."""

import json

import pytest

from thalweg.bench import run
from thalweg.bench.experiment import Experiment
from thalweg.bench.experiments import EXPERIMENTS
from thalweg.bench.result import DisagreementError, Result, Table
from thalweg.cli.main import run_command

ENDS = Result("Ends", "It ends.", Table(("a",), (("1",),)), (), {})


@pytest.fixture
def only(monkeypatch):
    """Experiments made up for the test; each has a function of the workbench."""

    def install(**experiments):
        chosen = tuple(_MadeUp(name, "made up", "", work) for name, work in experiments.items())
        monkeypatch.setattr("thalweg.cli.bench.EXPERIMENTS", chosen)
        monkeypatch.setattr(run, "EXPERIMENTS", chosen)

    return install


class _MadeUp(Experiment):
    def __init__(self, name, about, module, work, **needs):
        super().__init__(name, about, module, **needs)
        object.__setattr__(self, "work", work)

    def run(self, bench):
        return self.work(bench)


def test_names_are_different_and_modules_are_there():
    import importlib.util

    assert len({each.name for each in EXPERIMENTS}) == len(EXPERIMENTS)
    for each in EXPERIMENTS:
        assert importlib.util.find_spec(f"thalweg.bench.{each.module}"), each.name


def test_list_says_what_each_experiment_is(capsys):
    assert run_command(["bench", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(each.name in shown and each.about in shown for each in EXPERIMENTS)


def test_list_says_what_is_missing(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_DATA", str(tmp_path))
    assert run_command(["bench", "--list"]) == 0
    assert f"the public data lubm is not in {tmp_path}" in capsys.readouterr().out


def test_a_run_writes_results_with_machine_versions_and_seed(tmp_path, only):
    only(ends=lambda bench: ENDS)
    assert run_command(["bench", "--quick", "--seed", "11", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "quick" / "ends.json").read_text())
    assert found["stamp"]["seed"] == "11"
    assert {"machine", "Python", "thalweg", "pyspark", "commit", "load average"} <= found["stamp"].keys()
    assert "It ends." in (tmp_path / "quick" / "README.md").read_text()


def test_answers_that_differ_fail_the_run_and_leave_no_times(tmp_path, only, capsys):
    def differs(bench):
        raise DisagreementError("short stops: 3 answers differ")

    only(differs=differs, ends=lambda bench: ENDS)
    assert run_command(["bench", "--quick", "--out", str(tmp_path)]) == 1
    assert not (tmp_path / "quick" / "differs.json").exists()
    assert (tmp_path / "quick" / "ends.json").exists()
    assert "differs: FAILED: short stops: 3 answers differ; no times are given" in capsys.readouterr().err


def test_a_run_whose_source_changes_writes_nothing(tmp_path, only, capsys, monkeypatch):
    only(ends=lambda bench: ENDS)
    digests = iter(["one", "two"])
    monkeypatch.setattr(run, "source_digest", lambda: next(digests))
    monkeypatch.setattr(run, "stamp", lambda seed: {"source": "one, before"})
    assert run_command(["bench", "--quick", "--out", str(tmp_path)]) == 1
    assert not (tmp_path / "quick" / "ends.json").exists()


def test_the_sizes_are_told_apart(tmp_path, only):
    sizes = []

    def size(bench):
        sizes.append(bench.choose("quick", "normal", "full"))
        return ENDS

    only(ends=size)
    for option in (["--quick"], [], ["--full"]):
        assert run_command(["bench", *option, "--out", str(tmp_path)]) == 0
    assert sizes == ["quick", "normal", "full"]


def test_files_of_data_are_traffic_streams_and_a_folder_is_the_public_data(tmp_path, only, monkeypatch):
    monkeypatch.setenv("THALWEG_DATA", "")
    seen = {}

    def look(bench):
        from thalweg.bench.data import data_folder

        seen.update(streams=bench.streams, folder=data_folder())
        return ENDS

    only(ends=look)
    file = tmp_path / "S2.txt"
    file.write_text("Pos(v)@1\n")
    (tmp_path / "data").mkdir()
    given = ["--data", str(file), str(tmp_path / "data")]
    assert run_command(["bench", "--quick", "--out", str(tmp_path), *given]) == 0
    assert seen == {"streams": (file,), "folder": tmp_path / "data"}


def test_data_that_is_not_there_is_refused(tmp_path, capsys):
    assert run_command(["bench", "--data", str(tmp_path / "nowhere")]) == 2
    assert "nowhere is not there" in capsys.readouterr().err


def test_an_experiment_that_is_not_quick_is_left_out_of_a_quick_run(tmp_path, only, capsys, monkeypatch):
    only(ends=lambda bench: ENDS)
    slow = _MadeUp("slow", "made up", "", lambda bench: ENDS, is_quick=False)
    for module in ("thalweg.cli.bench", "thalweg.bench.run"):
        monkeypatch.setattr(f"{module}.EXPERIMENTS", (slow,))
    assert run_command(["bench", "--quick", "--out", str(tmp_path)]) == 0
    assert "slow: left out: it takes longer than --quick has" in capsys.readouterr().err
    assert run_command(["bench", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "normal" / "slow.json").exists()
