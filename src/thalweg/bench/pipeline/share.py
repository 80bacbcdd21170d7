"""How much of the pipeline's throughput is left once shards reason, against the same pipeline with idle shards.

Same files, same packing, same operator, same bytes of state, same number of answers; only the kernel is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from thalweg.bench.pipeline.runs import IDENTITY, REASONER, Timings, by_turns, run_batch, run_stream
from thalweg.bench.pipeline.shared_session import shared_session
from thalweg.bench.pipeline.sources import Source, lubm_sources, traffic_source
from thalweg.bench.result import Check, Result, Table, at_least, must_agree
from thalweg.bench.workbench import Workbench

LEAST_SHARE = 0.6
WAYS = {"batch": run_batch, "stream": run_stream}

WHY = "what the kernel takes is not small beside what Spark takes for reading, shuffling and writing the same rows"


def run(bench: Workbench) -> Result:
    """The reasoner and the identity in turn, on traffic and on universities, as a batch and as a stream."""
    spark = shared_session()
    vehicles, times = bench.choose((500, 40), (10_000, 100), (10_000, 200))
    facts, batches = bench.choose(100_000, 2_000_000, 20_000_000), bench.choose(3, 4, 5)
    repetitions = bench.choose(1, 3, 5)
    traffic, drawn = traffic_source(bench.folder / "traffic", vehicles, times, batches, bench.seed)
    sources: tuple[Source, ...] = (traffic, *lubm_sources(bench.folder / "lubm", facts, batches, bench.seed))
    sources = sources[: bench.choose(1, 3, 3)]
    cases = [(source, way) for source in sources for way in WAYS]
    found = {
        (source.name, way): by_turns(bench, spark, source, WAYS[way], repetitions)
        for source, way in bench.track(cases, "streams")
    }
    expected = int(drawn.short_stops().sum())
    return Result(
        title="The pipeline on Spark, against one that does not reason",
        note=f"Parquet in, answers counted; a stream has {batches} batches. Traffic: {vehicles:,} vehicles at"
        f" {times} time points. LUBM: the facts, of {facts:,}, that the journal's programs read. Seconds by the clock,"
        f" of a stream those of all batches but the first; medians of {repetitions} runs in turn, on 2 cores.",
        table=Table(
            ("stream", "run", "rows", "answers", "reasoner, s", "identity, s", "rows a second", "share"),
            tuple(_row(source, way, found[source.name, way]) for source, way in cases),
        ),
        checks=(*_agreement(sources, found, expected), *_shares(found)),
        raw={f"{name}, {way}": timings.raw() for (name, way), timings in found.items()},
    )


def _agreement(sources: tuple[Source, ...], found: dict[tuple[str, str], Timings], expected: int) -> Iterator[Check]:
    for way in WAYS:
        differing = abs(found["traffic", way].answers(REASONER) - expected)
        yield must_agree(f"traffic, {way}, against a count by hand", differing)
    for source in sources[1:]:
        counts = [found[source.name, way].answers(REASONER) for way in WAYS]
        yield must_agree(f"{source.name}, batch against stream", max(counts) - min(counts))


def _shares(found: dict[tuple[str, str], Timings]) -> Iterator[Check]:
    for (name, way), timings in found.items():
        yield at_least(f"{name}, {way}: share of the identity's throughput", _share(timings), LEAST_SHARE, WHY)


def _share(timings: Timings) -> float:
    return timings.seconds(IDENTITY) / timings.seconds(REASONER)


def _counted(timings: Timings) -> float:
    """The share of a stream's batches that is counted."""
    batches = len(timings.runs[REASONER][0].latencies)
    return (batches - 1) / batches if batches > 1 else 1.0


def _row(source: Source, way: str, timings: Timings) -> tuple[str, ...]:
    seconds = timings.seconds(REASONER)
    return (
        source.name,
        way,
        f"{source.rows:,}",
        f"{timings.answers(REASONER):,}",
        f"{seconds:.2f}",
        f"{timings.seconds(IDENTITY):.2f}",
        f"{source.rows * _counted(timings) / seconds:,.0f}",
        f"{_share(timings):.0%}",
    )
