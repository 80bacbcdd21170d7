"""Past MTL on signals: monitors and Thalweg say the same, and a difference is not passed over."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from thalweg.bench.peers import past_mtl
from thalweg.bench.peers.past_formulas import FORMULAS, HISTORICALLY_ONCE, PastFormula, Time, since
from thalweg.bench.peers.signals import SILENT, Signals
from thalweg.bench.peers.verdicts import Verdicts, differing, from_changes, from_tables
from thalweg.bench.result import DisagreementError
from thalweg.bench.workbench import Size, Workbench

TINY = past_mtl.Sizes((1, 3), (1, 20), 2, 100, 2, 80, 1)
CASES = [(formula, time) for formula in FORMULAS for time in formula.times]


def installed(name: str) -> Any:
    pytest.importorskip(name)
    return importlib.import_module(f"thalweg.bench.peers.{name}_monitors")


def signals_of(**drawn: str) -> Signals:
    """One signal, after the silence: ``x`` where an input is on."""
    return Signals(
        {name: np.array([[False] * SILENT + [each == "x" for each in text]]) for name, text in drawn.items()}
    )


def by_hand(formula: PastFormula, signals: Signals) -> Verdicts:
    """The definitions on ticks; with ends on whole numbers a gap is as the tick before it."""
    on = signals.inputs
    if formula is HISTORICALLY_ONCE:
        once = [[row[max(0, t - 2) : t + 1].any() for t in range(signals.end)] for row in on["p"]]
        return np.array([[t >= 4 and all(row[t - 4 : t + 1]) for t in range(signals.end)] for row in once])
    first, last = map(int, formula.title.split("[")[1].split("]")[0].split(","))
    held = np.zeros((signals.count, signals.end), np.bool_)
    for number, (p, q) in enumerate(zip(on["p"], on["q"], strict=True)):
        for t in range(signals.end):
            begins = (t - back for back in range(first, min(last, t) + 1))
            held[number, t] = p[t] and any(q[begin] and p[begin + 1 : t + 1].all() for begin in begins)
    return held


def test_historically_once_on_a_signal_drawn_by_hand() -> None:
    # p        ..x..x.....
    # once     ..xxxxxx...   from each p on for 2 ticks
    # histor.  ......xx...   after 4 ticks of it
    found = by_hand(HISTORICALLY_ONCE, signals_of(p="..x..x....."))
    assert found[0, SILENT:].tolist() == [each == "x" for each in "......xx..."]


def test_since_on_a_signal_drawn_by_hand() -> None:
    # p  xxxxxxxx.xx
    # q  x..........
    # since[2,5] from tick 2 to tick 5
    found = by_hand(since(2, 5, Time.DISCRETE), signals_of(p="xxxxxxxx.xx", q="x.........."))
    assert found[0, SILENT:].tolist() == [each == "x" for each in "..xxxx....."]


@pytest.mark.parametrize(("formula", "time"), CASES)
@pytest.mark.parametrize("stride", [1, 7, 60])
def test_thalweg_says_what_the_definition_says(formula: PastFormula, time: Time, stride: int) -> None:
    signals = Signals.draw(formula.chances, 3, 60, seed=3)
    _, found = past_mtl._thalweg(formula, time, signals, stride, 1)
    expected = np.repeat(by_hand(formula, signals), time.cells, axis=1)
    assert expected.any()
    assert differing(found, expected) == 0


@pytest.mark.parametrize(("formula", "time"), CASES)
@pytest.mark.parametrize("name", past_mtl.PEERS)
def test_a_monitor_says_what_the_definition_says(name: str, formula: PastFormula, time: Time) -> None:
    signals = Signals.draw(formula.chances, 2, 200, seed=5)
    _, found = installed(name).monitor(formula, time, signals)
    assert differing(found, np.repeat(by_hand(formula, signals), time.cells, axis=1)) == 0


def test_why_since_begins_at_0_over_dense_time() -> None:
    """reelay's gap between two stretches is filled; ours and rtamt's is not."""
    formula, time = since(2, 5), Time.DENSE
    signals = signals_of(p="x" * 20, q="x....x..............")
    _, ours = past_mtl._thalweg(formula, time, signals, 100, 1)
    expected = np.repeat(by_hand(formula, signals), 2, axis=1)
    assert differing(ours, expected) == 0
    _, rtamts = installed("rtamt").monitor(formula, time, signals)
    assert differing(rtamts, expected) == 0
    _, reelays = installed("reelay").monitor(formula, time, signals)
    assert differing(reelays, expected) > 0


def test_the_same_seed_draws_the_same_signals() -> None:
    first, second, other = (Signals.draw({"p": 0.5, "q": 0.5}, 4, 50, seed) for seed in (1, 1, 2))
    assert all((first.inputs[name] == second.inputs[name]).all() for name in "pq")
    assert (first.inputs["p"] != other.inputs["p"]).any()
    assert not (first.inputs["q"] & ~first.inputs["p"]).any()
    assert not first.inputs["p"][:, :SILENT].any()


def test_stretches_are_cut_at_strides() -> None:
    signals = signals_of(p=".xxxx.")
    stretches = [
        (batch.starts.values[start], batch.ends.values[end])
        for _, (batch,) in signals.stretches_as_facts(3)
        for start, end in zip(batch.starts.codes, batch.ends.codes, strict=True)
    ]
    # strides begin at 0, 3, …: [SILENT + 1, SILENT + 5) is cut at 12
    assert stretches == [(11, 12), (12, 15)]


def test_events_are_ticks_or_changes() -> None:
    signals = signals_of(p="xx.x")
    assert signals.tick_count == SILENT + 4
    assert signals.changes(0) == [0, SILENT, SILENT + 2, SILENT + 3, SILENT + 4]
    assert signals.change_count == len(signals.changes(0))


def test_open_ends_leave_out_the_point() -> None:
    ends = {"start": [1, 3], "end": [2, 4], "start_closed": [False, True], "end_closed": [True, False]}
    found = from_tables([pa.table({"arg1": ["s0", "s0"], **ends})], Time.DENSE, 1, 5)
    # (1,2] and [3,4): cells are 0, (0,1), 1, (1,2), …
    assert np.flatnonzero(found[0]).tolist() == [3, 4, 6, 7]


def test_verdicts_hold_until_they_change() -> None:
    assert from_changes([(0, False), (1, True), (3, False)], Time.DISCRETE, 4).tolist() == [False, True, True, False]


def test_a_difference_ends_the_experiment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    peer = installed("reelay")
    right = peer.monitor

    def wrong(*arguments: Any) -> Any:
        timing, verdicts = right(*arguments)
        verdicts[0, 20] ^= True
        return timing, verdicts

    monkeypatch.setattr(past_mtl, "QUICK", TINY)
    monkeypatch.setattr(peer, "monitor", wrong)
    with pytest.raises(DisagreementError, match="against reelay"):
        past_mtl.run(Workbench(tmp_path, 7, Size.QUICK))


def test_what_is_not_installed_is_left_out_and_the_other_still_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed("reelay")
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "rtamt" else find_spec(name))
    monkeypatch.setattr(past_mtl, "QUICK", TINY)
    result = past_mtl.run(Workbench(tmp_path, 7, Size.QUICK))
    assert "rtamt is **not installed**" in result.note
    assert "times faster than reelay" in result.table.headings
    assert not any("rtamt" in heading for heading in result.table.headings)
    assert [figure.name for figure in result.figures] == ["reelay"]


def test_without_monitors_nothing_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = past_mtl.run(Workbench(tmp_path, 7, Size.QUICK))
    assert "Neither" in result.note
    assert not result.table.rows
