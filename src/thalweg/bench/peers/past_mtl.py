"""Past MTL on one signal and on many, beside the monitors reelay and rtamt where they are installed."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import thalweg
from thalweg.bench.peers.past_formulas import FORMULAS, HISTORICALLY_ONCE, PastFormula, Time
from thalweg.bench.peers.signals import SILENT, Signals
from thalweg.bench.peers.verdicts import Verdicts, differing, from_tables
from thalweg.bench.repeat import Timing, again_and_again, repeat
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_least, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.engine.stream import StreamReasoner

PEERS = ("reelay", "rtamt")
TITLE = "Past MTL on signals, beside reelay and rtamt"

NOTE = """\
Formulas on signals that are drawn by chance, on one signal and on many. Thalweg is fed in strides of so many time
units, and answers at the end of each. reelay {reelay}; rtamt {rtamt}. They have a monitor for each signal; at most
{monitored} signals are given to them, and the rate is what is compared. All figures are events a second of processor
time, medians; runs: {repetitions}. What monitors say and Thalweg's answers are compared point by point, on the signals
and the time that both have seen. Over dense time the interval of *since* begins at 0: with others reelay says *true*
where there is no *q* in the interval.{lost}"""


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    ``monitored`` is the number of signals given to the monitors, which have one each and take long to make it; making
    them is not counted.
    """

    counts: tuple[int, ...]
    strides: tuple[int, ...]
    steps: int
    events: int
    monitored: int
    monitored_events: int
    repetitions: int

    def strides_for(self, count: int) -> tuple[int, ...]:
        """For many signals, no strides of very many events."""
        return tuple(stride for stride in self.strides if count * stride <= LARGEST_STEP)

    def end(self, count: int, stride: int) -> int:
        """For how many time units so many signals are fed: fewer when they are many."""
        steps = min(self.steps, max(LEAST_STEPS, self.events // (count * stride)))
        return max(LEAST_TIME, stride * steps)


LEAST_STEPS, LEAST_TIME = 5, 4 * SILENT
LARGEST_STEP, LONG_STRIDE = 100_000, 10_000
QUICK = Sizes((1, 300), (1, 100), 6, 50_000, 2, 1_500, 1)
NORMAL = Sizes((1, 10, 100, 1_000), (1, 100, 10_000), 50, 500_000, 10, 20_000, 3)
FULL = Sizes((1, 10, 100, 1_000, 10_000), (1, 10, 100, 1_000, 10_000), 60, 1_000_000, 10, 50_000, 3)
MANY_TIMES = "the time points of a batch, many here, are checked one by one as exact fractions"


@dataclass(frozen=True)
class Cell:
    """Events a second on so many signals in strides of some length."""

    formula: PastFormula
    time: Time
    signals: int
    stride: int
    ours: float
    theirs: dict[str, float]

    def faster(self, peer: str) -> float:
        """How many times faster than a peer."""
        return self.ours / self.theirs[peer]


def run(bench: Workbench) -> Result:
    """Measure all that is installed on the same signals."""
    peers = {name: _module(name) for name in PEERS if importlib.util.find_spec(name)}
    if not peers:
        return Result(TITLE, "Neither reelay nor rtamt is installed.", Table(("system",), ()), (), {})
    sizes = bench.choose(QUICK, NORMAL, FULL)
    cells: list[Cell] = []
    agreed: dict[str, Check] = {}
    raw: dict[str, Any] = {}
    for formula, time, count in bench.track(list(_combinations(sizes)), "formulas and signals"):
        found, checks, seconds = _measure(formula, time, count, sizes, peers, bench.seed)
        cells += found
        agreed |= {check.promise: check for check in checks}
        raw[f"{formula.title}, {time.value}, {count} signals"] = seconds
    return Result(
        title=TITLE,
        note=_note(cells, sizes, peers),
        table=_table(cells, peers),
        checks=(*agreed.values(), *_targets(cells, sizes, peers)),
        raw=raw,
        figures=tuple(_figure(cells, sizes, peer) for peer in peers if len(sizes.counts) > 1),
    )


def _combinations(sizes: Sizes) -> Iterator[tuple[PastFormula, Time, int]]:
    return ((formula, time, count) for formula in FORMULAS for time in formula.times for count in sizes.counts)


def _module(name: str) -> Any:
    return importlib.import_module(f"thalweg.bench.peers.{name}_monitors")


def _measure(
    formula: PastFormula, time: Time, count: int, sizes: Sizes, peers: dict[str, Any], seed: int
) -> tuple[list[Cell], list[Check], dict[str, Any]]:
    """All strides, and the peers once, on the signals of one drawing."""
    monitored = min(count, sizes.monitored)
    longest = max(
        sizes.monitored_events // monitored, *(sizes.end(count, stride) for stride in sizes.strides_for(count))
    )
    drawn = Signals.draw(formula.chances, count, longest, seed)
    given = drawn.first(monitored, sizes.monitored_events // monitored)
    said = {name: _monitored(peer, formula, time, given, sizes.repetitions) for name, peer in peers.items()}
    rates = {name: timing.rate(time.events(given)) for name, (timing, _) in said.items()}
    seconds: dict[str, Any] = {name: timing.seconds for name, (timing, _) in said.items()}
    cells, checks = [], []
    for stride in sizes.strides_for(count):
        signals = drawn.first(count, sizes.end(count, stride))
        timing, verdicts = _thalweg(formula, time, signals, stride, sizes.repetitions)
        for name, (_, theirs) in said.items():
            what = f"{formula.title}, {_short(time)}: verdicts, against {name}"
            checks.append(must_agree(what, differing(verdicts, theirs)))
        cells.append(Cell(formula, time, count, stride, timing.rate(time.events(signals)), rates))
        seconds[f"thalweg, strides of {stride}"] = timing.seconds
    return cells, checks, seconds


def _monitored(
    peer: Any, formula: PastFormula, time: Time, signals: Signals, repetitions: int
) -> tuple[Timing, Verdicts]:
    """A monitor's state cannot be set back: each run has monitors of its own."""
    return again_and_again(lambda: peer.monitor(formula, time, signals), repetitions)


def _thalweg(
    formula: PastFormula, time: Time, signals: Signals, stride: int, repetitions: int
) -> tuple[Timing, Verdicts]:
    """From batches in memory to Arrow tables, the making of the reasoner not counted, as with monitors."""
    program = thalweg.parse(f"timeline {time.timeline.value}. {formula.rule}")
    stream = time.facts(signals, stride)
    reasoners = [StreamReasoner(program, "Ok") for _ in range(repetitions + 1)]

    def execute() -> list[Any]:
        reasoner = reasoners.pop()
        return [reasoner.advance(batches, to).table("Ok") for to, batches in stream]

    timing, tables = repeat(execute, repetitions)
    return timing, from_tables(tables, time, signals.count, stream[-1][0])


def _table(cells: list[Cell], peers: dict[str, Any]) -> Table:
    theirs = (heading for name in peers for heading in (name, f"times faster than {name}"))
    rows = (
        (
            cell.formula.title,
            cell.time.value,
            f"{cell.signals:,}",
            f"{cell.stride:,}",
            f"{cell.ours:,.0f}",
            *(text for name in peers for text in (f"{cell.theirs[name]:,.0f}", f"{cell.faster(name):.3g}")),
        )
        for cell in cells
    )
    return Table(("formula", "time", "signals", "stride", "Thalweg", *theirs), tuple(rows))


def _targets(cells: list[Cell], sizes: Sizes, peers: dict[str, Any]) -> list[Check]:
    """On many signals, and on one in long strides, Thalweg keeps up; on one event at a time it does not promise to."""
    largest = [cell for cell in cells if cell.stride == sizes.strides_for(cell.signals)[-1]]
    return [
        at_least(
            f"{cell.formula.title}, {_short(cell.time)}, signals: {cell.signals:,}, strides of {cell.stride:,}:"
            f" times faster than {name}",
            cell.faster(name),
            1,
            why=MANY_TIMES if cell.stride > cell.signals else "",
        )
        for cell in largest
        if cell.signals == sizes.counts[-1] or cell.stride >= LONG_STRIDE
        for name in peers
    ]


def _note(cells: list[Cell], sizes: Sizes, peers: dict[str, Any]) -> str:
    said = {name: _how(name, peers.get(name)) for name in PEERS}
    return NOTE.format(**said, monitored=sizes.monitored, repetitions=sizes.repetitions, lost=_lost(cells, peers))


def _how(name: str, peer: Any) -> str:
    if peer is None:
        return "is **not installed** and left out"
    ways = "; ".join(f"{_short(time)}: {peer.how(time)}" for time in Time)
    return f"{importlib.metadata.version(name)} ({ways})"


def _short(time: Time) -> str:
    return time.value.split(",")[0]


def _lost(cells: list[Cell], peers: dict[str, Any]) -> str:
    """Where Thalweg is the slower one."""
    worst = {name: min(cell.faster(name) for cell in cells) for name in peers}
    said = [f"{name} is up to {1 / ratio:,.0f} times faster" for name, ratio in worst.items() if ratio < 1]
    reason = " than Thalweg on one signal fed time unit by time unit: a step costs Thalweg milliseconds, however few"
    return f" {' and '.join(said)}{reason} the events in it." if said else ""


def _figure(cells: list[Cell], sizes: Sizes, peer: str) -> Figure:
    lines = []
    for time in Time:
        for stride in sizes.strides:
            chosen = [
                cell for cell in cells if (cell.formula, cell.time, cell.stride) == (HISTORICALLY_ONCE, time, stride)
            ]
            points = tuple(float(cell.signals) for cell in chosen), tuple(cell.faster(peer) for cell in chosen)
            lines.append(Line(f"{_short(time)}, strides of {stride:,}", *points))
    return Figure(
        peer,
        f"{HISTORICALLY_ONCE.title}: Thalweg against {peer}",
        "signals",
        f"times faster than {peer}, an event",
        tuple(lines),
        log_x=True,
        log_y=True,
        points=True,
    )
