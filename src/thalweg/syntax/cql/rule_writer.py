"""The rules of a translation, as they come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.syntax.cql.schema import Catalog


class RuleWriter:
    """Collects rules, and finds names for auxiliary predicates."""

    def __init__(self, catalog: Catalog) -> None:
        self.rules: list[ast.Rule] = []
        self.fresh = catalog.fresh
        self.defined: set[str] = set()
        """The subqueries whose rules are written."""

    def add(self, head: ast.Atom, body: Iterable[ast.Formula], span: Span | None) -> None:
        """One more rule; alternatives may come to the same."""
        rule = ast.Rule(ast.Head((head,), span=span), tuple(dict.fromkeys(body)), span)
        if rule not in self.rules:
            self.rules.append(rule)


def atom(predicate: str, arguments: Sequence[ast.Term], span: Span | None = None) -> ast.Atom:
    """An atom."""
    return ast.Atom(predicate, tuple(arguments), span)
