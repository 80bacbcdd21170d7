"""What experiments find is written down as it was found, and a missed target is said with its reason."""

import json

import pytest

from thalweg.bench.report import PAGE, Stamped, describe, read_result, write_page, write_result
from thalweg.bench.result import (
    Check,
    DisagreementError,
    Figure,
    Line,
    Result,
    Table,
    at_least,
    at_most,
    must_agree,
)

RESULT = Result(
    title="A title",
    note="A note.",
    table=Table(("a", "b"), (("1", "x|y"),)),
    checks=(at_least("speed", 5, 10, why="It is slow."), at_most("size", 1, 2, why="never said")),
    raw={"seconds": [1.0, 2.0]},
    figures=(Figure("one", "A figure", "x", "y", (Line("l", (1.0, 2.0), (3.0, 4.0)), Line("m", (1.0,), (2.0,)))),),
)


def test_a_result_is_read_back_as_it_was_written(tmp_path):
    write_result(Stamped("first", RESULT, {"seed": "7"}), tmp_path)
    found = read_result(tmp_path / "first.json")
    assert found == Stamped("first", RESULT, {"seed": "7"})


def test_figures_are_drawn_as_png_and_svg(tmp_path):
    pytest.importorskip("matplotlib")
    write_result(Stamped("first", RESULT, {}), tmp_path)
    assert (tmp_path / "first--one.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "first--one.svg").read_text()


def test_figures_of_an_earlier_run_go(tmp_path):
    (tmp_path / "first--old.png").write_text("")
    write_result(Stamped("first", RESULT, {}), tmp_path)
    assert not (tmp_path / "first--old.png").exists()


def test_a_missed_target_says_by_how_much_and_why():
    assert "- **missed**: speed: 5, at least 10 wanted (50% of it). It is slow." in describe(RESULT)
    assert "never said" not in describe(RESULT)


def test_a_limit_that_is_passed_says_by_how_many_times():
    assert at_most("bytes", 30, 10) == Check("bytes", "30, at most 10 wanted (3.0 times as much)", False)


def test_a_bar_in_a_cell_is_escaped():
    assert "| 1 | x\\|y |" in describe(RESULT)


def test_answers_that_differ_give_no_result():
    with pytest.raises(DisagreementError, match="short stops: 3 answers differ"):
        must_agree("short stops", 3)


def test_the_page_has_all_results_in_order_and_says_what_is_missing(tmp_path):
    for name in ("second", "first"):
        write_result(Stamped(name, RESULT, {"seed": "7", "name": name}), tmp_path)
    write_page(tmp_path, ["first", "second", "third"], "Heading", {"third": "not installed", "first": "was there once"})
    page = (tmp_path / PAGE).read_text()
    assert page.index("first: the run") < page.index("second: the run")
    assert "- third: not installed" in page
    assert "was there once" not in page
    assert "Of 4 promises 2 are kept, and these are missed:" in page
    assert "(first--one.png)" in page


def test_json_has_every_measurement(tmp_path):
    write_result(Stamped("first", RESULT, {"seed": "7"}), tmp_path)
    assert json.loads((tmp_path / "first.json").read_text())["result"]["raw"] == {"seconds": [1.0, 2.0]}
