"""The comparison of hypothetical answers over shards with one stream can fail: these bugs must make it do so."""

import pytest

from differential.planting import planted
from shards.hypothesis_runs import QUESTIONS, arrivals, chooser, in_one_piece, in_shards
from thalweg.analysis.hypotheses import shard_key
from thalweg.engine.hypotheses import pipeline, shard, state, status_rows

BUGS = {
    "key: any argument will do": (shard_key._for_atom, "if term == key", ""),
    "key: what stands below a negation is not looked at": (shard_key._for_atom, "below is None", "True"),
    "clock: a shard hears of its own facts only": (shard.HypothesisShard._hear, "latest(parcels)", "None"),
    "clock: an interval counts by its start": (
        pipeline.HypothesisPipeline._latest,
        "np.where(packet.end == POSITIVE_INFINITY, packet.start, packet.end)",
        "packet.start",
    ),
    "end: what is open stays open": (shard.HypothesisShard._advance, "NEVER if is_final else None", "None"),
    "start: facts of the program are forgotten": (
        shard.HypothesisShard._advance,
        "_joined(self._given, facts)",
        "facts",
    ),
    "log: facts of the program that wait for the first batch are not kept": (
        shard.HypothesisShard.state,
        "**held(reasoner), **given",
        "**held(reasoner)",
    ),
    "log: facts that wait for their time are not kept": (state._hold, 'case "waiting":', 'case "no such":'),
    "log: given answers are not kept": (state._hold, 'case "answered":', 'case "no such":'),
    "transport: times that are not known get values": (status_rows.StatusRows.rows, "= UNBOUND", "= 0"),
}


@pytest.fixture(scope="module")
def prepared():
    found = []
    for question in QUESTIONS.values():
        for seed in range(4):
            batches = list(arrivals(question, chooser(seed)))
            found.append((question, seed, batches, in_one_piece(question, batches)[1]))
    return found


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug, prepared):
    function, right, wrong = BUGS[bug]
    with planted(function, right, wrong):
        for question, seed, batches, expected in prepared:
            try:
                _, told = in_shards(question, batches, 3, ("stays", "lost", "turns")[seed % 3])
            except Exception:  # a crash is as good as a difference
                return
            if told != expected:
                return
    pytest.fail(f"nobody noticed: {bug}")
