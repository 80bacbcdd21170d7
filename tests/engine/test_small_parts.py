"""Parts of the engine by themselves: texts of values, steps at which answers are wanted, limits that are passed on."""

from fractions import Fraction

import numpy as np
import pytest

import thalweg
from thalweg.columnar.relation import Relation
from thalweg.columnar.values import Values
from thalweg.engine.batch_shard import _wanted_points
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.texts import Texts
from thalweg.engine.output_times import OutputTimes
from thalweg.errors import ReasoningError, UsageError
from thalweg.time.ticks import POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


def test_texts_of_numbers_names_and_variables_that_are_not_bound():
    values = Values()
    codes = values.encode([Fraction(3), "a", Fraction(1, 2), Fraction(-7)])
    mixed = np.append(codes, UNBOUND)
    assert Texts(values).of(mixed).to_pylist() == ["3", "a", "0.5", "-7", None]
    assert Texts(values).of(np.array([codes[0], UNBOUND])).to_pylist() == ["3", None]
    assert Texts(values).of(codes[1:3]).to_pylist() == ["a", "0.5"]


def test_an_answer_without_an_end_has_no_last_step():
    endless = Relation((), np.array([0]), np.array([POSITIVE_INFINITY]))
    ticks = Ticks(Timeline.INTEGER)
    with pytest.raises(UsageError, match="an answer holds for ever after"):
        _wanted_points(endless, OutputTimes.every(2), ticks, ())
    found = _wanted_points(Relation((), np.array([1]), np.array([5])), OutputTimes.every(2), ticks, ())
    assert found.start.tolist() == [2, 4]


def test_a_stream_of_answers_has_the_limit_that_it_is_given():
    rules = "timeline integer. P(X) :- A(X), not Q(X). Q(X) :- A(X), not P(X)."
    facts = "".join(f"A(a{number})@1\n" for number in range(3000))
    stream = thalweg.AnswerStream(thalweg.parse(rules, stratified=False), mode="one", start=1, max_memory="1m")
    with pytest.raises(ReasoningError) as stopped:
        stream.advance(facts, to=1)
    assert stopped.value.diagnostics[0].code == "E507"
