"""Windows and existential rules on shards: whatever the shards and the arrival, the answers are those of the oracle."""

from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from shards.simulation import batch_answers
from shards.test_shards_equal_oracle import compare_stream, pipeline_of
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import LarsKnobs, LarsPlusKnobs, lars_cases, lars_plus_cases

BOUNDED = LarsKnobs(future=False, unbounded=False)
EXISTENTIAL = LarsPlusKnobs(unbounded=False, per=True)


@settings(max_examples=amount(30))
@given(lars_cases(BOUNDED), st.integers(1, 4))
def test_a_batch_of_windows_equals_the_oracle(case, shards):
    pipeline = pipeline_of(case, shards, streaming=False, start=case.start, end=case.end)
    expected = naive_materialise(case.program, case.facts, case.start, case.end)
    assert_same_answers(batch_answers(pipeline, case.facts), expected, case.program.timeline)


@settings(max_examples=amount(20))
@given(
    lars_cases(BOUNDED),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
    st.sampled_from(["stays", "lost", "turns"]),
)
def test_a_stream_of_windows_equals_the_oracle(case, shards, random, memory):
    compare_stream(case, shards, random, memory)


@settings(max_examples=amount(20))
@given(lars_plus_cases(EXISTENTIAL), st.integers(1, 4))
def test_a_batch_of_existential_rules_equals_the_oracle(case, shards):
    pipeline = pipeline_of(case, shards, streaming=False, start=case.start, end=case.end)
    expected = naive_materialise(case.program, case.facts, case.start, case.end)
    assert_same_answers(batch_answers(pipeline, case.facts), expected, case.program.timeline)


@settings(max_examples=amount(20))
@given(
    lars_plus_cases(EXISTENTIAL),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
    st.sampled_from(["stays", "lost", "turns"]),
)
def test_a_stream_of_existential_rules_equals_the_oracle(case, shards, random, memory):
    compare_stream(case, shards, random, memory)
