"""What goes to the page: lanes, times, progress, open hypotheses, proofs cut short."""

import math
from fractions import Fraction

import pyarrow as pa
import pytest
from written_runs import PUMPS, TURBINES, WrittenRun

from thalweg.errors import UsageError
from thalweg.record.folder import RunFolder
from thalweg.record.progress import Progress
from thalweg.time.interval import Interval
from thalweg.web.answer_rows import AnswerRows
from thalweg.web.lanes import Lanes
from thalweg.web.proofs import Proofs, cut_short
from thalweg.web.run_progress import figures, history, rate
from thalweg.web.run_subject import RunSubject
from thalweg.web.shown import Shown, shown
from thalweg.web.wire_times import unwire_interval, wire, wire_moment, wire_text


@pytest.mark.parametrize(
    ("time", "sent"),
    [
        (Fraction(5), 5),
        (Fraction(15, 2), 7.5),
        (Fraction(1, 10), 0.1),
        (Fraction(1, 3), "1/3"),
        (Fraction(2**60), "1152921504606846976"),
        (-math.inf, None),
        (math.inf, None),
    ],
)
def test_times_are_sent_as_numbers_only_where_numbers_are_exact(time, sent):
    assert wire(time) == sent


@pytest.mark.parametrize(
    "interval",
    [
        Interval(Fraction(1, 3), Fraction(15, 2), True, False),
        Interval(-math.inf, Fraction(2**60), False, True),
        Interval(0, math.inf),
    ],
)
def test_an_interval_comes_back_as_it_was_sent(interval):
    ends = interval.start_closed | interval.end_closed << 1
    sent = ["" if time is None else str(time) for time in (wire(interval.start), wire(interval.end))]
    assert unwire_interval(*sent, ends, "number", Fraction(60)) == interval


def test_moments_are_microseconds_and_come_back_in_units_of_the_program():
    unit = Fraction(60)
    sent = wire_moment(Fraction(3, 2), unit)
    assert sent == 90_000_000
    assert wire_text("1.5", "timestamp", unit) == sent
    assert unwire_interval(str(sent), "", 1, "timestamp", unit) == Interval(Fraction(3, 2), math.inf)


def test_an_interval_that_is_none_is_refused():
    with pytest.raises(UsageError):
        unwire_interval("3", "3", 0, "number", Fraction(1))


def test_facts_come_in_portions():
    lanes = Lanes()
    lanes.declare(Shown("P", "output"))
    lanes.add("P", [((f"a{number % 7}",), number, number, 3) for number in range(20)])
    found, cursor, more = [], "", True
    while more:
        portion = lanes.since(cursor, limit=6)
        assert len(portion["facts"]) <= 6
        found += portion["facts"]
        cursor, more = portion["cursor"], portion["more"]
    assert [fact[1] for fact in found] == list(range(20))


def test_lanes_are_told_before_their_facts():
    lanes = Lanes()
    lanes.add("P", [((f"a{number}",), number, number, 3) for number in range(9)])
    known, cursor, more = 0, "", True
    while more:
        portion = lanes.since(cursor, limit=2)
        known += len(portion["lanes"])
        assert all(lane < known for lane, *_ in portion["facts"])
        cursor, more = portion["cursor"], portion["more"]
    assert known == 9


def test_of_too_many_facts_the_newest_are_kept_and_the_page_begins_anew():
    lanes = Lanes(most=10)
    lanes.add("P", [((f"a{number}",), number, number, 3) for number in range(8)])
    cursor = lanes.since("")["cursor"]
    lanes.add("P", [((f"a{number}",), number, number, 3) for number in range(8, 12)])
    portion = lanes.since(cursor)
    assert portion["reset"] is True
    assert [fact[1] for fact in portion["facts"]] == [7, 8, 9, 10, 11]
    assert portion["dropped"] == 7
    assert lanes.lane(0) == ("P", ("a7",))


def test_measured_values_do_not_make_lanes():
    from thalweg.api import parse

    signatures = parse(PUMPS).signatures
    assert shown("Temp", signatures["Temp"]).values == (1,)
    assert shown("Alarm", signatures["Alarm"], "output").values == ()


def test_changes_become_intervals(tmp_path):
    record = WrittenRun(tmp_path / "a").writer.record
    rows = AnswerRows(record)
    table = pa.table(
        {
            "pump": ["p1", "p1", "p2"],
            "start": ["1", "4", "2"],
            "end": ["1", "4", "2"],
            "start_closed": [True, False, True],
            "end_closed": [True, False, True],
            "change": ["began", "ended", "began"],
        }
    )
    # p1 ●───○   [1, 4)
    assert list(rows.of(table)) == [(("p1",), 1, 1, 3), (("p1",), 1, 4, 1), (("p2",), 2, 2, 3)]


def test_the_rate_is_that_of_the_last_batches():
    batches = [Progress(n, rows=30, seconds=1, at=f"2024-01-01T00:00:{10 * n:02}+00:00") for n in range(4)]
    assert rate(batches) == 3.0
    assert rate(batches[:1]) == 30.0
    assert rate([]) is None


def test_figures_are_of_all_batches_and_stored_is_of_the_last(tmp_path):
    record = WrittenRun(tmp_path / "a", clock="timestamp").writer.record
    batches = [Progress(n, rows=5, seconds=1, late=n, stored=n, bound=9, lag="1.5", newest="2") for n in range(3)]
    found = figures(batches, record)
    assert (found["rows"], found["late"], found["stored"], found["bound"]) == (15, 3, 2, 9)
    assert found["lag"] == "1.5 min"
    assert found["newest"] == 120_000_000
    assert history(batches)["rate"] == [5, 5, 5]
    assert figures([], record) is None


def test_what_has_come_is_not_awaited_any_more(tmp_path):
    run = WrittenRun(tmp_path / "turbines", TURBINES, ("Malfunction",), "hypotheses", timeline="integer")
    eight, nine = ("Reading", ["wt2", "high"], 8, 9), ("Reading", ["wt2", "high"], 9, 10)
    seven = ("Reading", ["wt2", "high"], 7)
    run.status([("wt2", 7, "opened", [seven], [eight, nine], 10)], newest="7")
    run.status([("wt2", 7, "extended", [seven, eight[:3]], [nine], 10)], newest="8")
    subject = RunSubject(RunFolder(tmp_path / "turbines"), "turbines")
    found = subject.hypotheses()
    assert found["count"] == 1
    assert [atom["time"] for atom in found["open"][0]["awaits"]] == [9]
    assert found["open"][0]["awaits"][0]["until"] == 10
    assert [atom["time"] for atom in found["open"][0]["has"]] == [7, 8]


def test_a_way_whose_time_is_over_is_not_open(tmp_path):
    run = WrittenRun(tmp_path / "turbines", TURBINES, ("Malfunction",), "hypotheses", timeline="integer")
    seven = ("Reading", ["wt2", "high"], 7)
    run.status([("wt2", 7, "opened", [seven], [("Reading", ["wt2", "high"], 8, 9)], 9)], newest="9")
    subject = RunSubject(RunFolder(tmp_path / "turbines"), "turbines")
    assert subject.hypotheses()["count"] == 1
    run.tell(newest="10")
    assert subject.hypotheses()["count"] == 0


def test_a_confirmed_hypothesis_says_what_it_rests_on(tmp_path):
    run = WrittenRun(tmp_path / "turbines", TURBINES, ("Malfunction",), "hypotheses", timeline="integer")
    run.status([("wt3", 6, "confirmed", [("Reading", ["wt3", "high"], 6)], [], None)])
    subject = RunSubject(RunFolder(tmp_path / "turbines"), "turbines")
    subject.lanes()
    assert "Reading(wt3, high)@6" in subject.proof(0, "6", "6", 3)["refused"]


def test_a_run_that_begins_anew_is_shown_anew(tmp_path):
    first = WrittenRun(tmp_path / "a", kind="batch", answers="facts")
    (tmp_path / "a" / "Alarm.facts").write_text("Alarm(p1)@[0,3]\n")
    first.writer.end("finished")
    subject = RunSubject(RunFolder(tmp_path / "a"), "a")
    cursor = subject.lanes().since("")["cursor"]
    (tmp_path / "a" / "Alarm.facts").write_text("Alarm(p9)@[0,3]\n")
    WrittenRun(tmp_path / "a", kind="batch", answers="facts").writer.end("finished")
    portion = subject.lanes().since(cursor)
    assert portion["reset"] is True
    assert [list(lane[1]) for lane in portion["lanes"]] == [["p9"]]


def test_of_a_long_stream_the_last_batches_are_read_and_the_rest_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("thalweg.web.run_subject.MOST_BATCHES", 2)
    run = WrittenRun(tmp_path / "a")
    for number in range(5):
        run.batch([("p1", 10 * number, 10 * number + 1)])
    found = RunSubject(RunFolder(tmp_path / "a"), "a").lanes().since("")
    assert [fact[1] for fact in found["facts"]] == [30, 40]
    assert found["dropped"] == 3


def test_a_proof_is_looked_for_once():
    asked = []

    def prove(fact):
        asked.append(fact)
        return {"fact": {"text": fact}, "pieces": []}

    proofs = Proofs(lambda: prove)
    assert proofs.of("P@1") == proofs.of("P@1")
    assert asked == ["P@1"]
    proofs.forget()
    proofs.of("P@1")
    assert len(asked) == 2


def test_a_proof_that_is_refused_says_why():
    def prove(fact):
        raise UsageError(f"{fact} is not kept")

    assert Proofs(lambda: prove).of("P@1") == {"refused": "P@1 is not kept"}


def test_proofs_with_too_many_facts_are_cut_where_they_are_deep():
    def tree(depth):
        premises = [tree(depth - 1), tree(depth - 1)] if depth else []
        return {"fact": {"text": "P"}, "pieces": [{"kind": "rule", "premises": premises}]}

    whole = tree(6)
    cut_short([whole], most=20)
    level = [whole]
    for _ in range(3):
        level = [premise for node in level for piece in node["pieces"] for premise in piece["premises"]]
    assert len(level) == 8
    assert all(node.get("cut") and "pieces" not in node for node in level)
