"""How many answers are open over time, how long they wait to be confirmed, and what is gained by not waiting."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import thalweg
from thalweg.bench.hypotheses.turbine_readings import answer_codes, device_numbers
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_least, at_most, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.generators.columns import Ints
from thalweg.generators.turbines import LENGTH, RULES, Turbines

DELAYS = (0, 2, 5, 10)
LOSS = 0.05
LEAST_EARLY = 0.5

NOTE = """\
{turbines:,} turbines are read at {times} time points, three in ten readings are high, {loss:.0%} of the readings are
lost, the others come up to δ time points late, in any order; three high readings in a row are a malfunction (Example 1
of the paper). At every time point what has arrived goes through `HypothesisStream.advance`. *Open* counts partial
matches; the bound is turbines times w + 1, known before the stream begins. *Waits* is the time from when an answer is
first said to be possible until it is confirmed. *Earlier* is how long before the end of its delay an answer is
confirmed: a reasoner that takes what has not come for false must wait for T + {last} + δ before it says anything about
T. Every malfunction found by hand in the readings that are not lost must be confirmed, and no other."""


def run(bench: Workbench) -> Result:
    """Follow one stream for each delay."""
    turbines, times = bench.choose((200, 40), (2_000, 200), (10_000, 300))
    followed = [_follow(Turbines(turbines, times, delay, LOSS, bench.seed)) for delay in bench.track(DELAYS, "delays")]
    return Result(
        title="Hypothetical answers over time",
        note=NOTE.format(turbines=turbines, times=times, loss=LOSS, last=LENGTH - 1),
        table=Table(
            ("δ", "readings", "most open (bound)", "opened", "confirmed", "refuted", "waits, median", "earlier, mean"),
            tuple(_row(each) for each in followed),
        ),
        checks=tuple(check for each in followed for check in _checks(each)),
        raw={f"delay {each.stream.delay}": each.as_json() for each in followed},
        figures=(_open_figure(followed), _waits_figure(followed), _earlier_figure(followed)),
    )


@dataclass
class Followed:
    """What was said of a stream, by time point; answers as numbers, each with the time at which it was said."""

    stream: Turbines
    bound: int = 0
    readings: int = 0
    late: int = 0
    open_rows: list[int] = field(default_factory=list)
    opened: list[tuple[int, Ints]] = field(default_factory=list)
    confirmed: list[tuple[int, Ints]] = field(default_factory=list)
    refuted: int = 0

    def said(self, now: int, changes: pa.Table, open_rows: int) -> None:
        """Take down what changed at a time point."""
        self.open_rows.append(open_rows)
        for status, into in (("opened", self.opened), ("confirmed", self.confirmed)):
            rows = changes.filter(pc.equal(changes["status"], status))
            into.append((now, np.unique(answer_codes(device_numbers(rows[0]), rows["time"].to_numpy()))))
        self.refuted += int(pc.sum(pc.equal(changes["status"], "refuted")).as_py() or 0)

    @cached_property
    def answers(self) -> Ints:
        """What was confirmed."""
        return np.concatenate([codes for _, codes in self.confirmed])

    @cached_property
    def confirmed_at(self) -> Ints:
        """When each was confirmed."""
        return _times(self.confirmed)

    @cached_property
    def waits(self) -> Ints:
        """How long each had been open; one that is confirmed as it appears waits for nothing."""
        codes, times = np.concatenate([codes for _, codes in self.opened]), _times(self.opened)
        order = np.lexsort((times, codes))
        known, first = np.unique(codes[order], return_index=True)
        opened_at = times[order][first]
        place = np.minimum(np.searchsorted(known, self.answers), max(0, len(known) - 1))
        was_open = known[place] == self.answers if len(known) else np.zeros(len(self.answers), np.bool_)
        began = np.where(was_open, opened_at[place] if len(known) else 0, self.confirmed_at)
        found: Ints = self.confirmed_at - began
        return found

    @cached_property
    def earlier(self) -> Ints:
        """How long before all readings that it needs must have come."""
        time = self.answers & ((1 << 32) - 1)
        found: Ints = time + LENGTH - 1 + self.stream.delay - self.confirmed_at
        return found

    @property
    def opened_count(self) -> int:
        return sum(len(codes) for _, codes in self.opened)

    def as_json(self) -> dict[str, Any]:
        return {
            "bound": self.bound,
            "open": self.open_rows,
            "opened": self.opened_count,
            "refuted": self.refuted,
            "waits": np.bincount(self.waits).tolist(),
            "earlier": np.bincount(self.earlier).tolist(),
        }


def _follow(stream: Turbines) -> Followed:
    reasoner = thalweg.HypothesisStream(thalweg.parse(stream.declarations + RULES), "Malf")
    per_binding = reasoner.promises.rows_per_binding
    assert per_binding is not None
    found = Followed(stream, bound=stream.turbines * per_binding)
    for part in stream.slices():
        changes = reasoner.advance(part.tables, to=int(part.now)).table()
        found.said(int(part.now), changes, reasoner.open_count)
        found.readings += len(part)
    found.late = reasoner.late_count
    return found


def _checks(found: Followed) -> list[Check]:
    delay = found.stream.delay
    expected = answer_codes(*found.stream.malfunctions())
    checks = [
        must_agree(f"δ = {delay}: malfunctions found by hand", len(np.setxor1d(found.answers, expected))),
        must_agree(f"δ = {delay}: readings within the delay that are taken for late", found.late),
        at_most(f"δ = {delay}: open rows", max(found.open_rows), found.bound),
        at_least(f"δ = {delay}: time units earlier than by waiting, of the slowest", _least(found.earlier), 0),
    ]
    if delay:
        promise = f"δ = {delay}: share of the answers confirmed before one who waits says anything"
        checks.append(at_least(promise, float((found.earlier > 0).mean()), LEAST_EARLY))
    return checks


def _row(found: Followed) -> tuple[str, ...]:
    answers, opened = len(found.answers), found.opened_count
    return (
        f"{found.stream.delay}",
        f"{found.readings:,}",
        f"{max(found.open_rows):,} ({found.bound:,})",
        f"{opened:,}",
        f"{answers:,} ({answers / max(1, answers + found.refuted):.0%})",
        f"{found.refuted:,} ({found.refuted / max(1, answers + found.refuted):.0%})",
        f"{np.median(found.waits):g}" if answers else "–",
        f"{found.earlier.mean():.2f}" if answers else "–",
    )


def _open_figure(followed: list[Followed]) -> Figure:
    lines = [
        Line(f"δ = {each.stream.delay}", _points(each.open_rows), tuple(map(float, each.open_rows)))
        for each in followed
    ]
    last = followed[-1]
    ends = (0.0, float(len(last.open_rows) - 1))
    bound = Line(f"bound for δ = {last.stream.delay}", ends, (float(last.bound), float(last.bound)))
    return Figure("open", "Open answers over time", "time", "open rows", (*lines, bound))


def _waits_figure(followed: list[Followed]) -> Figure:
    lines = []
    for each in followed:
        times = np.unique(each.confirmed_at)
        waits = [float(each.waits[each.confirmed_at == time].mean()) for time in times]
        lines.append(Line(f"δ = {each.stream.delay}", tuple(times.tolist()), tuple(waits)))
    title = "From when an answer is first possible until it is confirmed"
    return Figure("waits", title, "time of confirmation", "time units, mean", tuple(lines))


def _earlier_figure(followed: list[Followed]) -> Figure:
    lines = []
    for each in followed:
        counts = np.bincount(each.earlier)
        left = np.cumsum(counts[::-1])[::-1] / max(1, counts.sum())
        lines.append(Line(f"δ = {each.stream.delay}", _points(left.tolist()), tuple(left.tolist())))
    title = "Share of answers that are confirmed at least so long before the end of the delay"
    return Figure("earlier", title, "time units earlier than by waiting", "share", tuple(lines), points=True)


def _times(said: list[tuple[int, Ints]]) -> Ints:
    return np.concatenate([np.full(len(codes), now) for now, codes in said])


def _points(values: list[Any]) -> tuple[float, ...]:
    return tuple(map(float, range(len(values))))


def _least(values: Ints) -> float:
    return float(values.min()) if len(values) else 0.0
