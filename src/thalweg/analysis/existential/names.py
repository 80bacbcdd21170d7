"""Names in existential rules: none of them clashes with another, and all are names in every rule syntax.

Letters, digits and ``_`` of the user's names are kept; any other character, and a ``_`` that would read as the
beginning of an escape, becomes ``_x`` with its number in hexadecimal and ``_``: ``a1:works`` is ``a1_x3a_works``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from thalweg.model.formula import Variable

AT_MOST = "leq"
"""The predicate of the arithmetic atoms t₁ ≤ t₂."""
SUM = "plus"
"""The predicate of the arithmetic atoms t₁ = t₂ + t₃, with the sum first."""

_TOP = "top"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]|_(?=x)")


def box_name(predicate: str | None) -> str:
    """⟦⊞□p⟧ (LARS+ paper, Section 3, step 2); None is ⊤."""
    return f"box_{_base(predicate)}"


def at_name(predicate: str | None) -> str:
    """⟦⊞@p⟧ (LARS+ paper, Section 3, step 2); None is ⊤."""
    return f"at_{_base(predicate)}"


def escaped(text: str, odd: re.Pattern[str] = _NOT_IN_NAMES) -> str:
    """The text with odd characters escaped; different texts stay different if ``odd`` has ``_(?=x)`` in it."""
    return odd.sub(lambda found: f"_x{ord(found[0]):x}_", text)


class FreshVariables:
    """Variables that a rule does not have yet."""

    def __init__(self, taken: Iterable[Variable]) -> None:
        self._taken = {variable.name for variable in taken}

    def fresh(self, base: str) -> Variable:
        """A variable with this name, or with a number after it."""
        name, number = base, 0
        while name in self._taken:
            number += 1
            name = f"{base}{number}"
        self._taken.add(name)
        return Variable(name)


def _base(predicate: str | None) -> str:
    if predicate is None:
        return _TOP
    return f"_x{ord(_TOP[0]):x}_{_TOP[1:]}" if predicate == _TOP else escaped(predicate)
