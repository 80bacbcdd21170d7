"""One rule or fact of the syntax tree, lowered to the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    AnyMetric,
    Arithmetic,
    At,
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
    Or,
    Since,
    Some,
    Term,
    Top,
    Until,
    Variable,
    Windowed,
    variables,
)
from thalweg.model.lower_exists import LoweredHead, skolemised, together
from thalweg.model.lower_window import lower_window
from thalweg.model.program import Fact, Rule
from thalweg.model.refusals import NoHead, head_refusal
from thalweg.model.resolve import Resolver
from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.syntax.ast import ArithmeticOperator, ComparisonOperator
from thalweg.time.interval import ALWAYS
from thalweg.time.timeline import Timeline


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


def lower_pattern(arguments: Sequence[ast.Term], word: str, resolver: Resolver) -> tuple[Term, ...]:
    """The arguments of a delay or a probability, named by ``word``: constants, and variables for anything."""
    lowering = _RuleLowering(resolver, f"a {word}")
    terms: list[Term] = []
    for argument in arguments:
        term = lowering.expression(argument)
        if isinstance(term, Arithmetic) or (isinstance(term, Variable) and term in terms):
            message = f"a {word} can depend on single values only"
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
    negated: int = 0

    def rules(self, rule: ast.Rule, number: int) -> tuple[Rule, ...]:
        body = [self.body_literal(literal) for literal in rule.body]
        body_comparisons, self.comparisons = self.comparisons, []
        heads = [LoweredHead(*lowered) for formula in rule.head.formulas for lowered in self.heads(formula)]
        self._refuse_bottom_among(heads)
        literals = [literal for literal in body if literal is not None]
        flat = [part for literal in literals for part in _flat(literal)]
        if rule.head.existential and len(literals) == len(body):
            heads = skolemised(rule.head, heads, (*flat, *body_comparisons), number, self.resolver)
        heads = together(heads, self.resolver.settings.bounds)
        all_heads = tuple(head for head, _ in heads)
        return tuple(
            Rule(head, _with_groups(all_heads, (*flat, *body_comparisons, *comparisons)), number, rule.span)
            for head, comparisons in heads
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
            case ast.At(operand=operand) if _is_atomic(operand):
                return self._heads_at(formula)
            case ast.BoxMinus() | ast.BoxPlus() if not _has_at(formula.operand):
                operator = BoxMinus if isinstance(formula, ast.BoxMinus) else BoxPlus
                interval = self.resolver.operator_interval(formula.interval)
                inner = self.heads(formula.operand)
                if interval is None:
                    return []
                return [(operator(interval, head, formula.span), comparisons) for head, comparisons in inner]
            case (
                ast.At()
                | ast.BoxMinus()
                | ast.BoxPlus()
                | ast.DiamondMinus()
                | ast.DiamondPlus()
                | ast.Since()
                | ast.Until()
                | ast.Windowed()
                | ast.Some()
                | ast.All()
                | ast.Not()
                | ast.Or()
                | ast.Implies()
                | ast.Comparison()
                | ast.Aggregate()
            ):
                self._refuse_in_head(formula)
                return []

    def _heads_at(self, formula: ast.At) -> list[tuple[Formula, tuple[Comparison, ...]]]:
        """``P(X) at T + 5``; arithmetic on the time becomes a comparison."""
        self._needs_integers(formula)
        time = self._time(formula.time, solve=False)
        equations, self.comparisons = tuple(self.comparisons), []
        if time is None:
            return []
        return [
            (At(head, time, formula.span), (*comparisons, *equations))
            for head, comparisons in self.heads(formula.operand)
        ]

    def _refuse_in_head(self, formula: NoHead) -> None:
        code, message, hint = head_refusal(formula)
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
        """A literal of the body: a formula, or an aggregate."""
        if isinstance(formula, ast.Aggregate):
            return self._aggregate(formula)
        if isinstance(formula, ast.And):
            literals = [self.body_literal(operand) for operand in formula.operands]
            kept = tuple(literal for literal in literals if literal is not None)
            return And(kept, formula.span)
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
            case ast.Or(operands=operands):
                parts = [self.formula(operand) for operand in operands]
                return None if None in parts else Or(tuple(part for part in parts if part), formula.span)
            case ast.Implies(left=left, right=right):
                return self.formula(ast.Or((ast.Not(left, left.span), right), formula.span))
            case ast.Not(operand=operand):
                return self._negation(formula, operand)
            case ast.Windowed() | ast.Some() | ast.All() | ast.At():
                self._needs_integers(formula)
                return self._lars(formula)
            case ast.Aggregate():
                message = "an aggregate must be a whole part of the body, not stand inside another operator"
                hint = "give its value a name with a rule of its own, and use that here"
                self.resolver.report("E243", formula.span, message, hint)
                return None

    def _negation(self, formula: ast.Not, operand: ast.Formula) -> Formula | None:
        """¬α; a double negation is none, and a negated comparison is another comparison."""
        if isinstance(operand, ast.Not):
            return self.formula(operand.operand)
        if isinstance(operand, ast.Comparison):
            lowered = self.comparison(operand)
            return lowered and Comparison(_NEGATED[lowered.operator], lowered.left, lowered.right, formula.span)
        self.negated += 1
        inner = self.formula(operand)
        self.negated -= 1
        return inner and Not(inner, formula.span)

    def _lars(self, formula: ast.Windowed | ast.Some | ast.All | ast.At) -> Formula | None:
        """A window, or a formula that speaks of the time points of one (LARS paper, Definition 5)."""
        operand = self.formula(formula.operand)
        match formula:
            case ast.Windowed(window=window):
                lowered = lower_window(window, self.resolver)
                if lowered is None or operand is None:
                    return None
                return Windowed(lowered, operand, window.of_stream, formula.span)
            case ast.At(time=term):
                time = self._time(term, solve=not self.negated)
                return None if time is None or operand is None else At(operand, time, formula.span)
            case ast.Some():
                return operand and Some(operand, formula.span)
            case ast.All():
                return operand and All(operand, formula.span)

    def _time(self, term: ast.Term, *, solve: bool) -> Term | None:
        """The time term of ``at``; arithmetic becomes a comparison with a fresh variable.

        With ``solve`` T + k is solved for T, so that ``P(X) at T + k`` gives T its value.
        """
        expression = self.expression(term)
        if expression is None or isinstance(expression, Variable):
            return expression
        if isinstance(expression, Constant):
            if isinstance(expression.value, str):
                hint = "write a number, or a variable (they begin with an upper-case letter)"
                self.resolver.report("E244", term.span, "a time point is a number", hint)
                return None
            return expression
        self.fresh += 1
        variable = Variable(f"#{self.fresh}", term.span)
        equation = Comparison(ComparisonOperator.EQUAL, variable, expression, term.span)
        match expression:
            case Arithmetic(
                operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT as sign,
                left=Variable() as unknown,
                right=Constant() as amount,
            ) if solve:
                back = Arithmetic(_INVERSE[sign], variable, amount, term.span)
                equation = Comparison(ComparisonOperator.EQUAL, unknown, back, term.span)
        self.comparisons.append(equation)
        return variable

    def _aggregate(self, formula: ast.Aggregate) -> Formula | None:
        """result = kind { elements : body }; any other comparison gets a fresh result and is one beside it."""
        outside, self.comparisons = self.comparisons, []
        parts = [self.body_literal(part) for part in formula.body]
        elements = [self._element(term) for term in formula.elements]
        inside, self.comparisons = self.comparisons, outside
        result = self.expression(formula.result)
        if result is None or None in parts or None in elements:
            return None
        body = (*(flat for part in parts if part is not None for flat in _flat(part)), *inside)
        if any(isinstance(part, Aggregate) for part in body):
            hint = "give the value of the inner one a name with a rule of its own"
            self.resolver.report("E243", formula.span, "an aggregate cannot stand inside another", hint)
            return None
        name = result if isinstance(result, Variable) and formula.operator is ComparisonOperator.EQUAL else None
        if name is None:
            self.fresh += 1
            name = Variable(f"#{self.fresh}", formula.span)
            self.comparisons.append(Comparison(formula.operator, result, name, formula.span))
        terms = tuple(element for element in elements if element is not None)
        return Aggregate(formula.kind, name, terms, body, (), formula.span)

    def _element(self, term: ast.Term) -> Term | None:
        expression = self.expression(term)
        return self._named(expression, term.span) if isinstance(expression, Arithmetic) else expression

    def _needs_integers(self, formula: ast.Formula) -> None:
        if self.resolver.settings.timeline is Timeline.INTEGER:
            return
        word = {ast.Windowed: "a window", ast.Some: "some", ast.All: "all"}.get(type(formula), "at")
        message = f"{word} speaks of single time points, which only the integer timeline has ({self.name})"
        hint = "declare timeline integer., or give an operator an interval, such as diamondminus[0,10] P(X)"
        self.resolver.report("E241", formula.span, message, hint)

    def _conjunction(self, parts: Sequence[Formula | None], span: Span | None) -> Formula | None:
        if any(part is None for part in parts):
            return None
        kept = [inner for part in parts if part is not None for inner in _flat(part)]
        return kept[0] if len(kept) == 1 else And(tuple(kept), span)

    # atoms and terms

    def atom(self, atom: ast.Atom) -> Atom | None:
        """An atom; arithmetic among its arguments becomes a comparison with a fresh variable."""
        terms: list[Term] = []
        for argument in atom.arguments:
            expression = self.expression(argument)
            if isinstance(expression, Arithmetic):
                terms.append(self._named(expression, argument.span))
            elif expression is not None:
                terms.append(expression)
        return Atom(atom.predicate, tuple(terms), atom.span) if len(terms) == len(atom.arguments) else None

    def _named(self, expression: Arithmetic, span: Span | None) -> Variable:
        """A fresh variable for the result of arithmetic."""
        self.fresh += 1
        variable = Variable(f"#{self.fresh}", span)
        self.comparisons.append(Comparison(ComparisonOperator.EQUAL, variable, expression, span))
        return variable

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
        first, second = _number(left), _number(right)
        if first is None or second is None:
            return Arithmetic(operator, left, right, span)
        return self._constant(_CALCULATE[operator](first, second), span)


def _with_groups(heads: tuple[Formula, ...], body: tuple[Formula, ...]) -> tuple[Formula, ...]:
    """The body, its aggregates told which of their variables occur outside their braces, in a head of the rule too."""
    if not any(isinstance(part, Aggregate) for part in body):
        return body
    return tuple(_grouped(part, (*heads, *(other for other in body if other is not part))) for part in body)


def _grouped(part: Formula, others: tuple[Formula, ...]) -> Formula:
    if not isinstance(part, Aggregate):
        return part
    outside = {variable for other in others for variable in variables(other)}
    inside = (variable for each in part.body for variable in variables(each))
    return replace(part, groups=tuple(v for v in dict.fromkeys(inside) if v in outside))


def _number(expression: Expression) -> Fraction | None:
    value = expression.value if isinstance(expression, Constant) else None
    return value if isinstance(value, Fraction) else None


def _is_atomic(formula: ast.Formula) -> bool:
    if isinstance(formula, ast.And):
        return all(map(_is_atomic, formula.operands))
    return isinstance(formula, ast.Atom)


def _has_at(formula: ast.Formula) -> bool:
    while isinstance(formula, ast.BoxMinus | ast.BoxPlus):
        formula = formula.operand
    return isinstance(formula, ast.At)


def _flat(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, And):
        for operand in formula.operands:
            yield from _flat(operand)
    else:
        yield formula


_METRIC: dict[type[ast.Formula], type[AnyMetric]] = {
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

_INVERSE = {
    ArithmeticOperator.ADD: ArithmeticOperator.SUBTRACT,
    ArithmeticOperator.SUBTRACT: ArithmeticOperator.ADD,
}

_CALCULATE = {
    ArithmeticOperator.ADD: Fraction.__add__,
    ArithmeticOperator.SUBTRACT: Fraction.__sub__,
    ArithmeticOperator.MULTIPLY: Fraction.__mul__,
    ArithmeticOperator.DIVIDE: Fraction.__truediv__,
}
