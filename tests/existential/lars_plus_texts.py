"""Small LARS+ programs, queries and streams as texts, made at random; a seed always makes the same."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

GIVEN = {"a": 1, "b": 2}
ALWAYS = {"k": 1}
DERIVED = {"p": 1, "q": 2, "r": 1, "z": 0}
DECLARATIONS = (
    *(f"input {name}({', '.join('xy'[:arity])})." for name, arity in GIVEN.items()),
    "background k(x).",
    *(f"predicate {name}({', '.join('xy'[:arity])})." for name, arity in DERIVED.items()),
)
VALUES = ("u", "u", "v", "1")


@dataclass(frozen=True)
class Case:
    """A program on the timeline [0, horizon], a query for the same, and facts."""

    horizon: int
    rules: tuple[str, ...]
    query: str
    facts: str

    @property
    def program(self) -> str:
        """The text of the program."""
        return "\n".join((f"timeline integer from 0 to {self.horizon}.", *DECLARATIONS, *self.rules))

    def __str__(self) -> str:
        return f"{self.program}\n{self.query}\n{self.facts}"


def random_case(seed):
    """Programs that may invent values without end; most do not."""
    random = Random(seed)
    horizon = random.randint(0, 5)
    rules = tuple(_rule(random, horizon) for _ in range(random.randint(2, 4)))
    body = _body(random, horizon)
    return Case(horizon, rules, f"hit :- {', '.join(body.literals)}.", _stream(random, horizon))


@dataclass
class _Body:
    """The literals of a body, and the variables that they give a value."""

    literals: list[str]
    values: list[str]
    times: list[str]


def _rule(random, horizon):
    body = _body(random, horizon)
    terms = [*body.values, *random.choice([[], [], ["u"]])]
    new = random.choice([["N1"], [], ["N1", "N2"]])
    heads = [_head(random, horizon, terms, new, body.times) for _ in range(random.randint(1, 2))]
    used = [name for name in new if any(name in head for head in heads)]
    exists = f"exists {', '.join(used)}: " if used else ""
    return f"{exists}{', '.join(heads)} :- {', '.join(body.literals)}."


def _head(random, horizon, terms, new, times):
    predicate = random.choice([name for name in [*DERIVED, "p", "q", "q"] if terms or new or not DERIVED[name]])
    arguments = [random.choice([*terms, *new, *new]) for _ in range(DERIVED[predicate])]
    atom = _atom(predicate, arguments)
    forms = [atom, f"{atom} at {random.randint(0, horizon + 1)}"]
    for time in times:
        forms += [f"{atom} at {time}", f"{atom} at {time} + {random.randint(1, 2)}", f"{atom} at {time} - 1"]
    return random.choice(forms)


def _body(random, horizon):
    body = _Body([], [], [])
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        _add_atom(random, body, horizon)
    if body.times:
        for _ in range(random.randint(0, 2)):
            _add_arithmetic(random, body, horizon)
    return body


def _add_atom(random, body, horizon):
    arities = {**GIVEN, **ALWAYS, **DERIVED, "top": 0}
    predicate = random.choice([*arities, *"aabppqq"])
    names = random.sample("XY", 2) if random.random() < 0.8 else [random.choice(["X", "_", "u"]) for _ in "XY"]
    arguments = names[: arities[predicate]]
    body.values += [name for name in arguments if name in ("X", "Y") and name not in body.values]
    atom = _atom(predicate, arguments)
    time = random.choice(["T", "S", str(random.randint(0, horizon))])
    window = f"window[last {random.randint(0, horizon + 2)}]"
    forms = (atom, f"{atom} at {time}", f"{window} some {atom}", f"{window} all {atom}", f"{window} ({atom} at {time})")
    literal = random.choice([*forms, *forms[1:], f"{window} {atom}"])
    if f"at {time}" in literal and time in ("T", "S") and time not in body.times:
        body.times.append(time)
    body.literals.append(literal)


def _add_arithmetic(random, body, horizon):
    first, second, third = (random.choice(body.times) for _ in range(3))
    amount = random.randint(0, horizon + 1)
    fresh = f"T{len(body.literals)}"
    sums = (f"{fresh} = {first} + {amount}", f"{fresh} = {first} - {amount}", f"{fresh} = {first} + {second}")
    compared = (
        f"{first} <= {second}",
        f"{first} < {second} + {amount}",
        f"{first} + {amount} <= {second}",
        f"{first} > {amount}",
        f"{first} >= {amount} - {second}",
        f"{first} + {second} <= {third}",
        f"{first} <= {second} + {third}",
        f"{first} + {second} = {amount}",
        f"{amount} >= {first}",
        f"{first} = {second}",
        f"{first} = {amount}",
        f"{first} - {second} = {third}",
        f"{first} = 2 * {second}",
    )
    literal = random.choice([*sums, *sums, *compared])
    body.literals.append(literal)
    if literal in sums:
        # A time variable stands after at somewhere: here, if not in the head.
        body.literals.append(f"top at {fresh}")
        body.times.append(fresh)


def _stream(random, horizon):
    lines = [f"k({value})" for value in random.sample(VALUES[1:], random.randint(0, 2))]
    arities = {**GIVEN, "p": 1}
    for _ in range(random.randint(3, 8)):
        predicate = random.choice([*arities, *GIVEN])
        arguments = [random.choice(VALUES) for _ in range(arities[predicate])]
        start = random.randint(0, horizon)
        lines.append(f"{_atom(predicate, arguments)}@[{start},{random.randint(start, horizon)}]")
    return "\n".join(lines)


def _atom(predicate, arguments):
    return f"{predicate}({', '.join(arguments)})" if arguments else predicate
