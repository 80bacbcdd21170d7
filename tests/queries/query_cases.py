"""Generated queries of LARS+ (paper, Definition 3), beside generated programs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from thalweg.engine.query import answer_query, read_query
from thalweg.model import formula as model
from thalweg.model.formula import Formula, variables
from thalweg.null import Null
from thalweg.syntax import ast
from thalweg.syntax.printer import format_query
from thalweg.testing.lars_plus.atoms import matches
from thalweg.testing.lars_plus.stream import GrowingStream
from thalweg.testing.strategies import Case, LarsPlusKnobs, lars_plus_cases
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.lars_plus_bodies import PURE_INPUTS, LarsPlusBodyWriter
from thalweg.testing.strategies.vocabulary import INPUTS, Kind, Predicate

GIVEN = {predicate.name: len(predicate.kinds) for predicate in PURE_INPUTS}
"""Predicates of which there may be facts, whether the program mentions them or not."""


@dataclass(frozen=True)
class Asked:
    """A program with facts, and a query as its atoms and as text."""

    case: Case
    atoms: tuple[Formula, ...]
    hidden: tuple[str, ...]
    text: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables asked for, in the order in which they stand in the text."""
        query = read_query(self.text, self.case.program, GIVEN)
        assert {*query.columns} == {v.name for atom in self.atoms for v in variables(atom)} - {*self.hidden}
        return query.columns


def asked(knobs: LarsPlusKnobs, count: int = 4) -> st.SearchStrategy[list[Asked]]:
    """So many queries about the predicates of a case."""
    return _asked(knobs, count)


@st.composite
def _asked(draw, knobs, count):
    case, choices = draw(lars_plus_cases(knobs)), Choices(draw)
    inputs = {predicate.name for predicate in INPUTS}
    derived = [
        Predicate(name, (Kind.TEXT,) * signature.arity)
        for name, signature in case.program.signatures.items()
        if name not in inputs
    ]
    return [_query(case, choices, LarsPlusBodyWriter(choices, knobs, [*PURE_INPUTS, *derived])) for _ in range(count)]


def _query(case, choices, bodies):
    atoms = bodies.body()
    if choices.chance(50):
        # What is derived alone: nulls often, and joins on them.
        literals = [bodies.literal(choices.one_of(bodies.derived)) for _ in range(choices.one_of((1, 2)))]
        atoms = bodies.with_arithmetic(literals)
    names = sorted({variable.name for atom in atoms for variable in variables(atom)})
    hidden = tuple(name for name in names if choices.chance(40))
    text = format_query(ast.QueryText(tuple(map(ast.Variable, hidden)), tuple(map(written, atoms))))
    short = text.replace("[last ", " ").replace("]", "")
    return Asked(case, tuple(atoms), hidden, short if choices.chance(50) else text)


def written(formula: Formula) -> ast.Formula:
    """An atom of LARS+ as it is written."""
    match formula:
        case model.Atom(predicate=name, arguments=arguments):
            return ast.Atom(name, tuple(map(_term, arguments)))
        case model.Top():
            return ast.Top()
        case model.At(operand=operand, time=time):
            return ast.At(written(operand), _term(time))
        case model.Some(operand=operand):
            return ast.Some(written(operand))
        case model.All(operand=operand):
            return ast.All(written(operand))
        case model.Windowed(window=window, operand=operand):
            return ast.Windowed(ast.TimeWindow(ast.Number(window.last)), written(operand))
        case model.Comparison(operator=operator, left=left, right=right):
            return ast.Comparison(operator, _term(left), _term(right))
    raise TypeError(f"no atom of LARS+: {formula!r}")


def _term(term):
    match term:
        case model.Variable(name=name):
            return ast.Variable(name)
        case model.Constant(value=str() as text):
            return ast.Text(text)
        case model.Constant(value=number):
            return ast.Number(number)
        case model.Arithmetic(operator=operator, left=left, right=right):
            return ast.Arithmetic(operator, _term(left), _term(right))


def answered(query: Asked, **options):
    """The answers of the engine."""
    program = replace(query.case.program, facts=query.case.facts)
    return answer_query(read_query(query.text, program, GIVEN), [], **options)


def rows_at(answers, points):
    """The rows that are answers at each time point."""
    found = {time: set() for time in points}
    for (_, row), held in answers.facts().items():
        for time in points:
            if any(time in interval for interval in held):
                found[time].add(row)
    return found


def matched(query: Asked, stream: GrowingStream):
    """The rows that T-matches of the query give at each time point, straight from Definition 3."""
    columns = query.columns
    return {
        time: {tuple(found[name] for name in columns) for found in matches(query.atoms, stream, time)}
        for time in stream.timeline
    }


def certain(rows):
    """The rows without nulls."""
    return {time: {row for row in several if not has_null(row)} for time, several in rows.items()}


def has_null(row):
    return any(isinstance(value, Null) for value in row)
