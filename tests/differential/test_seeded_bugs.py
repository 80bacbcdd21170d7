"""The comparison with the oracle can fail: each of these bugs, planted one at a time, must make it do so.

A bug is a change to the source of one function. The changed code takes the place of the real one while the
comparison runs over a fixed set of generated cases; the first case that differs proves the comparison's worth.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

import thalweg
from differential.comparison import engine_answers, oracle_answers
from differential.operator_cases import operator_cases
from differential.planting import differs, planted, some
from thalweg.columnar import coalesce, join, shift, since, subtract
from thalweg.engine import bindings, derive, evaluate, fixpoint, interpretation
from thalweg.plan import build, formulas, guards, needs
from thalweg.testing.strategies import Case, integer_cases, rational_cases
from thalweg.time.timeline import Timeline

BUGS = {
    "diamond: two open starts add up to a closed one": (shift.shift_range, "start - (start & low & 1)", "start"),
    "diamond: two open ends add up to a closed one": (shift.shift_range, "end + (end & high & 1)", "end"),
    "diamond: end off by one": (shift.shift_range, "_moved(to, high)", "_moved(to, high - 1)"),
    "diamond: start off by one": (shift.shift_range, "_moved(from_, low)", "_moved(from_, low + 1)"),
    "box: open operator end not closed": (shift._eroded, "(start & 1 ^ 1) * (high & 1)", "0"),
    "box: open operator start not closed": (shift._eroded, "(end & 1 ^ 1) * (low & 1)", "0"),
    "box: shifts like a diamond": (shift._eroded, "add_saturating(start, high + start_extra)", "start + low"),
    "box: unbounded operator forgets minus infinity": (
        shift.box,
        "survives &= relation.start == NEGATIVE_INFINITY",
        "survives &= True",
    ),
    "clip: last cell lost": (shift.clip, "np.minimum(relation.end, high)", "np.minimum(relation.end, high - 1)"),
    "coalesce: touching ranges stay apart": (coalesce.coalesce, "reached[:-1] + 1", "reached[:-1]"),
    "coalesce: ranges one cell apart are merged": (coalesce.coalesce, "reached[:-1] + 1", "reached[:-1] + 2"),
    "coalesce: a contained range hides the longer one": (
        coalesce._running_maximum,
        "return end[np.maximum.accumulate(raises * np.arange(len(end)))]",
        "return end",
    ),
    "coalesce: groups are not kept apart": (
        coalesce.coalesce,
        "opens = starts_group(key)",
        "opens = starts_group(key) & False; opens[0] = True",
    ),
    "since: vacuous case lost": (since.vacuous, "if low > nearest:", "if True:"),
    "since: integers have one vacuous step only": (since.vacuous, "else 1", "else 0"),
    "since: open ends of the left operand not widened": (since._widened, "(left.start & 1, left.end & 1)", "(0, 0)"),
    "since: closed ends of the left operand widened": (since._widened, "(left.start & 1, left.end & 1)", "(1, 1)"),
    "since: goes on after the left operand ends": (since.since, "np.minimum(end, reach.end[rows_left])", "end"),
    "until: same direction as since": (evaluate.Evaluator._since, "if node.future:", "if False:"),
    "join: keeps the longer end": (join.intersection_join, "np.minimum(left.end", "np.maximum(left.end"),
    "join: misses rows that began before": (
        join.overlapping_pairs,
        "begun, beginning = _started_within(index, starts)",
        "begun = beginning = np.empty(0, dtype=np.int64)",
    ),
    "join: touching is not overlapping, off by one": (
        join.overlapping_pairs,
        'np.searchsorted(index.starts, ends, side="right")',
        "np.searchsorted(index.starts, ends)",
    ),
    "subtract: takes one cell too few before": (subtract.subtract, "taken_start - 1", "taken_start"),
    "subtract: takes one cell too few after": (subtract.subtract, "taken_end[last] + 1", "taken_end[last]"),
    "subtract: forgets the gaps between": (
        subtract.subtract,
        "np.where(first, left.start[rows_left],",
        "np.where(True, left.start[rows_left],",
    ),
    "scan: repeated variables not compared": (
        evaluate.Evaluator._scan,
        "rows &= relation.columns[one] == relation.columns[other]",
        "pass",
    ),
    "semi-naive: boxes see the new part only": (
        evaluate.Evaluator._change,
        "self._unary(node, self._touched(child))",
        "self._unary(node, self.change(child))",
    ),
    "semi-naive: since sees the new left part only": (
        evaluate.Evaluator._change,
        "self._since(node, self._touched(left), self.full(right))",
        "self._since(node, self.change(left), self.full(right))",
    ),
    "semi-naive: later rounds forgotten": (fixpoint._iterate, "while changes:", "while changes and rounds < 1:"),
    "head boxes: reach ignored": (derive._head, "codes != (0, 0)", "False"),
    "negation: ignored": (
        derive._completed,
        "bindings = bindings.without(evaluator.literal(literal, range_))",
        "pass",
    ),
    "conditions: equality accepts everything": (
        bindings._apply,
        "bindings.where(_COMPARE[condition.operator](left, right, values))",
        "bindings",
    ),
    "new facts: whole intervals forgotten when partly known": (
        interpretation.Interpretation.add,
        "coalesce(subtract(derived, known, on))",
        "coalesce(subtract(derived, known, on)).take(slice(1, None), coalesced=True)",
    ),
    "plan: variables projected away under a box": (
        build._narrow,
        "case Diamond(interval=interval, child=child):",
        "case _ if type(node).__name__ == 'Box':\n"
        "            return type(node)(node.interval, _narrow(node.child, wanted))\n"
        "        case Diamond(interval=interval, child=child):",
    ),
    "plan: left-only variables lose the vacuous case": (
        formulas.FormulaPlanner._since,
        "yield vacuous\n",
        "pass\n",
    ),
    "needs: operators do not widen the stretch": (
        needs.Reading.needed_for,
        "firing and firing.looking(self.offsets)",
        "firing",
    ),
    "needs: a guard reaches too far": (guards._extent, "inside and inside.looking(interval)", "inside"),
}


BY_HAND = (
    # A box, or the left side of a since, over what is new together with what was there.
    ("P(X) :- S(X). boxplus(0,1] P(X) :- boxminus[0,2] P(X). S(a)@[0,2].", 0, 9),
    ("P(X) :- S(X). boxplus(0,1] P(X) :- P(X) since[2,3] B(X). S(a)@[0,2]. B(a)@0.", 0, 9),
    # For some Y all the time is more than for some Y at each time.
    ("Q(X) :- boxminus[0,2] P(X, Y). P(a,b)@[0,1]. P(a,c)@[1,3].", 0, 9),
    # A guard under an operator, on a recursion that begins before the time asked for.
    ("P(X) :- diamondminus[1,1] P(X), diamondminus[2,2] G(X). P(a)@3. G(a)@[0,4].", 5, 9),
)
"""Cases that generated ones meet too rarely: rules with facts, and the bounds."""


@pytest.fixture(scope="module")
def answered():
    """Cases with the oracle's answers."""
    strategies = (
        (operator_cases(), 300),
        (operator_cases(Timeline.INTEGER), 60),
        (rational_cases(), 200),
        (integer_cases(), 60),
    )
    cases = [case for strategy, count in strategies for case in some(strategy, count)]
    return [(case, oracle_answers(case)) for case in (*map(_case, BY_HAND), *cases)]


def test_without_a_bug_nothing_differs(answered):
    assert not differs(answered, engine_answers)


@pytest.mark.parametrize("bug", BUGS)
def test_the_comparison_finds(bug, answered, monkeypatch):
    # With a bug no fixpoint is certain to end: a limit on rounds keeps the test from hanging.
    monkeypatch.setattr(fixpoint, "is_certain_to_end", lambda *_: False)
    with planted(*BUGS[bug]):
        assert differs(answered, engine_answers)


def _case(by_hand):
    text, start, end = by_hand
    program = thalweg.parse(text)
    return Case(replace(program, facts=()), program.facts, Fraction(start), Fraction(end))
