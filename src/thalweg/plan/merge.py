"""Rules of one shape as one plan, over a table of rules.

Over families of predicates (:mod:`thalweg.model.fold`) the rules ``A2(X) :- A1(X)`` and ``A3(Y) :- A2(Y)`` are one:
``#1(Q, x) :- #1(P, x), rules(P, I)``, where row I of the table says which predicate Q is, and where its arguments
come from. What a rule costs beside its facts is then paid once for all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from thalweg.model.fold import FEWEST_RULES
from thalweg.model.formula import Atom, Constant, Data, HeadTerm, Skolem, Variable, skolems
from thalweg.model.program import Rule
from thalweg.model.shapes import FAMILY, Shaped, shaped_rule
from thalweg.plan.build import RulePlan, plan_rule
from thalweg.plan.rule_table import ROW, MergedHead, MergedRule, RuleTable, place_name

_ROW = Variable(ROW)


def merged_plans(rules: Iterable[Rule], background: Collection[str]) -> Iterator[RulePlan]:
    """The plans of rules over families: one for all rules of a shape where there are many, one for each otherwise."""
    shapes: dict[object, list[tuple[Shaped, list[Rule]]]] = {}
    alone: list[Rule] = []
    for _, group in itertools.groupby(rules, key=lambda rule: rule.number):
        heads = list(group)
        shaped = shaped_rule(heads) if _in_families(heads) else None
        families = {rule.head.predicate for rule in heads if isinstance(rule.head, Atom)}
        if shaped is None or not shaped.members or len(families) > 1:
            alone += heads
        else:
            shapes.setdefault((shaped.key, families.pop()), []).append((shaped, heads))
    numbers = itertools.count()
    for members in shapes.values():
        if len(members) < FEWEST_RULES:
            alone += [rule for _, heads in members for rule in heads]
        else:
            yield from _merged(next(numbers), members, background)
    for rule in alone:
        yield from plan_rule(rule, background)


def _in_families(heads: list[Rule]) -> bool:
    return all(isinstance(rule.head, Atom) and rule.head.predicate.startswith(FAMILY) for rule in heads)


def _merged(number: int, members: list[tuple[Shaped, list[Rule]]], background: Collection[str]) -> Iterator[RulePlan]:
    shape, heads = members[0]
    rows = tuple(_row(shaped, rules) for shaped, rules in members)
    table = RuleTable(number, rows, len(shape.names), shape.timed)
    places = tuple(Variable(place_name(place)) for place in range(len(shape.names)))
    names = tuple(Variable(f"{FAMILY}P{place}") for place in range(1, len(shape.members) + 1))
    assert isinstance(heads[0].head, Atom)
    family = heads[0].head.predicate
    one = Rule(Atom(family, (_ROW, *places)), (*shape.body, Atom(table.name, (*names, _ROW))), heads[0].number)
    for plan in plan_rule(replace(one, origin=heads[0].origin), (*background, table.name)):
        yield replace(plan, table=table)


def _row(shaped: Shaped, heads: list[Rule]) -> MergedRule:
    places = {name: place for place, name in enumerate(shaped.names)}

    def source(term: HeadTerm) -> int | Data | Skolem:
        match term:
            case Variable(name=name):
                return places[name]
            case Constant(value=value):
                return value
            case Skolem():
                return term

    nulls = dict.fromkeys(null for rule in heads for null in skolems(rule.head))
    frontier = next(iter(nulls)).frontier if nulls else ()
    merged = []
    for rule in heads:
        assert isinstance(rule.head, Atom)
        member, *arguments = rule.head.arguments
        assert isinstance(member, Constant)
        merged.append(MergedHead(str(member.value), tuple(map(source, arguments))))
    return MergedRule(
        heads[0],
        shaped.members,
        tuple(merged),
        tuple(places[variable.name] for variable in frontier),
        tuple(dict.fromkeys(null.variable for null in nulls)),
    )
