"""Random programs of many joins over few values: what they derive depends on which facts meet.

The generated programs of :mod:`thalweg.testing.strategies` are about operators and times; here predicates share
variables in all ways, read each other in chains and cycles, and nearly always find partners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

INPUTS = {"A": 1, "B": 1, "D": 2, "E": 2, "F": 3, "O": 0}
VALUES = "abcdefg"
_VARIABLES = "XYZW"
_WRAPPERS = ("{0}", "{0}", "{0}", "{0}", "diamondminus[0,2] {0}", "boxminus[0,1] {0}", "{1} since[0,3] {0}")


def random_program(random: Random) -> str:
    """Two to six predicates, each derived by one to three rules from inputs, earlier predicates and itself."""
    known = dict(INPUTS)
    lines = []
    for number in range(random.randint(2, 6)):
        name = f"P{number}"
        arity = random.choice((1, 1, 2, 2, 2, 3, 0)) if number else 2
        group = {name: arity, f"Q{number}": arity} if random.random() < 0.2 else {name: arity}
        for head in group:
            lines += [_rule(random, head, arity, known, {}) for _ in range(random.choice((1, 1, 2)))]
            lines += [_rule(random, head, arity, known, group)] * (len(group) > 1 or random.random() < 0.3)
        known |= group
    lines += [f"⊥ :- {_body(random, known, {})[0]}." for _ in range(random.choice((0, 0, 1, 2)))]
    return "\n".join(lines)


def random_facts(random: Random) -> Iterator[str]:
    """Facts of the inputs, most of which hold at the same time as most others."""
    for name, arity in INPUTS.items():
        for _ in range(random.randint(2, 4) * (1 + 2 * arity)):
            start = random.randint(0, 6)
            yield f"{_atom(name, random.choices(VALUES, k=arity))}@[{start},{start + random.randint(2, 9)}]"


def _rule(random: Random, head: str, arity: int, known: dict[str, int], own: dict[str, int]) -> str:
    body, bound = _body(random, known, own)
    terms = [random.choice(bound) if bound and random.random() < 0.95 else random.choice("abc") for _ in range(arity)]
    return f"{_atom(head, terms)} :- {body}."


def _body(random: Random, known: dict[str, int], own: dict[str, int]) -> tuple[str, Sequence[str]]:
    """One to three literals, and the variables that they bind; what is derived here is read at the same time only."""
    recent, count = list(known)[-3:], random.choice((2, 2, 3, 4))
    names = [
        random.choice(recent if random.random() < 0.6 else list(known)) for _ in range(random.choice((1, 2, 2, 3)))
    ]
    names += [random.choice(list(own))] if own else []
    terms = [random.choices(_VARIABLES[:count], k=own.get(name, known.get(name))) for name in names]
    bound = [variable for variable in _VARIABLES if any(variable in each for each in terms)]
    literals = [
        _atom(name, each)
        if name in own
        else random.choice(_WRAPPERS).format(_atom(name, each), _over(random, bound, known))
        for name, each in zip(names, terms, strict=True)
    ]
    if random.random() < 0.25:
        literals.append(f"not {_over(random, bound, known)}")
    return ", ".join(literals), bound


def _over(random: Random, bound: Sequence[str], known: dict[str, int]) -> str:
    """An atom over bound variables."""
    names = [name for name, arity in known.items() if bound or not arity]
    name = random.choice(names)
    return _atom(name, random.choices(bound, k=known[name]) if known[name] else ())


def _atom(name: str, terms: Sequence[str]) -> str:
    return f"{name}({','.join(terms)})" if terms else name
