"""The last file of Spark's logs, empty or cut off as after a loss of power: the stream goes on, or says why not."""

import shutil
from pathlib import Path

import pytest

from cli.calling import call_as_it_is, files_below
from reliability.near_stream import answers, words, write_stream

FILES = 4
LOST = [pytest.param(0, id="empty"), pytest.param(30, id="cut off", marks=pytest.mark.soak)]
"""How many bytes are left."""


@pytest.fixture(scope="module")
def half(spark, tmp_path_factory):
    """A folder with a stream that has been followed for two batches, not to its end, and the answers of the whole."""
    folder = tmp_path_factory.mktemp("half")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_stream(FILES)
        for later in ("002.facts", "003.facts"):
            Path("in", later).rename(later)
        followed = [word for word in words("ck", "out", "--format", "json") if word != "--final"]
        assert call_as_it_is(*followed).code == 0
        for later in ("002.facts", "003.facts"):
            Path(later).rename(Path("in", later))
        assert call_as_it_is(*words("whole", "expected", "--format", "json")).code == 0
    return folder


@pytest.fixture(autouse=True)
def _in_folder(half, monkeypatch):
    """All take place in the folder where it began, since a checkpoint knows its inputs by their paths."""
    monkeypatch.chdir(half)
    for name in ("ck", "out"):
        shutil.copytree(name, f"{name}.kept")
    yield
    for name in ("ck", "out"):
        shutil.rmtree(name)
        Path(f"{name}.kept").rename(name)


def tear(name, left):
    """A file as if it had not reached the disk, nor its sum."""
    path = Path("ck/spark", name)
    path.write_bytes(path.read_bytes()[:left])
    path.with_name(f".{path.name}.crc").unlink()


def go_on():
    return call_as_it_is(*words("ck", "out", "--format", "json"))


@pytest.mark.parametrize("left", LOST)
def test_a_batch_whose_end_is_torn_is_run_again(left):
    tear("commits/1", min(left, 5))
    outcome = go_on()
    assert (outcome.code, outcome.err) == (0, "thalweg: ck: spark/commits/1 was cut off; its batch is run again\n")
    assert answers("out") == answers("expected")


@pytest.mark.parametrize("left", LOST)
def test_a_batch_whose_beginning_is_torn_is_run_again(left):
    Path("ck/spark/commits/1").unlink()
    Path("ck/spark/commits/.1.crc").unlink()
    tear("offsets/1", left)
    outcome = go_on()
    assert (outcome.code, outcome.err) == (0, "thalweg: ck: spark/offsets/1 was cut off; its batch is run again\n")
    assert answers("out") == answers("expected")


def test_what_cannot_be_mended_is_named_and_nothing_is_touched():
    tear("offsets/1", 0)
    before = files_below(Path("."))
    outcome = go_on()
    assert outcome.code == 1
    assert outcome.err == (
        "ck: error[E472]: the checkpoint is damaged: spark/offsets/1 is not whole, and the batches after it are gone\n"
        "    hint: put it back from a copy, or begin anew over all inputs, with a new checkpoint and a new output\n"
    )
    assert files_below(Path(".")) == before


def test_killed_while_the_checkpoint_is_made_it_begins_anew():
    # Whose folder it is must be known before anything else is there.
    shutil.rmtree("out")
    for entry in Path("ck").iterdir():
        if entry.name != "thalweg.json":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    outcome = go_on()
    assert (outcome.code, outcome.err) == (0, "")
    assert answers("out") == answers("expected")


def test_the_first_batch_of_all_may_be_torn():
    shutil.rmtree("out")
    for name in ("commits", "state"):
        shutil.rmtree(f"ck/spark/{name}")
    Path("ck/spark/offsets/1").unlink()
    tear("offsets/0", 0)
    outcome = go_on()
    assert (outcome.code, outcome.err) == (0, "thalweg: ck: spark/offsets/0 was cut off; its batch is run again\n")
    assert answers("out") == answers("expected")


def test_stopped_while_the_first_batch_is_noted_it_begins_anew():
    # A disk that is full, or a kill, leaves the file under the name that it has while it is written.
    shutil.rmtree("out")
    for name in ("offsets", "commits", "state", "sources"):
        shutil.rmtree(f"ck/spark/{name}", ignore_errors=True)
    Path("ck/spark/offsets").mkdir()
    Path("ck/spark/offsets/.0.9ccf5085-f114-4ed9-8501-1b9c2effc5fe.tmp").touch()
    outcome = go_on()
    assert (outcome.code, outcome.err) == (0, "")
    assert answers("out") == answers("expected")
