"""rew(D) and rew(T): a data stream and a timeline as facts (LARS+ paper, Section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from thalweg.analysis.existential.names import AT_MOST, SUM, box_name
from thalweg.analysis.existential.rules import PlainAtom
from thalweg.analysis.existential.time_arithmetic import time_point
from thalweg.model.formula import Constant, Variable
from thalweg.model.program import Fact
from thalweg.time.interval import Interval


def stream_facts(facts: Iterable[Fact], horizon: int) -> Iterator[PlainAtom]:
    """rew(D) on the timeline [0, h]: ⟦⊞□p⟧(t, 0, s) for each time point s of it at which p(t) holds.

    What holds always, as background does, holds at all of them.
    """
    timeline = Interval(Fraction(0), Fraction(horizon))
    for fact in facts:
        arguments = tuple(term for term in fact.atom.arguments if isinstance(term, Constant))
        inside = fact.interval.intersection(timeline)
        held = inside and inside.to_integers()
        if held is not None:
            for time in range(int(held.start), int(held.end) + 1):
                yield PlainAtom(box_name(fact.atom.predicate), (*arguments, time_point(0), time_point(time)))


def timeline_facts(conjunctions: Iterable[Sequence[PlainAtom]], horizon: int) -> tuple[PlainAtom, ...]:
    """rew(T) for T = [0, h]: the true instances, with values from T, of the arithmetic atoms in bodies and queries.

    Of C' = C + I beside I ≤ 1 only instances with I ≤ 1 can be of use, so only these are given: there are h of them
    where there would be h².
    """
    found = {instance for atoms in conjunctions for instance in _instances(atoms, horizon)}
    return tuple(PlainAtom(name, tuple(map(time_point, times))) for name, times in sorted(found))


def _instances(atoms: Sequence[PlainAtom], horizon: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    ranges = _ranges(atoms, horizon)

    def values(term: Variable | Constant) -> range:
        if isinstance(term, Variable):
            return ranges[term]
        return range(_number(term), min(_number(term), horizon) + 1)

    for atom in atoms:
        match atom:
            case PlainAtom(predicate=name, arguments=(left, right)) if name == AT_MOST:
                for first, second in product(values(left), values(right)):
                    if first <= second:
                        yield name, (first, second)
            case PlainAtom(predicate=name, arguments=(result, left, right)) if name == SUM:
                for first, second in product(values(left), values(right)):
                    if first + second in values(result):
                        yield name, (first + second, first, second)


def _ranges(atoms: Sequence[PlainAtom], horizon: int) -> dict[Variable, range]:
    """Which time points the variables can stand for, as far as single atoms with a constant say."""
    ranges = {variable: range(horizon + 1) for atom in atoms for variable in atom.variables}
    for atom in atoms:
        match atom:
            case PlainAtom(predicate=name, arguments=(Variable() as variable, Constant() as most)) if name == AT_MOST:
                before = ranges[variable]
                ranges[variable] = range(before.start, min(before.stop, _number(most) + 1))
            case PlainAtom(predicate=name, arguments=(Constant() as least, Variable() as variable)) if name == AT_MOST:
                before = ranges[variable]
                ranges[variable] = range(max(before.start, _number(least)), before.stop)
    return ranges


def _number(constant: Constant) -> int:
    return int(constant.value)
