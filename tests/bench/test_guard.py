"""Nothing has become several times slower: ratios to plain Python and plain numpy, with generous limits."""

from dataclasses import replace

import pytest

from thalweg.bench.guard import GUARDED

TRIES = 3


@pytest.mark.parametrize("guarded", GUARDED, ids=lambda guarded: guarded.name)
def test_the_ratio_is_within_its_limit(guarded):
    found = []
    for _ in range(TRIES):
        found.append(guarded.ratio(runs=3))
        if found[-1] <= guarded.limit:
            return
    pytest.fail(f"{guarded.name} takes {min(found):.1f} times its yardstick, at most {guarded.limit:g} is let pass")


@pytest.mark.parametrize("guarded", GUARDED[:1], ids=lambda guarded: guarded.name)
def test_work_that_is_done_ten_times_over_would_be_found(guarded):
    def slowly():
        work = guarded.prepare()
        return lambda: [work() for _ in range(10)]

    assert replace(guarded, prepare=slowly).ratio(runs=1) > guarded.limit
