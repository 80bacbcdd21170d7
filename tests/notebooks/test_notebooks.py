"""The example notebooks run, and show what they were kept with."""

import pytest

from notebooks.notebook_runs import FOLDER, links, notebook, pictures, run, shown
from spark.cluster import SHORT_LIVED_BELOW

NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def test_the_first_steps_show_what_they_did(tmp_path):
    again = run("first_steps", tmp_path, timeout=60)
    assert shown(again) == shown(notebook("first_steps"))
    assert pictures(again) == pictures(notebook("first_steps"))


def test_the_stream_on_spark_shows_what_it_did(tmp_path, spark, monkeypatch):
    """The session is not used: the notebook has its own, and is run where others of Spark are."""
    for name, value in SHORT_LIVED_BELOW.items():
        monkeypatch.setenv(name, value)
    again = run("spark_stream", tmp_path, timeout=120)
    assert shown(again) == shown(notebook("spark_stream"))


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_with_what_it_shows(name):
    read = notebook(name)
    assert len(shown(read)) > 3
    assert pictures(read)
    outputs = [each for cell in read.cells for each in cell.get("outputs", ())]
    assert {each.output_type for each in outputs} <= {"stream", "execute_result"}
    assert not [each for each in outputs if each.output_type == "stream" and each.name == "stderr"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_small_and_knows_no_machine(name):
    text = (FOLDER / f"{name}.ipynb").read_text()
    assert len(text) < 100_000
    assert "/tmp" not in text
    assert "/home" not in text
    assert set(notebook(name).metadata) == {"kernelspec", "language_info"}


@pytest.mark.parametrize("name", NAMES)
def test_links_of_a_notebook_lead_somewhere(name):
    found = links(notebook(name))
    assert found
    assert [target for target in found if not (FOLDER / target).resolve().exists()] == []
