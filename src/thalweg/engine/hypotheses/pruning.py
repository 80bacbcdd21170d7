"""Open answers that are given up because they are unlikely, or too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.matching import occurs_in
from thalweg.engine.hypotheses.confidence import Confidence, Floats
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.memory import Memory, alike
from thalweg.engine.hypotheses.news import Table
from thalweg.engine.hypotheses.pattern_rows import NEVER, Bound, PatternRows
from thalweg.engine.hypotheses.rows import Rows


@dataclass(frozen=True)
class Pruning:
    """Which open answers are given up: those less likely than ``least``, and the least likely beyond ``most``."""

    least: float = 0.0
    most: int | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is given up."""
        return self.least <= 0 and self.most is None


@dataclass
class GivenUp:
    """Which rows were given up: their bindings are remembered for as long as facts may come that would make them again.

    Such a row would await what has come already, since only rows know what has. ``answers`` are those of such rows:
    they may be true though no row for them is left. ``delay`` is that of the query.
    """

    pruning: Pruning
    patterns: Sequence[PatternRows]
    confidence: Confidence
    answers: Memory
    delay: int | None
    count: int = 0
    memories: dict[tuple[int, Bound], Memory] = field(default_factory=dict)

    def contains(self, pattern: PatternRows, rows: Rows) -> Bools:
        """Which rows were given up, or extend one that was."""
        found = np.zeros(len(rows), dtype=np.bool_)
        if not self.memories:
            return found
        number = self._number(pattern)
        for (of_pattern, bound), memory in self.memories.items():
            if of_pattern == number and bound.issubset(rows.variables):
                found |= memory.contains(rows.pick(sorted(bound)), len(rows))
        return found

    def sort_out(self, tables: Sequence[Table], rows: list[Bools], closed: int) -> tuple[list[Bools], list[Bools]]:
        """The rows that stay, and those that are given up."""
        if self.pruning.is_idle:
            return rows, [np.zeros(len(each), dtype=np.bool_) for each in rows]
        likely = [self.confidence.of_rows(table.pattern, table.rows, closed) for table in tables]
        kept = [keep & ~(each < self.pruning.least) for keep, each in zip(rows, likely, strict=True)]
        if self.pruning.most is not None:
            kept = _likeliest(kept, likely, self.pruning.most)
        unlikely = [before & ~after for before, after in zip(rows, kept, strict=True)]
        for table, gone in zip(tables, unlikely, strict=True):
            self._add(table, gone)
        return kept, unlikely

    def concerns(self, answers: Sequence[Ints], size: int) -> Bools:
        """For which answers, or for a more general one, a row was given up."""
        found = np.zeros(size, dtype=np.bool_)
        for known in alike(self.answers.columns):
            places = [place for place, column in enumerate(known) if column[0] != UNBOUND]
            columns = [known[place] for place in places]
            found |= occurs_in([answers[place] for place in places], columns, (size, len(known[0])))
        return found

    def forget(self, closed: int) -> None:
        """Forget what can no longer come up."""
        self.answers.forget(closed)
        for memory in self.memories.values():
            memory.forget(closed)

    def _add(self, table: Table, rows: Bools) -> None:
        if not rows.any():
            return
        self.count += int(rows.sum())
        taken = table.rows.take(rows)
        place = self._number(table.pattern), table.bound
        memory = self.memories.setdefault(place, Memory.empty(len(table.bound)))
        memory.add(taken.pick(sorted(table.bound)), table.pattern.repeatable(taken))
        self._doubt([column[rows] for column in table.answers])

    def _doubt(self, answers: Sequence[Ints]) -> None:
        new = ~self.answers.contains(answers, len(answers[-1]))
        times = answers[-1][new]
        until = np.full(len(times), NEVER, dtype=np.int64)
        if self.delay is not None:
            until = np.where(times == UNBOUND, NEVER, (times >> 1) + self.delay)
        self.answers.add([column[new] for column in answers], until)

    def _number(self, pattern: PatternRows) -> int:
        return next(number for number, each in enumerate(self.patterns) if each is pattern)


def _likeliest(rows: Sequence[Bools], likely: Sequence[Floats], most: int) -> list[Bools]:
    """The likeliest of the rows; what is not known counts as least likely."""
    counts = [int(keep.sum()) for keep in rows]
    if sum(counts) <= most:
        return [*rows]
    chances = np.concatenate([np.nan_to_num(each[keep], nan=-1.0) for each, keep in zip(likely, rows, strict=True)])
    chosen = np.zeros(sum(counts), dtype=np.bool_)
    chosen[np.argsort(-chances, kind="stable")[:most]] = True
    found = []
    for keep, part in zip(rows, np.split(chosen, np.cumsum(counts)[:-1]), strict=True):
        stays = keep.copy()
        stays[keep.nonzero()[0][~part]] = False
        found.append(stays)
    return found
