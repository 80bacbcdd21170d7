"""Ways to an answer that has no row of its own: without evidence, or with that of more general rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.analysis.hypotheses.terms import Value
from thalweg.columnar.arrays import Ints
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.pattern_rows import PatternRows
from thalweg.engine.hypotheses.rows import Rows, joined

OWNER = "owner#"
"""In place of a variable: for which answer a row is looked at."""


@dataclass(frozen=True)
class Ways:
    """Instances of a pattern for given answers, as rows; ``owner`` says for which of the answers."""

    pattern: PatternRows
    rows: Rows
    owner: Ints

    @property
    def until(self) -> Ints:
        """Until when each may still be completed."""
        return self.pattern.expiry(self.rows)

    def with_evidence(self, rows: Rows, *, contradicted: bool = False) -> Ways:
        """The ways that are instances of some rows, too, with the evidence of these."""
        both = joined(rows, {**self.rows.columns, OWNER: self.owner}, len(self.owner))
        return _owned(self.pattern, self.pattern.closed(both, contradicted=contradicted))


def ways_to(pattern: PatternRows, answers: Sequence[Ints], *, contradicted: bool = False) -> Ways:
    """The pattern under answers, which have the same terms unbound; only where its conditions allow it.

    With ``contradicted``, also where a fact of a negated atom does not.
    """
    size = len(answers[0])
    keep = np.ones(size, dtype=np.bool_)
    columns: dict[str, Ints] = {OWNER: np.arange(size)}
    for term, codes in zip(pattern.pattern.answer.terms, answers, strict=True):
        if not size or codes[0] == UNBOUND:
            continue
        if isinstance(term, Value):
            keep &= codes == pattern.values.code(term.value)
            continue
        if term.offset:
            keep &= codes & 1 == 0
        column = codes - 2 * term.offset
        if term.variable in columns:
            keep &= columns[term.variable] == column
        columns.setdefault(term.variable, column)
    rows = Rows(columns, np.zeros((size, pattern.words), dtype=np.int64)).take(keep)
    return _owned(pattern, pattern.closed(rows, contradicted=contradicted))


def _owned(pattern: PatternRows, rows: Rows) -> Ways:
    columns = {name: column for name, column in rows.columns.items() if name != OWNER}
    return Ways(pattern, Rows(columns, rows.matched), rows.columns[OWNER])
