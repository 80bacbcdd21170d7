"""Loading and parsing programs."""

from pathlib import Path

import pytest

import thalweg

TWO_MISTAKES = "Q(X) :- P(Y).\nR(X) :- boxminus P(X).\n"


def test_parse_gives_a_program():
    program = thalweg.parse("Q(X) :- P(X).\nP(a)@3.")
    assert isinstance(program, thalweg.Program)
    assert program.predicates == ("Q", "P")
    assert (len(program.rules), len(program.facts)) == (1, 1)


@pytest.mark.parametrize("kind", [str, Path])
def test_load_reads_a_file(kind, tmp_path):
    (tmp_path / "p.rules").write_text("Q(X) :- P(X).")
    assert thalweg.load(kind(tmp_path / "p.rules")) == thalweg.parse("Q(X) :- P(X).")


def test_mistakes_come_together_with_places():
    with pytest.raises(thalweg.ProgramError) as caught:
        thalweg.parse("Q(X) :- P(Y).\nR(X, Z) :- P(X).", name="my.rules")
    assert [(each.code, each.span.place) for each in caught.value.diagnostics] == [
        ("E202", "my.rules:1:3"),
        ("E202", "my.rules:2:6"),
    ]
    assert str(caught.value).startswith("my.rules:1:3: error[E202]: variable X in the head is not bound\n")


def test_mistakes_in_a_file_name_the_file(tmp_path):
    path = tmp_path / "wrong.rules"
    path.write_text(TWO_MISTAKES)
    with pytest.raises(thalweg.ProgramError, match=r"wrong\.rules:2:9: error\[E116\]: boxminus has no interval"):
        thalweg.load(path)


def test_warnings_do_not_stop_a_program():
    assert thalweg.parse("P(X) :- diamondminus[1,1] P(X), G(X). P(X) :- diamondplus[1,1] P(X), G(X).").rules


def test_a_missing_file_is_a_usage_error():
    with pytest.raises(thalweg.UsageError, match=r"there is no file nowhere\.rules"):
        thalweg.load("nowhere.rules")


def test_a_folder_or_a_binary_file_is_a_usage_error(tmp_path):
    (tmp_path / "binary.rules").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path, tmp_path / "binary.rules"):
        with pytest.raises(thalweg.UsageError, match=f"cannot read {path}"):
            thalweg.load(path)


def test_all_errors_have_one_root():
    for error in (thalweg.ProgramError, thalweg.DataError, thalweg.ReasoningError, thalweg.UsageError):
        assert issubclass(error, thalweg.ThalwegError)
    assert issubclass(thalweg.InconsistencyError, thalweg.ReasoningError)


def test_everything_public_is_there():
    assert all(hasattr(thalweg, name) for name in thalweg.__all__)


@pytest.mark.parametrize("name", ["pumps.rules", "queries/trams.cql"])
def test_parse_does_not_take_the_name_of_a_file_for_a_program(name):
    with pytest.raises(thalweg.UsageError, match="looks like the name of a file"):
        thalweg.parse(name)
