"""Every story: its data are always the same, and its answers are those beside it, however they are found."""

from fractions import Fraction

import pytest
from stories import BELTS, NETWORK, ROOT, STORIES, TRAMS, TURBINES, Story

import thalweg
from cli.calling import call, files_below
from thalweg.engine.read import read_facts_of
from thalweg.model.formula import Atom, Constant
from thalweg.model.program import Fact
from thalweg.syntax.facts import format_fact
from thalweg.testing import naive_materialise
from thalweg.time.interval import Interval

IN_ORDER = [story for story in STORIES if story is not TURBINES]


@pytest.fixture(params=STORIES, ids=str)
def story(request) -> Story:
    return request.param


def test_there_is_no_other_story():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"notebooks", "__pycache__"}
    assert folders == {story.name for story in STORIES}


def test_a_story_is_complete(story):
    present = set(files_below(story.folder))
    assert present >= {"README.md", f"{story.name}.rules", "generate.py", "job.py", "expected.facts"}


def test_check_has_nothing_to_complain_about_but_what_is_known(story):
    checked = call("check", story.rules)
    assert checked.code == 0
    assert story.warned(checked.err)
    assert "on one shard" not in checked.out
    assert "refused" not in checked.out


def test_the_same_seed_gives_the_same_data_and_another_gives_others(story, tmp_path):
    first, again = tmp_path / "first", tmp_path / "again"
    story.generate(first)
    story.generate(again)
    assert files_below(first) == files_below(again)
    assert all((first / name).read_bytes() == (again / name).read_bytes() for name in files_below(first))
    facts, *_ = story.generate(tmp_path / "other", "--seed", "77")
    assert facts.read_text() != (first / facts.name).read_text()


def test_the_expected_answers_tell_of_every_output(story):
    assert {line.partition("(")[0] for line in story.expected.splitlines()} == set(story.queries)


def test_a_batch_in_process_gives_the_expected_answers(story, tmp_path):
    facts = story.generate(tmp_path)
    until = ("--to", story.until) if story.until is not None else ()
    answered = call("run", story.rules, *facts, *until)
    assert (answered.code, answered.err) == (0, "")
    assert answered.out == story.expected


@pytest.mark.parametrize("story", IN_ORDER, ids=str)
@pytest.mark.parametrize("step", [1, 7])
def test_a_stream_in_process_gives_the_expected_answers_piece_by_piece(story, step, tmp_path):
    facts = story.generate(tmp_path)
    until = ("--to", story.until) if story.until is not None else ()
    answered = call("run", story.rules, *facts, "--stream", "--step", step, *until)
    assert answered.code == 0
    assert story.warned(answered.err)
    assert story.moments(answered.lines) == story.moments(story.expected.splitlines())


@pytest.mark.parametrize("query", TURBINES.queries)
def test_hypotheses_confirm_the_expected_answers(query, tmp_path):
    facts = TURBINES.generate(tmp_path)
    told = call("run", TURBINES.rules, *facts, "--hypotheses", "--query", query, "--stream", "--final")
    assert told.code == 0
    assert ", 0 late, " in told.err
    confirmed = [line.split()[1].rstrip(";").split("@") for line in told.lines if line.startswith("confirmed")]
    expected = [line for line in TURBINES.expected.splitlines() if line.startswith(query)]
    assert TURBINES.moments(f"{atom}@[{time},{time}]" for atom, time in confirmed) == TURBINES.moments(expected)


@pytest.mark.parametrize("seed", ["5", "6"])
def test_the_oracle_agrees_on_less_data(story, seed, tmp_path):
    facts = story.generate(tmp_path, *story.small, "--seed", seed)
    program, last = story.program, story.small_until
    model = thalweg.materialise(program, facts, start=0, end=last, queries=story.queries)
    naive = naive_materialise(program, oracle_facts(program, facts), Fraction(0), Fraction(last), Fraction(20))
    held = {
        format_fact(predicate, arguments, interval)
        for (predicate, arguments), intervals in naive.items()
        if predicate in story.queries
        for interval in intervals
    }
    assert {line for query in story.queries for line in model.lines(query).to_pylist()} == held


def test_queries_in_cql_find_the_reliable_lines(tmp_path):
    facts, line, *_ = TRAMS.generate(tmp_path)
    answered = call("run", TRAMS.folder / "trams.cql", facts, line, "--query", "rel", "--to", TRAMS.until)
    assert answered.lines == [each for each in TRAMS.expected.splitlines() if each.startswith("rel(")]


def test_an_incident_lasts_as_long_as_its_hot_spell(tmp_path):
    facts = BELTS.generate(tmp_path)
    incidents = thalweg.materialise(BELTS.program, facts, queries="Incident").table("Incident")
    assert len(set(incidents["incident"].to_pylist())) == len(incidents)


def test_the_inspector_scans_and_is_not_reported(tmp_path):
    facts, inspector = NETWORK.generate(tmp_path)
    anybody = thalweg.parse(NETWORK.rules.read_text().replace(", not Inspector(S)", ""))
    scans = thalweg.materialise(anybody, facts, queries="Scan").table("Scan")["source"].to_pylist()
    allowed = (
        thalweg.materialise(NETWORK.program, [facts, inspector], queries="Scan").table("Scan")["source"].to_pylist()
    )
    assert "h0" in scans
    assert allowed == [source for source in scans if source != "h0"]


def oracle_facts(program, paths):
    """The facts of files as the oracle takes them."""
    batches, problems = read_facts_of(program, paths)
    assert not problems
    for batch in batches:
        for row in range(len(batch.lines)):
            arguments = tuple(Constant(column.values[column.codes[row]]) for column in batch.arguments)
            interval = Interval(
                batch.starts.values[batch.starts.codes[row]],
                batch.ends.values[batch.ends.codes[row]],
                bool(batch.start_closed[row]),
                bool(batch.end_closed[row]),
            )
            yield Fact(Atom(batch.predicate, arguments), interval)
