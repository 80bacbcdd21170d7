"""Checking answers to why-not questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from thalweg.model.formula import At, Atom, Constant, Formula, Skolem, Value, Variable
from thalweg.model.program import Fact, Program, Rule
from thalweg.null import Null
from thalweg.testing.cells import Cells
from thalweg.testing.proofs.bad_proof import BadProof
from thalweg.testing.proofs.full_model import FullModel
from thalweg.testing.proofs.reading import Atom as GroundAtom
from thalweg.testing.proofs.reading import Reader, intervals_in, read_interval
from thalweg.testing.steps import Row, steps_of
from thalweg.time.interval import point

Json = Mapping[str, Any]


def check_why_not(program: Program, facts: Iterable[Fact], answer: Json) -> None:
    """Raise :class:`BadProof` unless an answer, as JSON, is right about a program and facts.

    The fact must hold where it is said to hold, and not where it is said to be missing. Of each rule for the predicate
    a literal must be named that, together with those looked at before it, gives the fact at none of the times named,
    while those before it by themselves do; or the rule's head can never be the fact.
    """
    model = FullModel.of(program, facts, intervals_in(answer))
    reader = Reader(model.nulls)
    atom = reader.atom(answer["fact"])
    _check_verdict(model, atom, answer)
    if not answer["missing"]:
        return
    named = [each["rule"]["number"] for each in answer["rules"]]
    missing = _missing(model, answer)
    fitting = [
        rule
        for rule in program.rules
        if _head_values(rule, atom) is not None and missing & _head_cells(model, rule, [], atom)
    ]
    if sorted(named) != sorted(rule.number for rule in fitting):
        raise BadProof(f"{answer['fact']['text']}: rules {named} are named, of {[rule.number for rule in fitting]}")
    for entry in answer["rules"]:
        rules = [rule for rule in fitting if rule.number == entry["rule"]["number"]]
        problems = [_problem(model, rule, atom, entry, answer) for rule in rules]
        if None not in problems:
            raise BadProof(f"{answer['fact']['text']}, rule {rules[0].number}: {problems[0]}")


def _check_verdict(model: FullModel, atom: GroundAtom, answer: Json) -> None:
    held = model.cells(*atom)
    for text in answer["holds"]:
        if model.grid.cells_of(read_interval(text)) & ~held:
            raise BadProof(f"{answer['fact']['text']} does not hold throughout {text}")
    for text in answer["missing"]:
        if model.grid.cells_of(read_interval(text)) & held:
            raise BadProof(f"{answer['fact']['text']} holds at some time in {text}")


def _missing(model: FullModel, answer: Json) -> Cells:
    cells = 0
    for text in answer["missing"]:
        cells |= model.grid.cells_of(read_interval(text))
    return cells


def _problem(model: FullModel, rule: Rule, atom: GroundAtom, entry: Json, answer: Json) -> str | None:
    """Why an entry is wrong about a rule; None when it is right."""
    times = model.grid.cells_of(read_interval(entry["time"]))
    if not times or times & ~_missing(model, answer):
        return f"{entry['time']} is not among the missing times"
    before = [rule.body[number - 1] for number in entry["after"]]
    literal = rule.body[entry["literal"]["number"] - 1]
    ahead = _head_cells(model, rule, before, atom)
    reached = times & ahead
    if (reached != times) if answer["fact"]["interval"] is not None else not reached and bool(before):
        return f"literals {entry['after']} fail as well"
    if times & _head_cells(model, rule, [*before, literal], atom):
        return f"literal {entry['literal']['number']} can be satisfied"
    return None


def _head_cells(model: FullModel, rule: Rule, body: list[Formula], atom: GroundAtom) -> Cells:
    """Where a rule would derive an atom, if its body were these literals."""
    meanings = model.meanings()
    values = _head_values(rule, atom)
    assert values is not None
    given, time = values
    when = model.grid.everywhere if time is None else model.grid.cells_of(point(time))
    rows: list[Row] = [(given, when)]
    for step in steps_of(body, meanings):
        rows = [(found, cells) for row in rows for found, cells in step.rows(*row) if cells]
    derived, in_head = 0, meanings.of_head(rule.head)
    for substitution, cells in rows:
        is_open = isinstance(rule.head, At) and _name(rule.head.time) not in (None, *substitution)
        derived |= model.grid.everywhere if is_open else in_head(substitution, cells)
    return derived


def _name(term: Variable | Constant) -> str | None:
    return term.name if isinstance(term, Variable) else None


def _head_values(rule: Rule, atom: GroundAtom) -> tuple[dict[str, Value], int | None] | None:
    """The values of head variables, and the time of the body, with which the head is an atom; None when it never is."""
    core, found, times = rule.head_core, dict[str, Value](), set[int]()
    if not isinstance(core, Atom) or core.predicate != atom[0]:
        return None
    pairs: list[tuple[Any, Value]] = list(zip(core.arguments, atom[1], strict=True))
    while pairs:
        term, value = pairs.pop()
        if isinstance(term, Skolem):
            if not isinstance(value, Null) or (value.rule, value.variable) != (term.rule, term.variable):
                return None
            pairs += zip(term.frontier, value.arguments, strict=True)
            times |= {value.time} - {None}  # type: ignore[arg-type]  # what is left are integers
        elif (term.value if isinstance(term, Constant) else found.setdefault(term.name, value)) != value:
            return None
    return (found, next(iter(times), None)) if len(times) < 2 else None
