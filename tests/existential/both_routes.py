"""A LARS+ program over a stream by two routes: as it is, and rewritten to existential rules that are chased."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import thalweg
from thalweg.analysis.existential.lars_plus import LarsPlusProgram
from thalweg.analysis.existential.names import at_name, box_name
from thalweg.analysis.existential.read_lars_plus import read_lars_plus
from thalweg.analysis.existential.rewriting import rewrite, rewrite_query
from thalweg.analysis.existential.rules import ExistentialRule
from thalweg.analysis.existential.timeline_facts import stream_facts, timeline_facts
from thalweg.engine.materialise import materialise
from thalweg.engine.read import read_facts_of
from thalweg.model.formula import Atom, Constant
from thalweg.model.program import Fact, Program
from thalweg.null import Null
from thalweg.testing.existential.chase import has_match, skolem_chase


def lars_plus(program):
    """The LARS+ program; nothing in it is refused."""
    found, refused = read_lars_plus(program)
    assert [diagnostic.render() for diagnostic in refused] == []
    return found


def holds_natively(program, facts):
    """(predicate, values, time) for all that holds on the timeline, by the engine."""
    model = thalweg.materialise(replace(program, facts=tuple(facts)), max_nulls=100_000)
    return at_time_points(model.facts(), int(program.timeline_end))


def at_time_points(answers, horizon):
    """Ground atoms with their intervals, as (predicate, values, time)."""
    return {
        (predicate, values, time)
        for (predicate, values), intervals in answers.items()
        for interval in intervals
        for time in range(max(int(max(interval.start, -1)), 0), int(min(interval.end, horizon)) + 1)
    }


def facts_of(program, text):
    """The facts of a text, as the model has them."""
    batches, problems = read_facts_of(program, text)
    assert not problems
    bare = Program((), (), program.signatures, program.timeline)
    return [
        Fact(Atom(predicate, tuple(map(Constant, values))), interval)
        for (predicate, values), intervals in materialise(bare, batches).facts().items()
        for interval in intervals
    ]


@dataclass(frozen=True)
class Rewritten:
    """rew(P), rew(D) and rew(T) on the timeline [0, horizon]."""

    source: LarsPlusProgram
    rules: tuple[ExistentialRule, ...]
    facts: tuple
    horizon: int

    @classmethod
    def of(cls, program, facts, queries=(), times=(), change=lambda rules: rules):
        """The rewriting of a program and facts, with queries at some times; ``change`` may spoil the rules."""
        horizon = int(program.timeline_end)
        source = lars_plus(program).clipped(horizon)
        queries = [query.clipped(horizon) for query in queries]
        rules = tuple(change(rewrite(source, queries)))
        assert [rule for rule in rules if not set(rule.frontier) <= bound(rule)] == []
        asked = [rewrite_query(query, time) for query in queries for time in times]
        arithmetic = timeline_facts([*(rule.body for rule in rules), *asked], horizon)
        stream = stream_facts(facts, horizon)
        return cls(source, rules, (*stream, *arithmetic), horizon)

    def chased(self):
        """All facts of the chase, which is not to go on for long."""
        return skolem_chase(self.rules, self.facts, max_facts=3000, max_depth=7)

    def holds(self, chased):
        """(predicate, values, time) for all that holds on the timeline: box_p(t, 0, s) says that p(t) holds at s."""
        names = {box_name(name): name for name, _ in self.source.arities}
        found = [(names[name], values) for name, values in chased if name in names]
        return {(name, tuple(values), int(time)) for name, (*values, size, time) in found if size == 0}

    def with_native_nulls(self, holds):
        """The same with the nulls of the written rules."""
        return {(name, tuple(map(self.native_value, values)), time) for name, values, time in holds}

    def native_value(self, value):
        """The null that the written rule would have made: of the same variable and frontier, and of the time C."""
        if not isinstance(value, Null):
            return value
        written, rewritten = self.source.rules[value.rule - 1], self.rules[value.rule - 1]
        given = dict(zip(rewritten.frontier, map(self.native_value, value.arguments), strict=True))
        arguments = tuple(given.pop(variable) for variable in written.frontier)
        times = [int(time) for time in given.values()]
        assert len(times) == written.depends_on_now
        return Null(written.number, value.variable, arguments, times[0] if times else None)

    def matches(self, chased, query, time):
        """Whether a query holds at a time."""
        return has_match(rewrite_query(query.clipped(self.horizon), time), chased)


def bound(rule):
    """The variables of the body."""
    return {variable for atom in rule.body for variable in atom.variables}


def operator_facts(holds, largest, horizon):
    """What ⟦⊞□p⟧ and ⟦⊞@p⟧ mean for windows up to the largest (LARS+ paper, Appendix A)."""
    times = {(None, ()): set(range(horizon + 1))}
    for predicate, values, time in holds:
        times.setdefault((predicate, values), set()).add(time)
    found = set()
    for (predicate, values), held in times.items():
        for size, now in product(range(largest + 1), range(horizon + 1)):
            window = set(range(max(0, now - size), now + 1))
            if window <= held:
                found.add((box_name(predicate), (*values, size, now)))
            found |= {(at_name(predicate), (*values, size, time, now)) for time in window & held}
    return found
