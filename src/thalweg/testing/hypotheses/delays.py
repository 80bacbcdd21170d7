"""δ: how late facts may arrive, at most (Section 3), and what may still come (Definition 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from thalweg.model.formula import Constant, Term, Value, Variable
from thalweg.model.program import Delay, Program
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.time.interval import Endpoint

_FRESH = "a value that no declaration names"


def delay(program: Program, predicate: str, values: Sequence[Value]) -> Endpoint:
    """δ of the ground atoms with these values.

    Of the declarations that match, those count that are not more general than another one that matches; of these
    the largest. Without any it is 0.
    """
    matching = [each for each in program.delays if each.predicate == predicate and _matches(each, values)]
    most_specific = [each for each in matching if not any(_is_more_general(each, other) for other in matching)]
    return max((each.length for each in most_specific), default=0)


def delay_of_pattern(
    program: Program, predicate: str, terms: Sequence[Term], constants: Iterable[Value] = ()
) -> Endpoint:
    """δ of a non-ground atom: the maximum over its ground instances.

    A variable may stand for any of the constants, for those in the declarations, and for one that nobody names.
    """
    values = {*constants, *_named(program), _FRESH}
    names = list(dict.fromkeys(term.name for term in terms if isinstance(term, Variable)))
    choices = (dict(zip(names, each, strict=True)) for each in product(values, repeat=len(names)))
    return max(delay(program, predicate, [_value(term, choice) for term in terms]) for choice in choices)


def delay_of_predicate(program: Program, predicate: str, arity: int) -> Endpoint:
    """δ(P) = δ(P(X₁, …, Xₙ))."""
    return delay_of_pattern(program, predicate, [Variable(f"X{number}") for number in range(arity)])


def future_possible(program: Program, atom: GroundAtom, closed: int) -> bool:
    """Definition 1: the data stream may still deliver the atom after the slice ``closed``."""
    return closed < atom.time + delay(program, atom.predicate, atom.values)


def _matches(declared: Delay, values: Sequence[Value]) -> bool:
    if declared.arguments is None:
        return True
    pairs = zip(declared.arguments, values, strict=True)
    return all(isinstance(term, Variable) or term.value == value for term, value in pairs)


def _is_more_general(one: Delay, other: Delay) -> bool:
    """Whether one pattern matches all that another matches, and more; both match some ground atom."""
    return _fixed(one) < _fixed(other)


def _fixed(declared: Delay) -> frozenset[int]:
    """The positions that a pattern gives a value."""
    return frozenset(position for position, term in enumerate(declared.arguments or ()) if isinstance(term, Constant))


def _named(program: Program) -> Iterator[Value]:
    for declared in program.delays:
        yield from (term.value for term in declared.arguments or () if isinstance(term, Constant))


def _value(term: Term, choice: dict[str, Value]) -> Value:
    return term.value if isinstance(term, Constant) else choice[term.name]
