"""Against MeTeoR: what counts as agreement, and that differences are not passed over."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from thalweg.bench.data import PROGRAMS, data_folder
from thalweg.bench.result import DisagreementError
from thalweg.time.interval import Interval

pytest.importorskip("meteor_reasoner")

from thalweg.bench.peers import against_meteor, short_stops

needs_programs = pytest.mark.skipif(not (data_folder() / PROGRAMS).is_dir(), reason="the public programs are not here")

STOP = ["NotPos(a)@[1,1]", "Pos(a)@[2,2]", "NotPos(b)@[2,2]", "NotPos(a)@[3,3]", "NotOnMap(b)@[3,3]"]

PLAIN = "Q(X) :- diamondminus[0,1] P(X)."
DOUBTFUL = "R(X) :- Q(X) since[1,2] P(X). Q(X) :- P(X)."
"""MeTeoR may miss a part of since over derived facts."""


def held(start: int, end: int) -> tuple[Interval, ...]:
    return (Interval(Fraction(start), Fraction(end), True, True),)


def program(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.rules"
    path.write_text(text)
    return path


def test_equal_answers_agree(tmp_path: Path) -> None:
    answers = {("P", ("a",)): held(1, 1), ("Q", ("a",)): held(1, 2)}
    (check,) = against_meteor._compare("here", program(tmp_path, PLAIN), answers, dict(answers))
    assert check.kept
    assert check.promise == "here: 1 derived ground atoms"


@pytest.mark.parametrize(
    "theirs", [{}, {("Q", ("a",)): held(1, 1)}, {("Q", ("a",)): held(1, 2), ("Q", ("b",)): held(1, 2)}]
)
def test_other_answers_are_a_disagreement(tmp_path: Path, theirs: dict[Any, Any]) -> None:
    with pytest.raises(DisagreementError, match="1 answers differ"):
        against_meteor._compare("here", program(tmp_path, PLAIN), {("Q", ("a",)): held(1, 2)}, theirs)


def test_what_meteor_is_known_to_miss_is_said(tmp_path: Path) -> None:
    ours, theirs = {("R", ("a",)): held(1, 2)}, {("R", ("a",)): held(1, 1)}
    (check,) = against_meteor._compare("here", program(tmp_path, DOUBTFUL), ours, theirs)
    assert "1 of which MeTeoR misses a part" in check.found


def test_what_meteor_adds_is_a_disagreement_all_the_same(tmp_path: Path) -> None:
    ours, theirs = {("R", ("a",)): held(1, 1)}, {("R", ("a",)): held(1, 2)}
    with pytest.raises(DisagreementError):
        against_meteor._compare("here", program(tmp_path, DOUBTFUL), ours, theirs)


def test_a_copy_of_a_fact_is_that_of_another_vehicle() -> None:
    assert short_stops.copied("Pos(veh21)@[1,1]", 0) == "Pos(veh21)@[1,1]"
    assert short_stops.copied("Pos(veh21)@[1,1]", 3) == "Pos(veh21copy3)@[1,1]"


@needs_programs
def test_a_short_stop_is_found_by_both_however_thalweg_is_fed() -> None:
    pair, checks = short_stops._measure("by hand", STOP, short_stops.Runs(1, 1))
    assert [check.promise for check in checks] == [
        "by hand, fed all at once: 1 answers",
        "by hand, fed time point by time point: 1 answers",
    ]
    assert (pair.facts, pair.time_points) == (5, 3)


@needs_programs
def test_a_difference_ends_the_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_stops, "answers_at_time_points", lambda *_: [("a", Fraction(3)), ("b", Fraction(3))])
    with pytest.raises(DisagreementError, match="fed all at once: 2 answers: 1 answers differ"):
        short_stops._measure("by hand", STOP, short_stops.Runs(1, 1))
