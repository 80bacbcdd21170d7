"""The engine against Definitions 1, 2 and 6 on generated programs and arrivals."""

from hypothesis import given, settings

from hypotheses.engine_rows import fact_text, instances, open_rows, said
from hypotheses.streams import query_of
from thalweg.engine.hypotheses.stream import HypothesisStream
from thalweg.testing.hypotheses import Answer, Hypothetical, slices
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases

PLAIN = HypothesesKnobs(max_facts=8)
COMPARED = HypothesesKnobs(max_facts=7, comparisons=True)
METRIC = HypothesesKnobs(max_facts=8, metric=True, max_layers=2)
PROMPT = HypothesesKnobs(max_delay=0, several_times=False, named_times=False)
LARGEST = 3
QUICK = settings(max_examples=40)


def run(case, stream=None):
    """The stream after each slice, with what it said and what has arrived."""
    stream = stream or HypothesisStream(case.program, case.query)
    first = case.times.start
    data = frozenset()
    for index, facts in enumerate([*slices(case.arrivals, first=first), *([frozenset()] * 6)]):
        answers = stream.advance(fact_text(facts), first + index)
        assert not answers.late
        data |= facts
        yield stream, answers, data, first + index


def check(case):
    query = query_of(case)
    confirmed, refuted = set(), set()
    for stream, answers, data, closed in run(case):
        fresh = said(answers, "confirmed")
        assert not fresh & confirmed, "an answer is confirmed once"
        confirmed |= fresh
        assert confirmed == query.answers(data)
        refuted |= said(answers, "refuted")
        rows = [*open_rows(stream)]
        ground = [each for row, where in rows for each in instances(case, row, where, closed, query.universe)]
        for found in ground:  # soundness, Proposition 8
            assert found.evidence
            assert found.evidence <= data
            assert query.entails(found.evidence | found.hypotheses, found.answer), (str(found), closed)
            assert found.answer not in refuted
        for row, _ in rows:
            if not row.answer.variables and not any(each.variables for each in row.hypotheses):
                assert minimal(query, row, data, closed)
        wanted = query.supported(data, closed, LARGEST)
        have = {*ground}
        for found in wanted:  # completeness, Proposition 9
            assert found in have or (found.answer in confirmed and not found.hypotheses), (found, closed)
            assert found.answer not in refuted


def minimal(query, row, data, closed):
    found = Hypothetical(Answer(*row.answer.ground()[1:]), frozenset(each.ground() for each in row.hypotheses))
    return query.is_hypothetical(found, data, closed)


@QUICK
@given(hypotheses_cases(PLAIN))
def test_temporal_datalog_is_answered_as_defined(case):
    check(case)


@settings(max_examples=20)
@given(hypotheses_cases(COMPARED))
def test_comparisons_are_answered_as_defined(case):
    check(case)


@QUICK
@given(hypotheses_cases(METRIC))
def test_metric_operators_are_answered_as_defined(case):
    check(case)


@QUICK
@given(hypotheses_cases(PROMPT))
def test_queries_without_delays_are_answered_as_defined(case):
    check(case)
