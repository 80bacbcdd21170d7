"""LARS windows against clingo: the adapter, and that differences are not passed over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thalweg.bench.peers import clingo_windows, lars_clingo
from thalweg.bench.peers.lars_clingo import NOT_STRATIFIED, STRATIFIED, Stream
from thalweg.bench.result import DisagreementError
from thalweg.bench.workbench import Size, Workbench


def stream_of(times: int, **facts: dict[int, list[tuple[int, ...]]]) -> Stream:
    """Facts by predicate and time point."""
    arity = {name: len(next(iter(found.values()))[0]) for name, found in facts.items()}
    return {
        name: [np.array(found.get(time, []), np.int64).reshape(-1, arity[name]) for time in range(times)]
        for name, found in facts.items()
    }


def test_clingo_gets_facts_as_symbols_and_constants_as_numbers() -> None:
    rules = "p(X) :- (X, S) = @given(), S >= now - n. #show p/1."
    facts = {"given": [clingo_windows.symbol(1, 4), clingo_windows.symbol(2, 7)]}
    (model,) = clingo_windows.models(rules, facts, now=8, n=3)
    assert clingo_windows.numbers(model) == {(2,)}


def test_clingo_gives_all_answers() -> None:
    found = clingo_windows.models("p(1) :- not p(2). p(2) :- not p(1). #show p/1.", {})
    assert {clingo_windows.numbers(model) for model in found} == {frozenset({(1,)}), frozenset({(2,)})}


def test_who_meets_whom_in_a_stream_drawn_by_hand() -> None:
    # a window of the last 2: tram 1 is now where 2 was two time points ago, and 3 was too long ago
    # tram 2 did not report at the time point before, so it is not steady
    length, last = 2, 2 + lars_clingo.MEASURED
    now = last
    at = {now: [(1, 7)], now - 2: [(2, 7)], now - 3: [(3, 7)]}
    report = {time: [(1,), (3,)] if time == now - 1 else [(1,), (2,), (3,)] for time in range(last + 1)}
    stream = stream_of(last + 1, At=at, Report=report)
    _, ours = STRATIFIED.answer(STRATIFIED, length, stream)
    _, theirs = lars_clingo._clingo(STRATIFIED, length, stream)
    assert ours[-1] == theirs[-1] == {frozenset({(1, 2)})}
    assert ours == theirs


def test_who_goes_first_in_a_stream_drawn_by_hand() -> None:
    length, last = 1, 1 + lars_clingo.MEASURED
    stream = stream_of(last + 1, Ask={last: [(1,)], last - 1: [(2,)], last - 2: [(3,)]})
    _, ours = NOT_STRATIFIED.answer(NOT_STRATIFIED, length, stream)
    _, theirs = lars_clingo._clingo(NOT_STRATIFIED, length, stream)
    assert ours[-1] == theirs[-1] == {frozenset(), frozenset({(1,)}), frozenset({(2,)})}
    assert ours == theirs


@pytest.mark.parametrize("program", [STRATIFIED, NOT_STRATIFIED])
def test_both_agree_on_what_is_drawn(program: lars_clingo.LarsProgram) -> None:
    pair, check = lars_clingo._measure(program, 4, program.draw(5 + lars_clingo.MEASURED, 11), 1)
    assert check.kept
    assert len(pair.ours.seconds) == len(pair.theirs.seconds) == lars_clingo.MEASURED


def test_a_difference_ends_the_experiment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right = clingo_windows.numbers
    monkeypatch.setattr(clingo_windows, "numbers", lambda shown: right(shown) | {(-1, -1)})
    with pytest.raises(DisagreementError, match="stratified, window of 10"):
        lars_clingo.run(Workbench(tmp_path, 7, Size.QUICK))
