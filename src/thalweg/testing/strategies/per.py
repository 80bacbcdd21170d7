"""Cases of DatalogMTL in which some rules make nulls that do not depend on time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from thalweg.model.binding import bound_by_all
from thalweg.model.formula import (
    Atom,
    Constant,
    Formula,
    HeadTerm,
    Metric,
    Skolem,
    Variable,
    atoms,
)
from thalweg.model.program import Program, Rule
from thalweg.testing.strategies.cases import Case, integer_cases, rational_cases
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.knobs import Knobs
from thalweg.testing.strategies.vocabulary import NAMES, Kind


def per_cases(knobs: Knobs | None = None) -> SearchStrategy[Case]:
    """Cases on both timelines, with ``exists … per …`` in rules that do not depend on their own heads.

    There are no comparisons in them: nulls have no order.
    """
    return _cases(replace(knobs or Knobs(), values=False))


@st.composite
def _cases(draw: DrawFn, knobs: Knobs) -> Case:
    case = draw(st.one_of(rational_cases(knobs), integer_cases(knobs)))
    choices = Choices(draw)
    uses = _uses(case.program)
    rules = [rule if _is_recursive(rule, uses) else _existential(choices, rule) for rule in case.program.rules]
    return case._replace(program=replace(case.program, rules=tuple(rules)))


def _existential(choices: Choices, rule: Rule) -> Rule:
    """The rule with nulls for some of the texts in its head, which depend on some of its variables."""
    [core] = atoms(rule.head)
    places = [place for place, term in enumerate(core.arguments) if _is_text(term)]
    if not places or choices.chance(20):
        return rule
    bound = sorted((each for each in bound_by_all(rule.body) if not each.is_anonymous), key=lambda each: each.name)
    frontier = [variable for variable in bound if not choices.chance(35)]
    frontier = frontier[::-1] if choices.chance(50) else frontier
    new = {choices.one_of(places): "F", choices.one_of(places): choices.one_of(("F", "G"))}
    nulls = {place: Skolem(rule.number, name, tuple(frontier), timed=False) for place, name in new.items()}
    terms = tuple(nulls.get(place, term) for place, term in enumerate(core.arguments))
    return replace(rule, head=_with_terms(rule.head, terms))


def _is_text(term: HeadTerm) -> bool:
    if isinstance(term, Constant):
        return isinstance(term.value, str)
    return isinstance(term, Variable) and term.name in NAMES[Kind.TEXT]


def _with_terms(head: Formula, terms: tuple[HeadTerm, ...]) -> Formula:
    if isinstance(head, Metric):
        return replace(head, operand=_with_terms(head.operand, terms))
    assert isinstance(head, Atom)
    return replace(head, arguments=terms)


def _is_recursive(rule: Rule, uses: Mapping[str, Collection[str]]) -> bool:
    """Whether a rule's body depends on its head."""
    [head] = atoms(rule.head)
    read = {atom.predicate for literal in rule.body for atom in atoms(literal)}
    return any(head.predicate in (name, *uses.get(name, ())) for name in read)


def _uses(program: Program) -> Mapping[str, Collection[str]]:
    """The predicates that each derived one depends on."""
    uses: dict[str, set[str]] = {}
    for rule in program.rules:
        for head in atoms(rule.head):
            uses.setdefault(head.predicate, set()).update(a.predicate for part in rule.body for a in atoms(part))
    for _ in uses:
        for used in uses.values():
            used.update(*(uses.get(name, ()) for name in tuple(used)))
    return uses
