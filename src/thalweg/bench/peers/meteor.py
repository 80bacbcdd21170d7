"""MeTeoR on the same rules and facts, and its answers in the terms of Thalweg's."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from meteor_reasoner.materialization.coalesce import coalescing_d
from meteor_reasoner.materialization.materialize import materialize
from meteor_reasoner.utils.loader import load_dataset, load_program

from thalweg.time.interval import Endpoint, Interval

Answers = dict[tuple[str, tuple[str, ...]], tuple[Interval, ...]]

MAX_ROUNDS = 10_000


def read_rules(lines: Iterable[str]) -> list[Any]:
    """MeTeoR's rules; from lines, because from a file it drops every full stop, that of 0.5 included."""
    rules: list[Any] = load_program([line for line in lines if line.strip()])
    return rules


def read_facts(facts: Path | Sequence[str]) -> Any:
    """MeTeoR's dataset of a file, or of lines; those that it cannot read it leaves out."""
    with silence():
        return load_dataset(str(facts) if isinstance(facts, Path) else list(facts))


def reason(dataset: Any, rules: list[Any], mode: str = "seminaive") -> None:
    """Add to a dataset all that follows from it; ``mode`` is ``seminaive`` or ``naive``."""
    with silence():
        coalescing_d(dataset)
        reached_fixpoint = materialize(dataset, rules, mode=mode, K=MAX_ROUNDS)
    if not reached_fixpoint:
        raise RuntimeError(f"MeTeoR came to no end in {MAX_ROUNDS} rounds")


def answers(dataset: Any) -> Answers:
    """What holds, as :meth:`thalweg.Materialisation.facts` says it."""
    return {
        (predicate, _arguments(entity)): tuple(map(_interval, intervals))
        for predicate, relation in dataset.items()
        for entity, intervals in relation.items()
        if intervals
    }


def answers_to(rules: Sequence[str], facts: Path | Sequence[str], mode: str = "seminaive") -> Answers:
    """All that follows from rules and facts, according to MeTeoR."""
    dataset = read_facts(facts)
    reason(dataset, read_rules(rules), mode)
    return answers(dataset)


def _arguments(entity: Sequence[Any]) -> tuple[str, ...]:
    names = tuple(term.name for term in entity)
    return () if names == ("nan",) else names  # its way to write an atom without arguments


def _interval(interval: Any) -> Interval:
    start, end = _endpoint(interval.left_value), _endpoint(interval.right_value)
    return Interval(start, end, not interval.left_open, not interval.right_open)


def _endpoint(value: Any) -> Endpoint:
    return float(value) if math.isinf(value) else Fraction(value)


def silence() -> contextlib.AbstractContextManager[Any]:
    """MeTeoR prints a line a round."""
    return contextlib.redirect_stdout(io.StringIO())
