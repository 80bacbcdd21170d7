"""Programs and facts in MeTeoR's syntax, from a seed.

Recursion is guarded by facts that end, so that both systems come to an end without bounds on time. A body
has at most one since or until: MeTeoR cannot read two side by side.
"""

import random
import re
from fractions import Fraction
from typing import NamedTuple

INPUTS = {"A": 1, "B": 1, "C": 2, "D": 0, "E": 4}
GUARD = "G(X)"
UNARY = ("Boxminus", "Boxplus", "Diamondminus", "Diamondplus")
BINARY = ("Since", "Until")


class Case(NamedTuple):
    rules: list[str]
    facts: list[str]


def generate(seed: int) -> Case:
    """One to four predicates, each with one or two rules, and some facts of every input predicate."""
    write = _Writer(random.Random(seed))
    rules = [rule for number in range(write.random.randint(1, 4)) for rule in write.rules_for(f"P{number}")]
    return Case(rules, write.facts())


class _Writer:
    def __init__(self, generator: random.Random) -> None:
        self.random = generator
        self.known = dict(INPUTS)

    def rules_for(self, head: str) -> list[str]:
        rules = [self._rule(head, recursive=False)]
        if self._chance(0.4):
            rules.append(self._rule(head, recursive=self._chance(0.5)))
        self.known[head] = 1
        return rules

    def facts(self) -> list[str]:
        return [
            f"{self._ground(name, arity)}@{self._interval(-3, 10, infinite=name != 'G')}"
            for name, arity in (INPUTS | {"G": 1}).items()
            for _ in range(self.random.randint(2, 6))
        ]

    def _rule(self, head: str, recursive: bool) -> str:
        body = [self._literal() for _ in range(self.random.randint(1, 3))]
        if self._chance(0.3):
            body.append(f"{self._atom()} {self.random.choice(BINARY)}{self._range(3)}{self._atom()}")
        if recursive:
            body += [f"{self._operators()}{head}(X)", GUARD]
        body += [f"{self.random.choice('AB')}({name})" for name in _unbound(body)]
        box = f"{self.random.choice(UNARY[:2])}{self._range(2)}" if self._chance(0.2) else ""
        return f"{box}{head}(X):-{','.join(body)}"

    def _literal(self) -> str:
        return self._operators() + self._atom()

    def _operators(self) -> str:
        depth = self.random.choice([0, 0, 1, 1, 1, 2])
        return "".join(self.random.choice(UNARY) + self._range(3) for _ in range(depth))

    def _atom(self) -> str:
        names = [name for name in self.known if name != "E" or self._chance(0.3)]
        name = self.random.choice(names)
        arguments = ",".join(self.random.choice("XXXXYYa") for _ in range(self.known[name]))
        return f"{name}({arguments})" if arguments else name

    def _ground(self, name: str, arity: int) -> str:
        arguments = ",".join(self.random.choice("ab") for _ in range(arity))
        return f"{name}({arguments})" if arguments else name

    def _range(self, most: int) -> str:
        """The interval of an operator."""
        return self._interval(0, most, infinite=False)

    def _interval(self, low: int, high: int, infinite: bool) -> str:
        step = self.random.choice([1, 1, 2, 4])
        start, end = sorted(Fraction(self.random.randint(low * step, high * step), step) for _ in range(2))
        if start == end or self._chance(0.15):
            return f"[{float(start):g},{float(start):g}]"
        left, right = self.random.choice("[("), self.random.choice("])")
        if infinite and self._chance(0.05):
            return f"(-inf,{float(end):g}{right}"
        if infinite and self._chance(0.05):
            return f"{left}{float(start):g},+inf)"
        return f"{left}{float(start):g},{float(end):g}{right}"

    def _chance(self, share: float) -> bool:
        return self.random.random() < share


def _unbound(body: list[str]) -> list[str]:
    """X, for the head, and what stands in left operands only: variables that an atom must still bind."""
    binding = " ".join(re.split("|".join(BINARY), literal)[-1] for literal in body)
    return [name for name in "XY" if name not in binding and (name == "X" or name in " ".join(body))]
