"""The part of what is known that a body may read, for the engine to evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat
from thalweg.engine.derive import Range
from thalweg.engine.evaluate import Evaluator
from thalweg.engine.interpretation import Interpretation
from thalweg.explain.atoms import Binding, value_of
from thalweg.explain.known import Known
from thalweg.explain.times import encode_around
from thalweg.model.formula import Formula, HeadTerm, TupleWindow, Windowed, atoms, subformulas
from thalweg.model.reads import places, reads
from thalweg.time.interval import ALWAYS, Interval


@dataclass(frozen=True)
class Reader:
    """Reads what is known: of predicates that are derived together with ``head``, facts before a number only."""

    known: Known
    head: str = ""
    number: int | None = None

    def before(self, predicate: str) -> int | None:
        """The number below which facts of a predicate count; None when all do."""
        return self.number if self.known.are_together(self.head, predicate) else None

    def evaluator(self) -> Evaluator:
        """An evaluator that knows nothing yet."""
        known = self.known
        return Evaluator(Interpretation(), known.values, known.ticks, known.history.timeline)

    def fill(self, evaluator: Evaluator, body: Sequence[Formula], binding: Binding, range_: Range) -> None:
        """Let an evaluator know the facts that a body reads in a range of time, for what the binding says.

        Those in a window over tuples are counted, so all of them matter.
        """
        stretch = self.known.ticks.decode(*range_)
        counted = _counted(body)
        chosen: dict[str, list[Relation]] = {}
        for literal in body:
            for read in reads(literal):
                name = read.atom.predicate
                terms, within = read.atom.arguments, stretch.plus(read.offsets)
                codes = [None if name in counted else self._code(term, binding) for term in terms]
                rows = self.known.coded_rows(name, codes, ALWAYS if name in counted else within, self.before(name))
                chosen.setdefault(name, []).append(rows)
        for name, relations in chosen.items():
            evaluator.interpretation.set(name, coalesce(concat(relations, self.known.arity(name))))
        evaluator.frames.asked_for = self._reference_times(body, stretch)

    def _reference_times(self, body: Sequence[Formula], stretch: Interval) -> Range:
        """The times from which windows are looked at when a body is asked for in a stretch, as a hull."""
        found = [place.at for literal in body for part, place in places(literal) if isinstance(part, Windowed)]
        wanted = stretch
        for offsets in found:
            wanted = wanted.hull(stretch.plus(offsets))
        return encode_around(wanted, self.known.ticks)

    def _code(self, term: HeadTerm, binding: Binding) -> int | None:
        value = value_of(term, binding)
        return None if value is None else self.known.values.code(value)


def _counted(body: Iterable[Formula]) -> set[str]:
    """The predicates in windows over tuples."""
    parts = (part for literal in body for part in subformulas(literal))
    windows = (part for part in parts if isinstance(part, Windowed) and isinstance(part.window, TupleWindow))
    return {atom.predicate for window in windows for atom in atoms(window)}
