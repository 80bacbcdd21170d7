"""State of an older version, a newer one or another program is refused with what to do; never misread.

``golden_states/version_N`` has what version N wrote, with what follows from it. Every later version must read it just
so, or say which version it is.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import thalweg
from reliability.states import METRIC, TURBINES, forms
from thalweg.engine.frames import VERSION
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import StateError, UsageError
from thalweg.record.folder import RunFolder
from thalweg.spark.checkpoint import Checkpoint, Recorded
from thalweg.spark.paths import Folder

FOLDER = Path(__file__).parent / "golden_states"
STATES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.state"))
FORMS = forms()


@pytest.mark.parametrize("name", STATES)
def test_what_a_version_wrote_is_read_just_so_or_refused(name):
    path = FOLDER / name
    version, form = int(re.findall(r"\d+", name)[0]), FORMS[path.stem.replace("_", " ")]
    if version == VERSION:
        assert form.read(path.read_bytes()) == json.loads(path.with_suffix(".json").read_text())
    else:
        with pytest.raises(StateError, match=r"E478.*version .*\n.*hint: let the version of thalweg that wrote it"):
            form.read(path.read_bytes())


def test_there_are_golden_states_of_this_version_and_of_the_one_before():
    assert {*map(int, re.findall(r"\d+", " ".join(STATES)))} >= {VERSION - 1, VERSION}
    written = {Path(name).stem.replace("_", " ") for name in STATES if name.startswith(f"version_{VERSION}/")}
    assert written == {*FORMS}


@pytest.mark.parametrize("seed", ["0", "7"])
def test_a_process_reads_what_another_wrote(seed):
    code = "import reliability.test_state_upgrade as t\nfor name in t.STATES: t."
    code += f"{test_what_a_version_wrote_is_read_just_so_or_refused.__name__}(name)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def metric(text=METRIC, queries=("Ever", "Now", "On"), **options):
    return StreamReasoner(thalweg.parse(text), queries, **options)


def test_comments_blanks_and_the_order_of_declarations_do_not_matter():
    state = FORMS["metric stream"].data
    first, declared, *rest = METRIC.splitlines()
    declarations = [f"{each.strip()}." for each in declared.split(".") if each.strip()]
    rewritten = "\n".join(
        ("% another comment", first, *declarations, *(line.replace(" :- ", "\n  :-   ") for line in rest))
    )
    assert rewritten != METRIC
    metric(rewritten).restore(state)


CHANGES = {
    "a rule": ("boxminus[0,2]", "boxminus[0,3]"),
    "a bracket": ("boxminus[0,2]", "boxminus[0,2)"),
    "a number": ("Y > 1", "Y > 2"),
    "a comparison": ("Y > 1", "Y >= 1"),
    "a constant": ('B("b, c")', 'B("b, d")'),
    "one fact less": (" B(a).", ""),
    "a negation": ("P(X, Y), B(X)", "P(X, Y), not B(X)"),
    "the order of rules, which numbers new values": (
        "Now(X) :- boxminus[0,2] diamondminus[0,1] P(X, Y), Y > 1.\nOn(X) :- P(X, Y) since[0,inf) R(X).",
        "On(X) :- P(X, Y) since[0,inf) R(X).\nNow(X) :- boxminus[0,2] diamondminus[0,1] P(X, Y), Y > 1.",
    ),
    "a role": ("background B(string)", "input B(string)"),
    "a type": ("input P(string, integer)", "input P(string, any)"),
    "a tick": ("input R(any).", "input R(any). tick 1/6."),
    "a unit": ("input R(any).", "input R(any). unit 1min."),
    "a delay": ("input R(any).", "input R(any). delay R(_) = 1."),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_program_that_means_something_else_is_refused(what):
    old, new = CHANGES[what]
    assert METRIC.count(old) == 1
    with pytest.raises(StateError, match=r"E477.*belongs to another program, query or setting\n.*hint: go on with"):
        metric(METRIC.replace(old, new)).restore(FORMS["metric stream"].data)


@pytest.mark.parametrize(
    "options",
    [
        {"queries": ("Ever", "Now")},
        {"queries": ("Now", "Ever", "On")},
        {"output_times": "data"},
        {"output_times": "every:2"},
        {"step": 1},
    ],
    ids=str,
)
def test_another_query_or_setting_is_refused(options):
    with pytest.raises(StateError, match="E477"):
        metric(**options).restore(FORMS["metric stream"].data)


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (("delay Temp(_, _) = 2", "delay Temp(_, _) = 3"), {}),
        (("probability Temp(_, _) = 1/2", "probability Temp(_, _) = 1/3"), {}),
        (("Flag(X) at T+2", "Flag(X) at T+3"), {}),
        (("", ""), {"delay": 2}),
        (("", ""), {"max_open": 5}),
        (("", ""), {"min_confidence": 0.1}),
    ],
    ids=str,
)
def test_hypotheses_of_something_else_are_refused(change, options):
    stream = HypothesisStream(
        thalweg.parse(TURBINES.replace(*change)), "Malf", **{"delay": 1, "max_open": 4, **options}
    )
    with pytest.raises(StateError, match="E477"):
        stream.restore(FORMS["hypotheses"].data)


def test_what_is_refused_changes_nothing():
    stream, other = metric(), metric(METRIC.replace("Y > 1", "Y > 2"))
    stream.advance("P(a,5)@0", 1)
    before = stream.snapshot()
    for wrong in (other.snapshot(), before[:-1], FORMS["hypotheses"].data):
        with pytest.raises(StateError):
            stream.restore(wrong)
        assert stream.snapshot() == before


def recorded(**changes):
    said = Recorded(2, "r", "2024-01-01", "i", "p.rules", ["Q"], ["in"], "0", "inf", "intervals", 2, 2)
    return {**asdict(said), **changes}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (recorded(version=0), r"thalweg\.json: error\[E478\]: the state was written in version 0 of the format"),
        (recorded(version=1), "E478.*version 1"),
        (recorded(version=3), "E478.*version 3"),
        (recorded(version=[[]]), "E478"),
        ({name: value for name, value in recorded().items() if name != "version"}, "E479"),
        ({name: value for name, value in recorded().items() if name != "delay"}, "E479"),
        (recorded(more=1), "E479"),
        (recorded(shards="2"), "E479"),
        (recorded(queries="Q"), "E479"),
        (recorded(queries=[1]), "E479"),
        ([], "E479"),
        ("{", "E479"),
        ("[" * 100_000, "E479"),
    ],
)
def test_a_checkpoint_that_this_version_did_not_write_is_refused(spark, tmp_path, said, message):
    (tmp_path / "thalweg.json").write_text(said if isinstance(said, str) else json.dumps(said))
    with pytest.raises(StateError, match=message):
        Checkpoint(Folder(spark, str(tmp_path))).recorded()


def test_a_checkpoint_that_this_version_wrote_is_read(spark, tmp_path):
    (tmp_path / "thalweg.json").write_text(json.dumps(recorded()))
    assert Checkpoint(Folder(spark, str(tmp_path))).recorded() == Recorded(**recorded())


RECORD = {
    "program": {"name": "p.rules", "text": "Q(X) :- P(X)."},
    "queries": ["Q"],
    "kind": "batch",
    "answers": "csv",
    "unit": "1",
    "timeline": "rational",
    "format": 1,
}


def written(folder, said):
    (folder / "_thalweg").mkdir()
    (folder / "_thalweg" / "run.json").write_text(said if isinstance(said, str) else json.dumps(said))
    return RunFolder(folder)


def test_a_record_of_this_version_is_read(tmp_path):
    assert written(tmp_path, RECORD).record.queries == ("Q",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 0}, "it has format 0, and this program reads 1; look at it with the version of thalweg that wrote"),
        ({"format": 2}, "it has format 2"),
        ({"format": None}, "it has format None"),
        ({"unit": "1e999999999"}, "cannot be read"),
        ({"unit": "0"}, "its unit makes no sense"),
        ({"unit": 1}, "its unit makes no sense"),
        ({"queries": [1]}, "its queries makes no sense"),
        ({"queries": "Q"}, "its queries makes no sense"),
        ({"kind": "shell"}, "its kind makes no sense"),
        ({"program": "x"}, "cannot be read"),
        ({"program": {"name": 1, "text": "x"}}, "its program makes no sense"),
        ({"pid": -1}, "its pid makes no sense"),
        ({"pid": 1 << 40}, "its pid makes no sense"),
        ({"host": 7}, "its host makes no sense"),
        ({"facts": [[]]}, "its facts makes no sense"),
    ],
    ids=str,
)
def test_a_record_of_another_version_or_of_nobody_is_refused(tmp_path, changes, message):
    with pytest.raises(UsageError, match=message):
        _ = written(tmp_path, {**RECORD, **changes}).record


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", "[" * 100_000, '{"format": 1}'])
def test_a_record_that_is_none_is_refused(tmp_path, text):
    with pytest.raises(UsageError, match="cannot be read"):
        _ = written(tmp_path, text).record


@pytest.mark.parametrize(
    "line", ["", "{", "[]", '{"batch": "1"}', '{"batch": 1, "rows": "<b>"}', '{"batch": 1, "newest": 3}', "[" * 100_000]
)
def test_lines_of_progress_that_nobody_wrote_are_left_out(tmp_path, line):
    folder = written(tmp_path, RECORD)
    (tmp_path / "_thalweg" / "progress.jsonl").write_text(f'{{"batch": 0}}\n{line}\n{{"batch": 2}}\n')
    assert [each.batch for each in folder.progress()] == [0, 2]
