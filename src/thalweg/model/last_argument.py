"""Programs of Temporal Datalog, whose atoms have their time as last argument, made programs whose times stand apart.

``Flag(X, T+1)`` becomes ``Flag(X) at T+1``, and the fact ``Temp(wt2, high, 0)`` becomes ``Temp(wt2, high)@0``. Time
terms are natural numbers, variables, T + k and T − k (hypotheses paper, Section 2.1). Background predicates have no
time, and facts that say ``@`` keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.errors import Diagnostic
from thalweg.model.settings import Settings
from thalweg.model.signatures import background_predicates, read_signatures
from thalweg.source import Span
from thalweg.syntax import ast
from thalweg.time.interval import format_rational
from thalweg.time.units import in_units

_ADDITIVE = (ast.ArithmeticOperator.ADD, ast.ArithmeticOperator.SUBTRACT)
_WORDS: dict[type[ast.Formula], str] = {
    ast.BoxMinus: "boxminus",
    ast.BoxPlus: "boxplus",
    ast.DiamondMinus: "diamondminus",
    ast.DiamondPlus: "diamondplus",
    ast.Since: "since",
    ast.Until: "until",
    ast.Windowed: "window",
    ast.Some: "some",
    ast.All: "all",
}
_POSSIBLE_TYPES = (ast.TypeName.ANY, ast.TypeName.INTEGER, ast.TypeName.NUMBER, ast.TypeName.TIME)


@dataclass(frozen=True)
class TimesApart:
    """The statements of a program with their times apart, and the numbers, from 0, of those that are not right.

    Those still name the predicates that they speak of, so that nothing is said to be unknown on their account.
    """

    statements: tuple[ast.Statement, ...]
    broken: frozenset[int] = frozenset()

    @property
    def right_ones_first(self) -> tuple[ast.Statement, ...]:
        """The statements in an order in which one that is not right never tells how many arguments others need."""
        order = sorted(range(len(self.statements)), key=lambda number: number in self.broken)
        return tuple(self.statements[number] for number in order)


def take_times_apart(statements: Sequence[ast.Statement], settings: Settings, found: list[Diagnostic]) -> TimesApart:
    """A program with times apart; one that does not declare ``time in last argument`` is so already."""
    if not settings.time_is_last:
        return TimesApart(tuple(statements))
    splitter = _Splitter(settings, background_predicates(statements), found)
    parted: list[ast.Statement] = []
    broken: set[int] = set()
    for number, statement in enumerate(statements):
        before = len(found)
        parted.append(splitter.statement(statement))
        broken |= {number} if len(found) > before else set()
    apart = TimesApart(tuple(parted), frozenset(broken))
    arities = {name: each.arity for name, each in read_signatures(apart.right_ones_first, []).items()}
    return replace(apart, statements=tuple(splitter.pattern(statement, arities) for statement in parted))


def take_query_apart(
    query: ast.QueryText, settings: Settings, background: frozenset[str], found: list[Diagnostic]
) -> ast.QueryText:
    """A query of such a program with its times apart; an atom with ``at`` keeps it, as a fact keeps its ``@``."""
    if not settings.time_is_last:
        return query
    splitter = _Splitter(settings, background, found, keeps_at=True)
    return replace(query, body=splitter.formulas(query.body))


@dataclass(frozen=True)
class _Splitter:
    settings: Settings
    background: frozenset[str]
    found: list[Diagnostic]
    keeps_at: bool = False

    def statement(self, statement: ast.Statement) -> ast.Statement:
        match statement:
            case ast.Rule(head=head, body=body):
                parted = replace(head, formulas=self.formulas(head.formulas))
                return replace(statement, head=parted, body=self.formulas(body))
            case ast.Fact(interval=None) if statement.atom.predicate not in self.background:
                return self._fact(statement)
            case ast.PredicateDeclaration() if statement.role is not ast.Role.BACKGROUND:
                return self._declaration(statement)
            case (
                ast.Fact()
                | ast.PredicateDeclaration()
                | ast.TimelineDeclaration()
                | ast.UnitDeclaration()
                | ast.TickDeclaration()
                | ast.DelayDeclaration()
                | ast.ProbabilityDeclaration()
                | ast.LastArgumentDeclaration()
                | ast.ConstantDeclaration()
            ):
                return statement

    def pattern(self, statement: ast.Statement, arities: dict[str, int]) -> ast.Statement:
        """A delay or a probability without the argument for the time, which may be left out."""
        if not isinstance(statement, ast.DelayDeclaration | ast.ProbabilityDeclaration):
            return statement
        arguments, arity = statement.arguments, arities.get(statement.predicate)
        if arguments is None or arity is None or len(arguments) != arity + 1 or statement.predicate in self.background:
            return statement
        if not isinstance(arguments[-1], ast.Variable):
            word = "delay" if isinstance(statement, ast.DelayDeclaration) else "probability"
            message = f"a {word} does not depend on the time, the last argument of {statement.predicate}"
            self._report("E272", arguments[-1].span, message, "write _ for any time, or leave it out")
        return replace(statement, arguments=arguments[:-1])

    def formulas(self, formulas: Sequence[ast.Formula]) -> tuple[ast.Formula, ...]:
        return tuple(map(self._formula, formulas))

    def _formula(self, formula: ast.Formula) -> ast.Formula:
        match formula:
            case ast.Atom():
                return self._atom(formula)
            case ast.And(operands=operands) | ast.Or(operands=operands):
                return replace(formula, operands=self.formulas(operands))
            case ast.Implies(left=left, right=right):
                return replace(formula, left=self._formula(left), right=self._formula(right))
            case ast.Not(operand=operand):
                return replace(formula, operand=self._formula(operand))
            case ast.Aggregate(body=body):
                return replace(formula, body=self.formulas(body))
            case ast.At(operand=ast.Atom()) if self.keeps_at:
                return formula
            case ast.At():
                message = "at does not go with atoms that have their time as last argument"
                self._report("E273", formula.span, message, "write the time into the atom: P(X, T)")
                return formula
            case ast.Top() | ast.Bottom() | ast.Comparison():
                return formula
            case (
                ast.DiamondMinus()
                | ast.DiamondPlus()
                | ast.BoxMinus()
                | ast.BoxPlus()
                | ast.Since()
                | ast.Until()
                | ast.Windowed()
                | ast.Some()
                | ast.All()
            ):
                word = _WORDS[type(formula)]
                message = f"{word} does not go with atoms that have their time as last argument"
                hint = "write the times: P(X, T), P(X, T + 1); or leave out time in last argument."
                self._report("E273", formula.span, message, hint)
                return formula

    def _atom(self, atom: ast.Atom) -> ast.Formula:
        if atom.predicate in self.background:
            return atom
        if not atom.arguments:
            self._report_without_time(atom.predicate, f"{atom.predicate}(T)", atom.span)
            return atom
        time = atom.arguments[-1]
        timeless = replace(atom, arguments=atom.arguments[:-1])
        return ast.At(timeless, time, atom.span) if self._is_time(time) else timeless

    def _fact(self, fact: ast.Fact) -> ast.Fact:
        atom = fact.atom
        if not atom.arguments:
            self._report_without_time(atom.predicate, f"{atom.predicate}(3) or {atom.predicate}@3", fact.span)
            return fact
        time = atom.arguments[-1]
        timeless = replace(atom, arguments=atom.arguments[:-1])
        value = self._point(time)
        if value is None:
            return replace(fact, atom=timeless)
        number = ast.Number(value, None, time.span)
        return replace(fact, atom=timeless, interval=ast.IntervalText(number, number, span=time.span))

    def _declaration(self, declaration: ast.PredicateDeclaration) -> ast.PredicateDeclaration:
        if declaration.parameters is None:
            return declaration
        if not declaration.parameters:
            self._report_without_time(declaration.predicate, f"{declaration.predicate}(time)", declaration.span)
            return declaration
        last = declaration.parameters[-1]
        if last.type not in _POSSIBLE_TYPES:
            message = f"the last argument of {declaration.predicate} is its time, not a {last.type.value}"
            self._report("E272", last.span, message, "write one more argument, for the time; or background, without it")
        return replace(declaration, parameters=declaration.parameters[:-1])

    def _is_time(self, term: ast.Term) -> bool:
        """Whether a term is a time term; if not, it is reported."""
        match term:
            case ast.Variable():
                return True
            case ast.Arithmetic(operator=operator, left=ast.Variable(), right=right) if operator in _ADDITIVE:
                amount = self._number(right)
                if amount is not None and amount.denominator == 1:
                    return True
            case ast.Number() | ast.Text():
                return self._point(term) is not None
            case ast.Arithmetic() | ast.Negative():
                pass
        hint = "write a natural number, a variable, T + 1 or T - 1; other calculations go into a comparison"
        self._report("E272", term.span, f"the last argument{_shown(term)} is not a time", hint)
        return False

    def _point(self, term: ast.Term) -> Fraction | None:
        """The time point that a constant is; if it is none, it is reported."""
        value, (start, _) = self._number(term), self.settings.bounds
        if value is not None and value.denominator == 1 and value >= start:
            return value
        if value is None:
            hint = "the last argument is a whole number; a predicate without a time is declared as background"
            self._report("E272", term.span, f"the last argument{_shown(term)} is not a time", hint)
        elif value.denominator != 1:
            hint = "write a whole number"
            self._report("E272", term.span, f"the last argument{_shown(term)} lies between two time points", hint)
        else:
            assert isinstance(start, Fraction)
            message = f"the last argument{_shown(term)} lies before the start of the timeline, {format_rational(start)}"
            self._report("E272", term.span, message, "write a later time, or declare an earlier start")
        return None

    def _number(self, term: ast.Term) -> Fraction | None:
        """The value of a number, with or without a unit, or of a constant that has been declared."""
        match term:
            case ast.Number(value=value, unit=unit):
                return value if unit is None else in_units(value, unit, self.settings.unit)
            case ast.Text(value=name):
                constant = self.settings.constants.get(name)
                return constant if isinstance(constant, Fraction) else None
            case ast.Variable() | ast.Arithmetic() | ast.Negative():
                return None

    def _report_without_time(self, predicate: str, form: str, span: Span | None) -> None:
        message = f"{predicate} has no argument that could be its time"
        self._report("E271", span, message, f"write {form}; a predicate without a time is declared as background")

    def _report(self, code: str, span: Span | None, message: str, hint: str) -> None:
        self.found.append(Diagnostic(code, span, message, hint))


def _shown(term: ast.Term) -> str:
    return f", {term.span.text}," if term.span else ""
