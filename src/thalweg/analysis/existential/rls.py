"""Existential rules in the rule syntax that Nemo and Rulewerk share (files ``.rls``).

The two disagree on escapes in strings: Nemo has none, and to Rulewerk a string that begins with ``%`` looks like a
comment. Texts are therefore written without characters that either would take for something else; those become
``_x22_`` and the like, as in names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from thalweg.analysis.existential.names import FreshVariables, escaped
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.model.formula import Constant, Variable

RATIONAL = "http://www.w3.org/2002/07/owl#rational"
"""The datatype of numbers that are no integers: 1/3 is no decimal, and to Nemo decimals are floats."""

_NOT_IN_STRINGS = re.compile(r'["\\%\x00-\x1f\x7f-\x9f\u2028\u2029]|_(?=x)')
_STARTS_LIKE_A_NAME = re.compile(r"[A-Za-z]")


def rls(rules: Iterable[ExistentialRule], facts: Iterable[PlainAtom] = ()) -> str:
    """The rules, each written rule named in a comment, and the facts, one a line."""
    lines = [line for rule in rules for line in (*_comment(rule), _rule(rule))]
    lines += [f"{_atom(fact, {})} ." for fact in facts]
    return "".join(f"{line}\n" for line in lines)


def _comment(rule: ExistentialRule) -> tuple[str, ...]:
    return (f"% rule {rule.number}",) if rule.number else ()


def _rule(rule: ExistentialRule) -> str:
    names = _names(rule)
    head, body = (", ".join(_atom(atom, names) for atom in atoms) for atoms in (rule.head, rule.body))
    return f"{head} :- {body} ."


def _names(rule: ExistentialRule) -> dict[Variable, str]:
    """``?X`` for the variables, ``!X`` for the existential ones; both syntaxes know ASCII letters only."""
    fresh = FreshVariables(())
    names: dict[Variable, str] = {}
    for variable in dict.fromkeys(v for atom in (*rule.head, *rule.body) for v in atom.variables):
        name = escaped(variable.name)
        readable = fresh.fresh(name if _STARTS_LIKE_A_NAME.match(name) else f"V{name}")
        names[variable] = f"{'!' if variable in rule.existential else '?'}{readable.name}"
    return names


def _atom(atom: PlainAtom, names: dict[Variable, str]) -> str:
    terms = (names[term] if isinstance(term, Variable) else _constant(term) for term in atom.arguments)
    return f"{atom.predicate}({', '.join(terms)})"


def _constant(constant: Constant) -> str:
    value = constant.value
    if isinstance(value, str):
        return f'"{escaped(value, _NOT_IN_STRINGS)}"'
    return str(value) if value.denominator == 1 else f'"{value}"^^<{RATIONAL}>'
