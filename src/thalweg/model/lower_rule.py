"""One rule or fact of the syntax tree, lowered to the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from thalweg.model.formula import (
    And,
    Arithmetic,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Comparison,
    Constant,
    DiamondMinus,
    DiamondPlus,
    Expression,
    Formula,
    Metric,
    Not,
    Since,
    Term,
    Top,
    Until,
    Variable,
)
from thalweg.model.program import Fact, Rule
from thalweg.model.resolve import Resolver
from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.time.interval import ALWAYS


def lower_rule(rule: ast.Rule, number: int, resolver: Resolver) -> tuple[Rule, ...]:
    """The rules, one for each head atom, that a written rule means; none when something is wrong with it."""
    before = len(resolver.found)
    rules = _RuleLowering(resolver, f"rule {number}").rules(rule, number)
    return rules if len(resolver.found) == before else ()


def lower_fact(fact: ast.Fact, resolver: Resolver) -> Fact | None:
    """The fact; None when something is wrong with it."""
    before = len(resolver.found)
    interval = ALWAYS if fact.interval is None else resolver.fact_interval(fact.interval)
    arguments = tuple(_lower_ground(argument, resolver) for argument in fact.atom.arguments)
    if interval is None or len(resolver.found) > before:
        return None
    constants = tuple(argument for argument in arguments if isinstance(argument, Constant))
    return Fact(Atom(fact.atom.predicate, constants, fact.atom.span), interval, fact.span)


def lower_pattern(arguments: Sequence[ast.Term], resolver: Resolver) -> tuple[Term, ...]:
    """The arguments of a delay: constants, and variables for anything."""
    lowering = _RuleLowering(resolver, "a delay")
    terms: list[Term] = []
    for argument in arguments:
        term = lowering.expression(argument)
        if isinstance(term, Arithmetic) or (isinstance(term, Variable) and term in terms):
            message = "a delay can depend on single values only"
            resolver.report("E228", argument.span, message, "write a value, or _ for any value")
        elif term is not None:
            terms.append(term)
    return tuple(terms)


def _lower_ground(argument: ast.Term, resolver: Resolver) -> Constant | None:
    term = _RuleLowering(resolver, "a fact").expression(argument)
    if term is None or isinstance(term, Constant):
        return term
    message = "a fact cannot have a variable"
    hint = "write a value: a lower-case name, a number, or a text in quotes"
    resolver.report("E232", argument.span, message, hint)
    return None


@dataclass
class _RuleLowering:
    """The lowering of one rule: its fresh variables, and the comparisons its arithmetic has become."""

    resolver: Resolver
    name: str
    comparisons: list[Comparison] = field(default_factory=list)
    fresh: int = 0
    anonymous: int = 0

    def rules(self, rule: ast.Rule, number: int) -> tuple[Rule, ...]:
        body = [self.body_literal(literal) for literal in rule.body]
        body_comparisons, self.comparisons = self.comparisons, []
        if rule.head.existential or rule.head.per is not None:
            hint = "build the new value from the data, or let it come with the input"
            self._not_yet("E307", rule.head.span, "a head with exists", hint)
        heads = [lowered for formula in rule.head.formulas for lowered in self.heads(formula)]
        self._refuse_bottom_among(heads)
        literals = [literal for literal in body if literal is not None]
        flat = [part for literal in literals for part in _flat(literal)]
        return tuple(
            Rule(head, (*flat, *body_comparisons, *comparisons), number, rule.span) for head, comparisons in heads
        )

    # heads

    def heads(self, formula: ast.Formula) -> list[tuple[Formula, tuple[Comparison, ...]]]:
        """The heads a head formula means, each with the comparisons its arithmetic has become."""
        match formula:
            case ast.Atom():
                atom = self.atom(formula)
                comparisons, self.comparisons = tuple(self.comparisons), []
                return [] if atom is None else [(atom, comparisons)]
            case ast.Top():
                return [(Top(formula.span), ())]
            case ast.Bottom():
                return [(Bottom(formula.span), ())]
            case ast.And(operands=operands):
                return [head for operand in operands for head in self.heads(operand)]
            case ast.BoxMinus() | ast.BoxPlus():
                operator = BoxMinus if isinstance(formula, ast.BoxMinus) else BoxPlus
                interval = self.resolver.operator_interval(formula.interval)
                inner = self.heads(formula.operand)
                if interval is None:
                    return []
                return [(operator(interval, head, formula.span), comparisons) for head, comparisons in inner]
            case _:
                self._refuse_in_head(formula)
                return []

    def _refuse_in_head(self, formula: ast.Formula) -> None:
        code, message, hint = _head_refusal(formula)
        if code.startswith("E3"):
            self._not_yet(code, formula.span, message, hint)
        else:
            self.resolver.report(code, formula.span, message, hint)

    def _refuse_bottom_among(self, heads: Sequence[tuple[Formula, tuple[Comparison, ...]]]) -> None:
        if len(heads) < 2:
            return
        for head, _ in heads:
            core = head
            while isinstance(core, Metric):
                core = core.operand
            if isinstance(core, Bottom):
                message = "⊥ cannot stand beside other atoms in a head"
                self.resolver.report("E217", core.span, message, "give it a rule of its own: ⊥ :- …")

    # bodies

    def body_literal(self, formula: ast.Formula) -> Formula | None:
        """A literal of the body: a formula, or one under ``not``."""
        match formula:
            case ast.Not(operand=ast.Comparison() as comparison):
                lowered = self.comparison(comparison)
                return lowered and Comparison(_NEGATED[lowered.operator], lowered.left, lowered.right, formula.span)
            case ast.Not(operand=operand):
                inner = self.formula(operand)
                return inner and Not(inner, formula.span)
            case ast.And(operands=operands):
                literals = [self.body_literal(operand) for operand in operands]
                kept = tuple(literal for literal in literals if literal is not None)
                return And(kept, formula.span)
            case _:
                return self.formula(formula)

    def formula(self, formula: ast.Formula) -> Formula | None:
        """A formula anywhere in a body; None when something in it is wrong."""
        match formula:
            case ast.Atom():
                return self.atom(formula)
            case ast.Top():
                return Top(formula.span)
            case ast.Bottom():
                return Bottom(formula.span)
            case ast.Comparison():
                return self.comparison(formula)
            case ast.DiamondMinus() | ast.DiamondPlus() | ast.BoxMinus() | ast.BoxPlus():
                interval = self.resolver.operator_interval(formula.interval)
                operand = self.formula(formula.operand)
                if interval is None or operand is None:
                    return None
                return _METRIC[type(formula)](interval, operand, formula.span)
            case ast.Since() | ast.Until():
                interval = self.resolver.operator_interval(formula.interval)
                left, right = self.formula(formula.left), self.formula(formula.right)
                if interval is None or left is None or right is None:
                    return None
                operator = Since if isinstance(formula, ast.Since) else Until
                return operator(interval, left, right, formula.span)
            case ast.And(operands=operands):
                return self._conjunction([self.formula(operand) for operand in operands], formula.span)
            case _:
                code, construct, hint = _not_yet_in_body(formula)
                self._not_yet(code, formula.span, construct, hint)
                return None

    def _conjunction(self, parts: Sequence[Formula | None], span: Span | None) -> Formula | None:
        if any(part is None for part in parts):
            return None
        kept = [inner for part in parts if part is not None for inner in _flat(part)]
        return kept[0] if len(kept) == 1 else And(tuple(kept), span)

    def _not_yet(self, code: str, span: Span | None, construct: str, hint: str | None) -> None:
        message = f"{construct} is understood but cannot be run yet ({self.name})"
        self.resolver.report(code, span, message, hint)

    # atoms and terms

    def atom(self, atom: ast.Atom) -> Atom | None:
        """An atom; arithmetic among its arguments becomes a comparison with a fresh variable."""
        terms: list[Term] = []
        for argument in atom.arguments:
            expression = self.expression(argument)
            if isinstance(expression, Arithmetic):
                self.fresh += 1
                variable = Variable(f"#{self.fresh}", argument.span)
                equation = Comparison(ComparisonOperator.EQUAL, variable, expression, argument.span)
                self.comparisons.append(equation)
                terms.append(variable)
            elif expression is not None:
                terms.append(expression)
        return Atom(atom.predicate, tuple(terms), atom.span) if len(terms) == len(atom.arguments) else None

    def comparison(self, comparison: ast.Comparison) -> Comparison | None:
        """A comparison of two expressions."""
        left, right = self.expression(comparison.left), self.expression(comparison.right)
        if left is None or right is None:
            return None
        return Comparison(comparison.operator, left, right, comparison.span)

    def expression(self, term: ast.Term) -> Expression | None:
        """A term with declared constants replaced and arithmetic on numbers carried out."""
        match term:
            case ast.Variable(name="_"):
                self.anonymous += 1
                return Variable(f"_#{self.anonymous}", term.span)
            case ast.Variable(name=name):
                return Variable(name, term.span)
            case ast.Text(value=text):
                return self._constant(self.resolver.settings.constants.get(text, text), term.span)
            case ast.Number():
                value = self.resolver.value(term)
                return None if value is None else Constant(value, term.span)
            case ast.Negative(operand=operand):
                zero = Constant(Fraction(0), term.span)
                return self._calculated(ArithmeticOperator.SUBTRACT, zero, self.expression(operand), term.span)
            case ast.Arithmetic(operator=operator, left=left, right=right):
                return self._calculated(operator, self.expression(left), self.expression(right), term.span)

    def _constant(self, value: str | Fraction, span: Span | None) -> Constant | None:
        if isinstance(value, Fraction) and self.resolver.limited(value, span) is None:
            return None
        return Constant(value, span)

    def _calculated(
        self,
        operator: ArithmeticOperator,
        left: Expression | None,
        right: Expression | None,
        span: Span | None,
    ) -> Expression | None:
        if left is None or right is None:
            return None
        if operator is ArithmeticOperator.DIVIDE and right == Constant(Fraction(0)):
            self.resolver.report("E233", span, "this divides by 0", "divide by another number")
            return None
        match left, right:
            case Constant(value=Fraction() as first), Constant(value=Fraction() as second):
                return self._constant(_CALCULATE[operator](first, second), span)
            case _:
                return Arithmetic(operator, left, right, span)


def _flat(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, And):
        for operand in formula.operands:
            yield from _flat(operand)
    else:
        yield formula


_METRIC: dict[type[ast.Formula], type[Metric]] = {
    ast.DiamondMinus: DiamondMinus,
    ast.DiamondPlus: DiamondPlus,
    ast.BoxMinus: BoxMinus,
    ast.BoxPlus: BoxPlus,
}

_NEGATED = {
    ComparisonOperator.EQUAL: ComparisonOperator.NOT_EQUAL,
    ComparisonOperator.NOT_EQUAL: ComparisonOperator.EQUAL,
    ComparisonOperator.LESS: ComparisonOperator.GREATER_EQUAL,
    ComparisonOperator.LESS_EQUAL: ComparisonOperator.GREATER,
    ComparisonOperator.GREATER: ComparisonOperator.LESS_EQUAL,
    ComparisonOperator.GREATER_EQUAL: ComparisonOperator.LESS,
}

_CALCULATE = {
    ArithmeticOperator.ADD: Fraction.__add__,
    ArithmeticOperator.SUBTRACT: Fraction.__sub__,
    ArithmeticOperator.MULTIPLY: Fraction.__mul__,
    ArithmeticOperator.DIVIDE: Fraction.__truediv__,
}


def _head_refusal(formula: ast.Formula) -> tuple[str, str, str]:
    """Code, message and hint for a formula that cannot be a head; E3xx messages name the construct only."""
    match formula:
        case ast.DiamondMinus() | ast.DiamondPlus() | ast.Some():
            message = "a diamond in a head would be a disjunction over time: it does not say when the head holds"
            return "E211", message, "write boxminus or boxplus, or move the diamond to the body"
        case ast.Since() | ast.Until():
            word = "since" if isinstance(formula, ast.Since) else "until"
            message = f"{word} in a head would be a disjunction over time: it does not say when the head holds"
            return "E212", message, f"write boxminus or boxplus, or move {word} to the body"
        case ast.Windowed():
            return (
                "E213",
                "a window cannot stand in a head",
                "put the window in the body, around what it selects",
            )
        case ast.Not():
            return (
                "E214",
                "a head cannot be negated",
                "write a rule with head ⊥ to say that something must not hold",
            )
        case ast.Or():
            message = "a head cannot be a disjunction: rules say what holds, not what may hold"
            return "E215", message, "choose one of the alternatives, or distinguish them in the body"
        case ast.Implies():
            message = "a head cannot be an implication"
            return "E215", message, "move what stands left of the arrow to the body"
        case ast.Comparison():
            message = "a comparison cannot stand in a head"
            return (
                "E216",
                message,
                "move it to the body; to demand it, write ⊥ :- with its opposite in the body",
            )
        case ast.All():
            return "E302", "all without an interval", "write boxplus or boxminus with an interval"
        case _:
            return "E303", "a head with at", "shift the head: boxplus[5,5] P(X) holds 5 later than the body"


def _not_yet_in_body(formula: ast.Formula) -> tuple[str, str, str]:
    """Code, construct and hint for what this version cannot run in a body."""
    match formula:
        case ast.Windowed():
            hint = "a window over time can often be written with an interval, such as diamondminus[0,10] P(X)"
            return "E301", "a window", hint
        case ast.Some():
            return "E302", "some without an interval", "give it an interval, such as diamondminus[0,10] P(X)"
        case ast.All():
            return "E302", "all without an interval", "give it an interval, such as boxminus[0,10] P(X)"
        case ast.At():
            return "E303", "a formula with at", "look back by a fixed time instead, such as boxminus[5,5] P(X)"
        case ast.Or():
            return "E304", "or", "write one rule for each alternative"
        case ast.Implies():
            return "E305", "an implication in a body", "write a rule of its own for each way to satisfy it"
        case _:
            hint = "give the negation a name with a rule of its own, and use that name here"
            return "E306", "not inside another operator", hint
