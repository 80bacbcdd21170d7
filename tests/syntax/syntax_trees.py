"""Generated syntax trees: every node, in every place where the language allows it."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from thalweg.syntax import ast
from thalweg.syntax.tokens import RESERVED_WORDS
from thalweg.time.units import UNITS

_soft_words = [
    "box", "Box", "Boxminus", "diamondplus", "since", "Until", "at", "window", "exists", "input", "output",
    "delay", "tick", "unit", "const", "timeline", "last", "next", "per", "of", "tuples", "from", "stream",
    "to", "with", "probability", "time", "in", "argument", "count", "sum", "min", "max", "avg",
]  # fmt: skip
_words = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True) | st.sampled_from(["übung", "Äther", "東京"])
_names = (_words | st.sampled_from(_soft_words)).filter(lambda name: name not in RESERVED_WORDS)
_prefixed = st.builds("{}:{}".format, _words, _words)

predicates = _names | _prefixed
variables = st.builds(ast.Variable, _names.filter(lambda name: name[0].isupper() or name == "_"))
named_variables = variables.filter(lambda variable: variable.name != "_")
texts = st.builds(ast.Text, st.text(max_size=6) | _names | _prefixed | st.sampled_from(sorted(RESERVED_WORDS)))

_rationals = st.fractions(min_value=-1000, max_value=1000, max_denominator=60)
_units = st.none() | st.sampled_from(sorted(UNITS))
numbers = st.builds(ast.Number, _rationals, _units)
lengths = st.builds(ast.Number, _rationals.map(abs), _units)
counts = st.builds(ast.Number, st.integers(1, 9).map(Fraction))
bounds = numbers | st.builds(ast.Infinity, st.booleans())


def _compound_terms(terms: st.SearchStrategy[ast.Term]) -> st.SearchStrategy[ast.Term]:
    negatives = terms.filter(lambda term: not isinstance(term, ast.Number))
    return st.builds(ast.Arithmetic, st.sampled_from(ast.ArithmeticOperator), terms, terms) | st.builds(
        ast.Negative, negatives
    )


terms = st.recursive(variables | texts | numbers, _compound_terms, max_leaves=6)


@st.composite
def intervals(draw: st.DrawFn, least: int = 0) -> ast.IntervalText:
    """Intervals that are not empty; operators have none below 0."""
    first, second = sorted(draw(st.tuples(*[st.fractions(least, 50, max_denominator=12)] * 2)))
    unit = draw(_units)
    start: ast.Bound = ast.Number(first, unit)
    end: ast.Bound = ast.Number(second, unit)
    start_closed, end_closed = draw(st.booleans()) or first == second, draw(st.booleans()) or first == second
    if draw(st.integers(0, 4)) == 0:
        end, end_closed = ast.Infinity(), False
    if least < 0 and draw(st.integers(0, 4)) == 0:
        start, start_closed = ast.Infinity(negative=True), False
    return ast.IntervalText(start, end, start_closed, end_closed)


reaches = lengths | st.builds(ast.Infinity)
slides = lengths.filter(lambda number: number.value > 0)
windows = (
    st.builds(ast.TimeWindow, reaches, st.none() | reaches, st.none() | slides, st.booleans())
    | st.builds(ast.TupleWindow, counts, st.none() | counts, st.booleans())
    | st.builds(
        ast.PartitionWindow,
        counts,
        st.lists(counts, min_size=1, max_size=3).map(tuple),
        st.none() | counts,
        st.booleans(),
    )
)
atoms = st.builds(ast.Atom, predicates, st.lists(terms, max_size=3).map(tuple))
comparisons = st.builds(ast.Comparison, st.sampled_from(ast.ComparisonOperator), terms, terms)


def _compound_formulas(formulas: st.SearchStrategy[ast.Formula]) -> st.SearchStrategy[ast.Formula]:
    several = st.lists(formulas, min_size=2, max_size=3).map(tuple)
    metric = [ast.BoxMinus, ast.BoxPlus, ast.DiamondMinus, ast.DiamondPlus]
    return st.one_of(
        *(st.builds(operator, intervals(), formulas) for operator in metric),
        *(st.builds(operator, intervals(), formulas, formulas) for operator in (ast.Since, ast.Until)),
        *(st.builds(operator, formulas) for operator in (ast.Some, ast.All, ast.Not)),
        *(st.builds(operator, several) for operator in (ast.And, ast.Or)),
        st.builds(ast.Implies, formulas, formulas),
        st.builds(ast.Windowed, windows, formulas),
        st.builds(ast.At, formulas, terms),
    )


formulas = st.recursive(
    atoms | comparisons | st.builds(ast.Top) | st.builds(ast.Bottom), _compound_formulas, max_leaves=6
)
aggregates = st.builds(
    ast.Aggregate,
    st.sampled_from(ast.ComparisonOperator),
    terms,
    st.sampled_from(ast.AggregateKind),
    st.lists(terms, min_size=1, max_size=3).map(tuple),
    st.lists(formulas, min_size=1, max_size=2).map(tuple),
)
_body_formulas = st.recursive(formulas | aggregates, _compound_formulas, max_leaves=2)
_head_formulas = st.lists(
    formulas.filter(lambda formula: not isinstance(formula, ast.Comparison)), min_size=1, max_size=2
).map(tuple)
_some_variables = st.lists(named_variables, min_size=1, max_size=2).map(tuple)
heads = st.builds(ast.Head, _head_formulas) | st.builds(
    ast.Head, _head_formulas, _some_variables, st.none() | _some_variables
)
rules = st.builds(ast.Rule, heads, st.lists(_body_formulas, min_size=1, max_size=3).map(tuple))
facts = st.builds(
    ast.Fact,
    st.builds(ast.Atom, predicates, st.lists(texts | numbers, max_size=3).map(tuple)),
    st.none() | intervals(least=-50),
)

_parameters = st.builds(
    ast.Parameter, st.none() | _names.filter(lambda name: name != "_"), st.sampled_from(ast.TypeName)
)
_constants = _names.filter(lambda name: not name[0].isupper() and name[0] != "_")
_patterns = st.none() | st.lists(terms, max_size=2).map(tuple)
declarations = st.one_of(
    st.builds(
        ast.PredicateDeclaration,
        st.sampled_from(ast.Role),
        predicates,
        st.none() | st.lists(_parameters, max_size=3).map(tuple),
    ),
    st.builds(
        ast.TimelineDeclaration, st.sampled_from(["rational", "integer"]), st.none() | numbers, st.none() | numbers
    ),
    st.builds(ast.UnitDeclaration, lengths.filter(lambda number: number.unit is not None)),
    st.builds(ast.TickDeclaration, lengths),
    st.builds(ast.DelayDeclaration, predicates, _patterns, bounds, st.none() | st.lists(bounds, min_size=1).map(tuple)),
    st.builds(ast.ProbabilityDeclaration, predicates, _patterns, bounds),
    st.builds(ast.LastArgumentDeclaration),
    st.builds(ast.ConstantDeclaration, _constants, texts | numbers),
)
statements = rules | facts | declarations
programs = st.builds(ast.ProgramText, st.lists(statements, max_size=3).map(tuple))
