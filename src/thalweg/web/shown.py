"""Predicates as the page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from thalweg.model.program import Signature
from thalweg.syntax.ast import Role, TypeName


@dataclass(frozen=True)
class Shown:
    """A predicate on the page. Its ``role`` is input, background, derived or output.

    ``values`` are the places of arguments that are measured values: facts that differ only in them share a lane.
    """

    name: str
    role: str
    arguments: tuple[str, ...] = ()
    values: tuple[int, ...] = ()


def shown(name: str, signature: Signature | None, role: str | None = None) -> Shown:
    """A predicate by what is known of it; its role is input, background or derived, unless told."""
    if signature is None:
        return Shown(name, role or "input")
    if signature.role is Role.BACKGROUND:
        role = "background"
    names = tuple(each.name or "" for each in signature.parameters)
    numbers = tuple(at for at, each in enumerate(signature.parameters) if each.type is TypeName.NUMBER)
    return Shown(name, role or "input", names, numbers if len(numbers) < signature.arity else ())
