"""A sharding carried out in one process: stage by stage, shard by shard, with the engine on each shard.

Facts travel as lists by predicate. Constraints become rules for predicates of their own, so that one can see when they
are violated. A stage must be exact on more than the stretch asked about, as far as later stages look: the plan of the
whole program says how far.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from thalweg.analysis.sharding import Sharding, ShardStage
from thalweg.engine.materialise import materialise
from thalweg.model.formula import Atom, Bottom, Constant, Value
from thalweg.model.program import Fact, Program, Rule, Signature
from thalweg.plan.guards import Extents
from thalweg.plan.plan import make_plan
from thalweg.plan.stretch import Stretch
from thalweg.time.interval import Endpoint, Interval

Answers = Mapping[tuple[str, tuple[Value, ...]], Iterable[Interval]]
Facts = Mapping[str, Sequence[Fact]]


def answers_on_shards(
    program: Program, facts: Sequence[Fact], sharding: Sharding, shards: int, start: Endpoint, end: Endpoint
) -> Answers:
    """What the queries answer, and when constraints are violated, inside [start, end]."""
    program = with_visible_violations(program)
    run = _Run(program, sharding, shards, _needs(program, facts, start, end))
    known = by_predicate(facts)
    answers: list[Fact] = []
    for number, stage in enumerate(sharding.stages):
        outcome = by_predicate(run.stage(stage, known))
        known |= {name: outcome.get(name, []) for name in stage.predicates}
        given_out = [name for name in sharding.queries if sharding.stage_of(name) == number]
        given_out += [name for name in outcome if name.startswith(_VIOLATED)]
        answers += [fact for name in given_out for fact in outcome.get(name, ())]
    return as_answers(answers, Interval(start, end))


def answers_in_one(
    program: Program, facts: Sequence[Fact], queries: Iterable[str], start: Endpoint, end: Endpoint
) -> Answers:
    """The same without shards."""
    program = with_visible_violations(program)
    wanted = (*queries, *(name for name in program.signatures if name.startswith(_VIOLATED)))
    return materialise(replace(program, facts=tuple(facts)), [], start=start, end=end, wanted=wanted).facts()


def with_visible_violations(program: Program) -> Program:
    """The program with a predicate for each constraint, that holds when it is violated."""
    rules = tuple(map(_visible, program.rules))
    heads = [rule.head_core for rule in rules]
    added = [core.predicate for core in heads if isinstance(core, Atom) and core.predicate.startswith(_VIOLATED)]
    return replace(program, rules=rules, signatures={**program.signatures, **{n: Signature(n, ()) for n in added}})


_VIOLATED = "#violated"


def _visible(rule: Rule) -> Rule:
    return replace(rule, head=Atom(f"{_VIOLATED}{rule.number}")) if isinstance(rule.head_core, Bottom) else rule


@dataclass(frozen=True)
class _Run:
    program: Program
    sharding: Sharding
    shards: int
    needs: Mapping[str, Stretch]

    def stage(self, stage: ShardStage, known: Facts) -> Iterator[Fact]:
        """Everything that the shards of a stage give out."""
        count = self.shards if stage.is_split else 1
        for shard in range(count):
            given = [fact for facts in known.values() for fact in facts if _belongs(fact, stage, shard, count)]
            shown = [name for name in self.sharding.queries if name in stage.reads and stage.gives(name)]
            yield from (fact for fact in given if fact.atom.predicate in shown)
            for fact in self._derived(stage, given):
                own = _is_own(fact, stage, shard, count)
                assert own or fact.atom.predicate in stage.copied, f"shard {shard} of {count} derived {fact}"
                if own:
                    yield fact

    def _derived(self, stage: ShardStage, given: Sequence[Fact]) -> Iterator[Fact]:
        """What a shard derives, each predicate on the stretch on which it is needed."""
        rules = tuple(map(_visible, stage.rules))
        program = replace(self.program, rules=rules, facts=tuple(given))
        for name in dict.fromkeys(rule.head_core.predicate for rule in rules if isinstance(rule.head_core, Atom)):
            stretch = self.needs.get(name)
            if stretch is not None:
                found = materialise(program, [], start=stretch.low, end=stretch.high, wanted=(name,)).facts()
                yield from _as_facts(found)


def _belongs(fact: Fact, stage: ShardStage, shard: int, count: int) -> bool:
    """Whether a shard of a stage gets a fact."""
    name = fact.atom.predicate
    return name in stage.replicated or (stage.gives(name) and _is_own(fact, stage, shard, count))


def _is_own(fact: Fact, stage: ShardStage, shard: int, count: int) -> bool:
    """Whether the key of a fact is a shard's own; violations and what has no key are everybody's."""
    place = stage.keys.get(fact.atom.predicate)
    return place is None or shard_of(fact.atom.arguments[place].value, count) == shard


def shard_of(value: Value, count: int) -> int:
    """The shard of a value of the key: the same in every process."""
    return zlib.crc32(repr(value).encode()) % count


def _needs(program: Program, facts: Sequence[Fact], start: Endpoint, end: Endpoint) -> Mapping[str, Stretch]:
    """The stretch on which each predicate must be known for the answers."""
    given = by_predicate(facts)
    extents: Extents = {
        name: _hull(given.get(name, ())) for name in program.signatures.keys() - program.derived_predicates
    }
    return make_plan(program, start=start, end=end, extents=extents).needs


def _hull(facts: Sequence[Fact]) -> Stretch | None:
    if not facts:
        return None
    return Stretch(min(fact.interval.start for fact in facts), max(fact.interval.end for fact in facts))


def by_predicate(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """Facts in lists, one for each predicate."""
    lists: dict[str, list[Fact]] = {}
    for fact in facts:
        lists.setdefault(fact.atom.predicate, []).append(fact)
    return lists


def _as_facts(answers: Answers) -> Iterator[Fact]:
    for (name, values), intervals in answers.items():
        yield from (Fact(Atom(name, tuple(map(Constant, values))), interval) for interval in intervals)


def as_answers(facts: Iterable[Fact], within: Interval) -> Answers:
    """Facts as ground atoms with their intervals, cut to a stretch."""
    answers: dict[tuple[str, tuple[Value, ...]], list[Interval]] = {}
    for fact in facts:
        cut = fact.interval.intersection(within)
        if cut is not None:
            values = tuple(term.value for term in fact.atom.arguments if isinstance(term, Constant))
            answers.setdefault((fact.atom.predicate, values), []).append(cut)
    return answers
