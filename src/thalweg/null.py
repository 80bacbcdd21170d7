"""Labelled nulls: values that existential rules make up."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction

MARK = "_:"
"""How the text of a null begins; no value of the input does."""

_DEEPEST_SHOWN = 2
"""Nulls that were made from nulls are written out so deep; a digest stands for what lies deeper."""


@dataclass(frozen=True, eq=False)
class Null:
    """The null that a rule makes for an existential variable and the values of its frontier (LARS+ paper, Appendix B).

    ``time`` is the time at which the body held, where the null depends on it. Equal nulls are equal everywhere: on all
    shards, in all batches and after every restart.
    """

    rule: int
    variable: str
    arguments: tuple[str | Fraction | Null, ...]
    time: int | None = None
    depth: int = field(init=False, repr=False)
    digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        inner = [argument for argument in self.arguments if isinstance(argument, Null)]
        parts = [_part(argument) for argument in self.arguments]
        said = repr((self.rule, self.variable, parts, self.time))
        object.__setattr__(self, "depth", 1 + max((each.depth for each in inner), default=0))
        object.__setattr__(self, "digest", hashlib.sha256(said.encode()).hexdigest()[:32])

    def __eq__(self, other: object) -> bool:
        # Nulls share parts: to compare them part by part would take time exponential in their depth.
        return isinstance(other, Null) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def made_from(self) -> list[Null]:
        """All nulls that this one was made from, each after those it was made from itself; the null last."""
        found: dict[Null, None] = {}
        waiting = [self]
        while waiting:
            unknown = [part for part in waiting[-1].arguments if isinstance(part, Null) and part not in found]
            if unknown:
                waiting += unknown
            else:
                found[waiting.pop()] = None
        return list(found)

    def __str__(self) -> str:
        name = f"{MARK}{self.variable}.{self.rule}"
        if self.depth > _DEEPEST_SHOWN:
            return f"{name}#{self.digest[:12]}"
        time = "" if self.time is None else f"@{self.time}"
        return f"{name}({','.join(map(_shown, self.arguments))}{time})"


def _part(value: str | Fraction | Null) -> tuple[str, str]:
    return ("null", value.digest) if isinstance(value, Null) else (type(value).__name__, str(value))


def _shown(value: str | Fraction | Null) -> str:
    if not isinstance(value, str) or value.isidentifier():
        return str(value)
    # What a terminal would obey is shown by its number.
    inside = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in value.replace('"', '\\"'))
    return f'"{inside}"'
