"""Safety (journal paper, Section 2), extended to negation, comparisons and arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from thalweg.errors import Diagnostic, did_you_mean
from thalweg.model.binding import bound_by, bound_by_all
from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    BinaryMetric,
    BoxMinus,
    BoxPlus,
    Comparison,
    Formula,
    Metric,
    Not,
    Or,
    Variable,
    children,
    expression_variables,
    subformulas,
    variables,
)
from thalweg.model.program import Program, Rule

Variables = Iterable[Variable]


def check_safety(program: Program) -> Iterable[Diagnostic]:
    """Every variable that must have a value gets one from a positive body atom, or from X = e.

    A left operand of since or until binds nothing, because it may hold over an empty stretch of time.
    """
    for rule in program.rules:
        yield from _first_for_each_variable(_unsafe(rule))


def _first_for_each_variable(found: Iterable[tuple[Variable, Diagnostic]]) -> Iterator[Diagnostic]:
    seen: set[Variable] = set()
    for variable, diagnostic in found:
        if variable not in seen:
            seen.add(variable)
            yield diagnostic


def _unsafe(rule: Rule) -> Iterator[tuple[Variable, Diagnostic]]:
    bound = bound_by_all(rule.body)
    left_only = {variable for left, _ in _left_operands(rule.body) for variable in variables(left)} - bound

    def unbound(candidates: Variables) -> Iterator[Variable]:
        return (each for each in candidates if each not in bound and not _is_result(each))

    for variable in unbound(_head_variables(rule)):
        where = f"variable {variable} in the head"
        yield (
            variable,
            _left_only(variable, where) if variable in left_only else _in_head(variable, where, rule),
        )
    for literal in rule.body:
        if isinstance(literal, Comparison):
            for variable in unbound(variables(literal)):
                where = f"variable {variable} in a comparison"
                diagnostic = Diagnostic("E204", variable.span, f"{where} is not bound", _bind(variable, bound))
                yield variable, _left_only(variable, where) if variable in left_only else diagnostic
        elif isinstance(literal, Aggregate):
            yield from _unsafe_aggregate(literal, bound)
            continue
        yield from _under_not(literal, unbound)
        yield from _in_some_alternatives(literal, bound)
        yield from _loose_comparisons(literal, bound)
    yield from _shared_left_only(rule, left_only)


def _head_variables(rule: Rule) -> Iterator[Variable]:
    """The variables written in the head, those in its arithmetic included."""
    head = tuple(variables(rule.head))
    yield from head
    for literal in rule.body:
        if isinstance(literal, Comparison) and literal.left in head and _is_result(literal.left):
            yield from expression_variables(literal.right)


def _written(rule: Rule) -> Iterator[Formula]:
    """The body literals a person wrote: without the equations that arithmetic in atoms has become."""
    for literal in rule.body:
        if not (isinstance(literal, Comparison) and _is_result(literal.left)):
            yield literal


def _is_result(term: object) -> bool:
    """Whether a term is the variable that stands for the result of arithmetic in an atom."""
    return isinstance(term, Variable) and term.name.startswith("#")


def _in_head(variable: Variable, where: str, rule: Rule) -> Diagnostic:
    under_not = any(isinstance(each, Not) and variable in set(variables(each)) for each in rule.body)
    compared = any(isinstance(each, Comparison) and variable in set(variables(each)) for each in _written(rule))
    if under_not:
        hint = f"not binds nothing; add a positive body atom with {variable}"
    elif compared:
        hint = f"a comparison binds nothing; add a positive body atom with {variable}, or {variable} = …"
    else:
        hint = _bind(variable, bound_by_all(rule.body))
    return Diagnostic("E202", variable.span, f"{where} is not bound", hint)


def _bind(variable: Variable, bound: Variables) -> str:
    names = [each.name for each in bound if "#" not in each.name]
    return did_you_mean(variable.name, names) or "bind it in a positive body atom"


def _left_only(variable: Variable, where: str) -> Diagnostic:
    message = f"{where} is bound only in the left operand of since or until"
    hint = "a left operand may hold over an empty stretch of time; bind the variable in another body atom"
    return Diagnostic("E203", variable.span, message, hint)


def _left_operands(literals: Iterable[Formula], alone: bool = True) -> Iterator[tuple[Formula, bool]]:
    """The outermost left operands, and whether a variable of only that operand is its own affair.

    Outside boxes it is: that some value makes the whole body true means that some value makes the since
    or until true. Under a box one value must serve at all times.
    """
    for literal in literals:
        match literal:
            case BinaryMetric(left=left, right=right):
                yield left, alone
                yield from _left_operands((right,), alone)
            case BoxMinus(operand=operand) | BoxPlus(operand=operand):
                yield from _left_operands((operand,), False)
            case _:
                yield from _left_operands(children(literal), alone)


def _shared_left_only(rule: Rule, left_only: set[Variable]) -> Iterator[tuple[Variable, Diagnostic]]:
    """A variable of one left operand only means "for some value": it must be bound there, and not shared."""
    seen: set[Variable] = set()
    for left, alone in _left_operands(rule.body):
        here = [each for each in dict.fromkeys(variables(left)) if each in left_only]
        bound = bound_by(left)
        for variable in here:
            if variable in seen or not alone or variable not in bound:
                yield variable, _left_only(variable, f"variable {variable}")
        seen.update(here)


def _under_not(
    literal: Formula, unbound: Callable[[Variables], Iterator[Variable]]
) -> Iterator[tuple[Variable, Diagnostic]]:
    """The variables under a negation, however deep inside, that nothing gives a value."""
    for part in subformulas(literal):
        if isinstance(part, Not):
            for variable in unbound(each for each in variables(part) if not each.is_anonymous):
                hint = f"bind {variable} in a positive body atom, or write _ if any value will do"
                message = f"variable {variable} under not is not bound"
                yield variable, Diagnostic("E205", variable.span, message, hint)


def _in_some_alternatives(
    formula: Formula, bound: frozenset[Variable], all_times: bool = False
) -> Iterator[tuple[Variable, Diagnostic]]:
    """Under an operator that looks at several times at once, variables of some alternatives of a disjunction only.

    One value would have to serve at all times, also at those where another alternative is true.
    """
    match formula:
        case Or(operands=operands) if all_times:
            common = bound.union(frozenset.intersection(*map(bound_by, operands)))
            for variable in (each for operand in operands for each in bound_by(operand) if each not in common):
                message = f"variable {variable} is bound in some alternatives of a disjunction only"
                hint = "bind it in all of them, or elsewhere in the body"
                yield variable, Diagnostic("E246", variable.span, message, hint)
        case BinaryMetric(left=left, right=right):
            yield from _in_some_alternatives(left, bound, True)
            yield from _in_some_alternatives(right, bound, all_times)
            return
    wider = all_times or isinstance(formula, BoxMinus | BoxPlus | All)
    for part in children(formula):
        yield from _in_some_alternatives(part, bound, wider)


def _unsafe_aggregate(aggregate: Aggregate, bound: frozenset[Variable]) -> Iterator[tuple[Variable, Diagnostic]]:
    """The variables of an aggregate that neither its own conditions nor the rest of the rule give a value."""
    inside = bound_by_all(aggregate.body)
    given = inside | (bound & frozenset(aggregate.groups))

    def unbound(candidates: Variables) -> Iterator[Variable]:
        return (each for each in candidates if each not in given and not _is_result(each))

    for variable in (term for term in aggregate.elements if isinstance(term, Variable) and term not in inside):
        message = f"variable {variable} of the aggregate is not bound between its braces"
        yield variable, Diagnostic("E245", variable.span, message, "bind it in a positive atom after the colon")
    for literal in aggregate.body:
        if isinstance(literal, Comparison):
            for variable in unbound(variables(literal)):
                message = f"variable {variable} in a comparison is not bound"
                yield variable, Diagnostic("E204", variable.span, message, _bind(variable, given))
        yield from _under_not(literal, unbound)
        yield from _in_some_alternatives(literal, given)
        yield from _loose_comparisons(literal, given)


def _loose_comparisons(literal: Formula, given: frozenset[Variable]) -> Iterator[tuple[Variable, Diagnostic]]:
    """The variables of comparisons inside an operator that nothing beside the comparison binds.

    In a negation, a disjunction or a window they may be bound elsewhere in the rule.
    """
    outside = frozenset() if isinstance(literal, Metric | BinaryMetric) else given
    for part in children(literal):
        beside = part.operands if isinstance(part, And) else (part,)
        bound = bound_by_all(beside) | outside
        for comparison in beside:
            if isinstance(comparison, Comparison):
                for variable in variables(comparison):
                    if variable not in bound:
                        message = f"variable {variable} of this comparison is not bound inside the operator"
                        hint = "bind it inside the same parentheses, or move the comparison out of the operator"
                        yield variable, Diagnostic("E206", comparison.span, message, hint)
        for inner in beside:
            yield from _loose_comparisons(inner, given)
