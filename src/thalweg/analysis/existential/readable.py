"""Existential rules in the syntax of Thalweg's own rules, to be read: arithmetic atoms are as in the paper."""

from __future__ import annotations

from collections.abc import Iterable

from thalweg.analysis.existential.names import AT_MOST, SUM
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.model.formula import Constant, Variable
from thalweg.syntax.printer import format_text
from thalweg.time.interval import format_rational


def readable(rules: Iterable[ExistentialRule], facts: Iterable[PlainAtom] = ()) -> str:
    """The rules, each written rule named in a comment, and the facts, one a line."""
    lines = [line for rule in rules for line in (*_comment(rule), _rule(rule))]
    lines += [f"{_atom(fact)}." for fact in facts]
    return "".join(f"{line}\n" for line in lines)


def _comment(rule: ExistentialRule) -> tuple[str, ...]:
    return (f"% rule {rule.number}",) if rule.number else ()


def _rule(rule: ExistentialRule) -> str:
    names = ", ".join(variable.name for variable in rule.existential)
    return f"{f'exists {names}: ' if names else ''}{_conjunction(rule.head)} :- {_conjunction(rule.body)}."


def _conjunction(atoms: Iterable[PlainAtom]) -> str:
    return ", ".join(map(_atom, atoms))


def _atom(atom: PlainAtom) -> str:
    terms = tuple(map(_term, atom.arguments))
    match atom.predicate, terms:
        case name, (left, right) if name == AT_MOST:
            return f"{left} <= {right}"
        case name, (result, left, right) if name == SUM:
            return f"{result} = {left} + {right}"
        case name, _:
            return f"{name}({', '.join(terms)})"


def _term(term: Variable | Constant) -> str:
    if isinstance(term, Variable):
        return term.name
    return format_text(term.value) if isinstance(term.value, str) else format_rational(term.value)
