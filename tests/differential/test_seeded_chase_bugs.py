"""The comparison of chases can fail: each of these bugs, planted one at a time, must make it do so."""

from fractions import Fraction

import pytest

import thalweg
from differential.comparison import engine_answers, oracle_answers
from differential.planting import differs, planted, some
from differential.test_lars_plus import MIXED, merging
from stream.streaming import streamed
from stream.test_lars_plus_streams import PURE as ON_STREAMS
from stream.test_lars_plus_streams import Restarting
from thalweg.columnar import nulls, trigger_table, values
from thalweg.engine import derive, fixpoint, invent, merged
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import ProgramError
from thalweg.testing.strategies import Case, lars_plus_cases

GOLDEN = {
    "belts": """
        exists Y: bOpr(X, Y) :- belt(X).
        exists Z: brkG(X, Z) :- window[last 5] some bSpeed(X, Y), slow(Y).
        exists Z: incId(Z, X) :- window[last 3] all bTmp(X, Y), high(Y).
        assign(Y, Z) :- incId(Y, X), bOpr(X, Z).
        block(X) :- window[last 3] all incId(Z, X).
        belt(b1)@[2,8]. belt(b2)@[0,1]. slow(low)@[0,9]. high(9)@[0,9].
        bSpeed(b1, low)@1. bTmp(b1, 9)@[1,8]. bTmp(b2, 3)@[0,9].
    """,
    "an incident that lasts": """
        exists Z per X: incId(Z, X) :- window[last 3] all bTmp(X, Y), high(Y).
        block(X) :- window[last 3] all incId(Z, X).
        high(9)@[0,9]. bTmp(b1, 9)@[1,8]. bTmp(b2, 9)@[4,9].
    """,
    "nulls that come again": """
        exists Y, Z per X: p(X, Y), q(X, Z) :- a(X).
        again(Y) :- p(X, Y), window[last 2] (p(X, Y) at T), window[last 0] (a(X) at T + 2).
        a(c)@[1,3]. a(d)@2. a(c)@[6,7].
    """,
    "shared nulls": """
        exists Y, Z: p(X, Y), q(Y, Z) :- a(X).
        exists Y, Z: p(X, Y), r(Z, Y, X) :- a(X), b.
        same(X) :- p(X, Y), q(Y, Z), not same_as_first(Y, Z). same_as_first(Y, Y) :- p(_, Y).
        both(X) :- p(X, Y), r(Z, Y, X).
        a(c)@[1,3]. a(d)@2. b@[2,6].
    """,
    "several values in a frontier": """
        exists Z: p(Y, X, Z) :- a(X, Y).
        exists Z per Y, X: q(Z) :- a(X, Y).
        exists Z per X, Y: q(Z) :- a(X, Y).
        twice(Z) :- p(X, Y, Z), p(Y, X, V), Z != V.
        a(c, d)@[1,3]. a(d, c)@[1,2]. a(c, c)@7.
    """,
    "heads at times": """
        exists Z: p(X, Z) at T + 1, q(Z) at T :- window[last 2] (a(X) at T).
        exists Z: r(X, Z), q(Z) at T :- window[last 1] (a(X) at T).
        met(X) :- r(X, Z), window[last 3] some q(Z).
        a(c)@3. a(d)@[4,5]. a(e)@9.
    """,
    "nulls of nulls": """
        exists V: p(Y, V) at T + 1 :- window[last 0] (p(X, Y) at T).
        exists V: q(X, V) :- p(_, X).
        exists V: s(X, Y, V) :- q(X, Y).
        p(a, b)@1. p(a, c)@2.
    """,
    "nulls in order": """
        exists Y: p(Y), q(X) :- a(X).
        p(zz) :- a(_).
        newest(Y) :- window[last 1 tuples] some p(Y).
        a(e)@1. a(d)@1. a(c)@3. a(f)@3. a(g)@5. a(b)@5. a(d)@5.
    """,
    "boxes": "exists Y: boxplus[0,2] p(X, Y) :- a(X). r(Y) :- window[last 2] all p(_, Y). a(c)@[3,4]. a(d)@8.",
}
"""What is rare among generated programs; all of them from 0 to 9."""

BUGS = {
    "the time is forgotten": (invent._triggers, "*columns, body.relation.start]", "*columns, 0 * body.relation.start]"),
    "the frontier is the other way round": (invent._triggers, "in null.frontier]", "in null.frontier[::-1]]"),
    "the frontier lacks a value": (
        invent._triggers,
        "shape = Shape",
        "columns = [column * (i != 1) for i, column in enumerate(columns)]; shape = Shape",
    ),
    "rules share their nulls": (invent._triggers, "Shape(null.rule,", "Shape(1,"),
    "time points are not split": (invent.invented, "if first.timed:", "if False:"),
    "the last time point has no null": (invent.at_points, "relation.end + 1", "relation.end"),
    "variables share their nulls": (
        nulls.Nulls.codes,
        "return null_codes(triggers, slot)",
        "return null_codes(triggers, 0)",
    ),
    "triggers are not known again": (trigger_table.TriggerTable._find, "rows[waiting[same]] = candidates[same]", ""),
    "new triggers are confused": (
        trigger_table.distinct_triggers,
        "rank[np.cumsum(starts) - 1]",
        "np.cumsum(starts) - 1",
    ),
    "nulls are in no order": (values._sort_key, "return 2, Fraction(0), str(value)", 'return 2, Fraction(0), ""'),
    "nulls come before texts": (values._sort_key, "return 2, Fraction(0)", "return 0, Fraction(0)"),
    "heads at the time of the body": (derive._at_times, "derived.with_time(times, times)", "derived"),
}

BUGS_OF_MERGED_RULES = {
    "merged: the time is forgotten": (
        merged.MergedRules._triggers,
        "*columns, relation.start]",
        "*columns, 0 * relation.start]",
    ),
    "merged: all variables are in the frontier": (
        merged.MergedRules._triggers,
        "np.where(counts[:, i], column, 0)",
        "column",
    ),
    "merged: rules share their nulls": (merged.MergedRules._triggers, "self.numbers[rows]", "self.numbers[0 * rows]"),
    "merged: time points are not split": (merged.MergedRules.heads, "body = at_points(plan, body)", "pass"),
    "merged: variables share their nulls": (
        merged.MergedRules._head,
        "null_codes(triggers, source - width)",
        "null_codes(triggers, 0 * source)",
    ),
    "merged: the frontier is in the order of the body": (
        nulls.Nulls.origin,
        "in group.frontier)",
        "in sorted(group.frontier))",
    ),
    "merged: a head is lost": (merged.MergedRules.heads, "range(self.members.shape[1])", "range(1)"),
}

BUGS_ON_STREAMS = {
    "restarts: variables change places": (
        nulls.Nulls.hold,
        "enumerate(each.variables)",
        "enumerate(each.variables[::-1])",
    ),
    "restarts: numbers are given again": (nulls.Nulls.hold, "self._next = max(", "self._next = min("),
}


def golden(text):
    program = thalweg.parse(f"timeline integer from 0 to 9. {text}")
    return Case(program, program.facts, Fraction(0), Fraction(9))


@pytest.fixture(scope="module")
def answered():
    """Golden and generated cases with the oracle's answers."""
    cases = [*map(golden, GOLDEN.values()), *some(lars_plus_cases(), 60), *some(lars_plus_cases(MIXED), 30)]
    return [(case, oracle_answers(case)) for case in cases]


@pytest.fixture(scope="module")
def streams():
    """Golden and generated cases that streams can answer, with the oracle's answers."""
    names = "nulls that come again", "belts", "shared nulls", "heads at times", "nulls of nulls"
    cases = [golden(GOLDEN[name]) for name in names]
    cases += some(lars_plus_cases(ON_STREAMS).filter(_can_be_streamed), 40)
    return [(case, oracle_answers(case)) for case in cases]


def test_without_a_bug_nothing_differs(answered):
    assert not differs(answered, engine_answers)


def test_without_a_bug_nothing_differs_when_rules_are_merged(answered):
    with merging():
        assert not differs(answered, engine_answers)


def test_without_a_bug_nothing_differs_on_streams(streams):
    assert not differs(streams, _restarted)


FEW_HASHES = trigger_table.trigger_hashes, "return word.view(np.int64)", "return word.view(np.int64) & 1"


def test_triggers_of_one_hash_are_told_apart(answered):
    with planted(*FEW_HASHES):
        assert not differs(answered, engine_answers)


def test_the_comparison_finds_that_they_are_not(answered):
    with (
        planted(*FEW_HASHES),
        planted(trigger_table.TriggerTable._find, "waiting[same]] = candidates[same]", "waiting] = candidates"),
    ):
        assert differs(answered, engine_answers)


@pytest.mark.parametrize("bug", BUGS)
def test_the_comparison_finds(bug, answered, monkeypatch):
    monkeypatch.setattr(fixpoint, "is_certain_to_end", lambda *_: False)
    with planted(*BUGS[bug]):
        assert differs(answered, engine_answers)


@pytest.mark.parametrize("bug", BUGS_OF_MERGED_RULES)
def test_the_comparison_of_merged_rules_finds(bug, answered, monkeypatch):
    monkeypatch.setattr(fixpoint, "is_certain_to_end", lambda *_: False)
    with merging(), planted(*BUGS_OF_MERGED_RULES[bug]):
        assert differs(answered, engine_answers)


@pytest.mark.parametrize("bug", BUGS_ON_STREAMS)
def test_the_comparison_on_streams_finds(bug, streams):
    with planted(*BUGS_ON_STREAMS[bug]):
        assert differs(streams, _restarted)


def _can_be_streamed(case) -> bool:
    try:
        return bool(StreamReasoner(case.program, case.program.predicates))
    except ProgramError:
        return False


def _restarted(case):
    """What is streamed out point by point, the reasoner restored in between."""
    return streamed(Restarting(case), case, [Fraction(time) for time in range(10)])
