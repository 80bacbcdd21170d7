"""What a batch means for answers: an answer may have several rows, and is told of once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.columnar.arrays import Bools, Ints
from thalweg.columnar.matching import group_numbers
from thalweg.engine.hypotheses.changes import Change, Status
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.memory import Memory
from thalweg.engine.hypotheses.pattern_rows import Bound, PatternRows
from thalweg.engine.hypotheses.rows import Merged, Rows


@dataclass(frozen=True)
class Table:
    """The rows of one table while a batch is worked in; ``answers`` are the codes of the query's terms."""

    pattern: PatternRows
    bound: Bound
    merged: Merged
    answers: tuple[Ints, ...]
    alive: Bools

    @property
    def rows(self) -> Rows:
        """All rows."""
        return self.merged.rows

    def is_more_general(self, answers: Sequence[Ints]) -> bool:
        """Whether answers, which have the same terms unbound, may be instances of those of the rows."""
        pairs = zip(self.answers, answers, strict=True)
        return all(bool(ours[0] == UNBOUND) or bool(theirs[0] != UNBOUND) for ours, theirs in pairs)

    def change(self, status: Status, rows: Bools | Ints) -> Change:
        """Some rows with a status."""
        return Change(status, self.pattern, self.rows.take(rows), tuple(column[rows] for column in self.answers))


class News:
    """The answers of all tables by number: ``answers`` has one for every row, equal for equal answers.

    ``lapsed`` are answers that are open though they have no row.
    """

    def __init__(self, tables: Sequence[Table], injective: bool, lapsed: Memory) -> None:
        self.tables = tables
        self.answers = _numbers(tables, injective)
        self._size = 1 + max((int(numbers.max()) for numbers in self.answers if len(numbers)), default=0)
        self._confirmed = np.zeros(self._size, dtype=np.bool_)
        before = [table.merged.before >= 0 for table in tables]
        if len(lapsed):
            before = [
                rows | lapsed.contains(table.answers, len(rows)) for rows, table in zip(before, tables, strict=True)
            ]
        self._known = self.having(before)
        self._told = np.zeros(self._size, dtype=np.bool_)

    def confirmed(self, number: int, rows: Bools) -> Iterator[Change]:
        """Answers of one table that have become true, each once."""
        chosen = self._first(number, rows & ~self._confirmed[self.answers[number]])
        if len(chosen):
            self._confirmed[self.answers[number][chosen]] = True
            yield self.tables[number].change(Status.CONFIRMED, chosen)

    def is_confirmed(self, number: int) -> Bools:
        """Which rows of a table have an answer that is true."""
        return self._confirmed[self.answers[number]]

    def open(self, kept: Sequence[Bools]) -> Iterator[Change]:
        """Rows that are new or have grown: the first of an answer opens it, others extend it."""
        for number, (table, keep) in enumerate(zip(self.tables, kept, strict=True)):
            news = keep & table.merged.grown
            if not news.any():
                continue
            opening = self._first(number, news & ~(self._known | self._told)[self.answers[number]])
            self._told[self.answers[number][opening]] = True
            news[opening] = False
            if len(opening):
                yield table.change(Status.OPENED, opening)
            if news.any():
                yield table.change(Status.EXTENDED, news)

    def gone(self, status: Status, rows: Sequence[Bools], kept: Sequence[Bools]) -> Iterator[Change]:
        """Answers that were open and have no row any more, by one of the rows that went last.

        A row that goes as it comes may lack an atom that came before, with a row that went then: others are preferred.
        """
        over = self._known & ~self.having(kept) & ~self._confirmed & ~self._told
        for oldest in (0, -1):
            for number, (table, went) in enumerate(zip(self.tables, rows, strict=True)):
                chosen = self._first(number, went & (table.merged.before >= oldest) & over[self.answers[number]])
                if len(chosen):
                    over[self.answers[number][chosen]] = False
                    self._told[self.answers[number][chosen]] = True
                    yield table.change(status, chosen)

    def keeping(self, kept: Sequence[Bools], before: Sequence[Bools]) -> list[Bools]:
        """The rows to keep, and one more for every answer that is open and would lose all of its rows."""
        missing = self._known & self.having(before) & ~self.having(kept)
        found = []
        for number, (rows, all_rows) in enumerate(zip(kept, before, strict=True)):
            chosen = self._first(number, all_rows & missing[self.answers[number]])
            missing[self.answers[number][chosen]] = False
            rows = rows.copy()
            rows[chosen] = True
            found.append(rows)
        return found

    def _first(self, number: int, rows: Bools) -> Ints:
        """The first of the chosen rows for each answer."""
        chosen = rows.nonzero()[0]
        if not len(chosen):
            return chosen
        _, first = np.unique(self.answers[number][chosen], return_index=True)
        return chosen[np.sort(first)]

    def having(self, rows: Sequence[Bools]) -> Bools:
        """By number, which answers have one of the rows."""
        found = np.zeros(self._size, dtype=np.bool_)
        for numbers, chosen in zip(self.answers, rows, strict=True):
            found[numbers[chosen]] = True
        return found


def _numbers(tables: Sequence[Table], injective: bool) -> list[Ints]:
    sizes = [len(table.rows) for table in tables]
    if injective or not tables:
        return [np.arange(start, end) for start, end in itertools.pairwise(np.cumsum([0, *sizes]))]
    columns = zip(*(table.answers for table in tables), strict=True)
    numbers = group_numbers([np.concatenate(parts) for parts in columns], sum(sizes))
    return np.split(numbers, np.cumsum(sizes)[:-1])
