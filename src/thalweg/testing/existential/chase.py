"""The skolem chase of existential rules (LARS+ paper, Appendix B), naively: all rules on all facts, again and again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from thalweg.errors import ThalwegError
from thalweg.model.formula import Constant, Value, Variable
from thalweg.null import Null
from thalweg.testing.existential.shapes import ExistentialRule, PlainAtom, frontier

GroundAtom = tuple[str, tuple[Value, ...]]
"""A predicate and its values."""

MAX_FACTS = 20_000
"""So many facts the chase makes unless it is told otherwise."""
MAX_DEPTH = 30
"""So deeply are nulls made from nulls unless it is told otherwise."""


class EndlessChase(ThalwegError):  # noqa: N818 -- that a chase does not end is no mistake
    """A chase makes more facts than it may, or nulls that are nested too deeply."""


def skolem_chase(
    rules: Sequence[ExistentialRule],
    facts: Iterable[PlainAtom],
    max_facts: int = MAX_FACTS,
    max_depth: int = MAX_DEPTH,
) -> frozenset[GroundAtom]:
    """All facts of the chase; the null n^{r,Z}_{yσ} is ``Null(r, Z, yσ)`` with the rule's place r in ``rules``, from 1.

    Raises :class:`EndlessChase` when there are more than ``max_facts``, or nulls in nulls to more than ``max_depth``: a
    chase that does not end comes to both.
    """
    found = new = {(fact.predicate, _ground(fact, {})) for fact in facts}
    while new:
        if len(found) > max_facts:
            raise EndlessChase(f"the chase has made more than {max_facts} facts")
        if any(isinstance(value, Null) and value.depth > max_depth for _, values in new for value in values):
            raise EndlessChase(f"the chase has made nulls nested more than {max_depth} deep")
        index, changed = _Index(found), {predicate for predicate, _ in new}
        touched = [(place, rule) for place, rule in enumerate(rules, 1) if _reads(rule, changed)]
        new = {atom for place, rule in touched for atom in _consequences(place, rule, index)} - found
        found = found | new
    return frozenset(found)


def has_match(query: Sequence[PlainAtom], facts: Iterable[GroundAtom]) -> bool:
    """Whether a Boolean conjunctive query is true: whether its atoms have a match on the facts."""
    return any(True for _ in _matches(tuple(query), {}, _Index(facts)))


def _reads(rule: ExistentialRule, predicates: Collection[str]) -> bool:
    return any(atom.predicate in predicates for atom in rule.body)


def _consequences(place: int, rule: ExistentialRule, index: _Index) -> Iterator[GroundAtom]:
    given = frontier(rule)
    for match in _matches(tuple(rule.body), {}, index):
        values = tuple(match[variable] for variable in given)
        nulls = {variable: Null(place, variable.name, values) for variable in rule.existential}
        for atom in rule.head:
            yield atom.predicate, _ground(atom, {**match, **nulls})


def _matches(
    atoms: tuple[PlainAtom, ...], match: Mapping[Variable, Value], index: _Index
) -> Iterator[Mapping[Variable, Value]]:
    if not atoms:
        yield match
        return
    first, *others = atoms
    for values in index.fitting(first, match):
        extended = _extended(first, values, match)
        if extended is not None:
            yield from _matches(tuple(others), extended, index)


def _extended(
    atom: PlainAtom, values: tuple[Value, ...], match: Mapping[Variable, Value]
) -> Mapping[Variable, Value] | None:
    extended = dict(match)
    for term, value in zip(atom.arguments, values, strict=True):
        known = term.value if isinstance(term, Constant) else extended.setdefault(term, value)
        if known != value:
            return None
    return extended


def _ground(atom: PlainAtom, match: Mapping[Variable, Value]) -> tuple[Value, ...]:
    return tuple(term.value if isinstance(term, Constant) else match[term] for term in atom.arguments)


@dataclass
class _Index:
    """Facts by predicate and by the values at some positions."""

    facts: Iterable[GroundAtom]
    tables: dict[tuple[str, tuple[int, ...]], dict[tuple[Value, ...], list[tuple[Value, ...]]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self.facts = tuple(self.facts)

    def fitting(self, atom: PlainAtom, match: Mapping[Variable, Value]) -> Sequence[tuple[Value, ...]]:
        """The facts that agree with the atom's constants and with what its variables stand for already."""
        positions, key = [], []
        for position, term in enumerate(atom.arguments):
            if isinstance(term, Constant) or term in match:
                positions.append(position)
                key.append(term.value if isinstance(term, Constant) else match[term])
        name = atom.predicate, tuple(positions)
        if name not in self.tables:
            self.tables[name] = self._table(*name)
        return self.tables[name].get(tuple(key), ())

    def _table(self, predicate: str, positions: tuple[int, ...]) -> dict[tuple[Value, ...], list[tuple[Value, ...]]]:
        table: dict[tuple[Value, ...], list[tuple[Value, ...]]] = {}
        for name, values in self.facts:
            if name == predicate:
                table.setdefault(tuple(values[position] for position in positions), []).append(values)
        return table
