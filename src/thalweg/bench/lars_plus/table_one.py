"""The LARS+ paper's Table 1: time, memory and the size of the model, a time point."""

from __future__ import annotations

from dataclasses import asdict

from thalweg.bench.lars_plus import deep
from thalweg.bench.lars_plus.scenarios import PUBLISHED, TIME_POINTS, WINDOW, available
from thalweg.bench.lars_plus.stream_run import StreamRun, stream_run
from thalweg.bench.result import Result, Table, at_most
from thalweg.bench.workbench import Workbench

QUICK_TIME_POINTS, NORMAL_TIME_POINTS = 12, 80

NOTE = f"""\
{{time_points}} time points, each scenario in a process of its own; averages over the time points after the first ℓ,
with ℓ = {WINDOW} unless said otherwise. *Run* is `StreamReasoner.advance` with all derived predicates asked for, from
facts that have been read to answers in columns, in milliseconds of processor time; writing answers out, with the texts
of their nulls, is not in it. *Memory* is the growth of the resident set to its peak, from when rules are read and
planned; in brackets that of the whole process, Python and its libraries included. *Facts* counts those of the last
ℓ + 1 time points, given or derived, each at each of its time points; *new* are those derived at one time point.

S_A has rules (19) to (23) over 100 belts, S_B the rules of Deep100 with their body atoms under windows of length n:
half of them, chosen by the seed, `all`, half `some` (for n = 0 the atoms as they are); all 1,000 facts come at each
time point.

The figures of the paper are for orientation: they are from another machine, a laptop of 2019, and not all were
readable. It chases the stream of the last ℓ time points anew at each time point; we go on from the time point before.
It does not say what its model counts. Facts of its rewriting, which say what holds in which window, would be counted
with it; ours has none of them. In S_B the nulls of each time point are new, and how many facts come of them depends on
which rules got which half of the windows, on whether windows are cut where the stream begins (ours are, at time 0), and
on input further back than ℓ: through up to eleven rules, each with a window, it reaches 11n time points, and a chase of
the last ℓ does not see it."""


def run(bench: Workbench) -> Result:
    """Run all scenarios."""
    time_points = bench.choose(QUICK_TIME_POINTS, NORMAL_TIME_POINTS, TIME_POINTS)
    runs = {
        name: stream_run(name, time_points, bench.seed) for name in bench.track(available(bench.quick), "scenarios")
    }
    return Result(
        title="Table 1 of the LARS+ paper",
        note=NOTE.format(time_points=time_points) + ("" if deep.is_there() else f"\n\nS_B: {deep.ABSENT}"),
        table=Table(
            ("scenario", "run, ms", "paper's", "memory, MB", "paper's", "facts", "paper's", "new"),
            tuple(_row(name, found) for name, found in runs.items()),
        ),
        checks=tuple(
            at_most(f"{name}: answers more or fewer than counted by hand", found.unexpected, 0)
            for name, found in runs.items()
            if name.startswith("S_A")
        ),
        raw={name: asdict(found) for name, found in runs.items()},
    )


def _row(name: str, found: StreamRun) -> tuple[str, ...]:
    growth = (found.memory_peak - found.memory_before) / 1e6
    theirs = PUBLISHED.get(name)
    run, memory, facts = (
        (f"{theirs.run:,g}", f"{theirs.memory:g}", f"{theirs.facts:g}k") if theirs is not None else ("", "", "")
    )
    return (
        name,
        f"{found.milliseconds:,.2f}",
        run,
        f"{growth:.1f} ({found.memory_peak / 1e6:.0f})",
        memory,
        f"{found.model:,.0f}",
        facts,
        f"{found.new_facts:,.0f}",
    )
