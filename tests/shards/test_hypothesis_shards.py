"""Hypothetical answers over shards are those of one stream, however it is cut and whatever is forgotten in between."""

import pytest

from shards.hypothesis_runs import QUESTIONS, arrivals, chooser, in_one_piece, in_shards

MEMORIES = ("stays", "lost", "turns")


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_shards_say_what_one_stream_says(name, seed):
    question, random = QUESTIONS[name], chooser(seed)
    batches = list(arrivals(question, random))
    shards = random.choice((1, 2, 3, 5))
    simulation, told = in_shards(question, batches, shards, MEMORIES[seed % 3])
    stream, expected = in_one_piece(question, batches)
    assert told == expected
    assert len(simulation.shards[0]) == (shards if question.is_split else 1)
    assert {logged.shard.clock.newest for logged in simulation.shards[0]} == {stream._clock.newest}
    assert sum(logged.shard.clock.late for logged in simulation.shards[0]) == stream.late_count


def test_the_generated_arrivals_are_worth_something():
    told = [
        entry
        for question in QUESTIONS.values()
        for seed in range(6)
        for entry in in_one_piece(question, list(arrivals(question, chooser(seed))))[1]
    ]
    statuses = {status for rows, _ in told for _, status in rows.statuses}
    assert statuses == {"opened", "extended", "confirmed", "refuted"}
    assert any(late for _, late in told)
