"""Running reasoned streams in tests: files in, batches out."""

import os
from fractions import Fraction

import thalweg.spark
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet


def fact_frame(spark, facts):
    """Facts of any predicate as a static table with the columns of ``thalweg-facts``."""
    rows = [fact_row(fact) for fact in facts]
    schema = (
        "predicate string, arguments array<string>, start string, end string, start_closed boolean, end_closed boolean"
    )
    return spark.createDataFrame(rows, schema)


def fact_row(fact):
    from thalweg.syntax.facts import format_value

    interval = fact.interval
    arguments = [format_value(term.value) for term in fact.atom.arguments]
    ends = [str(end) for end in (interval.start, interval.end)]
    return fact.atom.predicate, arguments, *ends, interval.start_closed, interval.end_closed


def fact_text(fact):
    """A fact as a line of a fact file."""
    from thalweg.syntax.facts import format_value

    values = ",".join(format_value(term.value) for term in fact.atom.arguments)
    interval = fact.interval
    left, right = "[" if interval.start_closed else "(", "]" if interval.end_closed else ")"
    return f"{fact.atom.predicate}({values})@{left}{interval.start},{interval.end}{right}"


class Stream:
    """A reasoned stream over a folder: feed files, see what comes out."""

    ask = staticmethod(thalweg.spark.reason)

    def __init__(self, spark, folder, program, query, make_frame, **options):
        self.spark, self.folder, self.program, self.query, self.options = spark, folder, program, query, options
        self.input, self.control, self.checkpoint = folder / "in", folder / "control", folder / "checkpoint"
        self.make_frame = make_frame
        self.rows, self.progress, self.count = [], [], 0
        self.input.mkdir(parents=True, exist_ok=True)
        self.control.mkdir(exist_ok=True)

    def feed(self, write):
        """Write one more input file."""
        target = self.input / f"{self.count:05}"
        draft = self.folder / f".{target.name}"
        write(draft)
        # Spark takes files in the order of their times, which must not be the same for two of them.
        os.utime(draft, (1_700_000_000 + self.count, 1_700_000_000 + self.count))
        draft.rename(target)
        self.count += 1

    def run(self):
        """Take in all files that are there, one a batch."""
        control = self.spark.readStream.text(str(self.control))
        answers = self.ask(self.program, self.make_frame(str(self.input)), self.query, final=control, **self.options)
        writer = answers.writeStream.foreachBatch(self._keep).option("checkpointLocation", str(self.checkpoint))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        self.progress += query.recentProgress
        return self

    def finish(self):
        """Say that no fact follows, and answer to the end."""
        (self.control / "final").write_text("final\n")
        return self.run()

    def _keep(self, frame, number):
        self.rows += frame.collect()

    def metrics(self):
        """What each batch observed of itself."""
        return [progress.observedMetrics["thalweg"] for progress in self.progress]


def joined(rows, program):
    """The intervals of answers of one query, by arguments, joined; times as exact numbers."""
    found = {}
    for row in rows:
        *arguments, start, end, start_closed, end_closed = row
        low = float("-inf") if start is None else Fraction(start)
        high = float("inf") if end is None else Fraction(end)
        found.setdefault(tuple(arguments), []).append(Interval(low, high, start_closed, end_closed))
    return {key: IntervalSet(tuple(held), program.timeline).intervals for key, held in found.items()}
