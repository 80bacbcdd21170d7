"""Rows that are not minimal (Definition 2): less than what they await would do for the same answer.

A row awaits H. It is superfluous if an instance of some pattern for the same answer needs, besides what has arrived,
only a part of H. So every candidate assumes that H has come, and looks for instances: rows that are open, and ways for
which nothing has come, are joined with the assumed atoms of the candidate alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.analysis.hypotheses.terms import Shifted, TimedAtom
from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.matching import match_facts, term_codes
from thalweg.engine.hypotheses.pattern_rows import Bound, PatternRows
from thalweg.engine.hypotheses.point_facts import PointFacts, concat_facts
from thalweg.engine.hypotheses.rows import Rows, joined, merge, no_rows
from thalweg.engine.hypotheses.ways import OWNER, ways_to

MOST_ROWS = 1_000_000
"""With more rows to look at, superfluous ones stay: more is open than need be, but nothing is wrong."""


@dataclass(frozen=True)
class Candidates:
    """Rows of one table with all variables bound, and the codes of their answers."""

    pattern: PatternRows
    rows: Rows
    answers: tuple[Ints, ...]


def superfluous(each: Candidates, patterns: Sequence[PatternRows], open_now: Sequence[Mapping[Bound, Rows]]) -> Bools:
    """Which of the candidates are not minimal; ``open_now`` has what is open of each pattern."""
    found = np.zeros(len(each.rows), dtype=np.bool_)
    assumed = _assumed(each)
    for pattern, tables in zip(patterns, open_now, strict=True):
        if pattern.pattern.negated or not len(each.rows):
            continue
        for rows in _instances(pattern, tables, each.answers, assumed):
            complete = pattern.closed(rows.take(pattern.is_complete(rows)))
            found[complete.columns[OWNER][_needs_less(each, pattern, complete)]] = True
    return found


def _assumed(each: Candidates) -> dict[str, PointFacts]:
    """What the candidates await, as facts with the number of the candidate as last argument."""
    parts: dict[str, list[PointFacts]] = {}
    for number, atom in enumerate(each.pattern.pattern.atoms):
        waiting = (~each.rows.has(number)).nonzero()[0]
        rows = each.rows.take(waiting)
        *columns, time = _codes(atom, rows, each.pattern.values)
        parts.setdefault(atom.predicate, []).append(PointFacts((*columns, waiting * 2), time >> 1))
    return {name: concat_facts(several) for name, several in parts.items()}


def _instances(
    pattern: PatternRows, tables: Mapping[Bound, Rows], answers: Sequence[Ints], assumed: Mapping[str, PointFacts]
) -> Iterator[Rows]:
    """Rows of a pattern for the answers of candidates, with all that has arrived or is assumed."""
    ways = ways_to(pattern, answers)
    start = Rows({**ways.rows.columns, OWNER: ways.owner}, ways.rows.matched)
    found: dict[Bound, list[Rows]] = {frozenset(start.variables): [start]}
    for rows in tables.values():
        both = joined(rows, start.columns, len(start))
        found.setdefault(frozenset(both.variables), []).append(both)
    for number, atom in enumerate(pattern.pattern.atoms):
        if atom.predicate not in assumed:
            continue
        owned = TimedAtom(atom.predicate, (*atom.arguments, Shifted(OWNER)), atom.time)
        matches = match_facts(owned, assumed[atom.predicate], pattern.values)
        columns = {**matches.columns, OWNER: matches.columns[OWNER] >> 1}
        for rows in [rows for parts in found.values() for rows in parts]:
            more = joined(rows.take(~rows.has(number)), columns, matches.size).with_atom(number)
            if len(more):
                found.setdefault(frozenset(more.variables), []).append(more)
        found = {bound: [_merged(parts)] for bound, parts in found.items()}
        if sum(len(rows) for parts in found.values() for rows in parts) > MOST_ROWS:
            return
    yield from (rows for parts in found.values() for rows in parts)


def _needs_less(each: Candidates, pattern: PatternRows, instances: Rows) -> Bools:
    """Which instances await only a part of what their candidate does, or as much, on a part of its evidence."""
    candidate = each.rows.take(instances.columns[OWNER])
    size = len(instances)
    theirs = [(atom, _codes(atom, candidate, pattern.values)) for atom in each.pattern.pattern.atoms]
    ours = [(atom, _codes(atom, instances, pattern.values)) for atom in pattern.pattern.atoms]
    covered = [np.zeros(size, dtype=np.bool_) for _ in theirs]
    all_known = np.ones(size, dtype=np.bool_)
    for atom, codes in ours:
        is_known = np.zeros(size, dtype=np.bool_)
        for place, (other, other_codes) in enumerate(theirs):
            if atom.predicate == other.predicate:
                same = np.logical_and.reduce([a == b for a, b in zip(codes, other_codes, strict=True)])
                covered[place] |= same
                is_known |= same
        all_known &= is_known
    fewer_hypotheses, less_evidence = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
    for place, spared in enumerate(~each_covered for each_covered in covered):
        arrived = candidate.has(place)
        fewer_hypotheses |= spared & ~arrived
        less_evidence |= spared & arrived & all_known
    return fewer_hypotheses | less_evidence


def _codes(atom: TimedAtom, rows: Rows, values: Values) -> list[Ints]:
    return [term_codes(term, rows.columns, len(rows), values) for term in atom.terms]


def _merged(parts: Sequence[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    nothing = no_rows(parts[0].variables, parts[0].matched.shape[1])
    return merge(nothing, parts, nothing).rows
