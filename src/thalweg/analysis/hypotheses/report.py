"""What is known of a query's hypothetical answers before any data comes, for people and for programs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from thalweg.analysis.hypotheses.patterns import Pattern, Unfolding, answer_names
from thalweg.analysis.hypotheses.promises import Promises, distance, promises
from thalweg.analysis.hypotheses.shard_key import shard_by
from thalweg.analysis.hypotheses.terms import TimedAtom, Value
from thalweg.analysis.hypotheses.unfold import unfold
from thalweg.analysis.hypotheses.written import awaited, bound_by, given, where, written_pattern
from thalweg.analysis.stratification import check_stratified
from thalweg.errors import Diagnostic, ProgramError
from thalweg.model.program import Program
from thalweg.syntax.ast import Role
from thalweg.time.timeline import Timeline

MOST_SHOWN = 20
"""More patterns of one query are counted, not shown."""


@dataclass(frozen=True)
class QueryReport:
    """The patterns of a query and what they promise, or why there are none."""

    query: str
    unfolding: Unfolding | None
    promises: Promises | None
    refused: tuple[Diagnostic, ...] = ()

    def lines(self, most: int | None = MOST_SHOWN) -> Iterator[str]:
        """For people; at most so many patterns."""
        if self.unfolding is None or self.promises is None:
            yield from (_refusal(self.query, each) for each in self.refused)
            return
        yield from _patterns(self.unfolding, most)
        for name, below in self.unfolding.below.items():
            yield f"{name}, under not:"
            yield from (f"  {line}" for line in _patterns(below, most))
        if self.unfolding.patterns:
            yield from (f"  {line}" for line in _promised(self.unfolding, self.promises))

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        refused = [{"code": each.code, "message": each.message, "hint": each.hint} for each in self.refused]
        if self.unfolding is None or self.promises is None:
            return {"query": self.query, "refused": refused}
        return {
            "query": self.query,
            "patterns": [_pattern_json(each) for each in self.unfolding.patterns],
            "under_not": {
                name: [_pattern_json(each) for each in below.patterns] for name, below in self.unfolding.below.items()
            },
            "depth": self.unfolding.depth,
            "delays": dict(_delays(self.unfolding, self.promises)),
            "delay": self.promises.delay,
            "window": self.promises.window,
            "connected": self.unfolding.connected,
            "polynomial": self.promises.polynomial,
            "rows_per_binding": self.promises.rows_per_binding,
            "shards": _shards_json(self.unfolding),
            "refused": refused,
        }


def expects_hypotheses(program: Program) -> bool:
    """Whether a program says of itself that its facts are waited for."""
    is_declared = bool(program.delays or program.probabilities) or program.time_is_last
    return program.timeline is Timeline.INTEGER and is_declared


def report_on(
    program: Program, queries: Sequence[str] = (), depth: int | None = None, otherwise: int = 0
) -> tuple[QueryReport, ...]:
    """The report on some queries, or on the output predicates, or all derived ones where none is declared."""
    return tuple(_report(program, query, depth, otherwise) for query in queries or _asked(program))


def to_text(reports: Iterable[QueryReport], most: int | None = MOST_SHOWN) -> str:
    """The reports under one heading."""
    lines = [f"  {line}" for report in reports for line in report.lines(most)]
    return "\n".join(("hypotheses", *(lines or ["  nothing is derived, so there is nothing to wait for"])))


def _asked(program: Program) -> tuple[str, ...]:
    derived = [name for name in program.predicates if name in program.derived_predicates]
    outputs = [name for name in derived if program.signatures[name].role is Role.OUTPUT]
    return tuple(outputs or derived)


def _report(program: Program, query: str, depth: int | None, otherwise: int) -> QueryReport:
    cycles = tuple(check_stratified(program))
    if cycles:
        return QueryReport(query, None, None, cycles)
    try:
        unfolding = unfold(program, query, depth)
        return QueryReport(query, unfolding, promises(unfolding, otherwise))
    except ProgramError as error:
        return QueryReport(query, None, None, error.diagnostics)


def _refusal(query: str, refused: Diagnostic) -> str:
    name = "" if refused.message.startswith(f"{query} ") else f"{query}: "
    return f"{name}{refused.message} ({refused.code}: {refused.hint})"


def _patterns(unfolding: Unfolding, most: int | None) -> Iterator[str]:
    yield from map(written_pattern, itertools.islice(unfolding.patterns, most))
    if most is not None and len(unfolding.patterns) > most:
        yield f"and {len(unfolding.patterns) - most:,} more patterns of {unfolding.query}; --all shows them"
    if not unfolding.patterns:
        yield f"{unfolding.query}: no derivation of it {'is so short' if unfolding.depth else 'exists'}"
    if unfolding.depth is not None:
        yield f"derivations of {unfolding.query} with more than {unfolding.depth} nested rules are missing"


def _promised(unfolding: Unfolding, promised: Promises) -> Iterator[str]:
    late = [f"{atom} by {delay}" for atom, delay in _delays(unfolding, promised) if delay]
    yield f"late facts: {', '.join(late) or 'none are expected'}"
    yield f"delay: {_delay(unfolding, promised)}"
    yield f"window: {_window(unfolding, promised)}"
    yield f"open: {_open(unfolding, promised)}"
    yield _cost(unfolding, promised)
    yield f"on Spark: {_shards(unfolding)}"


def _delay(unfolding: Unfolding, promised: Promises) -> str:
    if promised.delay is not None:
        return f"answers for t are decided when t{f' + {promised.delay}' * bool(promised.delay)} is over"
    return f"unbounded: {_loose(unfolding)}"


def _loose(unfolding: Unfolding) -> str:
    """An atom whose time the answer does not fix: a variable rather than a constant, which may be harmless."""
    loose = [
        (isinstance(atom.time, Value), f"{pattern.answer} does not fix the time of {atom}")
        for pattern in unfolding.patterns
        for atom in (*pattern.atoms, *pattern.negated)
        if distance(pattern.answer.time, atom.time) is None
    ]
    return min(loose, key=lambda each: each[0])[1]


def _window(unfolding: Unfolding, promised: Promises) -> str:
    if promised.window is not None:
        return f"the evidence of what is open is less than {promised.window} old" if promised.window else _AT_ONCE
    pairs = (
        (one, other)
        for pattern in unfolding.patterns
        for one, other in itertools.product(pattern.atoms, (*pattern.atoms, *pattern.negated))
    )
    one, other = next(pair for pair in pairs if distance(pair[0].time, pair[1].time) is None)
    return f"unbounded: {one} does not fix the time of {other}"


_AT_ONCE = "nothing stays open when its time point is over"


def _open(unfolding: Unfolding, promised: Promises) -> str:
    most = promised.rows_per_binding
    if most is None:
        return "no bound on the rows"
    count = len(unfolding.patterns)
    each = f" of each of the {count:,} patterns" if count > 1 else ""
    names = dict.fromkeys(name for pattern in unfolding.patterns for name in bound_by(pattern))
    bindings = f" for each binding of {', '.join(names)}" if names and count == 1 else " for each binding"
    rows = "1 open row" if most == 1 else f"{most:,} open rows"
    return f"at most {rows}{each}{bindings if names else ''}"


def _cost(unfolding: Unfolding, promised: Promises) -> str:
    if promised.polynomial:
        return "connected, nothing late, no not: a time point costs polynomial time (Proposition 10)"
    reasons = [] if unfolding.connected else ["not connected (Definition 7)"]
    reasons += ["facts may be late"] if any(delay for _, delay in _delays(unfolding, promised)) else []
    reasons += ["not before what rules derive"] if unfolding.below else []
    connected = "connected" if unfolding.connected else ""
    return f"{connected}{', but ' * unfolding.connected}{' and '.join(reasons)}: every partial match is kept as a row"


def _shards(unfolding: Unfolding) -> str:
    sharding = shard_by(unfolding)
    if sharding.position is None:
        return f"on one shard: {sharding.reason}"
    return f"spread by {answer_names(unfolding.program, unfolding.query)[sharding.position]}"


def _shards_json(unfolding: Unfolding) -> dict[str, Any]:
    """Arguments are counted from 1."""
    sharding = shard_by(unfolding)
    by = None if sharding.position is None else sharding.position + 1
    return {"by": by, "keys": {name: key + 1 for name, key in sharding.keys.items()}, "reason": sharding.reason}


def _delays(unfolding: Unfolding, promised: Promises) -> Iterator[tuple[str, int]]:
    """How late the facts of each input atom may be; atoms that differ in time only count once."""
    seen: dict[str, int] = {}
    for each in (unfolding, *unfolding.below.values()):
        for pattern in each.patterns:
            for atom in (*pattern.atoms, *pattern.negated):
                if atom.predicate not in unfolding.below:
                    seen.setdefault(_without_time(atom), promised.delays.longest(atom))
    yield from seen.items()


def _without_time(atom: TimedAtom) -> str:
    return str(atom).removesuffix(f" at {atom.time}")


def _pattern_json(pattern: Pattern) -> dict[str, Any]:
    return {
        "answer": str(pattern.answer),
        "waits_for": awaited(pattern),
        "given": given(pattern),
        "where": where(pattern),
        "rules": [*pattern.rules],
    }
