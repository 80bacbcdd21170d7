"""Homomorphisms between streams: nulls are mapped to anything, constants and times to themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from thalweg.model.formula import Value
from thalweg.null import Null
from thalweg.testing.lars.answer_sets import TimedAtom

Assignment = Mapping[Null, Value]


def homomorphism(source: Iterable[TimedAtom], target: Iterable[TimedAtom]) -> Assignment | None:
    """Values for the nulls of one stream under which all its atoms are in another; None where there are none.

    A universal model has one into every model: it says no more than follows (LARS+ paper, Definition 3).
    """
    index = _index(target)
    assignment: dict[Null, Value] = {}
    for part in _parts(source):
        found = next(_assignments(part, index, {}), None)
        if found is None:
            return None
        assignment |= found
    return assignment


Index = Mapping[tuple[str, int], list[tuple[Value, ...]]]
"""The arguments of atoms, by predicate and time."""


def _index(atoms: Iterable[TimedAtom]) -> Index:
    index: dict[tuple[str, int], list[tuple[Value, ...]]] = {}
    for predicate, arguments, time in atoms:
        index.setdefault((predicate, time), []).append(arguments)
    return index


def _parts(atoms: Iterable[TimedAtom]) -> list[list[TimedAtom]]:
    """The atoms in parts that share no nulls: each part can be mapped by itself."""
    parts: list[tuple[set[Null], list[TimedAtom]]] = []
    for atom in atoms:
        nulls, members = _nulls(atom), [atom]
        apart = []
        for others, known in parts:
            if nulls & others:
                nulls, members = nulls | others, [*known, *members]
            else:
                apart.append((others, known))
        parts = [*apart, (nulls, members)]
    return [members for _, members in parts]


def _assignments(atoms: list[TimedAtom], index: Index, given: dict[Null, Value]) -> Iterator[dict[Null, Value]]:
    """The extensions of an assignment that map all atoms; what leaves the fewest choices is looked at first."""
    if not atoms:
        yield given
        return
    choices = {atom: list(_images(atom, index, given)) for atom in atoms}
    hardest = min(atoms, key=lambda atom: len(choices[atom]))
    rest = [atom for atom in atoms if atom != hardest]
    for extended in choices[hardest]:
        yield from _assignments(rest, index, extended)


def _images(atom: TimedAtom, index: Index, given: dict[Null, Value]) -> Iterator[dict[Null, Value]]:
    predicate, arguments, time = atom
    for image in index.get((predicate, time), ()):
        extended = dict(given)
        for value, onto in zip(arguments, image, strict=True):
            if (extended.setdefault(value, onto) if isinstance(value, Null) else value) != onto:
                break
        else:
            yield extended


def _nulls(atom: TimedAtom) -> set[Null]:
    return {value for value in atom[1] if isinstance(value, Null)}
