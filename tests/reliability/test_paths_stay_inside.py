"""No name of a predicate and no value leads out of the folder that a run writes to, or to another's file."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thalweg
from amount import amount
from cli.calling import call, files_below
from thalweg.cli.output import write
from thalweg.engine.materialisation import Materialisation
from thalweg.model.program import Signature
from thalweg.record.answer_writer import AnswerWriter
from thalweg.record.files import FOLDER, MARK, QUARANTINE, file_names
from thalweg.record.folder import RunFolder
from thalweg.syntax.ast import Parameter

HOSTILE = ["../x", "/etc/passwd", "a/b", ".", "..", "", "a\0b", "_thalweg", "_thalweg.json", "quarantine", "Quarantine"]
HOSTILE += ["a:b", "a_b", "A_b", "a%3Ab", "%2E%2E", "~", "C:\\x", "CON", "a\nb", "é", "e\u0301", "x" * 400, "x" * 401]
HOSTILE += ["_spark_metadata", ".hidden", "batch=000001", "\ud800", "-rf", "*", "a b", "ß", "ss", "\u202ea", "file:x"]

NAMES = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=12),
    st.text(alphabet="aA_:./\\%", max_size=6),
    st.text(alphabet="é:_", max_size=3),
)


@settings(max_examples=amount(400))
@given(st.lists(NAMES, unique=True, max_size=12))
def test_names_of_files_are_plain_and_distinct_whatever_the_predicates(queries):
    names = file_names(queries)
    assert list(names) == queries
    assert len({name.casefold() for name in names.values()}) == len(queries)
    for name in names.values():
        assert all(char.isalnum() or char in "_%" for char in name)
        assert not name.startswith("_")
        assert name.casefold() not in {FOLDER, MARK, QUARANTINE, "", ".", ".."}
        assert len(os.fsencode(name)) <= 240


def test_plain_names_stay_as_they_are():
    assert file_names(["Stopped", "a1:Lecturer", "Überholt", "x_1"]) == {
        "Stopped": "Stopped",
        "a1:Lecturer": "a1_Lecturer",
        "Überholt": "Überholt",
        "x_1": "x_1",
    }


def model_of(queries):
    """The answer ``a`` at 1, under the names of several predicates."""
    found = thalweg.materialise(thalweg.parse("Q(X) :- P(X)."), "P(a)@1")
    signatures = {name: Signature(name, (Parameter("x"),)) for name in queries}
    relations = dict.fromkeys(queries, found._relations["Q"])
    return Materialisation(relations, found._values, found._ticks, signatures), signatures


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_tables_of_any_predicates_stay_in_their_folder(format_, tmp_path):
    queries = [name for name in HOSTILE if name]
    model, _ = model_of(queries)
    write(model, queries, format_, f"{tmp_path}/top/out/" if (tmp_path / "top").mkdir() is None else "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["top"]
    assert sorted(path.name for path in (tmp_path / "top").iterdir()) == ["out"]
    assert len(files_below(tmp_path / "top" / "out")) == len(queries)


@pytest.mark.parametrize("format_", ["csv", "json", "parquet", "facts"])
def test_batches_of_any_predicates_stay_in_their_folder(format_, tmp_path):
    queries = [name for name in HOSTILE if name != "\ud800"]
    model, signatures = model_of(queries)
    folder = tmp_path / "top" / "out"
    writer = AnswerWriter(folder, queries, signatures, format_, ids=False)
    writer.take("p.rules")
    writer.write(3, model)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["top"]
    assert sorted(path.name for path in (tmp_path / "top").iterdir()) == ["out"]
    written = [name for name in files_below(folder) if name != MARK]
    assert sorted(written) == sorted(f"{name}/batch=000003/part-0.{format_}" for name in file_names(queries).values())


def test_predicates_that_would_share_a_file_have_one_each(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text(
        "output a:b(x). output a_b(x). output A_b(x). a:b(X) :- P(X). a_b(X) :- R(X). A_b(X) :- S(X)."
    )
    Path("p.facts").write_text("P(one)@1\nR(two)@1\nS(three)@1\n")
    done = call("run", "p.rules", "p.facts", "--format", "csv", "--output", "out/")
    assert (done.code, done.err) == (0, "")
    tables = {
        name: table.column(0).to_pylist()
        for name in ("a:b", "a_b", "A_b")
        for _, table in RunFolder("out").answers(name)
    }
    assert tables == {"a:b": ["one"], "a_b": ["two"], "A_b": ["three"]}


def test_values_never_become_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.rules").write_text("output Q(x). Q(X) :- P(X).")
    Path("p.facts").write_text(
        "".join(f"P({json.dumps(name)})@{n}\n" for n, name in enumerate(HOSTILE) if name.isprintable())
    )
    done = call("run", "p.rules", "p.facts", "--stream", "--output", "out", "--explain")
    assert done.code == 0
    below = {name.split("/")[0] for name in files_below(tmp_path)}
    assert below == {"p.rules", "p.facts", "out"}
    assert {name.split("/")[0] for name in files_below(tmp_path / "out")} == {"Q", FOLDER, MARK}


def record(folder, **changes):
    """A run of a batch whose record somebody wrote by hand."""
    folder.mkdir()
    (folder / FOLDER).mkdir()
    said = {
        "program": {"name": "p.rules", "text": "Q(X) :- P(X)."},
        "queries": ["Q"],
        "kind": "batch",
        "answers": "facts",
        "unit": "1",
        "timeline": "rational",
        "format": 1,
        "facts": [],
        **changes,
    }
    (folder / FOLDER / "run.json").write_text(json.dumps(said))
    (folder / "Q.facts").write_text("Q(a)@[1,1]\n")
    return folder


def test_a_record_that_names_another_file_shows_nothing_of_it(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("root:x:0:0:the secret:/root:/bin/sh\n")
    done = call("why", record(tmp_path / "out", facts=[str(secret)]), "Q(a)@[1,1]")
    assert done.code != 0
    assert "the secret" not in done.out + done.err


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "/proc/self/mem", "nowhere"])
def test_a_record_that_names_a_device_is_refused_at_once(name, tmp_path):
    done = call("why", record(tmp_path / "out", facts=[name]), "Q(a)@[1,1]")
    assert done.code != 0
    assert "Traceback" not in done.err


@pytest.mark.parametrize("query", ["../secret", "/etc/passwd", "..", "a/../../secret"])
def test_a_record_cannot_name_answers_elsewhere(query, tmp_path):
    (tmp_path / "secret.facts").write_text("Q(secret)@1\n")
    folder = RunFolder(record(tmp_path / "out", queries=[query]))
    assert folder.answers(query) == []
    folder = RunFolder(record(tmp_path / "stream", queries=[query], kind="stream"))
    assert folder.answers(query) == []
