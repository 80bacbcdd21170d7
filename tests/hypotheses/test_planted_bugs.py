"""The checks of hypothetical answers can fail: each of these bugs, planted one at a time, must make one do so."""

from functools import cache

import pytest
from hypothesis.errors import UnsatisfiedAssumption

from differential.planting import planted, some
from hypotheses import (
    test_engine_against_definitions,
    test_engine_confidence,
    test_engine_giving_up,
    test_engine_in_order,
    test_engine_log,
    test_engine_negation,
    test_engine_order,
    test_engine_promises,
    test_engine_snapshots,
    test_engine_unfolding,
)
from hypotheses.busy_streams import NEGATIVE, POSITIVE, PROMPT, busy
from thalweg.analysis.hypotheses import minimal, promises, terms
from thalweg.analysis.hypotheses.unfold import _limits
from thalweg.engine.hypotheses import (
    blocked,
    confidence,
    fact_clock,
    lengths,
    matching,
    news,
    pattern_rows,
    pruning,
    reasoner,
    state,
    superfluous,
)
from thalweg.testing.strategies import HypothesesKnobs, hypotheses_cases


def only(name):
    return {name: (POSITIVE | NEGATIVE)[name]}


GENERATED = HypothesesKnobs(max_facts=7, max_layers=2)

CHECKS = {
    "definitions": (POSITIVE, 8, test_engine_against_definitions.check),
    "log": (POSITIVE | NEGATIVE, 8, test_engine_log.check),
    "log of forks": (only("a fork"), 25, test_engine_log.check),
    "log of shared atoms": (only("ways that share atoms"), 25, test_engine_log.check),
    "log of two ways": (only("one way with a negation"), 25, test_engine_log.check),
    "negation": (NEGATIVE, 8, test_engine_negation.check),
    "order": (POSITIVE | NEGATIVE, 4, test_engine_order.check_order),
    "late": (POSITIVE, 4, test_engine_order.check_late),
    "in order": (PROMPT, 6, test_engine_in_order.check),
    "promises": (POSITIVE | NEGATIVE, 8, test_engine_promises.check),
    "snapshots": (POSITIVE | NEGATIVE, 4, test_engine_snapshots.check),
    "confidence": (POSITIVE | NEGATIVE, 4, test_engine_confidence.check),
    "giving up": (POSITIVE | NEGATIVE, 15, test_engine_giving_up.check),
    "likeliest": (POSITIVE | NEGATIVE, 6, test_engine_giving_up.check_likeliest),
    "unfolding": (GENERATED, 100, test_engine_unfolding.check_instances),
}
"""What to look at, how much of it, and how."""

Rows = pattern_rows.PatternRows
Reasoner = reasoner.HypothesisReasoner

BUGS = {
    "a fact is in time a time point too long": ("late", Reasoner.in_time, "> self.closed", ">= self.closed"),
    "the slice of the newest fact is over": ("order", fact_clock.FactClock.advance, "self.newest - 1", "self.newest"),
    "rows expire a time point too late": (
        "log",
        Reasoner._settle,
        "expiry(table.rows) <= closed",
        "expiry(table.rows) < closed",
    ),
    "rows expire a time point too soon": (
        "definitions",
        Reasoner._settle,
        "expiry(table.rows) <= closed",
        "expiry(table.rows) <= closed + 1",
    ),
    "forks are forgotten": ("definitions", Rows._in_any_order, "if not own <= bound:", "if False:"),
    "rows are not begun by late atoms": (
        "definitions",
        Rows._in_any_order,
        "[self._closed(self._seed(found, number), frozenset())]",
        "[self._closed(self._seed(found, number), frozenset())] if not number else []",
    ),
    "atoms are marked in rows they do not fit": (
        "definitions",
        Rows._marked,
        "arrived_in(rows, found.columns, found.size)",
        "np.ones(len(rows), dtype=np.bool_)",
    ),
    "atoms are marked in no other rows": ("log of forks", Rows._marked, "if not own < bound:", "if True:"),
    "answers are forgotten too early": (
        "log of shared atoms",
        Reasoner._remembered,
        "+ self.promises.delay",
        "+ self.promises.delay - 2",
    ),
    "facts under not are forgotten too early": (
        "negation",
        blocked.Blocked.forget,
        "+ self.keep > closed",
        "+ self.keep > closed + 2",
    ),
    "facts under not count for later rows only": (
        "negation",
        Rows.is_blocked,
        "found |= blocked.contains(rows)",
        "pass",
    ),
    "rows contradict themselves": ("negation", blocked.Blocked.is_needed, "found |= same", "pass"),
    "the first of several negations decides": ("negation", Rows.settled, "np.maximum(found,", "np.minimum(found,"),
    "derived predicates are decided at once": (
        "negation",
        promises.promises,
        "signatures[name].arity, inner.delay)",
        "signatures[name].arity, 0)",
    ),
    "the last atoms are worked in first": (
        "in order",
        reasoner._levels,
        "sorted(set(places))",
        "sorted(set(places), reverse=True)",
    ),
    "one atom of a time point will do": ("in order", reasoner._levels, "if place == level", "if place <= level"),
    "offsets are added": ("definitions", matching.match_facts, "codes - 2 * term.offset", "codes + 2 * term.offset"),
    "the most general delay counts": ("late", lengths.Lengths._longest, "if is_narrower(other, each)", "if False"),
    "atoms outside the timeline are awaited": ("definitions", Rows.untils, "until[outside] = -NEVER", "pass"),
    "derived atoms may lie outside the timeline": (
        "definitions",
        _limits,
        "if isinstance(first, Fraction) and",
        "if False and",
    ),
    "constants are no obstacle to subsumption": ("definitions", minimal._matched, "if term != goal:", "if False:"),
    "any pattern of the same predicates subsumes": (
        "unfolding",
        minimal.minimal,
        "and subsumes(pattern, reduced[other])",
        "",
    ),
    "atoms are condensed away that are needed": (
        "definitions",
        minimal.condensed,
        "and subsumes(pattern, smaller)",
        "",
    ),
    "unifiers go the wrong way": (
        "unfolding",
        terms._unify,
        "found[left.variable] = shifted(right, -left.offset)",
        "found[left.variable] = shifted(right, left.offset)",
    ),
    "ways for which nothing has come are ignored": (
        "log of two ways",
        Reasoner._refuted,
        "lapses = until > closed",
        "lapses = until > closed + 99",
    ),
    "an answer that lapsed is told of twice": (
        "log of shared atoms",
        Reasoner._refuted,
        "self._no_longer_lapsed(change)",
        "",
    ),
    "an answer that lapsed is refuted though it is true": (
        "log of two ways",
        Reasoner._lapsed,
        "anew |= self.answered.contains(self.lapsed.columns, size)",
        "",
    ),
    "rows that are not minimal stay": ("definitions", superfluous.superfluous, "] = True", "] = False"),
    "rows that await less go": (
        "definitions",
        superfluous._needs_less,
        "fewer_hypotheses |= spared & ~arrived",
        "fewer_hypotheses |= ~arrived",
    ),
    "an answer is opened by each of its rows": (
        "log",
        news.News.open,
        "~(self._known | self._told)",
        "~(self._known & self._told)",
    ),
    "the delay of a query lacks that of its atoms": (
        "promises",
        promises._after,
        "later + delays.longest(atom)",
        "later",
    ),
    "the window of a query lacks the delay of its atoms": (
        "promises",
        promises._after_first,
        "after + delays.longest(atom)",
        "after",
    ),
    "what has come is lost in snapshots": ("snapshots", state._relation_rows, "column >> 1 for", "column >> 2 for"),
    "what was answered is lost in snapshots": (
        "snapshots",
        state._hold,
        "reasoner.answered = _memory(relation, len(reasoner.answered.columns))",
        "pass",
    ),
    "time that has passed does not count": (
        "confidence",
        confidence.Confidence._comes,
        "(all_in_all - arrived)",
        "all_in_all",
    ),
    "what is lost on the way comes in the end": (
        "confidence",
        confidence.Confidence._arrived,
        "np.where(wins, sums[-1], in_all)",
        "in_all",
    ),
    "the least likely rows stay": ("likeliest", pruning._likeliest, "np.argsort(-chances", "np.argsort(chances"),
    "what was given up is refuted": (
        "giving up",
        Reasoner._ended,
        "if doubtful.any():",
        "doubtful &= False\n    if False:",
    ),
}


@cache
def cases(name):
    """The cases of a check, each with a number that decides what is left to chance."""
    kind, count, _ = CHECKS[name]
    if isinstance(kind, HypothesesKnobs):
        return [*enumerate(some(hypotheses_cases(kind), count))]
    return [(seed, busy(text, seed)) for seed in range(count) for text in kind.values()]


def fails(name, seed, case):
    """Whether a check fails for a case."""
    *_, check = CHECKS[name]
    try:
        with test_engine_negation.few_hypotheses():
            check(case, seed) if check.__code__.co_argcount > 1 else check(case)
    except UnsatisfiedAssumption:
        return False
    except Exception:
        return True
    return False


@pytest.mark.parametrize("bug", BUGS)
def test_the_checks_find(bug):
    name, *place = BUGS[bug]
    several = cases(name)
    with planted(*place):
        found = next((each for each in several if fails(name, *each)), None)
    assert found is not None
    assert not fails(name, *found), "the check fails without the bug, too"
