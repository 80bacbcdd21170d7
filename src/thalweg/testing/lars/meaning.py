"""What a formula means in a stream: the points of the timeline at which it is entailed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction

from thalweg.model.formula import At, BoxMinus, BoxPlus, Formula, Value
from thalweg.testing.cells import Cells, Grid, cell_numbers
from thalweg.testing.grounding import EMPTY, Grounding, Interpretation, value_of
from thalweg.testing.lars.entailment import entails
from thalweg.testing.lars.stream import Stream, valuation
from thalweg.testing.lars.structure import Structure
from thalweg.testing.meaning import Meaning, Meanings
from thalweg.testing.scope import free_names
from thalweg.testing.values import Substitution
from thalweg.time.interval import Interval, point


class LarsMeanings(Meanings):
    """The meanings of formulas in S*, on a grid whose cells are the points of T.

    ``background`` are the predicates declared so. The structure is that of the interpretation when it was last
    looked at.
    """

    def __init__(
        self, grid: Grid, interpretation: Interpretation, constants: Iterable[Value], background: Collection[str]
    ) -> None:
        super().__init__(grid, interpretation, constants)
        self.background = background
        self.look()

    def look(self) -> None:
        """Take the interpretation as it is now."""
        first = int(self.grid.start)
        tuples = (
            (first + cell, (predicate, arguments))
            for predicate, relation in self.interpretation.items()
            if predicate not in self.background
            for arguments, cells in relation.items()
            for cell in cell_numbers(cells)
        )
        static = {name: frozenset(self.interpretation.get(name, ())) for name in self.background}
        stream = Stream(first, first + self.grid.count - 1, valuation(tuples))
        self.structure = Structure(stream, static, self.constants)

    def of(self, formula: Formula) -> Meaning:
        """The points at which a body literal is entailed (LARS paper, Definition 7)."""
        names = free_names([formula])
        known: dict[tuple[Structure, tuple[Value, ...]], Cells] = {}

        def holds(substitution: Substitution) -> Cells:
            key = (self.structure, tuple(substitution[name] for name in names))
            if key not in known:
                known[key] = self._points(formula, substitution)
            return known[key]

        return holds

    def of_head(self, head: Formula) -> Callable[[Substitution, Cells], Cells]:
        """Where the head's atom must hold, given where the body does; outside the timeline nothing is asked for."""
        if isinstance(head, At):
            return lambda substitution, body: self._point(value_of(head.time, substitution)) if body else 0
        distances = _distances(head)
        return lambda _, body: self._shifted(body, distances) if distances else 0

    def substitutions(self, grounding: Grounding, given: Substitution = EMPTY) -> Iterator[Substitution]:
        """The substitutions that the structure leaves possible."""
        return grounding.substitutions(self.structure, given)

    def _points(self, formula: Formula, substitution: Substitution) -> Cells:
        stream = self.structure.stream
        entailed = (entails(self.structure, stream, time, formula, substitution) for time in stream.timeline)
        return sum(1 << cell for cell, true in enumerate(entailed) if true)

    def _shifted(self, body: Cells, distances: Interval) -> Cells:
        cells = 0
        for cell in cell_numbers(body):
            cells |= self.grid.cells_of(point(self.grid.start + cell).plus(distances))
        return cells

    def _point(self, time: Value) -> Cells:
        if not isinstance(time, Fraction) or time.denominator != 1:
            return 0
        return self.grid.cells_of(point(time))


def _distances(head: Formula) -> Interval | None:
    """How far from the body's time what stands under the boxes of a head must hold; None: nowhere."""
    if not isinstance(head, BoxPlus | BoxMinus):
        return point(0)
    inner, own = _distances(head.operand), head.interval.to_integers()
    if inner is None or own is None:
        return None
    return inner.plus(own) if isinstance(head, BoxPlus) else inner.minus(own)
