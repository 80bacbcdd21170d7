"""rew(·): LARS+ programs and queries as existential rules (LARS+ paper, Section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thalweg.analysis.existential.lars_plus import (
    AtTime,
    Conjunction,
    LarsPlusAtom,
    LarsPlusProgram,
    LarsPlusRule,
    Now,
    SimpleAtom,
    WindowAll,
    WindowAt,
    WindowSome,
    largest_window,
)
from thalweg.analysis.existential.names import AT_MOST, SUM, FreshVariables, at_name, box_name
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.analysis.existential.time_arithmetic import ArithmeticAtom, AtMost, Sum, TimeTerm, time_point
from thalweg.model.formula import Atom, Constant, Variable

PlainTerm = Variable | Constant

_ZERO, _ONE = time_point(0), time_point(1)
_N, _N1, _C, _C1, _T, _I = (Variable(name) for name in ("N", "N1", "C", "C1", "T", "I"))


def rewrite(program: LarsPlusProgram, queries: Iterable[Conjunction] = ()) -> tuple[ExistentialRule, ...]:
    """rew(P): a rule for each rule, then rules (3) to (8) for ⊤ and every predicate.

    Windows of ``queries`` count for m, too: without them the rules would not fill windows that only a query has.
    """
    window = largest_window((*(rule.body for rule in program.rules), *queries))
    return (
        *map(_rewritten, program.rules),
        ExistentialRule((_at_most(_ZERO, _C),), (_box(None, (), _ZERO, _C),)),
        *_operator_rules(None, 0, window),
        *(rule for name, arity in program.arities for rule in _operator_rules(name, arity, window)),
    )


def rewrite_query(query: Conjunction, time: int) -> tuple[PlainAtom, ...]:
    """rew(q, t): atoms that have a match iff the query has one at the time t."""
    names = FreshVariables(query.variables)
    now, when = names.fresh("C"), time_point(time)
    return (*_conjunction(query, now, names), _at_most(now, when), _at_most(when, now))


def _rewritten(rule: LarsPlusRule) -> ExistentialRule:
    names = FreshVariables(rule.variables)
    now = names.fresh("C")
    body = [*_conjunction(rule.body, now, names), *_inside(rule, names)]
    if not any(now in atom.variables for atom in body):
        body.insert(0, _box(None, (), _ZERO, now))
    head = tuple(_atom(atom, now, names) for atom in rule.head)
    return ExistentialRule(tuple(body), head, rule.existential, rule.number, rule.origin)


def _conjunction(conjunction: Conjunction, now: Variable, names: FreshVariables) -> Iterator[PlainAtom]:
    yield from (_atom(atom, now, names) for atom in conjunction.atoms)
    yield from map(_arithmetic, conjunction.arithmetic)


def _atom(atom: LarsPlusAtom, now: Variable, names: FreshVariables) -> PlainAtom:
    """rew(α) (step 3), where ⊞ⁿ◇p is ⊞ⁿ@_T p with a variable T of its own (step 1)."""
    predicate, arguments = _parts(atom.atom)
    match atom:
        case Now():
            return _box(predicate, arguments, _ZERO, now)
        case AtTime(time=time):
            return _box(predicate, arguments, _ZERO, time)
        case WindowAll(size=size):
            return _box(predicate, arguments, time_point(size), now)
        case WindowAt(size=size, time=time):
            return _at(predicate, arguments, time_point(size), time, now)
        case WindowSome(size=size):
            return _at(predicate, arguments, time_point(size), names.fresh("T"), now)


def _parts(atom: SimpleAtom) -> tuple[str | None, tuple[PlainTerm, ...]]:
    if not isinstance(atom, Atom):
        return None, ()
    return atom.predicate, tuple(term for term in atom.arguments if isinstance(term, Variable | Constant))


def _inside(rule: LarsPlusRule, names: FreshVariables) -> Iterator[PlainAtom]:
    """Atoms that keep heads at a given time point from holding outside the timeline (Definition 2 (i)).

    In one-sorted rules only variables in arithmetic atoms are certain to stand for time points of T; 0 always is one.
    """
    for time in dict.fromkeys(atom.time for atom in rule.head if isinstance(atom, AtTime)):
        if isinstance(time, Constant) and time != _ZERO:
            same = names.fresh("V")
            yield from (_at_most(same, time), _at_most(time, same))


def _operator_rules(predicate: str | None, arity: int, window: int) -> Iterator[ExistentialRule]:
    """Rules (4) to (8), which derive ⟦⊞□p⟧ and ⟦⊞@p⟧ for windows up to m."""
    values = tuple(Variable(f"X{position}") for position in range(1, arity + 1))
    largest = time_point(window)

    def box(size: TimeTerm, now: TimeTerm) -> PlainAtom:
        return _box(predicate, values, size, now)

    def at(size: TimeTerm, time: TimeTerm, now: TimeTerm) -> PlainAtom:
        return _at(predicate, values, size, time, now)

    wider, later = _sum(_N1, _N, _ONE), _sum(_C1, _C, _ONE)
    up_to_largest = _at_most(_N1, largest)
    yield ExistentialRule((box(_ZERO, _ZERO),), (box(largest, _ZERO),))
    yield ExistentialRule((box(_N1, _C), wider), (box(_N, _C),))
    yield ExistentialRule((box(_N, _C), wider, up_to_largest, later, box(_ZERO, _C1)), (box(_N1, _C1),))
    yield ExistentialRule((box(_ZERO, _C),), (at(_ZERO, _C, _C),))
    yield ExistentialRule(
        (at(_N, _T, _C), up_to_largest, wider, _at_most(_I, _ONE), _sum(_C1, _C, _I)), (at(_N1, _T, _C1),)
    )


def _box(predicate: str | None, arguments: tuple[PlainTerm, ...], size: TimeTerm, now: TimeTerm) -> PlainAtom:
    return PlainAtom(box_name(predicate), (*arguments, size, now))


def _at(
    predicate: str | None, arguments: tuple[PlainTerm, ...], size: TimeTerm, time: TimeTerm, now: TimeTerm
) -> PlainAtom:
    return PlainAtom(at_name(predicate), (*arguments, size, time, now))


def _arithmetic(atom: ArithmeticAtom) -> PlainAtom:
    match atom:
        case AtMost(left, right):
            return _at_most(left, right)
        case Sum(result, left, right):
            return _sum(result, left, right)


def _at_most(left: TimeTerm, right: TimeTerm) -> PlainAtom:
    return PlainAtom(AT_MOST, (left, right))


def _sum(result: TimeTerm, left: TimeTerm, right: TimeTerm) -> PlainAtom:
    return PlainAtom(SUM, (result, left, right))
