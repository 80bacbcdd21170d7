"""The ground instances of schematic answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from thalweg.model.formula import Value
from thalweg.model.program import Program
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.testing.hypotheses.declarative import Answer, Hypothetical, Supported
from thalweg.testing.hypotheses.delays import future_possible
from thalweg.testing.hypotheses.operational import Row
from thalweg.testing.hypotheses.terms import Known, Pattern, Sum, Term, variables_of


def instances(
    program: Program, row: Row, constants: Iterable[Value], times: Iterable[int], closed: int | None = None
) -> Iterator[Supported]:
    """The ground instances of a row whose hypotheses lie on the given times and have the given constants.

    With ``closed``, those whose hypotheses are future-possible (Definition 1). A time that no hypothesis has is among
    the given ones, too.
    """
    constants, times = tuple(dict.fromkeys(constants)), sorted(times)
    for choice in _choices(row, constants, times):
        ground = row.under(choice, program)
        if ground is None:
            continue
        hypotheses, evidence = (
            frozenset(each.ground() for each in part) for part in (ground.hypotheses, ground.evidence)
        )
        if not all(each.time in times for each in hypotheses):
            continue
        if closed is None or all(future_possible(program, each, closed) for each in hypotheses):
            yield Supported(Answer(*ground.answer.ground()[1:]), hypotheses, evidence)


def all_instances(
    program: Program, rows: Iterable[Row], constants: Iterable[Value], times: Iterable[int], closed: int | None = None
) -> frozenset[Supported]:
    """The ground instances of all rows."""
    constants, times = tuple(constants), tuple(times)
    return frozenset(each for row in rows for each in instances(program, row, constants, times, closed))


def without_evidence(found: Supported) -> Hypothetical:
    """⟨θ, H⟩ of ⟨θ, H, E⟩."""
    return Hypothetical(found.answer, found.hypotheses)


def minimal(found: Iterable[Hypothetical]) -> frozenset[Hypothetical]:
    """Those whose hypotheses do not include all of another one for the same answer, and more."""
    by_answer: dict[Answer, set[frozenset[GroundAtom]]] = {}
    for answer, hypotheses in found:
        by_answer.setdefault(answer, set()).add(hypotheses)
    return frozenset(
        Hypothetical(answer, hypotheses)
        for answer, several in by_answer.items()
        for hypotheses in several
        if not any(other < hypotheses for other in several)
    )


def _choices(row: Row, constants: tuple[Value, ...], times: list[int]) -> Iterator[dict[str, Term]]:
    """Values for all variables: time points for those of times, the constants for the others."""
    atoms = (row.answer, *row.hypotheses)
    points = [term for term in (*(each.time for each in atoms), *row.points) if isinstance(term, Sum)]
    amounts = _amounts(row.hypotheses, points)
    names = sorted(variables_of(atoms) | {point.variable for point in row.points})
    columns: list[list[Term]] = []
    for name in names:
        if name in amounts:
            low, high = min(amounts[name]), max(amounts[name])
            columns.append([Known(Fraction(time)) for time in range(times[0] - high, times[-1] - low + 1)])
        else:
            columns.append([Known(value) for value in constants])
    return (dict(zip(names, choice, strict=True)) for choice in product(*columns))


def _amounts(hypotheses: Iterable[Pattern], points: Iterable[Sum]) -> dict[str, list[int]]:
    """What is added to each temporal variable: in the hypotheses, and elsewhere if it is not in them."""
    found: dict[str, list[int]] = {}
    for atom in hypotheses:
        if isinstance(atom.time, Sum):
            found.setdefault(atom.time.variable, []).append(atom.time.amount)
    for point in points:
        found.setdefault(point.variable, [0])
    return found
