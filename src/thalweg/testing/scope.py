"""Which variables of a formula are given a value outside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thalweg.model.formula import (
    Aggregate,
    At,
    Atom,
    Comparison,
    Formula,
    Not,
    Variable,
    children,
    expression_variables,
    term_variables,
)


def free_names(formulas: Iterable[Formula]) -> list[str]:
    """The variables of some formulas that are to hold together, in order.

    An anonymous variable in a negation has its value inside the innermost one; the variables of an aggregate
    that are not group variables have theirs inside the braces.
    """
    return list(dict.fromkeys(variable.name for formula in formulas for variable in _free(formula)))


def _free(formula: Formula) -> Iterator[Variable]:
    match formula:
        case Aggregate(result=result, elements=elements, body=body, groups=groups):
            local = {variable for part in body for variable in _free(part)}.difference(groups)
            yield from (result, *groups)
            yield from (term for term in elements if isinstance(term, Variable) and term not in local)
        case Not(operand=operand):
            yield from (variable for variable in _free(operand) if not variable.is_anonymous)
        case _:
            yield from _own(formula)
            for child in children(formula):
                yield from _free(child)


def _own(formula: Formula) -> Iterator[Variable]:
    match formula:
        case Atom(arguments=arguments):
            yield from (variable for term in arguments for variable in term_variables(term))
        case Comparison(left=left, right=right):
            yield from expression_variables(left)
            yield from expression_variables(right)
        case At(time=Variable() as time):
            yield time
