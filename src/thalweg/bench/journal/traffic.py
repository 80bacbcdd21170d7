"""The journal paper's Figures 4 to 6: facts, stored facts and reasoning time at each time point of traffic streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import thalweg
from thalweg.bench.data import HACKATHON, data_path
from thalweg.bench.journal.traffic_steps import Steps, follow
from thalweg.bench.journal.traffic_streams import GeneratedTraffic, TrafficFile, TrafficStream
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_most, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.generators.journal_programs import SHORT_STOPS
from thalweg.generators.traffic import Traffic

S1 = "S1"
S1_ANSWERS = 1263
S2_VEHICLES = 228
"""With so many vehicles a generated stream has about the 80,124 facts of the paper's S2, which is not public."""
VEHICLES, MANY_VEHICLES = (1_000, 10_000), 100_000
TIMES = 200

REPETITIONS = 3
FEW = 2_000
"""Streams of more vehicles are followed once."""

MOST_OF_A_SECOND = 0.5
MOST_UNEVEN = 1.25
"""So much more than in the median may be held, at the most, for each fact that arrived within the window."""

WHY_SLOW = """\
a step is {processor:.2f} s of processor time on average; wall-clock time also has what other processes take"""

NOTE = """\
Short stops of vehicles (program Π of Section 7.2). `StreamReasoner.advance` moves on by one time point, which is one
second; facts have been read before, and answers leave as an Arrow table. S1 is the stream of the paper. S2 is not
public: a generated stream with about as many facts stands for it, and there are larger ones beside it. The time of a
step is wall-clock time, the median of {runs} run(s), and of one for streams of many vehicles; *worst* is the longest
step of all runs. The paper says that reasoning takes less than a second for each window, while the stream brings new
facts each second. *Stored by arrived* is how many facts are held for each that arrived in this second and the {span}
before, from the least to the most after the first window: where it is even, memory follows the stream and does not grow
with time (Fig. 5). Facts a second are those of processor time."""


def run(bench: Workbench) -> Result:
    """Follow each stream."""
    program = thalweg.parse(SHORT_STOPS)
    streams = _files(bench) or _streams(bench)
    found = [follow(stream, program, _repetitions(bench, stream)) for stream in bench.track(streams, "streams")]
    return Result(
        title="Traffic: Figures 4 to 6 of the journal paper",
        note=NOTE.format(runs=len(found[0].seconds), span=found[0].span),
        table=Table(
            (
                "stream",
                "facts",
                "most at once",
                "answers",
                "stored by arrived",
                "p50, ms",
                "p99",
                "max",
                "worst",
                "facts/s",
            ),
            tuple(_row(steps) for steps in found),
        ),
        checks=tuple(check for steps in found for check in _checks(steps)),
        raw={steps.name: steps.as_json() for steps in found},
        figures=_figures(found),
    )


def _files(bench: Workbench) -> list[TrafficStream]:
    """The user's own streams, where there are some."""
    return [TrafficFile(path, path.name) for path in bench.streams]


def _streams(bench: Workbench) -> list[TrafficStream]:
    path = data_path(HACKATHON, "S1.txt")
    public: list[TrafficStream] = [TrafficFile(path, S1)] if path.is_file() else []
    vehicles = bench.choose((S2_VEHICLES,), (S2_VEHICLES, *VEHICLES), (S2_VEHICLES, *VEHICLES, MANY_VEHICLES))
    drawn = (Traffic(count, TIMES, bench.seed) for count in vehicles)
    return [*public, *(GeneratedTraffic(each, f"{each.vehicles:,} vehicles") for each in drawn)]


def _repetitions(bench: Workbench, stream: TrafficStream) -> int:
    is_large = isinstance(stream, GeneratedTraffic) and stream.drawn.vehicles > FEW
    return 1 if is_large or bench.quick else REPETITIONS


def _checks(steps: Steps) -> list[Check]:
    name, evenness = steps.name, steps.evenness
    found = []
    if name == S1:
        found.append(must_agree(f"{name}: {S1_ANSWERS:,} short stops", abs(steps.answers - S1_ANSWERS)))
    if steps.wrong is not None:
        found.append(must_agree(f"{name}: short stops found by hand", steps.wrong))
    if len(evenness):
        promise = f"{name}: stored facts for each that arrived within the window, most against median"
        found.append(at_most(promise, float(evenness.max() / np.median(evenness)), MOST_UNEVEN))
    why = WHY_SLOW.format(processor=float(np.median(steps.processor)) / len(steps.times))
    promise = f"{name}: seconds of the longest step, of the one that it has (in the paper: less than one)"
    found.append(at_most(promise, float(steps.typical.max()), MOST_OF_A_SECOND, why))
    return found


def _row(steps: Steps) -> tuple[str, ...]:
    typical, evenness = steps.typical, steps.evenness
    return (
        steps.name,
        f"{sum(steps.facts):,}",
        f"{max(steps.facts):,}",
        f"{steps.answers:,}",
        f"{evenness.min():.2f} to {evenness.max():.2f}" if len(evenness) else "–",
        *(f"{1000 * float(np.percentile(typical, share)):.1f}" for share in (50, 99, 100)),
        f"{1000 * steps.worst:.1f}",
        f"{steps.rate:,.0f}",
    )


def _figures(found: Sequence[Steps]) -> tuple[Figure, ...]:
    def figure(name: str, title: str, label: str, values: Callable[[Steps], Sequence[float]]) -> Figure:
        lines = tuple(Line(s.name, tuple(map(float, s.times)), tuple(map(float, values(s)))) for s in found)
        return Figure(name, title, "time, s", label, lines, log_y=len(found) > 2)

    return (
        figure("facts", "Facts that arrive (Fig. 4)", "facts", lambda s: s.facts),
        figure("stored", "Facts that are held (Fig. 5)", "facts", lambda s: s.stored),
        figure("time", "Reasoning time (Fig. 6)", "ms a step", lambda s: (1000 * s.typical).tolist()),
    )
