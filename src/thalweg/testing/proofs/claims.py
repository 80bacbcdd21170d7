"""Formulas and conditions in explanations, read back from their texts."""

from __future__ import annotations

from dataclasses import replace

from thalweg.model.formula import And, Atom, Constant, Formula, Term, Variable
from thalweg.model.program import Program
from thalweg.model.query import lower_query
from thalweg.model.shapes import formula_with
from thalweg.null import Null
from thalweg.source import Source
from thalweg.syntax.query import parse_query
from thalweg.testing.proofs.reading import Reader


def claim(text: str, program: Program, reader: Reader) -> Formula | None:
    """The formula that a text stands for, in a program; None when it is no formula."""
    names = sorted(reader.nulls, key=len, reverse=True)
    for number, name in enumerate(names):
        text = text.replace(name, f'"#null {number}"')
    tree, problems = parse_query(Source("claim", text))
    if tree is None or problems:
        return None
    arities = {name: signature.arity for name, signature in program.signatures.items()}
    query, found = lower_query(tree, replace(program, time_is_last=False), arities)
    if query is None or any(each.is_error for each in found):
        return None
    body = query.rule.body
    nulls = {f"#null {number}": reader.nulls[name] for number, name in enumerate(names)}
    return formula_with(body[0] if len(body) == 1 else And(body), lambda atom: _with_nulls(atom, nulls))


def _with_nulls(atom: Atom, nulls: dict[str, Null]) -> Atom:
    def put(term: Term) -> Term:
        if isinstance(term, Constant) and term.value in nulls:
            return Constant(nulls[str(term.value)])  # type: ignore[arg-type]  # nulls stand in no text
        return term

    return replace(atom, arguments=tuple(put(t) if isinstance(t, Constant | Variable) else t for t in atom.arguments))
