"""Programs of as many rules as one likes, of the kinds that large programs are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def chain(size: int) -> str:
    """Each predicate from the one before."""
    return "".join(f"Ch{i + 1}(X) :- Ch{i}(X).\n" for i in range(size))


def wide(size: int) -> str:
    """Hundreds of rules for each of a few predicates."""
    return "".join(f"Wi{i % 20}(X,Y) :- A{i % 500}(X,Z), B{i % 300}(Z,Y), X != c{i}.\n" for i in range(size))


def metric(size: int) -> str:
    """Operators, negation, comparisons and arithmetic, in layers."""
    forms = (
        "Hot{i}(X) :- boxminus[0,{n}] Temp(X, V), V > {n}.",
        "Calm{i}(X) :- Sensor(X), not Hot{a}(X).",
        "Seen{i}(X) :- diamondminus[0,{n}] (Hot{b}(X), Near(X,Y), Calm{a}(Y)).",
        'Held{i}(X) :- Seen{a}(X) since[1,{n}] Ack(X, "text {i}").',
        "Sum{i}(X,N) :- Held{a}(X), Temp(X,V), N = V * 2 + {i}.",
        "boxplus[0,{n}] Alarm{i}(X) :- Sum{a}(X,N), Held{b}(X), N >= 3.",
    )
    return "".join(forms[i % 6].format(i=i, a=i - 1, b=i - 2, n=2 + i % 50) + "\n" for i in range(size))


def windowed(size: int) -> str:
    """Windows over time and over tuples, aggregates and negation."""
    forms = (
        "La{i}(X) :- window[last {n}] some T{n}(X).",
        "Lb{i}(X) :- window[last {n} tuples] some La{a}(X), not U(X).",
        "Lc{i}(X,N) :- Lb{a}(X), N = count {{ Y : window[last 5] some T1(Y) }}.",
        "Ld{i}(X) :- window[last 9] all Lb{b}(X), V(X).",
    )
    return "".join(forms[i % 4].format(i=i, a=i - 1, b=i - 2, n=2 + i % 30) + "\n" for i in range(size))


def ring(size: int) -> str:
    """One component of all predicates: each reads the next one, and the last the first."""
    return "".join(
        f"Ri{i}(X) :- boxminus[0,1] Ri{(i + 1) % size}(X), diamondminus[0,1] Given(X).\n" for i in range(size)
    )


def knot(size: int) -> str:
    """One component with many cycles, through time and in both directions."""
    names = max(size // 4, 1)
    return "".join(
        f"Kn{i % names}(X,Y) :- Kn{(i * 7 + 1) % names}(X,Z),"
        f" {'diamondplus' if i % 5 == 0 else 'diamondminus'}[{1 + i % 3},{4 + i % 3}] Kn{(i * 13 + 5) % names}(Z,Y).\n"
        for i in range(size)
    )


def existential(size: int) -> str:
    """New values from new values, which comes to an end."""
    return "".join(f"exists Y: Ex{i}(X,Y), Ey{i + 1}(Y) :- Ey{i}(X), D(X).\n" for i in range(size))


def ontology(size: int) -> str:
    """Classes and properties as MeTeoR writes them."""
    forms = (
        "a1:Student{i}(X):-Boxminus[0,2]a1:Person{i}(X),a1:takes{i}(X,Y)",
        "a1:Person{i}(X):-Diamondminus[0,3]a1:Student{a}(X)",
        "a1:knows{i}(X,Y):-a1:Person{a}(X)Since[0,5]a1:meets(X,Y)",
    )
    return "".join(forms[i % 3].format(i=i, a=i - 1) + "\n" for i in range(size))


KINDS: Mapping[str, Callable[[int], str]] = {
    each.__name__: each for each in (chain, wide, metric, windowed, ring, knot, existential, ontology)
}


def program(kind: str, size: int) -> str:
    """A program of one kind, on the integer timeline."""
    return "timeline integer.\n" + KINDS[kind](size)


def mixed(size: int) -> str:
    """A program of all kinds, in equal parts."""
    return "timeline integer.\n" + "".join(make(size // len(KINDS)) for make in KINDS.values())
