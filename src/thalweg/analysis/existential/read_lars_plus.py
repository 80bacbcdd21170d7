"""From programs to LARS+ programs; what LARS+ does not have is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from thalweg.analysis.existential.lars_plus import (
    AtTime,
    Conjunction,
    HeadAtom,
    LarsPlusAtom,
    LarsPlusProgram,
    LarsPlusRule,
    Now,
    SimpleAtom,
    WindowAll,
    WindowAt,
    WindowSome,
)
from thalweg.analysis.existential.lars_plus_refusals import (
    ARITHMETIC,
    COMPARED_VALUES,
    FRONTIER,
    NO_TIME_POINT,
    OTHER_START,
    RATIONAL,
    Refusal,
    refusal_of,
    size_of,
)
from thalweg.analysis.existential.names import FreshVariables
from thalweg.analysis.existential.time_arithmetic import ArithmeticAtom, TimeTerm, arithmetic_atoms
from thalweg.errors import Diagnostic
from thalweg.model.formula import (
    All,
    And,
    At,
    Atom,
    Comparison,
    Constant,
    Formula,
    HeadTerm,
    Skolem,
    Some,
    Term,
    Top,
    Variable,
    Windowed,
    expression_with,
    skolems,
    subformulas,
    variables,
)
from thalweg.model.program import Program, Rule
from thalweg.source import Span
from thalweg.syntax.ast import ComparisonOperator
from thalweg.time.timeline import Timeline


def read_lars_plus(program: Program) -> tuple[LarsPlusProgram, tuple[Diagnostic, ...]]:
    """The LARS+ program (Definition 1) that a program is, and everything in it that LARS+ does not have.

    Rules with arithmetic that is never true are left out.
    """
    found = list(_timeline_refusals(program))
    rules: list[LarsPlusRule] = []
    for heads in _written_rules(program.rules):
        reader = _RuleReader(program, heads)
        rules.append(reader.rule())
        found += reader.found
    arities = tuple((name, signature.arity) for name, signature in program.signatures.items())
    possible = tuple(rule for rule in rules if not rule.body.is_impossible)
    return LarsPlusProgram(possible, arities), tuple(dict.fromkeys(found))


def _written_rules(rules: Iterable[Rule]) -> Iterator[list[Rule]]:
    """The rules for the atoms of one written head, together."""
    for number, group in groupby(rules, key=lambda rule: rule.number):
        if number:
            yield list(group)
        else:
            yield from ([rule] for rule in group)


def _timeline_refusals(program: Program) -> Iterator[Diagnostic]:
    place = program.source.name if program.source else None
    if program.timeline is Timeline.RATIONAL:
        yield Diagnostic("E340", None, RATIONAL.message, RATIONAL.hint, place)
    elif program.timeline_start:
        yield Diagnostic("E340", None, OTHER_START.message, OTHER_START.hint, place)


class _RuleReader:
    """Reads the rules of one written head as one LARS+ rule."""

    def __init__(self, program: Program, rules: Sequence[Rule]) -> None:
        self._bounds = program.bounds
        self._rules = rules
        written = dict.fromkeys(literal for rule in rules for literal in rule.body)
        self._body = tuple(conjunct for literal in written for conjunct in _conjuncts(literal))
        formulas = (*self._body, *(rule.head for rule in rules))
        self._times = {time for formula in formulas for time in _time_variables(formula)}
        self._values = {v for formula in formulas for v in _value_variables(formula)}
        everything = dict.fromkeys(v for formula in formulas for v in variables(formula))
        nulls = (Variable(null.variable) for rule in rules for null in skolems(rule.head))
        self._names = FreshVariables((*everything, *nulls))
        self._readable = {v: self._names.fresh("T" if v in self._times else "V") for v in everything if "#" in v.name}
        self.found: list[Diagnostic] = []

    def rule(self) -> LarsPlusRule:
        """The rule, without what was refused."""
        self._refuse_mixed_sorts()
        atoms = [atom for literal in self._body for atom in self._atoms(literal)]
        arithmetic = [atom for literal in self._body for atom in self._arithmetic(literal)]
        head = [atom for rule in self._rules for atom in self._head(rule)]
        nulls = [null for rule in self._rules for null in skolems(rule.head)]
        self._refuse_other_frontiers(nulls)
        return LarsPlusRule(
            Conjunction(tuple(atoms), tuple(dict.fromkeys(arithmetic))),
            tuple(head),
            existential=tuple(dict.fromkeys(Variable(null.variable) for null in nulls)),
            frontier=tuple(map(self._named, nulls[0].frontier)) if nulls else (),
            number=self._rules[0].number,
            origin=self._rules[0].origin,
        )

    def _atoms(self, literal: Formula) -> Iterator[LarsPlusAtom]:
        match literal:
            case Comparison():
                pass
            case Atom() | Top():
                yield Now(self._simple(literal))
            case At(operand=Atom() | Top() as atom, time=time):
                yield AtTime(self._simple(atom), self._time(time))
            case Windowed(window=window, operand=operand):
                size = size_of(window)
                if isinstance(size, Refusal):
                    self._refuse(size, literal.span)
                else:
                    yield from self._windowed(size, operand)
            case _:
                self._refuse(refusal_of(literal), literal.span)

    def _windowed(self, size: int, operand: Formula) -> Iterator[LarsPlusAtom]:
        match operand:
            case Atom() | Top():
                # The current time lies in every window that ends now.
                yield Now(self._simple(operand))
            case At(operand=Atom() | Top() as atom, time=time):
                yield WindowAt(size, self._simple(atom), self._time(time))
            case Some(operand=Atom() | Top() as atom):
                yield WindowSome(size, self._simple(atom))
            case All(operand=Atom() | Top() as atom):
                yield WindowAll(size, self._simple(atom))
            case Some() | All() | At():
                self._refuse(refusal_of(operand.operand), operand.operand.span)
            case _:
                self._refuse(refusal_of(operand), operand.span)

    def _arithmetic(self, literal: Formula) -> tuple[ArithmeticAtom, ...]:
        if not isinstance(literal, Comparison) or self._is_trivial(literal):
            return ()
        used = dict.fromkeys(variables(literal))
        if any(variable in self._values for variable in used):
            self._refuse(COMPARED_VALUES, literal.span)
            return ()
        for variable in used:
            if variable not in self._times:
                hint = f"write top at {variable} beside it, if it is to be a time point of the timeline"
                self._refuse(Refusal(f"numbers that are no times, such as {variable}", hint), literal.span)
                return ()
        atoms = arithmetic_atoms(self._renamed(literal), lambda: self._names.fresh("V"))
        if atoms is None:
            self._refuse(ARITHMETIC, literal.span)
        return atoms or ()

    def _is_trivial(self, literal: Comparison) -> bool:
        """Whether the comparison says only that a time lies on the timeline, as all time variables do (T-match)."""
        start, end = self._bounds
        if literal.left not in self._times or not isinstance(literal.right, Constant):
            return False
        is_after_start = literal.operator is ComparisonOperator.GREATER_EQUAL and literal.right.value == start
        return is_after_start or (literal.operator is ComparisonOperator.LESS_EQUAL and literal.right.value == end)

    def _head(self, rule: Rule) -> Iterator[HeadAtom]:
        match rule.head:
            case Atom() | Top():
                yield Now(self._simple(rule.head))
            case At(operand=Atom() | Top() as atom, time=time):
                yield AtTime(self._simple(atom), self._time(time))
            case head:
                self._refuse(refusal_of(head), head.span)

    def _simple(self, atom: SimpleAtom) -> SimpleAtom:
        return atom if isinstance(atom, Top) else replace(atom, arguments=tuple(map(self._term, atom.arguments)))

    def _term(self, term: HeadTerm) -> HeadTerm:
        match term:
            case Skolem(variable=name):
                return Variable(name)
            case Variable():
                return self._named(term)
            case _:
                return term

    def _time(self, time: Term) -> TimeTerm:
        if isinstance(time, Variable):
            return self._named(time)
        if not (isinstance(time.value, Fraction) and time.value.denominator == 1 and time.value >= 0):
            self._refuse(NO_TIME_POINT, time.span)
        return time

    def _named(self, variable: Variable) -> Variable:
        return self._readable.get(variable, variable)

    def _renamed(self, comparison: Comparison) -> Comparison:
        left, right = (expression_with(side, self._readable) for side in (comparison.left, comparison.right))
        return replace(comparison, left=left, right=right)

    def _refuse_mixed_sorts(self) -> None:
        """Variables are of one sort: they stand for times, or for values (Section 2)."""
        for variable in sorted(self._times & self._values, key=lambda each: each.name):
            hint = "time is not among the values in LARS+: leave it out of the atom's arguments"
            self._refuse(Refusal(f"times as values, such as {variable}", hint), variable.span)

    def _refuse_other_frontiers(self, nulls: Sequence[Skolem]) -> None:
        """The frontier of LARS+ is all that the body gives the head, the current time included."""
        heads = [rule.head for rule in self._rules]
        given = {v for head in heads for v in (*_value_variables(head), *_time_variables(head))}
        timed = any(not isinstance(head, At) for head in heads)
        if any(set(null.frontier) != given or null.timed != timed for null in nulls):
            self._refuse(FRONTIER, nulls[0].span)

    def _refuse(self, refusal: Refusal, span: Span | None) -> None:
        self.found.append(Diagnostic("E340", span or self._rules[0].origin, refusal.message, refusal.hint))


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    """Formulas without conjunctions inside that are true together iff the formula is: all but some is for each."""
    match formula:
        case And(operands=operands):
            for operand in operands:
                yield from _conjuncts(operand)
        case Windowed() | All() | At():
            for inner in _conjuncts(formula.operand):
                is_timeless = isinstance(inner, Comparison) and not isinstance(formula, At)
                yield inner if is_timeless else replace(formula, operand=inner)
        case _:
            yield formula


def _time_variables(formula: Formula) -> Iterator[Variable]:
    for part in subformulas(formula):
        if isinstance(part, At) and isinstance(part.time, Variable):
            yield part.time


def _value_variables(formula: Formula) -> Iterator[Variable]:
    for part in subformulas(formula):
        if isinstance(part, Atom):
            yield from (term for term in part.arguments if isinstance(term, Variable))
