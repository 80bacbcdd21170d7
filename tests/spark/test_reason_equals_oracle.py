"""On Spark, too, the answers are those of the oracle: any program, shards, partitions, order, cut; batch or stream."""

import random
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import thalweg
import thalweg.spark
from spark.running import Stream, fact_frame, fact_text, joined
from thalweg.analysis.sharding import plan_shards
from thalweg.errors import ProgramError
from thalweg.syntax.facts import format_value
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import (
    Knobs,
    LarsKnobs,
    LarsPlusKnobs,
    integer_cases,
    lars_cases,
    lars_plus_cases,
    rational_cases,
)
from thalweg.time.interval import Interval
from thalweg.time.interval_set import IntervalSet
from thalweg.time.timeline import Timeline

PAST = Knobs(future=False)


def generated(strategy, count, wanted):
    """Some generated cases that are worth a Spark job: with answers, and what else is wanted."""
    found = []

    @seed(20)
    @settings(max_examples=count * 60, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None)
    @given(strategy)
    def collect(case):
        if len(found) < count and len(case.facts) >= 6 and wanted(case):
            found.append(case)

    collect()
    assert len(found) == count
    return found


def expected_of(case):
    return {
        (name, tuple(_text(value) for value in values)): held
        for (name, values), held in naive_materialise(case.program, case.facts, case.start, case.end).items()
        if name in case.program.derived_predicates
    }


def _text(value):
    return value if isinstance(value, str) else format_value(value)


def answers_of(tagged, case):
    """Tagged rows as answers inside the case's time."""
    window = IntervalSet((Interval(case.start, case.end),), case.program.timeline)
    found = {}
    for output in case.program.derived_predicates:
        rows = [tuple(row[output]) for row in tagged if row["output"] == output]
        for arguments, held in joined(rows, case.program).items():
            inside = IntervalSet(held, case.program.timeline).intersection(window)
            if inside:
                found[output, arguments] = inside.intervals
    return found


def is_split(case):
    return any(stage.is_split for stage in plan_shards(case.program, case.program.derived_predicates).stages)


def has_two_stages(case):
    return len(plan_shards(case.program, case.program.derived_predicates).stages) > 1


def runs_on_a_stream(case):
    from thalweg.plan.stream import make_stream_plan

    try:
        make_stream_plan(case.program, case.program.predicates)
    except ProgramError:
        return False
    return True


CASES = st.one_of(rational_cases(), rational_cases(PAST), integer_cases())


WINDOWS = lars_cases(LarsKnobs(future=False, unbounded=False, background=False))
"""Windows that a stream can answer; background facts have no time and are given apart."""


def test_batches_of_generated_programs(spark):
    chooser = random.Random(1)
    cases = generated(CASES, 5, lambda case: is_split(case) and expected_of(case))
    cases += generated(CASES, 3, lambda case: has_two_stages(case) and expected_of(case))
    for case in cases:
        compare_batch(spark, case, chooser)


def test_batches_of_windows(spark):
    chooser = random.Random(2)
    for case in generated(WINDOWS, 4, lambda case: is_split(case) and expected_of(case)):
        compare_batch(spark, case, chooser)


def all_dialects_together():
    """The golden program with since, a window over tuples, an existential head, not, an aggregate and a comparison."""
    path = Path(__file__).parents[1] / "golden" / "cases" / "all_dialects_together.rules"
    given = thalweg.parse(
        "timeline integer.\n" + "\n".join(f"{x}." for x in path.with_suffix(".facts").read_text().split())
    )
    return SimpleNamespace(program=thalweg.load(path), facts=given.facts, start=Fraction(0), end=Fraction(20))


def test_a_batch_of_all_dialects_together(spark):
    compare_batch(spark, all_dialects_together(), random.Random(4))


def test_a_stream_of_all_dialects_together(spark, tmp_path):
    compare_stream(spark, tmp_path, all_dialects_together(), random.Random(5))


EXISTENTIAL = lars_plus_cases(LarsPlusKnobs(unbounded=False, per=True))
"""Rules that make nulls, and whose windows a stream can answer."""


def test_batches_of_existential_rules(spark):
    chooser = random.Random(6)
    for case in generated(EXISTENTIAL, 4, lambda case: case.program.is_existential and expected_of(case)):
        compare_batch(spark, case, chooser)


def test_a_stream_of_existential_rules(spark, tmp_path):
    def wanted(case):
        return case.program.is_existential and runs_on_a_stream(case) and has_two_stages(case) and expected_of(case)

    compare_stream(spark, tmp_path, generated(EXISTENTIAL, 1, wanted)[0], random.Random(7))


def compare_batch(spark, case, chooser):
    facts = list(case.facts)
    chooser.shuffle(facts)
    frame = fact_frame(spark, facts).repartition(chooser.randint(1, 3))
    tagged = thalweg.spark.reason(
        case.program,
        frame,
        sorted(case.program.derived_predicates),
        start=case.start,
        end=case.end,
        shards=chooser.randint(1, 4),
    )
    assert_same_answers(answers_of(tagged.collect(), case), expected_of(case), case.program.timeline)


def _begins(fact, case):
    is_open = case.program.timeline is Timeline.INTEGER and not fact.interval.start_closed
    return fact.interval.start + (1 if is_open else 0)


@pytest.mark.parametrize("number", range(3))
def test_streams_of_generated_programs(spark, tmp_path, number):
    def wanted(case):
        return runs_on_a_stream(case) and expected_of(case) and (number % 2 == 0 or has_two_stages(case))

    compare_stream(spark, tmp_path, generated(CASES, number + 1, wanted)[number], random.Random(number))


def test_a_stream_of_windows(spark, tmp_path):
    def wanted(case):
        return runs_on_a_stream(case) and is_split(case) and expected_of(case)

    compare_stream(spark, tmp_path, generated(WINDOWS, 2, wanted)[1], random.Random(3))


def compare_stream(spark, tmp_path, case, chooser):
    delay = Fraction(chooser.choice((0, 2)))
    facts = sorted(case.facts, key=lambda fact: _begins(fact, case) + delay * Fraction(chooser.randint(0, 4), 4))

    def source(folder):
        reader = spark.readStream.format("thalweg-facts").option("maxFilesPerTrigger", 1)
        return reader.option("settleSeconds", 0).load(folder)

    stream = Stream(
        spark,
        tmp_path,
        case.program,
        sorted(case.program.derived_predicates),
        source,
        delay=delay,
        end=case.end + 10,
        shards=chooser.randint(2, 3),
    )
    cuts = sorted(chooser.sample(range(1, len(facts)), 2))
    for low, high in zip([0, *cuts], [*cuts, len(facts)], strict=True):
        part = facts[low:high]
        chooser.shuffle(part)
        stream.feed(lambda path, part=part: path.write_text("\n".join(map(fact_text, part)) + "\n"))
    stream.run().finish()
    assert sum(metrics.late for metrics in stream.metrics()) == 0
    assert_same_answers(answers_of(stream.rows, case), expected_of(case), case.program.timeline)
