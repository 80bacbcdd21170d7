"""The page follows a stream on Spark, and explains its answers."""

import os

import pytest

from cli.calling import call_as_it_is

RULES = """\
input P(name: string).
output Near(name: string).
Near(X) :- diamondminus[0,2] P(X).
"""


@pytest.fixture
def run(spark, tmp_path):
    """Feeds a file of facts to a stream, which reads it and stops."""
    (tmp_path / "near.rules").write_text(RULES)
    (tmp_path / "in").mkdir()

    def fed(number, text):
        path = tmp_path / "in" / f"{number}.facts"
        path.write_text(text)
        os.utime(path, (1_700_000_000 + number,) * 2)
        places = ("--checkpoint", str(tmp_path / "state"), "--output", str(tmp_path / "answers"))
        words = ("run", str(tmp_path / "near.rules"), str(tmp_path / "in"), "--stream", "--trigger", "available-now")
        call_as_it_is(*words, "--explain", *places)

    return fed


@pytest.mark.soak
def test_the_page_shows_what_spark_has_answered_and_why(run, tmp_path, serve, open_page):
    run(0, "P(a)@1\nP(b)@8\n")
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    assert page.locator(".card-name").inner_text() == "answers"
    run(1, "P(c)@12\nP(a)@30\n")
    page.locator(".label.lane", has_text="c").first.wait_for()
    page.get_by_label("Filter by constant").fill("a")
    page.locator("g.lane.c0 .bar").first.click()
    page.locator(".proof-tree").wait_for()
    assert "P(a)" in page.locator(".proof-tree").inner_text()
