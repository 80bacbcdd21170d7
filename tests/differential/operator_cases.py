"""One rule, one operator, few times: ends meet often, so that a mistake at an end shows."""

import math
from fractions import Fraction

from hypothesis import strategies as st

from thalweg.model import formula as f
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.syntax.ast import Parameter
from thalweg.testing.strategies import Case
from thalweg.time.interval import Interval
from thalweg.time.timeline import Timeline

X = f.Variable("X")
UNARY = (f.DiamondMinus, f.DiamondPlus, f.BoxMinus, f.BoxPlus)
BINARY = (f.Since, f.Until)
PAST = (f.DiamondMinus, f.BoxMinus, f.Since, f.Since)


@st.composite
def operator_cases(draw, timeline=Timeline.RATIONAL, operators=(*UNARY, *BINARY, *BINARY), unbounded=False, latest=5):
    operator = draw(st.sampled_from(operators))
    interval = draw(_intervals(0, 3, timeline))
    if unbounded and operator is not f.BoxMinus:
        interval = Interval(interval.start, math.inf, interval.start_closed, False)
    operands = [f.Atom(name, (X,)) for name in ("A", "B")][: 1 if operator in UNARY else 2]
    rule = Rule(f.Atom("Q", (X,)), (operator(interval, *operands),), number=1)
    facts = draw(st.lists(_facts(timeline, latest), min_size=2, max_size=5))
    signatures = {name: Signature(name, (Parameter(None),)) for name in ("Q", "A", "B")}
    return Case(Program((rule,), signatures=signatures, timeline=timeline), tuple(facts), Fraction(-2), Fraction(8))


def _facts(timeline, latest):
    atoms = st.sampled_from(["A", "B"]).map(lambda name: f.Atom(name, (f.Constant("a"),)))
    return st.builds(Fact, atoms, _intervals(0, latest, timeline))


@st.composite
def _intervals(draw, low, high, timeline):
    start, end = sorted((draw(st.integers(low, high)), draw(st.integers(low, high))))
    open_start, open_end = draw(st.booleans()), draw(st.booleans())
    wide_enough = 1 if timeline is Timeline.RATIONAL else 2
    if end - start < wide_enough:
        open_start = open_end = False
    return Interval(Fraction(start), Fraction(end), not open_start, not open_end)
