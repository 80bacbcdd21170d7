"""The facts that are kept for explanations, and how many."""

import math
from fractions import Fraction

import pytest

from thalweg.record import evidence_writer
from thalweg.record.evidence import Evidence, KeptFacts
from thalweg.record.evidence_writer import EvidenceWriter


def points(*times):
    return KeptFacts([f"P(a)@[{time},{time}]" for time in times], Fraction(max(times)))


def kept(folder):
    return sorted(line for line in Evidence(folder).text().split("\n") if line and not line.startswith("%"))


def writer_of(folder, bound, *, is_new=True):
    writer = EvidenceWriter(folder, bound)
    writer.begin(is_new=is_new)
    return writer


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "evidence"


def test_nothing_is_kept_where_nothing_was_asked_for(folder):
    assert (Evidence(folder).is_kept, Evidence(folder).text(), Evidence(folder).horizon) == (False, "", -math.inf)


def test_everything_is_kept_up_to_the_bound(folder):
    writer = writer_of(folder, 3)
    writer.keep(0, points(1, 2))
    writer.keep(1, points(3))
    assert len(kept(folder)) == 3
    assert Evidence(folder).horizon == -math.inf


def test_the_oldest_batches_go_first_and_leave_a_horizon(folder):
    writer = writer_of(folder, 3)
    writer.keep(0, KeptFacts(["P(a)@[1,1]", "P(b)@[1,4.5]"], Fraction(9, 2)))
    writer.keep(1, points(2))
    writer.keep(2, points(6, 7))
    assert kept(folder) == ["P(a)@[2,2]", "P(a)@[6,6]", "P(a)@[7,7]"]
    assert Evidence(folder).horizon == Fraction(9, 2)


def test_the_horizon_never_moves_back(folder):
    writer = writer_of(folder, 1)
    for number, time in enumerate((9, 3, 5)):
        writer.keep(number, points(time))
    assert Evidence(folder).horizon == 9


def test_facts_without_an_end_stay_when_their_batch_goes(folder):
    writer = writer_of(folder, 2)
    writer.keep(0, KeptFacts(["P(a)@[1,1]", "Q(b)@[1,inf)"], Fraction(1)))
    writer.keep(1, points(5))
    assert kept(folder) == ["P(a)@[5,5]", "Q(b)@[1,inf)"]
    assert Evidence(folder).horizon == 1


def test_facts_without_an_end_that_fill_all_the_room_make_nothing_certain(folder):
    writer = writer_of(folder, 2)
    for number in range(3):
        writer.keep(number, KeptFacts([f"Q({number})@[1,inf)"]))
    assert len(kept(folder)) <= 2
    assert Evidence(folder).horizon == math.inf


def test_a_batch_that_is_run_again_is_there_once(folder):
    writer_of(folder, 9).keep(0, points(1, 2))
    again = writer_of(folder, 9, is_new=False)
    again.keep(0, points(1, 2))
    assert kept(folder) == ["P(a)@[1,1]", "P(a)@[2,2]"]
    assert Evidence(folder).horizon == -math.inf


def test_a_run_that_goes_on_counts_what_is_there(folder):
    writer_of(folder, 3).keep(0, points(1, 2))
    writer_of(folder, 3, is_new=False).keep(1, points(3, 4))
    assert kept(folder) == ["P(a)@[3,3]", "P(a)@[4,4]"]
    assert Evidence(folder).horizon == 2


def test_a_run_that_kept_nothing_at_first_says_so(folder):
    assert EvidenceWriter(folder, 3).begin(is_new=False) is False
    assert Evidence(folder).horizon == math.inf
    assert EvidenceWriter(folder, 3).begin(is_new=False) is True


def test_background_is_never_dropped(folder):
    writer = writer_of(folder, 1)
    writer.background(KeptFacts(["B(a)@(-inf,inf)"]))
    for number in range(4):
        writer.keep(number, points(number))
    assert kept(folder) == ["B(a)@(-inf,inf)", "P(a)@[3,3]"]


def test_many_small_batches_become_few_files_and_none_is_lost(folder, monkeypatch):
    monkeypatch.setattr(evidence_writer, "_MOST_FILES", 8)
    writer = writer_of(folder, 1000)
    for number in range(100):
        writer.keep(number, points(number))
    assert len(list(folder.iterdir())) <= 10
    assert len(kept(folder)) == 100
    assert Evidence(folder).horizon == -math.inf
    again = writer_of(folder, 50, is_new=False)
    again.keep(99, points(99))
    assert Evidence(folder).horizon >= 49
    assert all(Fraction(line.split("[")[1].split(",")[0]) > 40 for line in kept(folder))
    assert "P(a)@[99,99]" in kept(folder)


def test_a_file_whose_first_line_is_lost_makes_nothing_certain(folder):
    writer_of(folder, 2).keep(0, points(1))
    (folder / "batch=000000.facts").write_text("P(a)@[1,1]\nP(a)@[2,2]\n")
    writer = writer_of(folder, 1, is_new=False)
    writer.keep(1, points(3, 4))
    assert Evidence(folder).horizon == math.inf
